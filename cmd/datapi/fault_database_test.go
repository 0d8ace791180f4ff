package main

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

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
