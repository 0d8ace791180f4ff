//go:build ha

package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// haFault is something that happens to the primary, and how it ends.
type haFault struct {
	name string
	// strike makes it happen; mend ends it and lets the member take part again.
	strike, mend func(*haWorld, *member)
	// leavesTwo says that the former primary takes connections until the end of the fault, and
	// acknowledges nothing.
	leavesTwo bool
}

// haFaults are the ways in which the scenarios lose a primary.
var haFaults = map[string]haFault{
	"killed": {
		name:   "primary killed",
		strike: func(h *haWorld, m *member) { h.must(m.kill()) },
		mend: func(h *haWorld, m *member) {
			h.must(m.rejoin(h.t.Context()))
			h.must(m.start())
		},
	},
	"frozen": {
		name:   "primary frozen",
		strike: func(_ *haWorld, m *member) { m.signal(syscall.SIGSTOP) },
		mend: func(h *haWorld, m *member) {
			h.must(m.rejoin(h.t.Context()))
			m.signal(syscall.SIGCONT)
		},
	},
	"unwatched": {
		name:      "the primary's Patroni frozen",
		strike:    func(_ *haWorld, m *member) { signalFamily(m.process.Pid(), syscall.SIGSTOP) },
		mend:      func(_ *haWorld, m *member) { signalFamily(m.process.Pid(), syscall.SIGCONT) },
		leavesTwo: true,
	},
	"isolated": {
		name:   "primary isolated",
		strike: func(h *haWorld, m *member) { h.must(m.isolate()) },
		mend:   func(h *haWorld, m *member) { h.must(m.rejoin(h.t.Context())) },
	},
}

// haSettings are Patroni's: they notice a lost primary within 20 s, the least that it allows.
func haSettings(synchronous bool) patroniSettings {
	return patroniSettings{ttl: 20, loopWait: 2, retryTimeout: 5, synchronous: synchronous}
}

// loseThePrimary lets a fault happen to the primary, and waits until another member is the
// primary.
func (h *haWorld) loseThePrimary(fault haFault) *failOver {
	h.t.Helper()
	f := &failOver{old: h.primary()}
	if f.old == nil {
		h.must(fmt.Errorf("there is no primary that could be lost"))
	}
	fault.strike(h, f.old)
	f.fault = time.Now()
	h.must(eventually("another member is the primary", 2*patience, func() bool {
		for _, m := range h.members {
			if m != f.old && m.isPrimary() {
				f.new, f.writable = m, time.Now()
				return true
			}
		}
		return false
	}))
	var err error
	f.promoted, err = f.new.promoted()
	h.must(err)
	return f
}

// awaitNodes waits until all nodes take writes.
func (h *haWorld) awaitNodes() {
	h.t.Helper()
	for _, s := range h.nodes {
		h.must(s.AwaitReady(patience))
	}
}

// twoPrimaries is how long a former primary takes connections beside the new one: longer than
// the nodes wait for any answer, and for another server.
const twoPrimaries = 2 * stalled

// besideTwo lets two primaries be there for some time, and holds that all nodes find the new one.
func (h *haWorld) besideTwo(f *failOver) {
	h.t.Helper()
	<-time.After(twoPrimaries)
	if !f.old.isPrimary() {
		h.must(fmt.Errorf("%s is not a primary any more: the fault did not happen", f.old.name))
	}
	for _, s := range h.nodes {
		since := 0
		for _, at := range h.acknowledgedAt(s.node) {
			if at.After(f.writable.Add(stalled)) {
				since++
			}
		}
		h.t.Logf("beside two primaries (%s, now %s) node %s has %d writes acknowledged in the last %s", f.old.name, f.new.name, s.node, since, twoPrimaries-stalled)
		if since == 0 {
			h.broken(9, "node %s has stayed with the former primary %s", s.node, f.old.name)
		}
	}
}

// keepAll loses the primary of a cluster with a synchronous standby, once with each fault, while
// clients write at all nodes, and holds that nothing that was acknowledged or shown is lost.
func keepAll(t *testing.T, faults ...haFault) {
	for range roundsOf(t) {
		h := newHAWorld(newWorld(t, programs), haSettings(true))
		h.underLoad(Load{Writers: 2 * haNodes, Nodes: h.nodes}, func(context.Context) {
			for n, fault := range faults {
				h.awaitWrites(100)
				f := h.loseThePrimary(fault)
				if fault.leavesTwo {
					h.besideTwo(f)
				} else {
					h.awaitNodes()
					h.awaitWrites(100)
				}
				fault.mend(h, f.old)
				h.awaitReturn(f.old)
				h.awaitNodes()
				h.awaitWrites(100)
				h.printTimes(fmt.Sprintf("%d. %s, synchronous", n+1, fault.name), f)
			}
		})
		h.verify()
		h.report(h.checkOwnReads())
		if n, err := h.lost(); err == nil {
			h.broken(1, "a service says that %d changes were lost", n)
		}
		for _, s := range h.nodes {
			h.must(s.Stop())
		}
	}
}

// Promises 1, 5 and 9: a primary that is killed loses nothing where commits wait for a standby.
func TestHAPrimaryKilledLosesNothingThatStandbysWereWaitedFor(t *testing.T) {
	keepAll(t, haFaults["killed"])
}

// Promises 1, 5 and 9: nor does one that is frozen, and goes on when another has its place.
func TestHAPrimaryFrozenLosesNothingThatStandbysWereWaitedFor(t *testing.T) {
	keepAll(t, haFaults["frozen"])
}

