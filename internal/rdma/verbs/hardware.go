//go:build verbs

package verbs

import (
	"cmp"
	"slices"
	"sync"

	"github.com/datapi/datapi/internal/rdma"
)

// hardware is an open device as one adapter uses it: from when the device was opened
// until it vanished or the adapter was closed. Its objects end with it.
type hardware struct {
	ia *adapter
	// ctx is the open device, cm and comp are the channels of the connection
	// manager's events and of completion events, which cmIn and cqIn read.
	ctx   verbsContext
	cm    eventChannel
	comp  compChannel
	cmIn  *watcher
	cqIn  *watcher
	iwarp bool
	limit deviceAttr

	// cmLock keeps the connection manager's library from working on a QP that is
	// being destroyed. Destroying an id needs no such care, and can take long.
	cmLock sync.Mutex
	// tasks are the goroutines that close waits for.
	tasks sync.WaitGroup

	// mu guards what follows.
	mu     sync.RWMutex
	closed bool
	// bound are CM ids that are bound to the addresses of the port; see bindTo.
	bound map[address]boundID
	// handlers are who the events of a CM id go to, by the key of the id.
	handlers map[uint64]cmHandler
	// cqs, connsByKey and srqs are found by the key that the library gives back,
	// conns by the number of their QP.
	cqs        map[uint64]*cq
	conns      map[uint32]*conn
	connsByKey map[uint64]*conn
	srqs       map[uint64]*srq
	// live are the objects that are not freed, with what frees them.
	live map[*object]func()
}

// newHardware starts the use of an open device.
func newHardware(ia *adapter, ctx verbsContext, limit deviceAttr) (*hardware, error) {
	h := &hardware{
		ia: ia, ctx: ctx, iwarp: limit.iwarp, limit: limit,
		handlers: map[uint64]cmHandler{}, cqs: map[uint64]*cq{}, conns: map[uint32]*conn{}, connsByKey: map[uint64]*conn{},
		srqs: map[uint64]*srq{}, live: map[*object]func(){}, bound: map[address]boundID{},
	}
	var err error
	if h.cm, err = createEventChannel(); err != nil {
		return nil, deviceError("open the connection manager; the module rdma_ucm may be missing", err)
	}
	if h.comp, err = ctx.createCompChannel(); err != nil {
		h.cm.free()
		return nil, deviceError("open a completion channel", err)
	}
	if h.cmIn, err = watch(h.cm.fd(), "rdma_cm", h.handleCMEvent); err == nil {
		h.cqIn, err = watch(h.comp.fd(), "completions", h.handleCQEvent)
	}
	if err != nil {
		h.cmIn.close()
		_ = h.comp.free()
		h.cm.free()
		return nil, deviceError("watch its events", err)
	}
	return h, nil
}

// newKey returns a number that names an object to the libraries. It never repeats within
// the provider: the ports of a device share its asynchronous events.
func (h *hardware) newKey() uint64 { return h.ia.p.lastKey.Add(1) }

// startTask runs f in a goroutine that close waits for. It reports false, and does
// nothing, where the device is no longer open.
func (h *hardware) startTask(f func()) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if !h.closed {
		h.tasks.Go(f)
	}
	return !h.closed
}

func (h *hardware) report(r rdma.Report) { h.ia.reports.Put(r) }

// destroyID destroys a CM id. Nothing can be done about a failure.
func (h *hardware) destroyID(id cmID) { _ = id.free() }

// close frees everything of the device, children before parents.
func (h *hardware) close() {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.closed = true
	all := make([]*object, 0, len(h.live))
	for o := range h.live {
		all = append(all, o)
	}
	h.mu.Unlock()
	slices.SortFunc(all, func(a, b *object) int { return cmp.Compare(a.rank, b.rank) })
	for i, o := range all {
		if i > 0 && all[i-1].rank <= rankEP && o.rank > rankEP {
			h.tasks.Wait()
		}
		o.free()
	}
	h.tasks.Wait()
	for _, b := range h.takeBound(nil) {
		h.destroyID(b.id)
	}
	h.cmIn.close()
	h.cqIn.close()
	_ = h.comp.free()
	h.cm.free()
}
