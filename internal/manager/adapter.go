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
	// facts never change after the adapter was opened.
	facts dat.Facts
	// async is the EVD for asynchronous events, set before the adapter is seen.
	asyncEVD *evd
	// device is whether the device is there.
	device deviceState
	// nextWR gives the ids of work requests; they never repeat.
	nextWR atomic.Uint64

	// mu is the registry's lock: object ownership, references, use counts. It is
	// short: no provider, no recorder and no other lock but those of endpoint
	// state and queues is ever waited for under it.
	mu    registryMutex
	hw    rdma.IA
	count [dat.TypeCR + 1]int
	// creations counts the units that are making something on the device;
	// noCreations, where set, is closed when there is none left.
	creations   int
	noCreations chan struct{}
	// requests finds a waiting connection request by the provider's handle.
	requests map[rdma.ConnRequest]*request
}

// adapterOf is the adapter of an id, or nil.
func (m *Manager) adapterOf(id dat.Handle) *adapter {
	ia, _ := find[*adapter](m, id)
	return ia
}

// adapterFor is the adapter that a creation names; the error is DAT_INVALID_HANDLE.
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

// usage counts the living objects.
func (ia *adapter) usage() dat.IAUsage {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	return dat.IAUsage{
		Endpoints: ia.count[dat.TypeEndpoint], PZs: ia.count[dat.TypePZ], EVDs: ia.count[dat.TypeEVD],
		SRQs: ia.count[dat.TypeSRQ], LMRs: ia.count[dat.TypeLMR], RMRs: ia.count[dat.TypeRMR],
		PSPs: ia.count[dat.TypePSP], RSPs: ia.count[dat.TypeRSP],
	}
}

// wr gives the first of n new ids of work requests. A dry run takes none and gets
// what the call itself would.
func (ia *adapter) reserveWorkRequests(c Call, n int) uint64 {
	if c.DryRun {
		return ia.nextWR.Load() + 1
	}
	return ia.nextWR.Add(uint64(n)) - uint64(n) + 1
}

func (m *Manager) noteIA(ia *adapter, cause, reason string, state dat.IAState, detail string) {
	m.noteEvent(&ia.object, cause, reason, applyChange(func(o *dat.IA) { o.State, o.Detail = state, optional(detail) }))
}

// asyncEvent tells the consumer on the adapter's async EVD what happened to an
// object of it. Where DAT has a reason and no number for that, event is EventNone.
func (ia *adapter) asyncEvent(o *object, event dat.EventNumber, reason string) {
	ia.postAsync(dat.Event{Event: event, Object: new(o.ref()), Reason: &reason})
}

// postAsync puts an event on the adapter's async EVD.
func (ia *adapter) postAsync(ev dat.Event) {
	if ia.asyncEVD == nil {
		return
	}
	ev.Stream, ev.EVD, ev.IA, ev.At = dat.StreamAsync, ia.asyncEVD.id, ia.id, now()
	ia.asyncEVD.queue.post(queued{ev: ev, notification: true})
}

// overflow reports that an EVD lost an event. The async EVD's own overflow is
// only counted: there is nowhere to report it.
func (ia *adapter) overflow(d *evd) {
	if ia.asyncEVD == nil || d == ia.asyncEVD {
		return
	}
	ia.asyncEvent(&d.object, dat.EventAsyncErrorEVDOverflow, "DAT_EVD_OVERFLOW_ERROR")
}
