package manager

import (
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// endpoint is an Endpoint: the recorded image in object, and what happens to it
// now under its own lock.
type endpoint struct {
	object

	// calls serialises the calls of hw.
	calls callsMutex
	hw    providerPart[rdma.EP]

	// mu is the state lock. Everything below belongs to it.
	mu   stateMutex
	live *dat.Endpoint // replaced, never changed
	// recvs are the receives at the endpoint: posted to it, or taken from its SRQ,
	// and not completed; requests likewise.
	recvs, requests map[uint64]outstandingWork
	counters        dat.DTOCounters
	lastProofOfLife *dat.Time
	// attempt counts connections, so that timers of an old one do nothing.
	attempt      uint64
	connectTimer *time.Timer
	probeTimer   *time.Timer
	probing      bool
	// unreportedResets counts the resets whose report has not been read yet: until
	// then reports speak of a connection that is over.
	unreportedResets int
	// disconnectOwed asks for the provider's Disconnect, see endOwedConnection.
	disconnectOwed bool
	// orphanedBinds will not complete; endOwedConnection drops their regions.
	orphanedBinds []*rmrBinding
	changed       chan struct{}
}

func newEndpoint(ia *adapter, id dat.Handle) *endpoint {
	return &endpoint{
		object: newObject(ia, dat.TypeEndpoint, id),
		recvs:  map[uint64]outstandingWork{}, requests: map[uint64]outstandingWork{}, changed: make(chan struct{}),
	}
}

// current is the newest live image; it is never changed.
func (ep *endpoint) loadLive() *dat.Endpoint {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.live
}

// now is the live image under the recorded object's head.
func (ep *endpoint) snapshot() *dat.Endpoint {
	ep.mu.Lock()
	e := ep.live.Copy()
	ep.mu.Unlock()
	if img := imageOf[*dat.Endpoint](&ep.object); img != nil {
		e.Meta = img.Copy().Meta
	}
	return e
}

// setLocked replaces the live image and wakes who watches the state.
func (ep *endpoint) setLiveLocked(e *dat.Endpoint) {
	moved := ep.live == nil || ep.live.State != e.State
	ep.m().updatePlace(ep, ep.live, e)
	ep.live = e
	if moved {
		close(ep.changed)
		ep.changed = make(chan struct{})
	}
}

// apply makes a recorded change of the parameters live.
func (ep *endpoint) applyLive(change func(*dat.Endpoint)) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	e := ep.live.Copy()
	change(e)
	ep.setLiveLocked(e)
}

// hasEnded reports whether the endpoint has left the registry.
func (ep *endpoint) hasEnded() bool { return ep.life.phase() == phaseEnded }

// markEnded ends the live part of an endpoint that has left the registry: timers
// stop, nothing is outstanding, watchers wake. The caller owes endOwedConnection.
func (ep *endpoint) markEnded() {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.disconnectOwed = false
	ep.m().updatePlace(ep, ep.live, nil)
	ep.stopTimersLocked()
	ep.dropWorkLocked()
	close(ep.changed)
	ep.changed = make(chan struct{})
}

// stop ends the timers; it tells whether the endpoint had a connection.
func (ep *endpoint) stop() bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.stopTimersLocked()
	return ep.live != nil && ep.live.State.HasConnection()
}

func (ep *endpoint) stopTimersLocked() {
	for _, t := range []*time.Timer{ep.connectTimer, ep.probeTimer} {
		if t != nil {
			t.Stop()
		}
	}
	ep.connectTimer, ep.probeTimer, ep.probing = nil, nil, false
}
