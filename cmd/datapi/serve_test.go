package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestServeStartsAnswersAndStopsInOrder(t *testing.T) {
	dir := stateDir(t)
	p := serveIn(t, dir)
	if status, _, _ := p.call("GET", "/ias", nil); status != http.StatusOK {
		t.Errorf("GET /ias: %d", status)
	}
	ia := p.must(t, "GET", "/ias/soft0@alpha", nil)
	if ia["provider"] != "soft" || ia["state"] != "UP" {
		t.Errorf("soft0@alpha is %v, %v", ia["provider"], ia["state"])
	}
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "kept"})
	if status := p.end(t, syscall.SIGTERM); status != exitDone {
		t.Fatalf("exit status %d after SIGTERM", status)
	}
	if _, err := os.Stat(filepath.Join(dir, "postgres", "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("PostgreSQL still runs, or did not end in order: %v", err)
	}
	again := serveIn(t, dir)
	if got := again.must(t, "GET", "/endpoints/"+ep["id"].(string), nil); got["name"] != "kept" || got["state"] != "UNCONNECTED" {
		t.Errorf("after a restart the endpoint is %v in %v", got["name"], got["state"])
	}
}

func TestTheRetentionIsSetOnceAndChangedByACall(t *testing.T) {
	dir := stateDir(t)
	shows := func(p *process, age, by string) {
		t.Helper()
		if got := p.must(t, "GET", "/retention", nil); got["age"] != age || got["set_by"] != by {
			t.Errorf("the retention is %v of %v, want %s of %s", got["age"], got["set_by"], age, by)
		}
	}
	const complaint = "--retention is not what the database has"
	first := serveIn(t, dir, "--retention=36h")
	shows(first, "36h", "node alpha")
	status, out, said := command(t, "", "retention", "set", "--age", "30d", "--url", first.base)
	if status != exitDone || !strings.Contains(out, "30d") {
		t.Fatalf("status %d, printed %q, said %q", status, out, said)
	}
	shows(first, "30d", "anonymous")
	first.end(t, syscall.SIGTERM)
	second := serveIn(t, dir, "--retention=2s")
	shows(second, "30d", "anonymous")
	second.end(t, syscall.SIGTERM)
	if n := strings.Count(second.said(), complaint); n != 1 || strings.Contains(first.said(), complaint) {
		t.Errorf("a start with another value says so %d times:\n%s", n, second.said())
	}
	third := serveIn(t, dir)
	shows(third, "30d", "anonymous")
	third.end(t, syscall.SIGTERM)
	if strings.Contains(third.said(), complaint) {
		t.Errorf("a start without --retention complains:\n%s", third.said())
	}
}

func TestServeSaysInOneLineWhatItCannotDo(t *testing.T) {
	dir, db := stateDir(t), database(t, stateDir(t))
	p := serveIn(t, dir)
	serveIn(t, stateDir(t), "--database-url="+db.URL())
	address := strings.TrimPrefix(p.base, "http://")
	cases := []struct {
		name   string
		args   []string
		status int
		said   string
	}{
		{"the port is taken", []string{"--listen", address, "--data-dir", stateDir(t)}, exitRefused, "is taken by another program"},
		{"the directory is in use", []string{"--listen", "127.0.0.1:0", "--data-dir", dir}, exitRefused, dir},
		{"the node's name is in use", []string{"--listen", "127.0.0.1:0", "--data-dir", stateDir(t), "--database-url", db.URL(), "--node=alpha"}, exitRefused, "alpha"},
		{"an empty token", []string{"--admin-token-file", "/dev/null"}, exitUsage, "is empty"},
		{"an open door", []string{"--listen", "0.0.0.0:0", "--open"}, exitUsage, "leave --open out"},
		{"a door of glass", []string{"--listen", "0.0.0.0:0"}, exitUsage, "clear text"},
		{"a lock on an open door", []string{"--open", "--admin-token", "0123456789abcdef"}, exitUsage, "give one of them"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			q, out := begin(t, append([]string{"serve", "--node=beta", "--log-level=error"}, c.args...)...)
			printed, err := io.ReadAll(out)
			if err != nil {
				t.Fatal(err)
			}
			_ = q.cmd.Wait()
			close(q.exited)
			if q.waitFor(t) != c.status || !strings.Contains(q.said(), c.said) || len(printed) != 0 {
				t.Errorf("status %d, printed %q, said %q; want %d and %q", q.waitFor(t), printed, q.said(), c.status, c.said)
			}
			if lines := strings.Count(q.said(), "\n"); c.status == exitRefused && lines != 1 {
				t.Errorf("said %d lines, want one:\n%s", lines, q.said())
			}
		})
	}
}
