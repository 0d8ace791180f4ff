package store

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// movesOf returns the changes of a node, the oldest first, in short: its cause, and the states
// and epochs before and after it.
func movesOf(t *testing.T, s *Store, node string) []string {
	t.Helper()
	page, err := s.Changes(t.Context(), ChangeQuery{Asc: true, ChangeFilter: ChangeFilter{Types: []dat.ObjectType{dat.TypeNode}, Nodes: []string{node}}})
	must(t, err)
	var moves []string
	for i, c := range page.Items {
		if c.Object.Name != dat.Name(node) || c.Object.ID == "" || c.Object.ID != page.Items[0].Object.ID || c.Version != int64(i)+1 || c.IA != "" {
			t.Errorf("change %d of %s is %+v", i, node, c)
		}
		if i > 0 && !c.At.After(page.Items[i-1].At.Time) {
			t.Errorf("change %d of %s is of %s, the one before it of %s", i, node, c.At, page.Items[i-1].At)
		}
		moves = append(moves, fmt.Sprintf("%s %s %s>%s", c.Cause, strings.Join(c.Fields, ","), c.Before, c.After))
	}
	return moves
}

// looks lets stores look for moves at the same time, each at a heartbeat of its own.
func looks(t *testing.T, stores ...*Store) {
	t.Helper()
	var all sync.WaitGroup
	now := time.Now()
	last := now.Add(-heartbeat)
	for _, s := range stores {
		all.Go(func() { s.recordMoves(t.Context(), &last, now) })
	}
	all.Wait()
}

// silenced makes a node look as if it was last heard some time ago.
func silenced(t *testing.T, url, node string, ago time.Duration) {
	t.Helper()
	must(t, admin(t.Context(), url, fmt.Sprintf(`UPDATE nodes SET last_seen = now() - interval '%d s' WHERE name = '%s'`, int(ago.Seconds()), node)))
}

func TestEachMoveOfANodeIsRecordedOnceHoweverManyWatch(t *testing.T) {
	url := newDatabase(t)
	watchers := []*Store{openIdle(t, url, "alpha"), openIdle(t, url, "gamma"), openIdle(t, url, "delta")}
	beta, err := Open(t.Context(), Config{URL: url, Node: "beta"})
	must(t, err)
	beta.stop() // no heartbeats of its own
	beta.tasks.Wait()
	for _, ago := range []time.Duration{SuspectAfter + time.Second, SuspectAfter + 2*time.Second, DownAfter + time.Second, time.Hour, 0} {
		for _, w := range watchers {
			silenced(t, url, w.cfg.Node, 0)
		}
		silenced(t, url, "beta", ago)
		looks(t, watchers...)
	}
	closeStore(t, beta)
	looks(t, watchers...)
	closeStore(t, openAs(t, url, "beta"))
	want := []string{
		`node_up  >{"epoch": 1, "state": "UP"}`,
		`node_suspect state {"state": "UP"}>{"state": "SUSPECT"}`,
		`node_down state {"state": "SUSPECT"}>{"state": "DOWN"}`,
		`node_up state {"state": "DOWN"}>{"state": "UP"}`,
		`node_left state {"state": "UP"}>{"state": "LEFT"}`,
		`node_up epoch,state {"epoch": 1, "state": "LEFT"}>{"epoch": 2, "state": "UP"}`,
		`node_left state {"state": "UP"}>{"state": "LEFT"}`,
	}
	if got := movesOf(t, watchers[0], "beta"); !slices.Equal(got, want) {
		t.Errorf("the moves are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := movesOf(t, watchers[0], "alpha"); len(got) != 1 {
		t.Errorf("alpha's moves are %q", got)
	}
}

func TestAStartAfterAKillSaysOnlyWhatWasSeen(t *testing.T) {
	url := newDatabase(t)
	killed := openIdle(t, url, "alpha")
	must(t, admin(t.Context(), url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'datapi alpha'`))
	killed.recorder.stop()
	s := openStore(t, url, "alpha")
	if got := movesOf(t, s, "alpha"); len(got) != 2 || got[1] != `node_up epoch {"epoch": 1, "state": "UP"}>{"epoch": 2, "state": "UP"}` {
		t.Errorf("the moves are %q", got)
	}
	nodes, err := s.Nodes(t.Context())
	must(t, err)
	if n := nodes[0]; n.StateSince == nil || n.StateVersion != 2 || n.ID == "" || n.recorded != NodeUp {
		t.Errorf("the node is %+v", n)
	}
}

func TestTimeInWhichNobodyCouldBeHeardMovesNobody(t *testing.T) {
	url := newDatabase(t)
	s := openIdle(t, url, "alpha")
	beta := openIdle(t, url, "beta")
	silenced(t, url, "beta", time.Minute)
	now := time.Now()
	for what, last := range map[string]*time.Time{
		"the first heartbeat": nil, "one after a long gap": new(now.Add(-2 * heartbeat)), "one before the last": new(now.Add(time.Second)),
	} {
		s.recordMoves(t.Context(), last, now)
		if got := movesOf(t, s, "beta"); len(got) != 1 {
			t.Errorf("%s: %q", what, got)
		}
	}
	s.silence.Store(&silence{from: new(now.Add(-time.Minute))})
	looks(t, s)
	s.silence.Store(&silence{from: new(now.Add(-time.Minute)), to: &now})
	looks(t, s)
	if got := movesOf(t, s, "beta"); len(got) != 1 {
		t.Errorf("in and after a time without the database: %q", got)
	}
	// The node itself, which was slow, is heard again before anybody has noticed.
	s.silence.Store(nil)
	silenced(t, url, "beta", 0)
	looks(t, s, beta)
	if got := movesOf(t, s, "beta"); len(got) != 1 {
		t.Errorf("heard again: %q", got)
	}
}

func TestTheMovesOfNodesComeWithTheStream(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	sub, err := s.Log().Subscribe(t.Context(), s.Log().Position(), ChangeFilter{Types: []dat.ObjectType{dat.TypeNode}})
	must(t, err)
	beta := openAs(t, url, "beta")
	d := next(t, sub)
	if c := d.Changes[0]; c.Object.Type != dat.TypeNode || c.Node != "beta" || c.Cause != "node_up" || !strings.Contains(string(c.JSON()), `"object":{"type":"node"`) {
		t.Errorf("the start is %s", c.JSON())
	}
	closeStore(t, beta)
	if c := next(t, sub).Changes[0]; c.Cause != "node_left" {
		t.Errorf("the stop is %s", c.JSON())
	}
	silenced(t, url, "beta", 0)
	must(t, admin(t.Context(), url, `UPDATE nodes SET left_at = NULL, last_seen = now() - interval '1 hour' WHERE name = 'beta'`))
	looks(t, s)
	if c := next(t, sub).Changes[0]; c.Cause != "node_down" || c.Reason == nil || !strings.Contains(*c.Reason, "alpha") {
		t.Errorf("the loss is %s", c.JSON())
	}
}

func TestANodeOfBeforeItsMovesWereRecordedBeginsWithWhatIsSeen(t *testing.T) {
	url := newDatabase(t)
	closeStore(t, openAs(t, url, "beta"))
	_, err := MigrateDown(t.Context(), url, int(newestVersion(t)-8), quiet)
	must(t, err)
	s := openStore(t, url, "alpha")
	looks(t, s)
	looks(t, s)
	if got := movesOf(t, s, "beta"); len(got) != 1 || got[0] != `node_left  >{"state": "LEFT"}` {
		t.Errorf("the moves are %q", got)
	}
}
