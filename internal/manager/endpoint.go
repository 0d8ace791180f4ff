package manager

import (
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// endpoint is an Endpoint: its recorded image in object, and its live image under
// its own lock.
type endpoint struct {
	object

	// calls serialises the calls of hw.
	calls callsMutex
	hw    enginePart[rdma.EP]

	// mu is the state lock. It guards everything below.
	mu   stateMutex
	live *dat.Endpoint // replaced, never changed
	// recvs are the outstanding receives at the endpoint, posted to it or taken from
	// its SRQ, by the ids of their work requests; requests are the outstanding
	// request DTOs and binds.
	recvs, requests map[uint64]outstandingWork
	counters        dat.DTOCounters
	lastProofOfLife *dat.Time
	// attempt counts connections, so that timers of an earlier one do nothing.
	attempt      uint64
	connectTimer *time.Timer
	probeTimer   *time.Timer
	// probing says that a probe is under way.
	probing bool
	// unreportedResets counts the resets whose report has not been read yet: until
	// then reports are about a connection that is over.
	unreportedResets int
	// disconnectOwed says that the engine must still be told to disconnect, and
	// orphanedBinds are binds that will not complete; see disconnectIfOwed.
	disconnectOwed bool
	orphanedBinds  []*rmrBinding
	// changed is closed, and replaced, when the live state changes.
	changed chan struct{}
}

func newEndpoint(ia *adapter, id dat.Handle) *endpoint {
	return &endpoint{
		object: newObject(ia, dat.TypeEndpoint, id),
		recvs:  map[uint64]outstandingWork{}, requests: map[uint64]outstandingWork{}, changed: make(chan struct{}),
	}
}

// loadLive returns the live image, which must not be changed.
func (ep *endpoint) loadLive() *dat.Endpoint {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.live
}

// snapshot returns a copy of the live image with the head of the recorded one.
func (ep *endpoint) snapshot() *dat.Endpoint {
	ep.mu.Lock()
	e := ep.live.Copy()
	ep.mu.Unlock()
	if img := imageOf[*dat.Endpoint](&ep.object); img != nil {
		e.Meta = img.Copy().Meta
	}
	return e
}

// setLiveLocked replaces the live image and wakes those who watch the state. The
// state lock is held.
func (ep *endpoint) setLiveLocked(e *dat.Endpoint) {
	moved := ep.live == nil || ep.live.State != e.State
	ep.m().updatePlace(ep, ep.live, e)
	ep.live = e
	if moved {
		close(ep.changed)
		ep.changed = make(chan struct{})
	}
}

// applyLive makes a recorded change of the parameters live.
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
// stop, nothing is outstanding, watchers wake. The caller calls disconnectIfOwed
// afterwards.
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

// stop stops the timers when the Manager closes, and reports whether the endpoint
// had a connection.
func (ep *endpoint) stop() bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.stopTimersLocked()
	return ep.live != nil && ep.live.State.HasConnection()
}

// stopTimersLocked stops all timers. The state lock is held.
func (ep *endpoint) stopTimersLocked() {
	for _, t := range []*time.Timer{ep.connectTimer, ep.probeTimer} {
		if t != nil {
			t.Stop()
		}
	}
	ep.connectTimer, ep.probeTimer, ep.probing = nil, nil, false
}
