package store

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// connections returns the number of connections that a node has to the database of a URL,
// and how many of them listen.
func connections(t testing.TB, url, node string) (all, listening int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	must(t, conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE query LIKE 'LISTEN%') FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = $1`, "datapi "+node).Scan(&all, &listening))
	return all, listening
}

// A node follows the log only while somebody watches it there.
func TestALogThatNobodyWatchesIsNotFollowed(t *testing.T) {
	url := newDatabase(t)
	writer, idle := openStore(t, url, "alpha"), openStore(t, url, "beta")
	idle.log.mu.Lock()
	idle.log.watchGrace = 100 * time.Millisecond
	idle.log.mu.Unlock()
	before := lastChange(t, url)
	for range 20 {
		record(t, writer, creation(endpoint(newID(t), "alpha", "")))
	}
	if all, listening := connections(t, url, "beta"); all > 2 || listening > 0 {
		t.Errorf("an idle node has %d connections, %d of which listen", all, listening)
	}
	if at := idle.Log().Present(t.Context()); at.ID != before+20 {
		t.Errorf("the present end is %v", at)
	}
	idle.log.mu.Lock()
	n := len(idle.log.tail)
	idle.log.mu.Unlock()
	if n > 0 {
		t.Errorf("an idle node has %d changes of others in memory", n)
	}
	sub, err := idle.Log().Subscribe(t.Context(), Position{ID: before + 15}, ChangeFilter{})
	must(t, err)
	if d := next(t, sub); len(d.Changes) != 5 || d.Changes[0].ID != before+16 {
		t.Errorf("the watcher got %+v", d)
	}
	record(t, writer, creation(endpoint(newID(t), "alpha", "")))
	for d := (Delivery{}); d.Position.ID < before+21; {
		d = next(t, sub)
	}
	eventually(t, "an end of listening", func() bool {
		_, listening := connections(t, url, "beta")
		return listening == 0
	})
	record(t, writer, creation(endpoint(newID(t), "alpha", "")))
	if d := next(t, sub); len(d.Changes) != 1 || d.Changes[0].ID != before+22 {
		t.Errorf("a watcher that was away for a while got %+v", d)
	}
	waiting := make(chan Delivery)
	go func() {
		d, err := sub.Next(t.Context())
		if err != nil {
			t.Error(err)
		}
		waiting <- d
	}()
	eventually(t, "listening", func() bool {
		_, listening := connections(t, url, "beta")
		return listening == 1
	})
	record(t, writer, creation(endpoint(newID(t), "alpha", "")))
	if d := <-waiting; len(d.Changes) != 1 || d.Changes[0].ID != before+23 {
		t.Errorf("a watcher that waits got %+v", d)
	}
}

// A node that only writes does not read what others write.
func TestANodeThatWritesAndIsNotWatchedReadsNoChanges(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	before := lastChange(t, url)
	for range 10 {
		record(t, a, creation(endpoint(newID(t), "alpha", "")))
		record(t, b, creation(endpoint(newID(t), "beta", "")))
	}
	for _, s := range []*Store{a, b} {
		if at := s.Log().Present(t.Context()); at.ID != before+20 {
			t.Errorf("the present end is %v", at)
		}
		if all, listening := connections(t, url, s.cfg.Node); all > 2 || listening > 0 {
			t.Errorf("node %s has %d connections, %d of which listen", s.cfg.Node, all, listening)
		}
	}
}
