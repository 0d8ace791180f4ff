//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// conn is one connection of an endpoint from its first step to its end: a CM id,
// a QP and the work that the QP has. C knows it by its key alone (D43).
type conn struct {
	ep   *ep
	hw   *hardware
	side side
	// key names the CM id and the QP in events.
	key uint64

	param connParam
	// tos and ackTimeout are options of the CM id, -1 where they are not set.
	tos, ackTimeout int
	// minRNRTimer is an attribute of the QP, -1 where it is not set.
	minRNRTimer int
	// data is the private data of the request.
	data []byte
	// from and to are the addresses of an active connection, toPort is the peer's port.
	from, to address
	toPort   uint16
	// once ends the connection once; ending is closed when that begins.
	once   sync.Once
	ending chan struct{}

	// mu guards what follows and every call on the id and the QP. It is never held
	// while a completion queue's lock is taken, which is held around complete.
	mu    sync.Mutex
	id    cmID
	hasQP bool
	qpNum uint32
	// inline is how much a send may carry inline, in bytes.
	inline       uint32
	zone         *pz
	srq          *srq
	sendQ, recvQ lease
	// held are the zone and the SRQ until the QP is destroyed.
	held []*heldPart
	// work is what the QP has not completed.
	work        outstanding
	established bool
	// reads: the two ends agreed on RDMA reads in both directions.
	reads bool
	ended bool
	// flushing: the device flushes, and it is not known yet why.
	flushing bool
	// lastTaken: the device takes no more receives from the SRQ for the QP.
	lastTaken bool
	// onFlushed, if not nil, is closed when the device has completed everything.
	onFlushed chan struct{}
	// connecting: rdma_connect runs, which blocks on some devices; it cleans up then.
	// asked: it has returned.
	connecting, asked bool
	// repeats is how often the connection was asked for again (askAgain).
	repeats int
	// confirmed: the connection manager has told that a connection that was ended here is over;
	// waiting, if not nil, is what waits for that.
	confirmed bool
	waiting   *lingering
	// heldReports are completions that came before the connection was established.
	heldReports []rdma.Report
}

// newConn prepares a connection of e; e's lock is held.
func (h *hardware) newConn(e *ep, s side) *conn {
	a := &e.params.Attributes
	return &conn{
		ep: e, hw: h, side: s, key: h.newKey(), param: paramOf(a), ending: make(chan struct{}),
		tos: named(a.EPTransportSpecific, "tos", -1), ackTimeout: named(a.EPTransportSpecific, "ack_timeout", -1),
		minRNRTimer: named(a.EPProviderSpecific, "min_rnr_timer", -1),
	}
}

// openID creates the CM id of an active connection.
func (c *conn) openID() error {
	id, err := c.newID()
	if err != nil {
		return err
	}
	c.id = id
	c.hw.route(c.key, c)
	return nil
}

// newID creates a CM id that is bound to the local address of an active connection; the
// connection manager chooses its port.
func (c *conn) newID() (cmID, error) {
	id, err := c.hw.cm.createID(c.key)
	if err != nil {
		return cmID{}, deviceError("make a connection id", err)
	}
	if err := id.bind(c.from.withPort(0), c.from.scope); err != nil {
		c.hw.destroyID(id)
		return cmID{}, deviceError("bind to "+c.from.String(), err)
	}
	return id, nil
}

// setOptions sets the options of a CM id that the attributes name.
func (c *conn) setOptions(id cmID) {
	if c.tos >= 0 {
		_ = id.setOption(optionTOS, uint8(c.tos))
	}
	if c.ackTimeout >= 0 {
		_ = id.setOption(optionAckTimeout, uint8(c.ackTimeout))
	}
}

// openQP creates the QP and posts the receives to it that waited for it. After an error
// discard gives up what was made.
func (c *conn) openQP(e *ep) error {
	var err error
	if c.zone, err = c.hw.zoneOf(e.params.PZ); err != nil {
		return err
	}
	c.holdPart(&c.zone.part)
	caps := capsOf(&e.params.Attributes)
	recvs := int(caps.recvWR)
	var shared sharedQueue
	if s, ok := e.params.SRQ.(*srq); ok && s != nil {
		c.srq, shared, recvs = s, s.q, s.max
		c.holdPart(&s.part)
	}
	solicited := e.params.Attributes.RecvCompletionFlags == dat.CompletionSolicitedWait && c.hw.tellsSolicited()
	vector := named(e.params.Attributes.EPProviderSpecific, "comp_vector", anyVector)
	c.setOptions(c.id)
	if c.sendQ, err = c.hw.leaseCQ(e.params.RequestEVD, int(caps.sendWR), false, vector); err != nil {
		return err
	}
	if c.recvQ, err = c.hw.leaseCQ(e.params.RecvEVD, recvs, solicited, vector); err != nil {
		return err
	}
	if c.inline, err = c.id.createQP(c.zone.pd, c.sendQ.cq.q, c.recvQ.cq.q, shared, caps, c.key); err != nil {
		return deviceError("make a queue pair", err)
	}
	c.hasQP, c.qpNum = true, c.id.qpNum()
	c.hw.mu.Lock()
	c.hw.conns[c.qpNum], c.hw.connsByKey[c.key] = c, c
	c.hw.mu.Unlock()
	for _, r := range e.waiting {
		r.work.foreignPZ = r.zone != c.zone
		if err := c.postRecvLocked(r.work); err != nil {
			return err
		}
	}
	e.waiting = nil
	return nil
}

// holdPart keeps a part of the device until the QP is destroyed.
func (c *conn) holdPart(p *heldPart) {
	p.hold()
	c.held = append(c.held, p)
}

// discard gives up what openQP made before it failed; the receives that waited for the QP
// wait on. The connection's lock is not held.
func (c *conn) discard() {
	c.mu.Lock()
	c.ended = true
	c.work = outstanding{}
	c.closeQP()
	c.mu.Unlock()
	c.releaseParts()
}

// closeQP destroys the QP; what it completed before is still in the queues.
func (c *conn) closeQP() {
	if !c.hasQP {
		return
	}
	c.hasQP = false
	c.hw.cmLock.Lock()
	c.id.destroyQP()
	c.hw.cmLock.Unlock()
}

// closeID destroys the CM id.
func (c *conn) closeID() {
	c.hw.route(c.key, nil)
	c.hw.destroyID(c.id)
}

// transport returns the number and state of the QP. A connected iWARP QP is in RTS
// whatever old kernels say.
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
	if c.hw.iwarp && c.established && !c.ended {
		t.QPState = qpStateName(qpReadyToSend)
	}
	return t
}
