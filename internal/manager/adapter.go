package manager

import (
	"sync/atomic"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// adapter is an open IA with the registry of its objects.
type adapter struct {
	object
	m        *Manager
	provider string
	// facts are what its attributes say; they are replaced as a whole when the provider
	// reports a change.
	facts atomic.Pointer[dat.Facts]
	// noting is held while its state is read and noted, so that the last note is of the
	// last state.
	noting callsMutex
	// asyncEVD is the EVD for asynchronous events. It is set before the adapter is
	// registered.
	asyncEVD *evd
	device   deviceState
	// metrics are its counters. They are set before the adapter is registered.
	metrics adapterMetrics
	// lastWR is the last id of a work request that was used; ids never repeat.
	lastWR atomic.Uint64

	// mu is the registry's lock: lives, references, use counts. It is held briefly:
	// under it nothing is waited for but the locks of endpoint state and the leaves.
	mu    registryMutex
	hw    rdma.IA
	count [dat.TypeCR + 1]int
	// creations counts the units that are creating something on the device.
	// noCreations, if it is not nil, is closed when there is none left.
	creations   int
	noCreations chan struct{}
	// requests has the waiting connection requests by the provider's.
	requests map[rdma.ConnRequest]*request
}

// adapterOf returns the adapter with an id, or nil if there is none.
func (m *Manager) adapterOf(id dat.Handle) *adapter {
	ia, _ := find[*adapter](m, id)
	return ia
}

// adapterFor returns the adapter that a creation names. The error is
// DAT_INVALID_HANDLE.
func (m *Manager) adapterFor(id dat.Handle) (*adapter, error) {
	if ia := m.adapterOf(id); ia != nil {
		return ia, nil
	}
	return nil, errBodyHandle(dat.TypeIA, id, "ia")
}

// fill implements filler.
func (ia *adapter) fill(img dat.Object) {
	if o, ok := img.(*dat.IA); ok {
		o.Usage = ia.usage()
	}
}

// usage counts the living objects of the adapter.
func (ia *adapter) usage() dat.IAUsage {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	var usage dat.IAUsage
	for t, n := range ia.count {
		if of := usage.Of(dat.ObjectType(t)); of != nil {
			*of = n
		}
	}
	return usage
}

// reserveWorkRequests returns the first of n new ids of work requests. A dry run
// reserves none and is told those that the call itself would get.
func (ia *adapter) reserveWorkRequests(c Call, n int) uint64 {
	if c.DryRun {
		return ia.lastWR.Load() + 1
	}
	return ia.lastWR.Add(uint64(n)) - uint64(n) + 1
}

// setFacts replaces what is known of the adapter's attributes.
func (ia *adapter) setFacts(attributes dat.IAAttributes, provider dat.ProviderAttributes) {
	facts := dat.NewFacts(ia.id, attributes, provider)
	ia.facts.Store(&facts)
}

// noteIA notes what the provider's adapter is now: its state and its attributes. reason
// goes into the change. The caller holds ia.noting.
func (m *Manager) noteIA(ia *adapter, hw rdma.IA, cause, reason string) {
	state, detail := hw.State()
	attributes, provider := hw.Attributes()
	ia.setFacts(attributes, provider)
	m.noteEvent(&ia.object, cause, reason, applyChange(func(o *dat.IA) {
		o.State, o.Detail = state, optional(detail)
		o.IAAttributes, o.ProviderAttributes = attributes, provider
	}))
}

// asyncEvent posts an event about an object to the adapter's async EVD. event is
// EventNone if DAT has only a reason for it and no event number.
func (ia *adapter) asyncEvent(o *object, event dat.EventNumber, reason string) {
	ia.postAsync(dat.Event{Event: event, Object: new(o.ref()), Reason: &reason})
}

// overflow reports on the async EVD that an EVD lost an event. An overflow of the
// async EVD itself is only counted, as there is nowhere to report it.
func (ia *adapter) overflow(d *evd) {
	if ia.asyncEVD == nil || d == ia.asyncEVD {
		return
	}
	ia.asyncEvent(&d.object, dat.EventAsyncErrorEVDOverflow, "DAT_EVD_OVERFLOW_ERROR")
}

// postAsync puts an event on the adapter's async EVD.
func (ia *adapter) postAsync(ev dat.Event) {
	if ia.asyncEVD == nil {
		return
	}
	ev.Stream, ev.EVD, ev.IA, ev.At = dat.StreamAsync, ia.asyncEVD.id, ia.id, now()
	ia.asyncEVD.queue.post(queued{ev: ev, notification: true})
}
