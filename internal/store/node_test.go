package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

func TestOneNodeNameCannotRunTwice(t *testing.T) {
	url := newDatabase(t)
	first := openStore(t, url, "alpha")
	_, err := Open(t.Context(), Config{URL: url, Node: "alpha"})
	if err == nil || !strings.Contains(err.Error(), `another process runs as node "alpha"`) || !strings.Contains(err.Error(), "--node") {
		t.Errorf("got %v", err)
	}
	record(t, first, creation(endpoint(newID(t), "alpha", "")))
}

func TestANodeThatWasTakenOverRecordsNothingMore(t *testing.T) {
	url := newDatabase(t)
	old := openStore(t, url, "alpha")
	record(t, old, creation(endpoint(newID(t), "alpha", "")))
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	_, _, err = claimNode(t.Context(), conn, Config{Node: "alpha"})
	must(t, err)
	must(t, conn.Close(t.Context()))
	_, err = old.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "")))
	e := wantError(t, err, dat.RetInternalError, KindStoreAway)
	if !strings.Contains(e.Detail, "another process has taken over this node") {
		t.Errorf("the detail is %q", e.Detail)
	}
	wantError(t, old.Recorder().Away(), dat.RetInternalError, KindStoreAway)
	if last := lastChange(t, url); last != 3 { // two starts and the creation
		t.Errorf("%d changes are there, want 3", last)
	}
}

func TestNodesSayWhichOfThemAreUp(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	openStore(t, url, "beta")
	must(t, admin(t.Context(), url, `UPDATE nodes SET last_seen = now() - interval '1 hour' WHERE name = 'beta'`))
	nodes, err := s.Nodes(t.Context())
	must(t, err)
	if len(nodes) != 2 || nodes[0].Name != "alpha" || nodes[0].State != "UP" || nodes[0].Address != "127.0.0.1:1" || nodes[1].State != "DOWN" {
		t.Errorf("got %+v", nodes)
	}
}

func TestASilentNodeIsSuspectThenDownAndOneThatStopsHasLeft(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	beta := openAs(t, url, "beta")
	state := func() string {
		nodes, err := s.Nodes(t.Context())
		must(t, err)
		return nodes[1].State
	}
	silent := func(d time.Duration) {
		must(t, admin(t.Context(), url, fmt.Sprintf(`UPDATE nodes SET last_seen = now() - interval '%d s' WHERE name = 'beta'`, int(d.Seconds()))))
	}
	for _, c := range []struct {
		silent time.Duration
		want   string
	}{{0, NodeUp}, {SuspectAfter - 2*time.Second, NodeUp}, {SuspectAfter + time.Second, NodeSuspect}, {DownAfter + time.Second, NodeDown}} {
		if silent(c.silent); state() != c.want {
			t.Errorf("silent for %v it is %s, want %s", c.silent, state(), c.want)
		}
	}
	// While this process could not write, nobody could be heard; who was dead before that is dead.
	for _, c := range []struct {
		silent time.Duration
		want   string
	}{{time.Minute, NodeUp}, {2 * time.Minute, NodeDown}} {
		for _, end := range []*time.Time{nil, new(time.Now())} {
			s.silence.Store(&silence{from: new(time.Now().Add(-time.Minute)), to: end})
			if silent(c.silent); state() != c.want {
				t.Errorf("in or after a minute without heartbeats, silent for %v, it is %s, want %s", c.silent, state(), c.want)
			}
		}
	}
	s.silence.Store(nil)
	closeStore(t, beta)
	if state() != NodeLeft {
		t.Errorf("stopped, it is %s", state())
	}
	openStore(t, url, "beta")
	if state() != NodeUp {
		t.Errorf("started again, it is %s", state())
	}
}

func TestARestartContinuesVersionsAndRaisesTheEpoch(t *testing.T) {
	url := newDatabase(t)
	id := newID(t)
	first, err := Open(t.Context(), Config{URL: url, Node: "alpha"})
	must(t, err)
	record(t, first, creation(endpoint(id, "alpha", "")))
	closeStore(t, first)
	second := openStore(t, url, "alpha")
	rec := record(t, second, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 3 }))[0]
	if rec.Change.ID != 5 || rec.Change.Version != 2 || len(rec.Change.Fields) != 1 {
		t.Errorf("got %+v", rec.Change)
	}
	nodes, err := second.Nodes(t.Context())
	must(t, err)
	if nodes[0].Epoch != 2 {
		t.Errorf("the epoch is %d, want 2", nodes[0].Epoch)
	}
}

func TestAHeartbeatTellsHowFarANodeIsBehindTheLog(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	behind := func() int64 {
		nodes, err := s.Nodes(t.Context())
		must(t, err)
		return nodes[0].ChangesBehind
	}
	if n := behind(); n != 0 {
		t.Errorf("at its start it is %d changes behind", n)
	}
	defer s.log.watch()() // a node that nobody watches follows nothing
	must(t, admin(t.Context(), url, `UPDATE change_head SET last = last + 3`))
	eventually(t, "it says that it is behind", func() bool { return behind() == 3 })
	must(t, admin(t.Context(), url, `UPDATE change_head SET last = last - 3`))
	eventually(t, "it says that it has caught up", func() bool { return behind() == 0 })
}
