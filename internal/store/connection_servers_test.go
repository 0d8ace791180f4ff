package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/datapi/datapi/internal/dat"
)

// Promises 1 and 9: a former primary that nobody has stopped keeps a store from its successor
// only for as long as a COMMIT is waited for, also where the URL names it first.
func TestAFormerPrimaryThatRunsOnIsLeftForItsSuccessor(t *testing.T) {
	r := stall(t)
	r.standby.promote()
	if outcome := r.outcome(t); outcome.Err == nil {
		t.Errorf("the change that no standby has is told to be recorded: %+v", outcome)
	}
	eventually(t, "writes go on", func() bool { return r.store.Recorder().Away() == nil })
	later := newID(t)
	rec := record(t, r.store, creation(endpoint(later, "alpha", "second")))[0]
	if rec.Change.ID != 3 {
		t.Errorf("the next change has the id %d", rec.Change.ID)
	}
	if n := r.standby.number(`SELECT count(*)::text FROM objects WHERE id = '` + string(later) + `'`); n != 1 {
		t.Errorf("the successor has %d such objects", n)
	}
	if is := r.primary.text(`SELECT pg_is_in_recovery()::text`); is != "false" {
		t.Fatalf("the former primary is none any more: in recovery %s", is)
	}
	for d := (Delivery{}); d.Position.ID < 3; {
		if d = next(t, r.watcher); d.Position.Generation != 0 {
			t.Fatalf("the log went back: %+v", d)
		}
	}
	// Reads, lists and what listens have gone with it. The COMMIT waits there, and is left.
	const there = `SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'datapi alpha' AND wait_event IS DISTINCT FROM 'SyncRep'`
	eventually(t, "nobody is connected to the former primary", func() bool { return r.primary.number(there) == 0 })
	for range 2 * poolMin {
		page, err := r.store.List(t.Context(), Query{Type: dat.TypeEndpoint})
		if must(t, err); len(page.Items) != 2 || page.Items[1].Head().ID != later {
			t.Fatalf("the list has %d endpoints", len(page.Items))
		}
	}
	if r.primary.number(there) != 0 {
		t.Error("there are new connections to the former primary")
	}
}

// Promise 9: a start finds the primary though the URL names a former one first.
func TestAStartBesideAFormerPrimaryFindsItsSuccessor(t *testing.T) {
	primary := newServer(t)
	standby := primary.newStandby()
	standby.promote()
	began := time.Now()
	s := openStore(t, primary.url(standby), "alpha")
	if took := time.Since(began); took > startTimeout {
		t.Errorf("the start took %s", took)
	}
	record(t, s, creation(endpoint(newID(t), "alpha", "first")))
	if n := standby.number(`SELECT count(*)::text FROM objects`); n != 1 {
		t.Errorf("the successor has %d objects", n)
	}
}

// Servers that failed are tried last, the one on which changes are recorded first, names of
// several servers one by one.
func TestServersAreTriedInTheOrderOfWhatIsKnownOfThem(t *testing.T) {
	cfg, err := parseURL("postgres://u@a,b,[::1]:7/d?sslmode=disable", "checks")
	must(t, err)
	cfg.ConnConfig.LookupFunc = lookUp(map[string][]string{"a": {"10.0.0.1", "10.0.0.2"}, "b": {"10.0.0.3"}, "::1": {"::1"}})
	s := newServers(cfg)
	for _, c := range []struct {
		recorder string
		failed   []string
		want     string
	}{
		{"", nil, "10.0.0.1:5432 10.0.0.2:5432 10.0.0.3:5432 [::1]:7"},
		{"10.0.0.3:5432", nil, "10.0.0.3:5432 10.0.0.1:5432 10.0.0.2:5432 [::1]:7"},
		{"10.0.0.3:5432", []string{"10.0.0.3:5432", "10.0.0.1:5432"}, "10.0.0.2:5432 [::1]:7 10.0.0.3:5432 10.0.0.1:5432"},
		{"[::1]:7", []string{"10.0.0.9:1"}, "[::1]:7 10.0.0.1:5432 10.0.0.2:5432 10.0.0.3:5432"},
	} {
		s.recorder, s.failed = c.recorder, c.failed
		if got := orderOf(s.config(t.Context()).Config); got != c.want {
			t.Errorf("recorder %q, failed %q: %s, want %s", c.recorder, c.failed, got, c.want)
		}
	}
}

// lookUp returns a resolver of names.
func lookUp(names map[string][]string) pgconn.LookupFunc {
	return func(_ context.Context, host string) ([]string, error) { return names[host], nil }
}

// orderOf returns the addresses of a configuration in order, each once.
func orderOf(c pgconn.Config) string {
	all := []string{}
	for _, f := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port}}, c.Fallbacks...) {
		_, address := pgconn.NetworkAddress(f.Host, f.Port)
		all = append(all, address)
	}
	return strings.Join(slices.Compact(all), " ")
}
