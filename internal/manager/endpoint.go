package manager

import (
	"sync"
	"time"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// endpoint is an Endpoint: the recorded image in object, and what happens to it
// now under its own lock.
type endpoint struct {
	object

	// calls serialises the calls of hw.
	calls sync.Mutex
	hw    part[rdma.EP]

	// mu is the state lock. Everything below belongs to it.
	mu   sync.Mutex
	live *dat.Endpoint // replaced, never changed
	// recvs are the receives at the endpoint: posted to it, or taken from its SRQ,
	// and not completed; requests likewise.
	recvs, requests map[uint64]work
	counters        dat.DTOCounters
	proof           *dat.Time
	// attempt counts connections, so that timers of an old one do nothing.
	attempt uint64
	timer   *time.Timer
	probes  *time.Timer
	probing bool
	// stale counts the resets whose report has not been read yet: until then
	// reports speak of a connection that is over.
	stale int
	// ending asks for the provider's Disconnect, see act.
	ending bool
	// loose are binds that will not complete; act lets go of their regions.
	loose   []*binding
	changed chan struct{}
	freed   bool
}

// work is an outstanding DTO or RMR bind.
type work struct {
	kind   dat.DTOKind
	cookie string
	flags  []dat.CompletionFlag
	srq    *srq
	bind   *binding
}

func newEndpoint(ia *adapter, id dat.Handle) *endpoint {
	return &endpoint{
		object: newObject(ia, dat.TypeEndpoint, id),
		recvs:  map[uint64]work{}, requests: map[uint64]work{}, changed: make(chan struct{}),
	}
}

// now is the live image under the recorded object's head.
func (ep *endpoint) now() *dat.Endpoint {
	ep.mu.Lock()
	e := ep.live.Copy()
	ep.mu.Unlock()
	if img := imageOf[*dat.Endpoint](&ep.object); img != nil {
		e.Meta = img.Copy().Meta
	}
	return e
}

// status is one snapshot (S1).
func (ep *endpoint) status(now dat.Time) dat.EPStatus {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return dat.EPStatus{
		State: ep.live.State, RecvIdle: len(ep.recvs) == 0, RequestIdle: len(ep.requests) == 0,
		ObservedAt: now, LastProofOfLife: ep.proof,
		Recvs: int32(len(ep.recvs)), Requests: int32(len(ep.requests)), Counters: ep.counters,
	}
}

// recvQuery is dat_ep_recv_query: receives of an endpoint are whole buffers in
// order, so the span is their number.
func (ep *endpoint) recvQuery() dat.RecvQuery {
	ep.mu.Lock()
	n, shared := int32(len(ep.recvs)), ep.live.SRQ != dat.HandleNull
	ep.mu.Unlock()
	var out dat.RecvQuery
	a := &ep.ia.facts.Provider
	known := !shared || a.SRQWatermarksSupported.SRQEPSoftHigh || a.SRQWatermarksSupported.SRQEPHardHigh
	if a.EPRecvInfoSupported.NBufsAllocated && known {
		out.NBufsAllocated = &n
	}
	if a.EPRecvInfoSupported.BufsAllocSpan && known {
		out.BufsAllocSpan = &n
	}
	return out
}

// watch gives the live state, what is closed at its next change, and whether the
// endpoint is freed.
func (ep *endpoint) watch() (dat.EPState, <-chan struct{}, bool) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.live.State, ep.changed, ep.freed
}

// setLocked replaces the live image and wakes who watches the state.
func (ep *endpoint) setLocked(e *dat.Endpoint) {
	moved := ep.live == nil || ep.live.State != e.State
	ep.m().settled(ep, ep.live, e)
	ep.live = e
	if moved {
		close(ep.changed)
		ep.changed = make(chan struct{})
	}
}

// stop ends the timers; it tells whether the endpoint had a connection.
func (ep *endpoint) stop() bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.stopTimersLocked()
	return ep.live != nil && ep.live.State.HasConnection()
}

func (ep *endpoint) stopTimersLocked() {
	for _, t := range []*time.Timer{ep.timer, ep.probes} {
		if t != nil {
			t.Stop()
		}
	}
	ep.timer, ep.probes, ep.probing = nil, nil, false
}

// engine is the provider's part, or the refusal of a call that needs it.
func (ep *endpoint) engine() (rdma.EP, error) {
	hw, ok := ep.hw.get()
	if !ok || ep.ia.gone.Load() {
		return nil, errMissing(&ep.object, ep.hw.reason())
	}
	return hw, nil
}

// markFreed ends the live part: timers stop, nothing is outstanding, watchers wake.
func (ep *endpoint) markFreed() {
	ep.mu.Lock()
	ep.freed, ep.ending = true, false
	ep.m().settled(ep, ep.live, nil)
	ep.stopTimersLocked()
	ep.dropWorksLocked()
	close(ep.changed)
	ep.changed = make(chan struct{})
	ep.mu.Unlock()
	ep.m().act(ep)
}

// dropWorksLocked forgets what is outstanding: its completions are lost (T2, T39).
func (ep *endpoint) dropWorksLocked() {
	for _, set := range []map[uint64]work{ep.recvs, ep.requests} {
		for _, w := range set {
			w.reap()
			if w.bind != nil {
				ep.loose = append(ep.loose, w.bind)
			}
		}
		clear(set)
	}
}
