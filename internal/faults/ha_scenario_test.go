//go:build ha

package faults

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// haFault is something that happens to the primary, and how it ends.
type haFault struct {
	name string
	// strike makes it happen; mend ends it and lets the member take part again.
	strike, mend func(*haWorld, *member)
}

// haFaults are the three ways in which the scenarios lose a primary.
var haFaults = map[string]haFault{
	"killed": {
		name:   "primary killed",
		strike: func(h *haWorld, m *member) { h.must(m.kill()) },
		mend: func(h *haWorld, m *member) {
			h.must(m.toPostgres.Mend(h.t.Context()))
			h.must(m.start())
		},
	},
	"frozen": {
		name:   "primary frozen",
		strike: func(_ *haWorld, m *member) { m.signal(syscall.SIGSTOP) },
		mend: func(h *haWorld, m *member) {
			h.must(m.toPostgres.Mend(h.t.Context()))
			m.signal(syscall.SIGCONT)
		},
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

// keepAll loses the primary of a cluster with a synchronous standby while clients write at all
// nodes, and holds that nothing that was acknowledged or shown is lost.
func keepAll(t *testing.T, fault haFault) {
	for range roundsOf(t) {
		h := newHAWorld(newWorld(t, programs), haSettings(true))
		var f *failOver
		h.underLoad(Load{Writers: 2 * haNodes, Nodes: h.nodes}, func(context.Context) {
			h.awaitWrites(100)
			f = h.loseThePrimary(fault)
			h.awaitNodes()
			h.awaitWrites(100)
			fault.mend(h, f.old)
			h.awaitMembers()
			h.awaitNodes()
			h.awaitWrites(100)
		})
		h.verify()
		h.report(h.checkOwnReads())
		h.printTimes(fault.name+", synchronous", f)
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

// loseSome is keepAll without synchronous standbys: changes are lost, and the services must say
// so and let all objects be modified again.
func loseSome(t *testing.T, fault haFault) {
	for range roundsOf(t) {
		h := newHAWorld(newWorld(t, programs), haSettings(false))
		var f *failOver
		h.underLoad(Load{Writers: 2 * haNodes, Nodes: h.nodes}, func(context.Context) {
			h.awaitWrites(100)
			h.must(h.primary().toPostgres.Poison(AnswersLost))
			h.awaitWrites(100) // these are lost
			f = h.loseThePrimary(fault)
			h.awaitModifiable(f)
			fault.mend(h, f.old)
			h.awaitMembers()
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
		for _, s := range h.nodes {
			h.Service = s
			checkRewound(t, h.World, h.watchers[0])
		}
	}
}

// awaitModifiable waits until every endpoint can be modified at its node again, and prints how
// long that took after the fail-over.
func (h *haWorld) awaitModifiable(f *failOver) {
	h.t.Helper()
	modified := 0
	for _, s := range h.nodes {
		c := h.newClientOf(s.node, s.Address())
		_, list := c.read(h.t.Context(), "/endpoints?limit=1000&fields=id,ia")
		items, _ := list["items"].([]any)
		for _, item := range items {
			o, _ := item.(object)
			id := text(o, "id")
			if text(o, "ia") != adapterID(s.node, 0) && text(o, "ia") != adapterID(s.node, 1) {
				continue
			}
			marker := fmt.Sprintf("%s-after-%s-%d", h.prefix(), s.node, modified)
			h.must(eventually("endpoint "+id+" can be modified", patience, func() bool {
				call := c.do(h.t.Context(), &Call{
					Kind: KindModify, Method: http.MethodPatch, Path: "/endpoints/" + id, Object: id, Marker: marker, Effects: 1,
				}, object{"labels": object{"op": marker}})
				return call.Outcome() == Acknowledged || call.answer().Status == http.StatusNotFound // its writer has freed it
			}))
			modified++
		}
		c.close()
	}
	if modified == 0 {
		h.broken(9, "no endpoint could be modified: none was listed")
	}
	h.t.Logf("all %d endpoints were modified %.1f s after the new primary was seen to take writes", modified, time.Since(f.writable).Seconds())
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
