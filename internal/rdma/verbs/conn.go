//go:build verbs

package verbs

import (
	"slices"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// quiet ends a connection without a report of its own.
const quiet = rdma.ReportKind(255)

// resolveMS is how long the connection manager may look for an address or a
// route, in milliseconds; the consumer's own time-out is the Manager's.
const resolveMS = 3000

// graceTime is how long a connection whose work is flushed waits to hear that the
// peer has disconnected; without that it is broken.
const graceTime = 500 * time.Millisecond

// conn is one connection of an endpoint from its first step to its end: a CM id,
// a QP and the work that the QP has. C knows it by its key alone (D43).
type conn struct {
	ep   *ep
	hw   *hardware
	side side
	key  uint64

	param      connParam
	tos, ackTO int
	data       []byte
	once       sync.Once

	// mu guards what follows and every call on the id and the QP. It is never held
	// while a completion queue's lock is taken, which is held around complete.
	mu           sync.Mutex
	id           cmID
	hasQP        bool
	qpNum        uint32
	inline       uint32
	zone         *pz
	srq          *srq
	sendQ, recvQ lease
	work         map[uint64]*work
	established  bool
	dead         bool
	// failing: the device flushes, and nobody has said why yet.
	failing bool
	// calling: rdma_connect runs, which blocks on some devices; it then clears up.
	calling bool
	// held are completions that came before the connection was established.
	held []rdma.Report
}

// lease is room in a completion queue: the EVD's own, or one made for the
// connection where the EVD has none or is full, or where receives wake a waiter only
// when the sender asks for it.
type lease struct {
	cq  *cq
	n   int
	own bool
}

func (h *hardware) lease(e rdma.EVD, n int, solicited bool) (lease, error) {
	var id dat.Handle
	if v, ok := e.(*evd); ok && v != nil {
		id = v.id
		if !solicited && v.cq != nil && v.cq.take(n) {
			return lease{v.cq, n, false}, nil
		}
	}
	q, err := h.newCQ(id, n, solicited)
	return lease{q, n, true}, err
}

func (l *lease) give() {
	switch {
	case l.cq == nil:
	case l.own:
		l.cq.free()
	default:
		l.cq.give(l.n)
	}
	l.cq = nil
}

// newConn prepares a connection of e; e's lock is held.
func (h *hardware) newConn(e *ep, s side) *conn {
	a := &e.params.Attributes
	return &conn{
		ep: e, hw: h, side: s, key: h.key(), param: paramOf(a), work: map[uint64]*work{},
		tos: named(a.EPTransportSpecific, "tos", -1), ackTO: named(a.EPTransportSpecific, "ack_timeout", -1),
	}
}

// openID makes the CM id of an active connection, bound to a local address.
func (c *conn) openID(from address) error {
	id, err := c.hw.cm.createID(c.key)
	if err != nil {
		return fault("make a connection id", err)
	}
	if err := id.bind(from.withPort(0), from.scope); err != nil {
		c.hw.destroyID(id)
		return fault("bind to "+from.String(), err)
	}
	c.id = id
	c.hw.target(c.key, c)
	return nil
}

// setOptions passes on what the attributes say about the connection.
func (c *conn) setOptions() {
	if c.tos >= 0 {
		_ = c.id.setOption(optionTOS, uint8(c.tos))
	}
	if c.ackTO >= 0 {
		_ = c.id.setOption(optionAckTimeout, uint8(c.ackTO))
	}
}

// openQP makes the QP and gives it the receives that waited for it.
func (c *conn) openQP(e *ep) error {
	c.zone = e.zone()
	if c.zone == nil || c.zone.hw != c.hw {
		return errStale("protection zone")
	}
	caps := capsOf(&e.params.Attributes)
	recvs := int(caps.recvWR)
	var shared sharedQueue
	if s, ok := e.params.SRQ.(*srq); ok && s != nil {
		c.srq, shared, recvs = s, s.q, s.max
	}
	solicited := e.params.Attributes.RecvCompletionFlags == dat.CompletionSolicitedWait
	c.setOptions()
	var err error
	if c.sendQ, err = c.hw.lease(e.params.RequestEVD, int(caps.sendWR), false); err != nil {
		return err
	}
	if c.recvQ, err = c.hw.lease(e.params.RecvEVD, recvs, solicited); err != nil {
		c.sendQ.give()
		return err
	}
	if err := c.id.createQP(c.zone.pd, c.sendQ.cq.q, c.recvQ.cq.q, shared, caps, c.key); err != nil {
		c.sendQ.give()
		c.recvQ.give()
		return fault("make a queue pair", err)
	}
	c.hasQP, c.qpNum, c.inline = true, c.id.qpNum(), caps.inline
	c.hw.mu.Lock()
	c.hw.conns[c.qpNum], c.hw.byKey[c.key] = c, c
	c.hw.mu.Unlock()
	for _, r := range e.waiting {
		r.work.foreignPZ = r.zone != c.zone
		if err := c.postRecvLocked(r.work); err != nil {
			clear(c.work)
			c.closeQP()
			return err
		}
	}
	e.waiting = nil
	e.clearing.Add(1)
	return nil
}

// closeQP destroys the QP; what it completed before is taken.
func (c *conn) closeQP() {
	if !c.hasQP {
		return
	}
	c.hasQP = false
	c.hw.cmLock.Lock()
	c.id.destroyQP()
	c.hw.cmLock.Unlock()
}

func (c *conn) closeID() {
	c.hw.target(c.key, nil)
	c.hw.destroyID(c.id)
}

func (c *conn) postRecvLocked(w *work) error {
	token := c.hw.key()
	c.work[token] = w
	if err := c.id.postRecv(token, w.buf, uint32(w.size)); err != nil {
		delete(c.work, token)
		return fault("post a receive", err)
	}
	return nil
}

// flushed reports work that never reached the device, or that it will not complete.
func (c *conn) flushed(w *work) {
	w.done()
	c.deliver(w.report(c.ep.id, dat.DTOErrFlushed, wcTable[wcFlushErr].name, 0))
}

// deliver reports, or holds back what comes before the connection is established.
func (c *conn) deliver(r rdma.Report) {
	if !c.established && !c.dead {
		c.held = append(c.held, r)
		return
	}
	c.hw.report(r)
}

// postRecvs gives receives to the QP.
func (c *conn) postRecvs(all []*work) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, w := range all {
		if c.dead {
			c.flushed(w)
			continue
		}
		if err := c.postRecvLocked(w); err != nil {
			if i == 0 {
				for _, rest := range all {
					rest.done()
				}
				return err
			}
			c.flushed(w)
		}
	}
	return nil
}

