//go:build verbs

package verbs

import (
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// cq is a completion queue. It cannot overflow: connections reserve room in it before
// they use it.
type cq struct {
	hw *hardware
	// key names the queue in completion events.
	key uint64
	// evd is the EVD that it belongs to, null for a queue of a connection without one.
	evd dat.Handle

	mu    sync.Mutex
	q     completionQ
	freed bool
	// room is what is not reserved, in completions.
	room int
	// vector is the completion vector by which its events come.
	vector int

	// solicited: only solicited messages and failures make an event. polled are then
	// the entries that wait to be known as unsolicited.
	solicited bool
	polled    []completion
	quit      chan struct{}
}

// newCQ creates a queue of at least cqe completions, whose events come by a completion
// vector; anyVector is the next in turn.
func (h *hardware) newCQ(evd dat.Handle, cqe int, solicited bool, vector int) (*cq, error) {
	c := &cq{hw: h, key: h.newKey(), evd: evd, solicited: solicited, quit: make(chan struct{})}
	c.vector = h.vector(vector)
	q, err := h.ctx.createCQ(cqe, c.key, h.comp, c.vector)
	if err != nil {
		return nil, deviceError("make a completion queue", err)
	}
	c.q, c.room = q, q.size()
	h.mu.Lock()
	h.cqs[c.key] = c
	h.mu.Unlock()
	if err := q.arm(solicited); err != nil {
		c.free()
		return nil, deviceError("arm a completion queue", err)
	}
	if solicited {
		h.startTask(c.pollUnsolicited)
	}
	return c, nil
}

// reserve reserves room for n completions. It reports whether there is as much.
func (c *cq) reserve(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed || n > c.room {
		return false
	}
	c.room -= n
	return true
}

// unreserve gives up room for n completions.
func (c *cq) unreserve(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room += n
}

// rearm asks for the next event, then delivers what came before that.
func (c *cq) rearm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		_ = c.q.arm(c.solicited)
		c.drainLocked(c.solicited)
	}
}

// drain delivers everything that is in the queue.
func (c *cq) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		c.drainLocked(false)
	}
}

// drainLocked delivers everything that is in the queue. asked says that the sender of
// the last entry asked to wake the waiter.
func (c *cq) drainLocked(asked bool) {
	all := c.pollLocked(c.polled)
	c.polled = nil
	if asked && len(all) > 0 {
		all[len(all)-1].solicited = true
	}
	c.deliverLocked(all)
}

// deliverLocked gives each entry to the connection of its QP.
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

// pollLocked appends everything that is in the queue to all.
func (c *cq) pollLocked(all []completion) []completion {
	for {
		before := len(all)
		var err error
		if all, err = c.q.poll(all); err != nil || len(all)-before < pollBatch {
			return all
		}
	}
}

// unsolicitedInterval is how often a queue in solicited mode is polled for messages
// whose senders did not ask to wake the waiter.
const unsolicitedInterval = 5 * time.Millisecond

// pollUnsolicited finds unsolicited messages, which make no event. An entry does not
// say what it is: it is taken as unsolicited when an interval later there was still no
// event, which follows a solicited one immediately.
func (c *cq) pollUnsolicited() {
	tick := time.NewTicker(unsolicitedInterval)
	defer tick.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-tick.C:
		}
		for c.hw.handleCQEvent() == nil {
		}
		c.mu.Lock()
		if !c.freed {
			fresh := c.pollLocked(nil)
			c.deliverLocked(c.polled)
			c.polled = fresh
		}
		c.mu.Unlock()
	}
}

// free destroys the queue; it is idempotent.
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

// lease is room for n completions in a completion queue: that of the EVD, or one of the
// connection's own where the EVD has none or is full, where its events come by another
// completion vector than was asked for, or where receives wake a waiter only when the
// sender asks for it.
type lease struct {
	cq  *cq
	n   int
	own bool
}

// leaseCQ leases room for n completions for an EVD, which may be nil.
func (h *hardware) leaseCQ(e rdma.EVD, n int, solicited bool, vector int) (lease, error) {
	var id dat.Handle
	if v, ok := e.(*evd); ok && v != nil {
		id = v.id
		if !solicited && v.cq != nil && (vector == anyVector || vector == v.cq.vector) && v.cq.reserve(n) {
			return lease{v.cq, n, false}, nil
		}
	}
	q, err := h.newCQ(id, n, solicited, vector)
	return lease{q, n, true}, err
}

// release gives up the room; it is idempotent.
func (l *lease) release() {
	switch {
	case l.cq == nil:
	case l.own:
		l.cq.free()
	default:
		l.cq.unreserve(l.n)
	}
	l.cq = nil
}
