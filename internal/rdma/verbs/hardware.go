//go:build verbs

package verbs

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

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
	// lastVector is the completion vector that was given out last.
	lastVector atomic.Uint32
	// readerWoken: a report was given to a reader that waited.
	readerWoken atomic.Bool
	// tasks are the goroutines that close waits for.
	tasks sync.WaitGroup
	// lastTaken is what is known of the device's events that end the use of an SRQ.
	lastTaken lastTakenEvents
	// connects has an entry for each call of rdma_connect that runs over iWARP.
	connects chan struct{}
	// sweeper looks into the queues that make no event for some messages.
	sweeper sweeper

	// mu guards what follows.
	mu     sync.RWMutex
	closed bool
	// bound are CM ids that are bound to the addresses of the port; see bindTo.
	bound map[address]boundID
	// plug is the queue that siw needs (siwPlug); elsewhere there is none.
	plug completionQ
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

// The library of siw takes 0x90000 for no key of memory to map, and the kernel gives that key
// to whatever is made when 144 pages are mapped: nothing can be made then. A queue of so many
// completions that its memory covers that page, made first, keeps the kernel from it.
const siwPlug = 1 << 15

// tellsSolicited reports whether the device makes an event for a message whose sender asks
// for one when only such events are asked for. siw makes none then; so there all events are
// asked for, and every message is told as solicited.
func (h *hardware) tellsSolicited() bool { return h.limit.vendorID != vendorSIW }

// freePlug frees the plug, if there is one.
func (h *hardware) freePlug() {
	if h.plug.c != nil {
		_ = h.plug.free()
	}
}

// newHardware starts the use of an open device.
func newHardware(ia *adapter, ctx verbsContext, limit deviceAttr) (*hardware, error) {
	h := &hardware{
		ia: ia, ctx: ctx, iwarp: limit.iwarp, limit: limit,
		handlers: map[uint64]cmHandler{}, cqs: map[uint64]*cq{}, conns: map[uint32]*conn{}, connsByKey: map[uint64]*conn{},
		srqs: map[uint64]*srq{}, live: map[*object]func(){}, connects: make(chan struct{}, connectLimit), bound: map[address]boundID{},
	}
	h.sweeper.hw = h
	var err error
	if h.cm, err = createEventChannel(); err != nil {
		if why := nodeProblem(classRoot, devRoot, ia.device); why != "" {
			return nil, errors.New(why)
		}
		return nil, deviceError("open the connection manager; the module rdma_ucm may be missing", err)
	}
	if h.comp, err = ctx.createCompChannel(); err != nil {
		h.cm.free()
		return nil, deviceError("open a completion channel", err)
	}
	if limit.vendorID == vendorSIW {
		// Without it the device still works, for a few dozen connections.
		h.plug, _ = ctx.createCQ(siwPlug, h.newKey(), h.comp, 0)
	}
	if h.cmIn, err = watch(h.cm.fd(), "rdma_cm", h.handleCMEvent); err == nil {
		h.cqIn, err = watch(h.comp.fd(), "completions", h.handleCQEvents)
	}
	if err != nil {
		h.cmIn.close()
		h.freePlug()
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

// background runs f, which may wait for a peer, in a goroutine of its own. close waits
// for it as long as releaseLimit, so it is called before close waits.
func (h *hardware) background(f func()) { h.tasks.Go(f) }

// report reports r, and notes where that woke the reader of the reports.
func (h *hardware) report(r rdma.Report) {
	if h.ia.reports.Put(r) {
		h.readerWoken.Store(true)
	}
}

// destroyID destroys a CM id. Nothing can be done about a failure.
func (h *hardware) destroyID(id cmID) { _ = id.free() }

// releaseLimit is how long close waits for what runs in the background.
const releaseLimit = time.Second

// close frees everything of the device, children before parents. What waits for a peer is
// released when the kernel gives that up, at the latest when the process ends.
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
	for _, o := range all {
		o.free()
	}
	for _, b := range h.takeBound(nil) {
		h.destroyID(b.id)
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		h.tasks.Wait()
		h.cmIn.close()
		h.cqIn.close()
		h.freePlug()
		_ = h.comp.free()
		h.cm.free()
	}()
	select {
	case <-released:
	case <-time.After(releaseLimit):
	}
}

// lastTakenEvents is what is known of a device's events that it takes no more receives
// from an SRQ for a queue pair. Some devices have none.
type lastTakenEvents struct{ came, inVain atomic.Bool }

func (l *lastTakenEvents) seen()       { l.came.Store(true) }
func (l *lastTakenEvents) missed()     { l.inVain.Store(true) }
func (l *lastTakenEvents) never() bool { return l.inVain.Load() && !l.came.Load() }
