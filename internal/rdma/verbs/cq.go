//go:build verbs

package verbs

import (
	"sync"

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
	evd  dat.Handle
	part heldPart

	mu    sync.Mutex
	q     completionQ
	freed bool
	// room is what is not reserved, in completions.
	room int
	// vector is the completion vector by which its events come.
	vector int

	// solicited: only solicited messages and failures make an event; the sweeper looks for
	// the others.
	solicited bool
	// polled are what was polled and not delivered yet.
	polled []completion
	// unsolicited is the endpoint of the last completion that was taken as unsolicited,
	// null where an event has come since.
	unsolicited dat.Handle
	// sweepAt is the place among the sweeper's queues; the sweeper's lock guards it.
	sweepAt int
}

// newCQ creates a queue of at least cqe completions, whose events come by a completion
// vector; anyVector is the next in turn.
func (h *hardware) newCQ(evd dat.Handle, cqe int, solicited bool, vector int) (*cq, error) {
	c := &cq{hw: h, key: h.newKey(), evd: evd, solicited: solicited, vector: h.vector(vector)}
	q, err := h.ctx.createCQ(cqe, c.key, h.comp, c.vector)
	if err != nil {
		return nil, deviceError("make a completion queue", err)
	}
	c.q, c.room = q, q.size()
	c.part.destroy = func() { _ = q.free() }
	h.mu.Lock()
	h.cqs[c.key] = c
	h.mu.Unlock()
	if solicited {
		h.sweeper.add(c)
	}
	if err := q.arm(solicited); err != nil {
		c.free()
		return nil, deviceError("arm a completion queue", err)
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

// handleEvent asks for the queue's next event, then delivers what came before that. It returns
// the key of the queue that the channel's next event is of; EAGAIN if there is none.
func (c *cq) handleEvent() (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed {
		return c.hw.comp.event()
	}
	polled, full, key, err := c.q.next(c.solicited, c.polled, c.hw.comp)
	if full {
		polled = c.pollLocked(polled)
	}
	c.polled = polled
	c.deliverPolledLocked(c.solicited)
	return key, err
}

// drain delivers everything that is in the queue.
func (c *cq) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		c.polled = c.pollLocked(c.polled)
		c.deliverPolledLocked(false)
	}
}

// deliverPolledLocked delivers what was polled. asked says that the sender of the last entry
// asked to wake the waiter; if that was delivered before its event came, the waiter is woken now.
func (c *cq) deliverPolledLocked(asked bool) {
	switch n := len(c.polled); {
	case asked && n > 0:
		c.polled[n-1].solicited = true
	case asked && c.unsolicited != dat.HandleNull:
		c.hw.report(rdma.Report{Kind: rdma.ReportSolicited, EP: c.unsolicited})
	}
	c.deliverLocked()
	c.unsolicited = dat.HandleNull
}

// look polls the queue for what has no event. It reports whether there is anything.
func (c *cq) look() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed {
		return false
	}
	c.polled = c.pollLocked(c.polled)
	return len(c.polled) > 0
}

// deliverUnsolicited delivers what the last look found as unsolicited.
func (c *cq) deliverUnsolicited() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed && len(c.polled) > 0 {
		c.unsolicited = c.deliverLocked()
	}
}

// deliverLocked gives each entry that was polled to the connection of its QP. It returns the
// endpoint of the last.
func (c *cq) deliverLocked() (last dat.Handle) {
	for _, w := range c.polled {
		c.hw.mu.RLock()
		owner := c.hw.conns[w.qpNum]
		c.hw.mu.RUnlock()
		if owner != nil {
			owner.complete(w)
			last = owner.ep.id
		}
	}
	c.polled = c.polled[:0]
	return last
}

// pollLocked appends everything that is in the queue to all.
func (c *cq) pollLocked(all []completion) []completion {
	for full := true; full; {
		all, full = c.q.poll(all)
	}
	return all
}

// free ends the use of the queue; it is idempotent.
func (c *cq) free() {
	c.hw.mu.Lock()
	delete(c.hw.cqs, c.key)
	c.hw.mu.Unlock()
	c.mu.Lock()
	freed := c.freed
	c.freed = true
	c.mu.Unlock()
	if freed {
		return
	}
	if c.solicited {
		c.hw.sweeper.remove(c)
	}
	c.part.freePart()
}

// lease is room for n completions in a completion queue: that of the EVD, or one of the
// connection's own where the EVD has none or is full, where its events come by another
// completion vector than was asked for, or where receives wake a waiter only when the
// sender asks for it.
//
// The lease holds the queue.
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
			v.cq.part.hold()
			return lease{v.cq, n, false}, nil
		}
	}
	q, err := h.newCQ(id, n, solicited, vector)
	if err != nil {
		return lease{}, err
	}
	q.part.hold()
	return lease{q, n, true}, nil
}

// release gives up the room; it is idempotent.
func (l *lease) release() {
	q := l.cq
	if q == nil {
		return
	}
	l.cq = nil
	if l.own {
		q.free()
	} else {
		q.unreserve(l.n)
	}
	q.part.drop()
}

// drain delivers everything that is in the queue.
func (l *lease) drain() {
	if l.cq != nil {
		l.cq.drain()
	}
}
