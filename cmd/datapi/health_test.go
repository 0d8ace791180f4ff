package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestHealthKnowsWhereAndHowTheServiceListens(t *testing.T) {
	dir := stateDir(t)
	p := closed(t, dir)
	at := strings.TrimPrefix(p.base, "http://")
	for _, args := range [][]string{{"--listen", at}, {"--listen", strings.Replace(at, "127.0.0.1", "0.0.0.0", 1)}, {"--listen", "127.0.0.1:0", "--data-dir", dir}} {
		if status, out, said := command(t, "", append([]string{"health"}, args...)...); status != exitDone || out != "ok\n" {
			t.Errorf("health %v: status %d, out %q, said %q", args, status, out, said)
		}
	}
	p.end(t, syscall.SIGTERM)
	for _, args := range [][]string{{"--listen", at}, {"--listen", "127.0.0.1:0", "--data-dir", dir}} {
		if status, out, _ := command(t, "", append([]string{"health"}, args...)...); status == exitDone || out != "" {
			t.Errorf("health %v of a service that was stopped: status %d, out %q", args, status, out)
		}
	}

	secure := closed(t, dir, "--tls-self-signed")
	at = strings.TrimPrefix(secure.base, "https://")
	if status, _, said := command(t, "", "health", "--tls-self-signed", "--listen", at); status != exitDone {
		t.Errorf("over TLS: status %d, said %q", status, said)
	}
	if status, _, _ := command(t, "", "health", "--listen", at); status == exitDone {
		t.Error("a service over TLS is ready to one who speaks HTTP")
	}
}

func TestHealthSaysWhyAServiceIsNotReady(t *testing.T) {
	url, _ := fakeService(t, http.StatusServiceUnavailable, "not ready\n")
	status, out, said := command(t, "", "health", "--listen", strings.TrimPrefix(url, "http://"))
	if status != exitRefused || out != "" || !strings.Contains(said, "answers 503: not ready") {
		t.Errorf("status %d, out %q, said %q", status, out, said)
	}

	dir := stateDir(t)
	closed(t, dir, "--tls-self-signed").end(t, syscall.SIGTERM)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	certificate, err := os.ReadFile(filepath.Join(dir, tlsFolder, certFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(authority, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	p := closed(t, dir, "--tls-self-signed", "--tls-client-ca="+authority)
	status, _, said = command(t, "", "health", "--tls-self-signed", "--listen", strings.TrimPrefix(p.base, "https://"))
	if status != exitRefused || !strings.Contains(said, "--client-cert") {
		t.Errorf("of a service that asks for a certificate: status %d, said %q", status, said)
	}
}