// Promises 1, 5 and 9: nor does one that only one node and no other member reaches.
func TestHAPrimaryIsolatedLosesNothingThatStandbysWereWaitedFor(t *testing.T) {
	keepAll(t, haFaults["isolated"])
}

// Promises 1, 5 and 9: nor does one whose Patroni hangs, so that it takes connections beside its successor.
func TestHAPrimaryUnwatchedLosesNothingThatStandbysWereWaitedFor(t *testing.T) {
	keepAll(t, haFaults["unwatched"])
}

// Promises 1, 5 and 9: ten fail-overs one after the other lose nothing either.
func TestHATenFailOversLoseNothingThatStandbysWereWaitedFor(t *testing.T) {
	var faults []haFault
	for n := range 10 {
		faults = append(faults, haFaults[[]string{"killed", "frozen", "isolated", "unwatched"}[n%4]])
	}
	keepAll(t, faults...)
}

// loseSome is keepAll without synchronous standbys: changes are lost, and the services must say
// so and let all objects be modified again.
func loseSome(t *testing.T, fault haFault) {
	for range roundsOf(t) {
		h := newHAWorld(newWorld(t, programs), haSettings(false))
		var f *failOver
		h.underLoad(Load{Writers: 2 * haNodes, Nodes: h.nodes}, func(context.Context) {
			h.awaitWrites(100)
			h.must(h.primary().stall())
			h.awaitWrites(100) // these are lost
			f = h.loseThePrimary(fault)
			h.awaitModifiable(f)
			fault.mend(h, f.old)
			h.awaitReturn(f.old)
			h.awaitNodes()
			h.awaitWrites(100)
		})
		h.printTimes(fault.name+", asynchronous", f)
		n, err := h.lost()
		if err != nil {
			h.broken(5, "%v", err)
		}
		h.t.Logf("%s, asynchronous: %d changes were lost and named", fault.name, n)
		h.report(h.checkOwnReads())
		for n, s := range h.nodes {
			h.Service = s
			checkRewound(t, h.World, h.watchers[watchersEach*n])
		}
		t.Logf("seed %d: %d writes acknowledged in %d calls", h.settings.Seed, h.history.Acknowledged(), len(h.history.Calls()))
	}
}

// modifiers is how many clients try at a time whether a node's endpoints can be modified.
const modifiers = 4

// awaitModifiable waits until every endpoint can be modified at its node again, and prints how
// long after the fail-over one was refused, and all were modified.
func (h *haWorld) awaitModifiable(f *failOver) {
	h.t.Helper()
	var mu sync.Mutex
	modified, refused := 0, f.writable // refused is when the last refusal was answered
	var errs [haNodes * modifiers]error
	var trying sync.WaitGroup
	for n, s := range h.nodes {
		reader := h.newClientOf(s.node, s.Address())
		_, list := reader.read(h.t.Context(), "/endpoints?limit=1000&fields=id,ia")
		reader.close()
		ids := make(chan string, 1000)
		items, _ := list["items"].([]any)
		for _, item := range items {
			if o, ok := item.(object); ok && strings.HasSuffix(text(o, "ia"), "@"+s.node) {
				ids <- text(o, "id")
			}
		}
		close(ids)
		for k := range modifiers {
			c := h.newClientOf(s.node, s.Address())
			trying.Go(func() {
				defer c.close()
				for id := range ids {
					errs[n*modifiers+k] = errors.Join(errs[n*modifiers+k], eventually("endpoint "+id+" can be modified", patience, func() bool {
						done, at := h.tryToModify(c, id)
						mu.Lock()
						defer mu.Unlock()
						if done {
							modified++
						} else if at.After(refused) {
							refused = at
						}
						return done
					}))
				}
			})
		}
	}
	trying.Wait()
	h.must(errors.Join(errs[:]...))
	if modified == 0 {
		h.broken(9, "no endpoint could be modified: none was listed")
	}
	h.t.Logf("counted from when the new primary was seen to take writes: no endpoint was refused after %.1f s, all %d had been modified after %.1f s",
		refused.Sub(f.writable).Seconds(), modified, time.Since(f.writable).Seconds())
}

// tryToModify reports whether an endpoint can be modified, or was freed by its writer, and when
// that was answered.
func (h *haWorld) tryToModify(c *Client, id string) (can bool, at time.Time) {
	marker := fmt.Sprintf("%s-after-c%d-%s", h.prefix(), c.number, id)
	call := c.do(h.t.Context(), &Call{
		Kind: KindModify, Method: http.MethodPatch, Path: "/endpoints/" + id, Object: id, Marker: marker, Effects: 1,
	}, object{"labels": object{"op": marker}})
	a := call.answer()
	return call.Outcome() == Acknowledged || a.Status == http.StatusNotFound, a.Returned
}

// Promises 1 and 5: without synchronous standbys, what a killed primary loses is named, and all goes on.
func TestHAPrimaryKilledNamesWhatItLosesWhereNoStandbyIsWaitedFor(t *testing.T) {
	loseSome(t, haFaults["killed"])
}

// Promises 1 and 5: so it is with one that is frozen, and goes on when another has its place.
func TestHAPrimaryFrozenNamesWhatItLosesWhereNoStandbyIsWaitedFor(t *testing.T) {
	loseSome(t, haFaults["frozen"])
}

// Promises 1 and 5: so it is with one that one node goes on to write to.
func TestHAPrimaryIsolatedNamesWhatItLosesWhereNoStandbyIsWaitedFor(t *testing.T) {
	loseSome(t, haFaults["isolated"])
}
