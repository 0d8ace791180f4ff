package store

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// openAs opens a store that the test closes itself.
func openAs(t testing.TB, url, node string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{URL: url, Node: node})
	must(t, err)
	return s
}

// recordAhead records objects with a store whose clock is ahead, and closes that
// store. It returns the two endpoints that still live.
func recordAhead(t *testing.T, url string, ahead time.Duration) (first, second dat.Handle) {
	t.Helper()
	s := openAs(t, url, "alpha")
	// The recorder does not use its clock before something is recorded.
	s.recorder.clock.last = time.Now().Add(ahead)
	first, second = newID(t), newID(t)
	record(t, s, creation(endpoint(first, "alpha", "")), creation(endpoint(second, "alpha", "")))
	freed := &dat.PZ{Meta: dat.Meta{ID: newID(t), IA: "soft0@alpha"}}
	record(t, s, creation(freed))
	record(t, s, ending(dat.TypePZ, freed.ID))
	closeStore(t, s)
	return first, second
}

func TestAClockThatWasSetBackStopsNoWriteAndLosesNoEvent(t *testing.T) {
	url := newDatabase(t)
	first, second := recordAhead(t, url, time.Hour)
	s := openStore(t, url, "alpha")
	modified, err := s.Recorder().Record(t.Context(), modification(first, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 3 }))
	must(t, err)
	event := modification(first, func(e *dat.Endpoint) { e.Labels = map[string]string{"event": "1"} })
	event.Cause = "DAT_CONNECTION_EVENT_BROKEN"
	noted := make(chan dat.Recorded, 1)
	s.Recorder().Note(event, func(r dat.Recorded) { noted <- r })
	if r := <-noted; r.Change.ID == 0 {
		t.Error("the event was lost")
	}
	ended := record(t, s, ending(dat.TypeEndpoint, second))[0]
	made := record(t, s, creation(endpoint(newID(t), "alpha", "")))[0]
	if h := modified[0].Object.Head(); h.UpdatedAt.Before(h.CreatedAt.Time) {
		t.Errorf("the object was changed at %s and made at %s", h.UpdatedAt, h.CreatedAt)
	}
	page, err := s.Changes(t.Context(), ChangeQuery{Asc: true})
	must(t, err)
	if n := len(slices.DeleteFunc(slices.Clone(page.Items), func(c dat.Change) bool { return c.Object.Type == dat.TypeNode })); n != 8 {
		t.Errorf("%d changes of objects are there, want 8", n)
	}
	for i, c := range page.Items[1:] {
		if before := page.Items[i]; !c.At.After(before.At.Time) {
			t.Errorf("change %d is of %s, and change %d before it of %s", c.ID, c.At, before.ID, before.At)
		}
	}
	for _, c := range []dat.Change{modified[0].Change, ended.Change, made.Change} {
		if _, err := s.AsOf(t.Context(), dat.TypeEndpoint, first, Moment{At: c.At.Time}, nil); err != nil {
			t.Errorf("the object as of change %d, by its time: %v", c.ID, err)
		}
	}
}

// The times of changes can be compared over all nodes, and as_of holds over all.
func TestTimesOfChangesAreTheDatabasesWhateverTheClocksOfTheHosts(t *testing.T) {
	url := newDatabase(t)
	var stores [3]*Store
	for i, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		var err error
		stores[i], err = Open(t.Context(), Config{
			URL: url, Node: []string{"alpha", "beta", "gamma"}[i],
			hostClock: func() time.Time { return time.Now().Add(ahead) },
		})
		must(t, err)
		t.Cleanup(func() { closeStore(t, stores[i]) })
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	now := func() (at time.Time) {
		must(t, conn.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&at))
		return at
	}
	for range 3 {
		for _, s := range stores {
			slack := slowestMeasure / 2 // a measure on a loaded machine may be as wrong as that
			before := now().Add(-slack)
			at := record(t, s, creation(endpoint(newID(t), s.cfg.Node, "")))[0].Change.At
			if after := now().Add(slack); at.Before(before) || at.After(after) {
				t.Errorf("a change of %s is of %s, and was made from %s to %s by the database's clock", s.cfg.Node, at, before, after)
			}
		}
	}
}

func TestAnOffsetThatMayComeFromTheMeasureIsNone(t *testing.T) {
	began := time.Now()
	at := began
	c := newDatabaseClock(func() time.Time { return at })
	for _, m := range []struct{ took, told, offset time.Duration }{
		{10 * time.Millisecond, 7 * time.Millisecond, 0},
		{10 * time.Millisecond, time.Minute, time.Minute - 5*time.Millisecond},
		{2 * time.Second, time.Hour, time.Minute - 5*time.Millisecond}, // it says little, so the one before counts
		{10 * time.Millisecond, -time.Minute, -time.Minute - 5*time.Millisecond},
		{time.Millisecond, 0, 0},
	} {
		at = began.Add(m.took)
		c.measure(began, began.Add(m.told).Round(0))
		if c.offset() != m.offset {
			t.Errorf("told %s in an answer that took %s: the offset is %s, want %s", m.told, m.took, c.offset(), m.offset)
		}
	}
}

func TestTheClockStartsAtTheNewestTimeOfObjectsAndOfChanges(t *testing.T) {
	future := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	rows := map[string]string{
		"the update of an object": `UPDATE objects SET updated_at = $1 WHERE id = 'ep'`,
		"the end of an object":    `UPDATE objects SET freed_at = $1 WHERE id = 'ep'`,
		"a change": `INSERT INTO changes (id, at, node, ia, object_type, object_id, cause, actor, outcome, fields, version)
			VALUES (99, $1, 'beta', 'soft0@beta', 'pz', 'pz', 'dat_pz_free', 'test', 'DAT_INVALID_STATE', '{}', 1)`,
	}
	for what, sql := range rows {
		url := newDatabase(t)
		s := openAs(t, url, "alpha")
		record(t, s, creation(endpoint("ep", "alpha", "")))
		closeStore(t, s)
		conn, err := pgx.Connect(t.Context(), url)
		must(t, err)
		_, err = conn.Exec(t.Context(), sql, future)
		must(t, err)
		must(t, conn.Close(t.Context()))
		made := record(t, openStore(t, url, "alpha"), creation(endpoint(newID(t), "alpha", "")))[0]
		if !made.Change.At.After(future) {
			t.Errorf("%s lies at %s, and the next change is of %s", what, future, made.Change.At)
		}
	}
}

func TestANodeThatWasSeenInTheFutureIsDownUntilItIsSeenAgain(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	closeStore(t, openAs(t, url, "beta"))
	must(t, admin(t.Context(), url, `UPDATE nodes SET last_seen = now() + interval '1 hour', left_at = NULL WHERE name = 'beta'`))
	nodes, err := s.Nodes(t.Context())
	must(t, err)
	if nodes[0].State != "UP" || nodes[1].State != "DOWN" {
		t.Errorf("got %+v", nodes)
	}
}
