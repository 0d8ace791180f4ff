package api

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/store"
)

// startCluster starts a PostgreSQL of the test's own, which it may stop and start again.
func startCluster(t *testing.T, dir string) *store.Postgres {
	t.Helper()
	pg, err := store.StartPostgres(context.Background(), filepath.Join(dir, "data"), slog.New(slog.DiscardHandler))
	must(t, err)
	return pg
}

// stopCluster stops it; it may be stopped already.
func stopCluster(t *testing.T, pg *store.Postgres) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	must(t, pg.Stop(ctx))
}

func TestWithoutTheDatabaseStatusIsReadAndWritesChangeNothing(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "datapi-api-away-")
	must(t, err)
	must(t, os.Chmod(dir, 0o711)) // PostgreSQL's account must get through
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	pg := startCluster(t, dir)
	t.Cleanup(func() { stopCluster(t, pg) })
	r := newRigOn(t, pg.URL(), "alpha")
	ep := r.endpoint(ia0)
	_, lines, end := r.stream("")
	defer end()
	stopCluster(t, pg)
	eventually(t, "writes are refused", func() bool { return r.do("PATCH", "/endpoints/"+ep, `{"name":"later"}`).status == 503 })
	for _, call := range []struct{ method, path, body string }{
		{"POST", "/pzs", `{"ia":"soft0@alpha"}`},
		{"DELETE", "/endpoints/" + ep, ""},
		{"PUT", "/endpoints/" + ep + "/watermarks", `{"soft_high":1,"hard_high":null}`},
		{"GET", "/changes", ""},
		{"GET", "/endpoints/00000000-0000-7000-8000-000000000000", ""},
	} {
		out := r.do(call.method, call.path, call.body)
		if out.refused(503); out.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", call.method, call.path)
		}
	}
	r.do("GET", "/endpoints/"+ep+"/status", nil).is(200)
	r.do("GET", "/endpoints/"+ep+"/recvs", nil).is(200)
	if out := r.do("GET", "/endpoints/"+ep, nil).is(200); out.at("name") != nil || out.at("version") != 1.0 {
		t.Errorf("a refused write changed it: %s", out.body)
	}
	if out := r.raw("GET", "/livez"); out.Code != 200 {
		t.Errorf("/livez: %d", out.Code)
	}
	if out := r.raw("GET", "/readyz"); out.Code != 503 {
		t.Errorf("/readyz: %d %s", out.Code, out.Body)
	}
	awaitLine(t, lines, "event: stale")
	pg = startCluster(t, dir)
	eventually(t, "writes are taken again", func() bool { return r.do("PATCH", "/endpoints/"+ep, `{"name":"later"}`).status == 200 })
	awaitLine(t, lines, "event: change")
}

// awaitLine reads a stream up to a line.
func awaitLine(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case line, open := <-lines:
			if line == want {
				return
			}
			if !open {
				t.Fatalf("the stream ended before %q", want)
			}
		case <-deadline:
			t.Fatalf("%q did not come", want)
		}
	}
}
