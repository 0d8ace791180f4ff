package api

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/store"
)

// ownCluster is a PostgreSQL of the test's own, which it may stop and start again.
type ownCluster struct {
	*store.Postgres
	dir string
}

// newOwnCluster starts a PostgreSQL in a directory of its own. It ends with the test, after what the test opens in it.
func newOwnCluster(t *testing.T) *ownCluster {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "datapi-api-away-")
	must(t, err)
	must(t, os.Chmod(dir, 0o711)) // PostgreSQL's account must get through
	c := &ownCluster{dir: dir}
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	c.start(t)
	t.Cleanup(func() { c.stop(t) })
	return c
}

// start starts it.
func (c *ownCluster) start(t *testing.T) {
	t.Helper()
	var err error
	c.Postgres, err = store.StartPostgres(context.Background(), filepath.Join(c.dir, "data"), slog.New(slog.DiscardHandler))
	must(t, err)
}

// stop stops it; it may be stopped already.
func (c *ownCluster) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	must(t, c.Stop(ctx))
}

func TestWithoutTheDatabaseStatusIsReadAndWritesChangeNothing(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	ep := r.endpoint(ia0)
	_, lines, end := r.stream("")
	defer end()
	pg.stop(t)
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
	pg.start(t)
	eventually(t, "writes are taken again", func() bool { return r.do("PATCH", "/endpoints/"+ep, `{"name":"later"}`).status == 200 })
	awaitLine(t, lines, "event: change")
}

// Promise 9: however long and however often the database is away, a watcher hears that it is back.
func TestAWatcherHearsThatTheDatabaseIsBackAfterManyHeartbeats(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	r.api.heartbeat = 10 * time.Millisecond
	_, lines, end := r.stream("")
	defer end()
	for range 2 {
		pg.stop(t)
		for range 3 {
			awaitLine(t, lines, "event: stale") // the later ones come with heartbeats
		}
		pg.start(t)
		awaitLine(t, lines, "event: fresh")
	}
}

// setting changes a setting of a running PostgreSQL.
func setting(t *testing.T, url, name, value string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for _, sql := range []string{"SET synchronous_commit = local", "ALTER SYSTEM SET " + name + " = '" + value + "'", "SELECT pg_reload_conf()"} {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	eventually(t, name+" is in force", func() bool {
		var now string
		must(t, conn.QueryRow(t.Context(), "SHOW "+name).Scan(&now))
		return now == value
	})
}

// awaitStandbys waits until a COMMIT waits for standbys: the server takes the setting over in one process after another.
func awaitStandbys(t *testing.T, url string) {
	t.Helper()
	eventually(t, "a COMMIT waits", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		conn, err := pgx.Connect(t.Context(), url)
		must(t, err)
		defer func() { _ = conn.Close(context.Background()) }()
		_, err = conn.Exec(ctx, "SELECT pg_logical_emit_message(true, 'probe', '')")
		return err != nil && ctx.Err() != nil
	})
}

// Promises 1 and 3: while a COMMIT waits for a standby its caller is told within 10 s that the outcome is unknown, its
// key stays taken, its object is locked, and all else is refused immediately. When the standby is there, a repetition
// tells what became of it.
func TestACommitThatWaitsForAStandbyHasAnUnknownOutcome(t *testing.T) {
	pg := newOwnCluster(t)
	r := newRigOn(t, pg.URL(), "alpha")
	ep, other := r.endpoint(ia0), r.endpoint(ia0)
	_, lines, end := r.stream("")
	defer end()
	setting(t, pg.URL(), "synchronous_standby_names", "nobody")
	awaitStandbys(t, pg.URL())
	writers := []struct {
		method, path string
		body         any
		key          option
		status       int
	}{
		{"POST", "/pzs", members{"ia": ia0, "name": "late"}, with(idempotencyHeader, "late-1"), 201},
		{"PATCH", "/endpoints/" + ep, `{"name":"late"}`, with(idempotencyHeader, "late-2"), 200},
	}
	answers := make([]reply, len(writers))
	var wait sync.WaitGroup
	began := time.Now()
	for i, w := range writers {
		wait.Go(func() { answers[i] = r.do(w.method, w.path, w.body, w.key) })
	}
	wait.Wait()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the answers took %s", took)
	}
	unknown := 0
	for i, a := range answers {
		switch p := a.refused(503); p.Type {
		case "/problems/outcome-unknown":
			unknown++
			if again := r.do(writers[i].method, writers[i].path, writers[i].body, writers[i].key); again.status != 409 && again.status != 503 {
				t.Errorf("a repetition meanwhile: %d %s", again.status, again.body)
			}
		case "/problems/store-away":
		default:
			t.Errorf("problem %s", a.body)
		}
	}
	if unknown == 0 {
		t.Error("no outcome is unknown")
	}
	for _, path := range []string{"/endpoints/" + ep, "/endpoints/" + other} {
		began := time.Now()
		if p := r.do("PATCH", path, `{"name":"other"}`).refused(503); p.Type != "/problems/store-away" || time.Since(began) > time.Second {
			t.Errorf("a write to %s meanwhile: %s after %s", path, p.Type, time.Since(began))
		}
	}
	if got := r.do("GET", "/endpoints/"+ep, nil).is(200); got.at("name") != nil {
		t.Errorf("a change of unknown outcome is shown: %s", got.body)
	}
	setting(t, pg.URL(), "synchronous_standby_names", "")
	for _, w := range writers {
		eventually(t, "a repetition tells", func() bool { return r.do(w.method, w.path, w.body, w.key).status == w.status })
	}
	awaitLine(t, lines, "event: change")
	if items := r.do("GET", "/pzs?name=late", nil).is(200).at("items").([]any); len(items) != 1 {
		t.Errorf("%d zones were made", len(items))
	}
	if got := r.do("GET", "/endpoints/"+ep, nil).is(200); got.at("name") != "late" || got.at("version") != 2.0 {
		t.Errorf("afterwards: %s", got.body)
	}
}

// awaitLine reads a stream up to a line.
func awaitLine(t *testing.T, lines <-chan string, want string) {
	t.Helper()
	deadline := time.After(patience)
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
