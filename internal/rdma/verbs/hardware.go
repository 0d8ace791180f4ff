//go:build verbs

package verbs

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// hardware is one life of an adapter: from when its device was opened to when it
// vanished or the adapter was closed. Objects belong to a life and die with it.
type hardware struct {
	ia    *adapter
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
	next   atomic.Uint64
	tasks  sync.WaitGroup

	mu      sync.RWMutex
	closed  bool
	anchors []cmID
	targets map[uint64]cmTarget
	cqs     map[uint64]*cq
	conns   map[uint32]*conn
	byKey   map[uint64]*conn
	srqs    map[uint64]*srq
	live    map[*core]func()
}

// cmTarget is what a CM id belongs to.
type cmTarget interface{ cmEvent(e cmEvent, id cmID) }

// rank orders objects so that children are freed before parents.
type rank uint8

const (
	rankListener rank = iota
	rankRequest
	rankEP
	rankWindow
	rankRegion
	rankSRQ
	rankEVD
	rankPZ
)

// core is what all objects of a life share: freeing once.
type core struct {
	hw   *hardware
	id   dat.Handle
	rank rank
	once sync.Once
}

// own enters an object; release frees it. It fails when the life is over.
func (h *hardware) own(c *core, id dat.Handle, r rank, release func()) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return h.ia.errGone()
	}
	c.hw, c.id, c.rank = h, id, r
	h.live[c] = release
	return nil
}

// free releases the object once; later calls wait for the first.
func (c *core) free() {
	c.once.Do(func() {
		c.hw.mu.Lock()
		release := c.hw.live[c]
		delete(c.hw.live, c)
		c.hw.mu.Unlock()
		release()
	})
}

// key makes a number that names an object to the libraries; it never repeats.
func (h *hardware) key() uint64 { return h.next.Add(1) }

// spawn runs f beside the caller; the life's end waits for it. It answers false,
// and does nothing, when the life is over.
func (h *hardware) spawn(f func()) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if !h.closed {
		h.tasks.Go(f)
	}
	return !h.closed
}

func (h *hardware) report(r rdma.Report) { h.ia.reports.Put(r) }

// openHardware starts a life on an open device.
func openHardware(ia *adapter, ctx verbsContext, limit deviceAttr) (*hardware, error) {
	h := &hardware{
		ia: ia, ctx: ctx, iwarp: limit.iwarp, limit: limit,
		targets: map[uint64]cmTarget{}, cqs: map[uint64]*cq{}, conns: map[uint32]*conn{}, byKey: map[uint64]*conn{},
		srqs: map[uint64]*srq{}, live: map[*core]func(){},
	}
	var err error
	if h.cm, err = createEventChannel(); err != nil {
		return nil, fault("open the connection manager; the module rdma_ucm may be missing", err)
	}
	if h.comp, err = ctx.createCompChannel(); err != nil {
		h.cm.free()
		return nil, fault("open a completion channel", err)
	}
	if h.cmIn, err = watch(h.cm.fd(), "rdma_cm", h.takeCM); err == nil {
		h.cqIn, err = watch(h.comp.fd(), "completions", h.takeCQ)
	}
	if err != nil {
		h.cmIn.close()
		_ = h.comp.free()
		h.cm.free()
		return nil, fault("watch its events", err)
	}
	h.anchor()
	return h, nil
}

// anchor binds an id to each address of the port, so that the connection manager
// tells when the device goes even while there is no connection.
func (h *hardware) anchor() {
	for _, a := range h.ia.bindAddresses() {
		id, err := h.cm.createID(h.key())
		if err != nil {
			continue
		}
		if id.bind(a.withPort(0), a.scope) != nil {
			_ = id.free()
			continue
		}
		h.anchors = append(h.anchors, id)
	}
}

// takeCM takes one event of the connection manager.
func (h *hardware) takeCM() error {
	h.cmLock.Lock()
	e, id, err := h.cm.event()
	h.cmLock.Unlock()
	if err != nil {
		return err
	}
	if e.kind == cmDeviceRemoval {
		h.ia.p.deviceGone(h.ia.devicePort.device)
		return nil
	}
	key := e.key
	if e.kind == cmConnectRequest {
		key = e.listener
	}
	h.mu.RLock()
	t := h.targets[key]
	if h.closed && e.kind != cmConnectRequest {
		t = nil // what ends because this life ends is no event of the peer's
	}
	h.mu.RUnlock()
	if t != nil {
		t.cmEvent(e, id)
	} else if e.kind == cmConnectRequest {
		h.destroyID(id)
	}
	return nil
}

// takeCQ takes one completion event and everything that is in the queue.
func (h *hardware) takeCQ() error {
	key, err := h.comp.event()
	if err != nil {
		return err
	}
	h.mu.RLock()
	q := h.cqs[key]
	h.mu.RUnlock()
	if q != nil {
		q.rearm()
	}
	return nil
}

// target routes the events of key; nil ends that.
func (h *hardware) target(key uint64, t cmTarget) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t == nil {
		delete(h.targets, key)
		return
	}
	h.targets[key] = t
}

func (h *hardware) destroyID(id cmID) { _ = id.free() }

// close ends the life: everything of it is freed, children before parents.
func (h *hardware) close() {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.closed = true
	all := make([]*core, 0, len(h.live))
	for c := range h.live {
		all = append(all, c)
	}
	anchors := h.anchors
	h.mu.Unlock()
	slices.SortFunc(all, func(a, b *core) int { return cmp.Compare(a.rank, b.rank) })
	for i, c := range all {
		if i > 0 && all[i-1].rank <= rankEP && c.rank > rankEP {
			h.tasks.Wait()
		}
		c.free()
	}
	h.tasks.Wait()
	for _, id := range anchors {
		h.destroyID(id)
	}
	h.cmIn.close()
	h.cqIn.close()
	_ = h.comp.free()
	h.cm.free()
}
