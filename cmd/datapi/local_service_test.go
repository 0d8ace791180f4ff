package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// closed starts a service that asks everybody who they are, as one does without flags.
func closed(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return serveIn(t, dir, append(args, "--open=false")...)
}

func TestTheClientFindsTheServiceOfItsHostAndItsToken(t *testing.T) {
	for _, args := range [][]string{nil, {"--tls-self-signed"}} {
		dir := stateDir(t)
		p := closed(t, dir, args...)
		info, err := os.Stat(filepath.Join(dir, tokenName))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("the token's file: %v, %v", info, err)
		}
		for _, where := range [][]string{{"--data-dir", dir}, {"--data-dir", dir, "--url", p.base}} {
			status, out, said := command(t, "", append(where, "whoami", "-o", "json")...)
			if status != exitDone || !strings.Contains(out, `"role": "admin"`) || !strings.Contains(out, `"name": "admin"`) {
				t.Errorf("%v: status %d, out %s, said %s", where, status, out, said)
			}
		}
		if status, _, said := command(t, "", "--data-dir", stateDir(t), "--url", p.base, "whoami"); status == exitDone {
			t.Errorf("whoami without a token is answered: %s", said)
		}
	}
}

func TestTheTokenOfADataDirectoryGoesToItsOwnServiceOnly(t *testing.T) {
	dir := stateDir(t)
	p := closed(t, dir)
	other, seen := fakeService(t, http.StatusUnauthorized, `{"detail":"this call needs a token"}`)
	command(t, "", "--data-dir", dir, "--url", other, "ep", "list")
	if len(*seen) != 1 || (*seen)[0].header.Get("Authorization") != "" {
		t.Fatalf("another service was sent %v", *seen)
	}
	// Whoever listens where a killed service did is not that service.
	p.end(t, syscall.SIGKILL)
	if _, ok := findLocalService(dir); ok {
		t.Error("a service that was killed is found")
	}
	for _, where := range [][]string{{}, {"--url", p.base}} {
		if c, err := (&callOptions{dataDir: dir, url: strings.Join(where, "")}).client(); err == nil && c.token != "" {
			t.Errorf("%v: the token of a service that was killed is sent to %s", where, c.base)
		}
	}
	again := closed(t, dir)
	if status, _, said := command(t, "", "--data-dir", dir, "ia", "list"); status != exitDone {
		t.Errorf("after a new start: %s", said)
	}
	again.end(t, syscall.SIGTERM)
	if _, ok := findLocalService(dir); ok {
		t.Error("a service that was stopped is found")
	}
}

func TestTheTokenStaysTheSameAndIsRefusedWhereOthersCanReadIt(t *testing.T) {
	dir := stateDir(t)
	token := filepath.Join(dir, tokenName)
	closed(t, dir).end(t, syscall.SIGTERM)
	first, err := os.ReadFile(token)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, dir).end(t, syscall.SIGTERM)
	if second, err := os.ReadFile(token); err != nil || string(second) != string(first) {
		t.Errorf("the second start has another token (%v)", err)
	}
	for name, spoil := range map[string]func() error{
		"readable by others": func() error { return os.Chmod(token, 0o644) },
		"too short":          func() error { return os.WriteFile(token, []byte("short\n"), 0o600) },
		"a link": func() error {
			if err := os.Rename(token, token+".real"); err != nil {
				return err
			}
			return os.Symlink(token+".real", token)
		},
	} {
		if err := os.Remove(token); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(token, first, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if said := refusedServe(t, "--data-dir="+dir); !strings.Contains(said, token) || !strings.Contains(said, "remove it") {
			t.Errorf("%s: said %q", name, said)
		}
	}
}

// The terminal is that of script(1); a link is printed nowhere else.
func TestAStartOnATerminalPrintsALinkThatSignsInOnce(t *testing.T) {
	dir := stateDir(t)
	c := exec.Command("script", "-qefc", program+" serve --listen=127.0.0.1:0 --node=alpha --engine=soft --log-level=error --data-dir="+dir, "/dev/null")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = c.Wait()                          // the service's own tests look at its end
	})
	said := make([]byte, 0, 4096)
	link := regexp.MustCompile(`(http://[0-9.:]+)/#signin=([A-Za-z0-9_-]+)`)
	for !link.Match(said) {
		part := make([]byte, 1024)
		n, err := out.Read(part)
		if said = append(said, part[:n]...); err != nil {
			t.Fatalf("no link was printed:\n%s", said)
		}
	}
	parts := link.FindStringSubmatch(string(said))
	for _, want := range []int{http.StatusCreated, http.StatusUnauthorized} {
		response, err := http.Post(parts[1]+"/api/v1/session", "application/json", strings.NewReader(`{"link":"`+parts[2]+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("the link is answered %d, want %d", response.StatusCode, want)
		}
	}
}

func TestAStrangerIsToldNothing(t *testing.T) {
	p := closed(t, stateDir(t))
	for path, want := range map[string]int{
		"/livez": http.StatusOK, "/readyz": http.StatusOK, "/openapi.json": http.StatusOK, "/docs": http.StatusOK,
		"/readyz?verbose": http.StatusUnauthorized, "/metrics": http.StatusUnauthorized, "/api/v1/ias": http.StatusUnauthorized,
		"/api/v1/whoami": http.StatusUnauthorized, "/api/v1/nosuch": http.StatusUnauthorized, "/api/v1/changes/stream": http.StatusUnauthorized,
	} {
		response, err := http.Get(p.base + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s is answered %d, want %d", path, response.StatusCode, want)
		}
	}
}