// complete takes an entry of a completion queue.
func (c *conn) complete(e completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.work[e.token]
	delete(c.work, e.token)
	if w == nil {
		w = c.srq.take(e.token)
	}
	if w == nil {
		return
	}
	status, name := outcome(w, e.status)
	r := w.report(c.ep.id, status, name, e.length)
	r.Solicited = e.solicited
	w.done()
	c.deliver(r)
	if status == dat.DTOErrFlushed && !c.dead && !c.failing {
		c.failing = true
		time.AfterFunc(graceTime, func() {
			c.hw.spawn(func() { c.end(rdma.ReportBroken, name, "The queue pair failed.") })
		})
	}
	if status != dat.DTOSuccess && status != dat.DTOErrFlushed && !c.dead {
		// The failed completion tells the Manager that the connection is broken (T37).
		c.hw.spawn(func() { c.end(quiet, "", "") })
	}
}

// end ends the connection once: the QP goes, everything outstanding is reported,
// then kind. Later calls wait for the first.
func (c *conn) end(kind rdma.ReportKind, reason, detail string, privateData ...byte) {
	c.once.Do(func() {
		c.mu.Lock()
		established, calling := c.established, c.calling
		c.dead = true
		for _, r := range c.held {
			c.hw.report(r)
		}
		c.held = nil
		if established && kind != rdma.ReportDisconnected {
			_ = c.id.disconnect()
		}
		if c.hasQP {
			_ = c.id.toError()
		}
		c.mu.Unlock()
		c.sendQ.cq.drain()
		c.recvQ.cq.drain()
		switch {
		case calling:
		case c.hw.iwarp && c.side == active && !established:
			if !c.hw.spawn(c.abort) {
				c.abort()
			}
		default:
			c.mu.Lock()
			c.closeQP()
			c.mu.Unlock()
			c.sendQ.cq.drain()
			c.recvQ.cq.drain()
			c.clearUp(established && kind != rdma.ReportDisconnected)
		}
		c.flushAll()
		c.ep.mu.Lock()
		c.ep.conn, c.ep.ended = nil, true
		c.ep.mu.Unlock()
		if kind != quiet {
			c.hw.report(rdma.Report{Kind: kind, EP: c.ep.id, Reason: reason, Detail: detail, PrivateData: privateData})
		}
	})
}

// abort gives up a connection that the peer has not answered. Where the transport
// is TCP that can take until its time-out, so it happens beside the caller, and the id
// goes before the QP: the library may still work on the QP while the id is there.
func (c *conn) abort() {
	c.mu.Lock()
	qp := c.id.queuePair()
	c.hasQP = false
	c.mu.Unlock()
	c.hw.target(c.key, nil)
	c.hw.destroyID(c.id)
	_ = qp.free()
	c.giveBack()
	c.ep.clearing.Done()
}

// clearUp gives everything back but the QP, which is gone. A connection that was
// ended here keeps its id until the peer has heard of it.
func (c *conn) clearUp(linger bool) {
	c.giveBack()
	defer c.ep.clearing.Done()
	if linger {
		c.hw.linger(c.key, c.id)
		return
	}
	c.closeID()
}

// giveBack forgets the QP and gives back its room in the queues.
func (c *conn) giveBack() {
	c.hw.mu.Lock()
	delete(c.hw.conns, c.qpNum)
	delete(c.hw.byKey, c.key)
	c.hw.mu.Unlock()
	c.sendQ.give()
	c.recvQ.give()
}

// flushAll reports what the device will not complete any more, in order. Some
// devices give no completion for what was posted to a QP in error.
func (c *conn) flushAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	tokens := make([]uint64, 0, len(c.work))
	for t := range c.work {
		tokens = append(tokens, t)
	}
	slices.Sort(tokens)
	for _, t := range tokens {
		c.flushed(c.work[t])
	}
	clear(c.work)
}

// transport shows the QP. A connected iWARP QP is in RTS whatever old kernels say.
func (c *conn) transport() dat.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasQP {
		return dat.Transport{}
	}
	n := c.qpNum
	t := dat.Transport{QPNum: &n}
	if state, err := c.id.qpState(); err == nil {
		t.QPState = qpStateName(state)
	}
	if c.hw.iwarp && c.established && !c.dead {
		t.QPState = qpStateName(qpReadyToSend)
	}
	return t
}
