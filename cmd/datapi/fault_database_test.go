package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/store"
)

// database starts a PostgreSQL for the test alone.
func database(t *testing.T, dir string) *store.Postgres {
	t.Helper()
	db, err := store.StartPostgres(t.Context(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopDatabase(t, db) })
	return db
}

// stopDatabase ends it; a second time does nothing.
func stopDatabase(t *testing.T, db *store.Postgres) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := db.Stop(ctx); err != nil {
		t.Errorf("stop PostgreSQL: %v", err)
	}
}

// While the database is away status reads go on, writes are 503 and change nothing; when it is back all goes on by itself.
func TestFaultDatabaseAwayReadsGoOnAndWritesWait(t *testing.T) {
	folder := stateDir(t)
	db := database(t, folder)
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "before", "attributes": object{"max_recv_dtos": 4}})
	path := "/endpoints/" + ep["id"].(string)
	for range rounds(t) {
		stopDatabase(t, db)
		eventually(t, "writes are refused", func() bool {
			status, _, _ := p.call("PUT", path+"/watermarks", object{"soft_high": 2, "hard_high": nil})
			return status == http.StatusServiceUnavailable
		})
		if status := p.must(t, "GET", path+"/status", nil); status["state"] != "UNCONNECTED" || status["recv_idle"] != true {
			t.Errorf("status without the database: %v", status)
		}
		for _, write := range []struct {
			method, path string
			body         any
		}{
			{"PATCH", path, object{"attributes": object{"max_recv_dtos": 5}}},
			{"POST", "/endpoints", object{"ia": "soft0@alpha", "name": "meanwhile"}},
			{"DELETE", path, nil},
		} {
			status, answer, header := p.call(write.method, write.path, write.body)
			if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
				t.Errorf("%s %s without the database: %d, Retry-After %q, %v", write.method, write.path, status, header.Get("Retry-After"), answer)
			}
		}
		db = database(t, folder)
		eventually(t, "writes are taken again", func() bool {
			status, _, _ := p.call("PATCH", path, object{"labels": object{"seen": "again"}})
			return status == http.StatusOK
		})
		now := p.must(t, "GET", path, nil)
		if dtos := now["attributes"].(map[string]any)["max_recv_dtos"]; dtos != 4.0 {
			t.Errorf("a refused modify is in force: max_recv_dtos is %v", dtos)
		}
		if made := p.must(t, "GET", "/endpoints?name=meanwhile", nil)["items"].([]any); len(made) != 0 {
			t.Errorf("a refused create made %v", made)
		}
	}
}

// Promise 9: a database that is frozen while a COMMIT is open. Each writer is answered within 10 s, and the service stops
// within 30 s.
func TestFaultDatabaseFrozenWritersAreAnsweredAndTheServiceStops(t *testing.T) {
	db := database(t, stateDir(t))
	p := serveIn(t, stateDir(t), "--database-url="+db.URL())
	var writers sync.WaitGroup
	var written atomic.Int64
	longest := make([]time.Duration, 16)
	for i := range longest {
		writers.Go(func() {
			for {
				began := time.Now()
				status, _, _ := p.call("POST", "/pzs", object{"ia": "soft0@alpha"})
				longest[i] = max(longest[i], time.Since(began))
				if status != http.StatusCreated {
					return
				}
				written.Add(1)
			}
		})
	}
	eventually(t, "all write", func() bool { return written.Load() > 100 })
	signalAll(t, db.Dir(), syscall.SIGSTOP)
	t.Cleanup(func() { signalAll(t, db.Dir(), syscall.SIGCONT) })
	began := time.Now()
	if status := p.end(t, syscall.SIGTERM); status != 0 {
		t.Logf("it ended with status %d", status)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("the stop took %s", took)
	}
	writers.Wait()
	for _, took := range longest {
		if took > 10*time.Second {
			t.Errorf("a writer was answered after %s", took)
		}
	}
}

// signalAll sends a signal to the processes that work in a directory.
func signalAll(t *testing.T, dir string, signal syscall.Signal) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if cwd, err := os.Readlink(link); err != nil || cwd != dir {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, signal) // it may have ended
	}
}
