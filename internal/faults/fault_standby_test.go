package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// replica is a standby and the connection over which it follows the primary.
type replica struct {
	*Cluster
	follows *Proxy
}

// replicated starts a primary, a standby and a service that knows both addresses.
func (w *World) replicated(v Build) *replica {
	w.t.Helper()
	w.Cluster = w.startCluster("primary")
	follows := w.startProxy("replication", w.Cluster.Address())
	standby, err := w.Cluster.NewStandby(w.t.Context(), w.path("standby"), "standby", follows.Address())
	w.must(err)
	w.own(standby)
	w.startService(v, databaseURL(w.Cluster.Address(), standby.Address()))
	return &replica{standby, follows}
}

// stall lets nothing of the primary reach the standby any more.
func (r *replica) stall(w *World) { w.must(r.follows.Poison(AnswersLost)) }

// takeOver lets the primary's host be lost, with what the standby does not have, and makes
// the standby the primary.
func (r *replica) takeOver(w *World) {
	w.must(w.Cluster.KillAll())
	r.follows.Close()
	w.must(r.Promote())
}

// stalled is how long a standby stalls: longer than the service waits for any answer.
const stalled = 12 * time.Second

// Promises 1 and 5: with a synchronous standby that stalls before the primary is lost,
// nothing acknowledged is lost, and no reader or stream tells what the new primary does not have.
func TestFaultSynchronousStandbyStallsAndTakesOver(t *testing.T) {
	t.Parallel()
	for range roundsOf(t) {
		stallAndTakeOver(newWorld(t, programs), nil)
	}
}

// stallAndTakeOver is the scenario; overlay changes the program.
func stallAndTakeOver(w *World, overlay map[string]string) {
	standby := w.replicated(Build{Overlay: overlay})
	w.must(w.Cluster.MakeSynchronous("standby"))
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		w.pause(0.5)
		standby.stall(w)
		<-time.After(stalled)
		standby.takeOver(w)
		w.must(w.Service.AwaitReady(patience))
		w.pause(0.3)
	})
	line, err := standby.TimeLine()
	w.must(err)
	if line != "2" {
		w.t.Errorf("the new primary is on time line %s", line)
	}
	w.verify()
	w.must(w.Service.Stop())
}

// Promise 9: writes that wait for a standby are answered within 10 s, and those to come are refused.
func TestFaultStandbyThatStallsLeavesNobodyWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	standby := w.replicated(Build{})
	w.must(w.Cluster.MakeSynchronous("standby"))
	w.makeContested(2)
	w.watch(0, 0)
	ctx, id := t.Context(), w.contested[0]
	standby.stall(w)
	var asking sync.WaitGroup
	for n := range 4 {
		c, marker := w.newClient(w.Service.Address()), fmt.Sprintf("stalled-%d", n)
		asking.Go(func() {
			defer c.close()
			call := &Call{Kind: KindModify, Method: http.MethodPatch, Path: "/endpoints/" + id, Object: id, Marker: marker, Effects: 1}
			timed(t, c, call, object{"labels": object{"op": marker}}, writeLimit)
			if call.Outcome() == Acknowledged {
				w.broken(1, "a write is acknowledged and the standby that must have it does not: %s", story(call, nil))
			}
		})
	}
	asking.Wait()
	c := w.newClient(w.Service.Address())
	defer c.close()
	if shown := c.readEndpoint(ctx, id); versionOf(shown) != 1 {
		w.broken(1, "version %d is shown, which the standby does not have", versionOf(shown))
	}
	if got := w.watchers[0].Changes(); slices.ContainsFunc(got, func(c Change) bool { return c.Object.ID == id && c.Version != 1 }) {
		w.broken(5, "a stream tells change %d, which the standby does not have", got[len(got)-1].ID)
	}
	w.must(standby.follows.Mend(ctx))
	w.must(w.Service.AwaitReady(patience))
	w.verify()
}

// roundsOf returns how often the settings want a fault to be tried.
func roundsOf(t *testing.T) int {
	t.Helper()
	s, err := settingsOf()
	if err != nil {
		t.Fatal(err)
	}
	return s.Rounds
}

// checkRewound holds what a service must do that finds its database at an older state.
func checkRewound(t *testing.T, w *World, old *Watcher) {
	t.Helper()
	if err := w.Service.AwaitReady(patience / 3); err != nil {
		w.broken(9, "%v", err)
		return
	}
	if err := eventually("the stream has ended with 410", 15*time.Second, func() bool { return old.Refusal() != "" }); err != nil {
		w.broken(5, "the database went back, and a stream goes on in silence (its last change is %s)", old.last)
	} else if why := old.Refusal(); !strings.HasPrefix(why, "410 /problems/log-rewound") {
		w.broken(5, "the database went back, and a stream was told %s", why)
	}
	c := w.newClient(w.Service.Address())
	defer c.close()
	for _, id := range w.contested {
		call := c.do(t.Context(), &Call{
			Kind: KindModify, Method: "PATCH", Path: "/endpoints/" + id, Object: id, Marker: "after", Effects: 1,
		}, object{"labels": object{"op": "after"}})
		if call.Outcome() != Acknowledged {
			w.broken(1, "after the database went back an endpoint cannot be modified: %s", story(call, nil))
		}
	}
	p, err := w.picture(t.Context(), c)
	if err != nil {
		w.broken(4, "after the database went back: %v", err)
		return
	}
	var all findings
	e := &Evidence{Picture: p}
	for _, check := range []func(*Evidence) findings{checkDense, checkVersions, checkState, checkUsage} {
		all = append(all, check(e)...)
	}
	w.report(all)
}

// Promises 1 and 5: an asynchronous fail-over that lost commits is noticed and said, and the service goes on.
func TestFaultFailOverThatLostCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	standby := w.replicated(Build{})
	w.makeContested(4)
	watcher := w.watch(0, 0)
	w.underLoad(Load{Writers: 4}, func(context.Context) {
		w.pause(0.2)
		standby.stall(w)
		w.awaitWrites(100) // these are lost
	})
	standby.takeOver(w)
	checkRewound(t, w, watcher)
}

// Promises 1, 5 and 12: an older backup that is put back under a running service is noticed and said.
func TestFaultOlderBackupIsPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.Cluster = w.startCluster("primary")
	w.startService(Build{}, w.Cluster.URL())
	w.makeContested(4)
	watcher := w.watch(0, 0)
	w.underLoad(Load{Writers: 4}, func(context.Context) {
		w.awaitWrites(30)
		w.must(w.Cluster.Backup(t.Context(), w.path("backup")))
		w.awaitWrites(60) // these are lost
	})
	w.must(w.Cluster.PutBack(w.path("backup")))
	checkRewound(t, w, watcher)
}
