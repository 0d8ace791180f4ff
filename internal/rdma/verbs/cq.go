//go:build verbs

package verbs

import (
	"slices"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// cq is a completion queue that is never allowed to overflow: connections take
// room in it before they use it.
type cq struct {
	hw  *hardware
	key uint64
	evd dat.Handle

	mu    sync.Mutex
	q     completionQ
	freed bool
	room  int

	// solicited: only solicited messages and failures make an event.
	solicited bool
	late      []completion
	quit      chan struct{}
}

func (h *hardware) newCQ(evd dat.Handle, cqe int, solicited bool) (*cq, error) {
	c := &cq{hw: h, key: h.key(), evd: evd, solicited: solicited, quit: make(chan struct{})}
	q, err := h.ctx.createCQ(cqe, c.key, h.comp)
	if err != nil {
		return nil, fault("make a completion queue", err)
	}
	c.q, c.room = q, q.size()
	h.mu.Lock()
	h.cqs[c.key] = c
	h.mu.Unlock()
	if err := q.arm(solicited); err != nil {
		c.free()
		return nil, fault("arm a completion queue", err)
	}
	if solicited {
		h.spawn(c.lookForSilent)
	}
	return c, nil
}

// take reserves room for n completions.
func (c *cq) take(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed || n > c.room {
		return false
	}
	c.room -= n
	return true
}

func (c *cq) give(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room += n
}

// rearm asks for the next event, then takes what came before that.
func (c *cq) rearm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		_ = c.q.arm(c.solicited)
		c.drainLocked(c.solicited)
	}
}

// drain takes everything that is in the queue.
func (c *cq) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		c.drainLocked(false)
	}
}

// drainLocked hands out what is there; asked tells that a sender asked to wake the
// waiter, with the last of it.
func (c *cq) drainLocked(asked bool) {
	all := c.pollLocked(c.late)
	c.late = nil
	if asked && len(all) > 0 {
		all[len(all)-1].solicited = true
	}
	c.deliverLocked(all)
}

func (c *cq) deliverLocked(all []completion) {
	for _, w := range all {
		c.hw.mu.RLock()
		owner := c.hw.conns[w.qpNum]
		c.hw.mu.RUnlock()
		if owner != nil {
			owner.complete(w)
		}
	}
}

// pollLocked adds everything that is in the queue.
func (c *cq) pollLocked(all []completion) []completion {
	for {
		before := len(all)
		var err error
		if all, err = c.q.poll(all); err != nil || len(all)-before < pollBatch {
			return all
		}
	}
}

// silentInterval is how often a queue in solicited mode is looked at for messages
// that nobody asked to be woken for.
const silentInterval = 5 * time.Millisecond

// lookForSilent finds unsolicited messages, which make no event. One is believed to
// be unsolicited when an interval later there was still no event for it: an entry
// does not say, and the event of a solicited one comes right behind it.
func (c *cq) lookForSilent() {
	tick := time.NewTicker(silentInterval)
	defer tick.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-tick.C:
		}
		for c.hw.takeCQ() == nil {
		}
		c.mu.Lock()
		if !c.freed {
			fresh := c.pollLocked(nil)
			c.deliverLocked(c.late)
			c.late = fresh
		}
		c.mu.Unlock()
	}
}

func (c *cq) free() {
	c.hw.mu.Lock()
	delete(c.hw.cqs, c.key)
	c.hw.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		c.freed = true
		close(c.quit)
		_ = c.q.free()
	}
}

// evd is an EVD; it has a completion queue where DTOs or binds feed it.
type evd struct {
	core
	cq *cq
}

// CreateEVD implements rdma.IA.
//
// Implements: ibv_create_cq.
func (a *adapter) CreateEVD(id dat.Handle, qlen int32, streams []dat.Stream) (rdma.EVD, error) {
	h, err := a.life()
	if err != nil {
		return nil, err
	}
	e := &evd{}
	if slices.Contains(streams, dat.StreamDTO) || slices.Contains(streams, dat.StreamRMRBind) {
		if e.cq, err = h.newCQ(id, int(qlen), false); err != nil {
			return nil, err
		}
	}
	release := func() {
		if e.cq != nil {
			e.cq.free()
		}
	}
	if err := h.own(&e.core, id, rankEVD, release); err != nil {
		release()
		return nil, err
	}
	return e, nil
}

// Free implements rdma.Object.
func (e *evd) Free() { e.free() }

// Resize implements rdma.EVD. The Manager queues the events, so a device that
// cannot resize loses nothing: what does not fit gets a queue of its own.
//
// Implements: ibv_resize_cq.
func (e *evd) Resize(qlen int32) error {
	if e.cq == nil {
		return nil
	}
	e.cq.mu.Lock()
	defer e.cq.mu.Unlock()
	before := e.cq.q.size()
	if e.cq.freed || int(qlen) <= before {
		return nil
	}
	if e.cq.q.resize(int(qlen)) == nil {
		e.cq.room += e.cq.q.size() - before
	}
	return nil
}
