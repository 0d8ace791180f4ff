//go:build verbs

package verbs

import (
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// noReport lets end make no report of its own.
const noReport = rdma.ReportKind(255)

// end ends the connection once: the QP is destroyed, everything outstanding is
// reported, then kind. Later calls wait for the first.
func (c *conn) end(kind rdma.ReportKind, reason, detail string, privateData ...byte) {
	c.once.Do(func() {
		c.mu.Lock()
		established, connecting := c.established, c.connecting
		c.ended = true
		for _, r := range c.heldReports {
			c.hw.report(r)
		}
		c.heldReports = nil
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
		case connecting: // connect cleans up when it returns
		case c.hw.iwarp && c.side == active && !established:
			if !c.hw.startTask(c.abort) {
				c.abort()
			}
		default:
			c.mu.Lock()
			c.closeQP()
			c.mu.Unlock()
			c.sendQ.cq.drain()
			c.recvQ.cq.drain()
			c.cleanUp(established && kind != rdma.ReportDisconnected)
		}
		c.flushAll()
		c.ep.mu.Lock()
		c.ep.conn, c.ep.ended = nil, true
		c.ep.mu.Unlock()
		if kind != noReport {
			c.hw.report(rdma.Report{Kind: kind, EP: c.ep.id, Reason: reason, Detail: detail, PrivateData: privateData})
		}
	})
}

// abort ends a connection that the peer has not answered. Over TCP that can take until
// TCP's time-out, so it runs in a goroutine of its own, and the id is destroyed before the
// QP: the library may still work on the QP while the id is there.
func (c *conn) abort() {
	c.mu.Lock()
	qp := c.id.queuePair()
	c.hasQP = false
	c.mu.Unlock()
	c.hw.route(c.key, nil)
	c.hw.destroyID(c.id)
	_ = qp.free()
	c.releaseQueues()
	c.ep.cleanups.Done()
}

// cleanUp gives up everything but the QP, which is destroyed already. A connection that
// was ended here keeps its id until the peer has confirmed that (linger).
func (c *conn) cleanUp(linger bool) {
	c.releaseQueues()
	defer c.ep.cleanups.Done()
	if linger {
		c.hw.linger(c.key, c.id)
		return
	}
	c.closeID()
}

// releaseQueues forgets the QP and gives up its room in the completion queues. The kernel
// may have given the QP's number to another connection already, whose entry stays.
func (c *conn) releaseQueues() {
	c.hw.mu.Lock()
	if c.hw.conns[c.qpNum] == c {
		delete(c.hw.conns, c.qpNum)
	}
	delete(c.hw.connsByKey, c.key)
	c.hw.mu.Unlock()
	c.sendQ.release()
	c.recvQ.release()
}

// lingerTime is how long an id waits for the peer to confirm a disconnect.
const lingerTime = 2 * time.Second

// lingering is the id of a connection that was ended here and not confirmed yet.
type lingering struct{ object }

// linger keeps an id until the peer has confirmed the disconnect.
func (h *hardware) linger(key uint64, id cmID) {
	l := &lingering{}
	release := func() {
		h.route(key, nil)
		h.destroyID(id)
	}
	if h.add(&l.object, dat.HandleNull, rankEP, release) != nil {
		release()
		return
	}
	h.route(key, l)
	time.AfterFunc(lingerTime, l.free)
}

// handleCM takes the confirmation.
func (l *lingering) handleCM(cmEvent, cmID) { l.free() }
