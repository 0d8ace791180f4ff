package main

import (
	"bytes"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/store"
)

// settleWith reads serve's flags from a command line.
func settingsOf(t *testing.T, args ...string) (*settings, error) {
	t.Helper()
	var o serveOptions
	c := &cobra.Command{Use: "serve", PreRunE: fillFromEnvironment, RunE: func(*cobra.Command, []string) error { return nil }}
	o.register(c)
	environment(c.Flags(), map[string]string{"database-url": "DATABASE_URL"})
	c.SetArgs(append([]string{"--node=alpha"}, args...))
	c.SilenceUsage, c.SilenceErrors = true, true
	if err := c.Execute(); err != nil {
		t.Fatal(err)
	}
	return o.validate()
}

func TestServeRefusesToBeReachedByStrangersAndOverAnInsecureLine(t *testing.T) {
	long := strings.Repeat("x", minTokenLength)
	cases := []struct {
		args string
		want string // part of the refusal; empty is accepted
	}{
		{"", ""},
		{"--listen [::1]:0", ""},
		{"--listen localhost:8480", ""},
		{"--listen 0.0.0.0:8480", "clear text"},
		{"--listen :8480", "clear text"},
		{"--listen :8480 --insecure-http", ""},
		{"--open", ""},
		{"--listen :8480 --insecure-http --open", "can be reached from other hosts"},
		{"--open --admin-token " + long, "give one of them"},
		{"--listen :8480 --admin-token " + long, "clear text"},
		{"--listen :8480 --admin-token " + long + " --insecure-http", ""},
		{"--listen :8480 --admin-token " + long + " --tls-self-signed", ""},
		{"--listen 8480", "write it as 127.0.0.1:8480"},
		{"--admin-token short", "has 5 characters; give it 16 or more"},
		{"--tls-cert a.pem", "give both"},
		{"--tls-cert a.pem --tls-key b.pem --tls-self-signed", "exclude each other"},
		{"--tls-client-ca a.pem", "needs --tls-cert"},
		{"--engine hard", "none of auto, verbs, soft"},
		{"--engine soft --soft-ias 0", "not in 1 to 64"},
		{"--node Alpha!", "does not fit into ids"},
		{"--retention 0d", "write it as 90d or 36h"},
		{"--rate-limit -1", "is negative"},
		{"--metrics-listen here", "write it as 127.0.0.1:9480"},
		{"--advertise host-7", "write it as host-7:8480"},
		{"--advertise host-7:8480", ""},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			_, err := settingsOf(t, strings.Fields(c.args)...)
			if c.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("said %v, want %q", err, c.want)
			}
		})
	}
}

func TestVariablesStandInForFlagsAndFlagsWin(t *testing.T) {
	t.Setenv("DATAPI_SOFT_IAS", "3")
	t.Setenv("DATAPI_RETENTION", "36h")
	t.Setenv("DATABASE_URL", "postgres://db/one")
	s, err := settingsOf(t, "--soft-ias", "4")
	if err != nil {
		t.Fatal(err)
	}
	if s.softIAs != 4 || s.retentionAge != store.Age(36*time.Hour) || s.databaseURL != "postgres://db/one" {
		t.Errorf("soft IAs %d, retention %s, database %q", s.softIAs, s.retentionAge, s.databaseURL)
	}
	t.Setenv("DATAPI_DATABASE_URL", "postgres://db/two")
	if s, err = settingsOf(t); err != nil || s.databaseURL != "postgres://db/two" {
		t.Errorf("database %q, error %v: the flag's own variable comes first", s.databaseURL, err)
	}
}

func TestDataLiesWhereTheMachineKeepsState(t *testing.T) {
	t.Setenv("STATE_DIRECTORY", "/run/state/one:/run/state/two")
	if s, err := settingsOf(t); err != nil || s.dataDir != "/run/state/one" {
		t.Errorf("data in %q, error %v", s.dataDir, err)
	}
	if s, err := settingsOf(t, "--data-dir", "/srv/x"); err != nil || s.dataDir != "/srv/x" {
		t.Errorf("data in %q, error %v", s.dataDir, err)
	}
}

func TestASelfSignedCertificateIsReusedWhileItIsUsable(t *testing.T) {
	dir := t.TempDir()
	data, err := store.OpenDataDirectory(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	folder, err := data.Folder(tlsFolder)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	read := func(listen string, at time.Time) []byte {
		t.Helper()
		if err := makeSelfSigned(folder, at, listen); err != nil {
			t.Fatal(err)
		}
		cert, err := folder.ReadFile(certFile)
		if err != nil {
			t.Fatal(err)
		}
		return cert
	}
	first := read("127.0.0.1:8480", now)
	if !bytes.Equal(first, read("127.0.0.1:8480", now.Add(24*time.Hour))) {
		t.Error("made anew a day later")
	}
	if bytes.Equal(first, read("192.0.2.7:8480", now)) {
		t.Error("kept for an address that it lacks")
	}
	s := &settings{serveOptions: serveOptions{tlsSelfSigned: true, dataDir: dir, listen: "192.0.2.7:8480"}}
	config, err := serverTLS(s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil || leaf.VerifyHostname("192.0.2.7") != nil || leaf.VerifyHostname("localhost") != nil {
		t.Errorf("the certificate %v does not fit: %v", leaf.DNSNames, err)
	}
	if info, err := os.Stat(filepath.Join(dir, tlsFolder, keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode is %v, error %v", info.Mode(), err)
	}
}
