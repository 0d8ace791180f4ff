//go:build verbs

package verbs

import (
	"math"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// noReport lets end make no report of its own.
const noReport = rdma.ReportKind(255)

// end ends the connection once: everything outstanding is reported, then kind. It waits
// for the device, for a short time, and never for the peer. Later calls wait for the first.
func (c *conn) end(kind rdma.ReportKind, reason, detail string, privateData ...byte) {
	c.once.Do(func() {
		disconnected := kind == rdma.ReportDisconnected
		established, connecting, flushes := c.stop(disconnected)
		if flushes {
			c.awaitFlush()
		}
		c.drain()
		switch {
		case connecting: // connect cleans up when it returns
		case c.hw.iwarp && c.side == active && !established:
			c.hw.background(c.abort)
		default:
			c.mu.Lock()
			c.closeQP()
			c.mu.Unlock()
			c.drain()
			c.cleanUp(established && !disconnected)
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

// stop takes no more work and lets the device flush what it has; flushes says whether it
// does. disconnected says that the peer knows of the end.
func (c *conn) stop(disconnected bool) (established, connecting, flushes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	established, connecting = c.established, c.connecting
	c.ended = true
	close(c.ending)
	c.reportHeld()
	if established && !disconnected {
		_ = c.id.disconnect()
	}
	return established, connecting, c.hasQP && c.id.toError() == nil
}

// flushLimit is how long an ending connection waits until the device has completed what
// was posted. Some devices complete nothing that was posted to a QP in error.
const flushLimit = 250 * time.Millisecond

// drain delivers everything that is in the connection's queues.
func (c *conn) drain() {
	c.sendQ.drain()
	if c.recvQ.cq != c.sendQ.cq {
		c.recvQ.drain()
	}
}

// awaitFlush waits until the device has completed everything that the QP had. With an SRQ
// that is when it takes no more receives for the QP, which it tells by an event of its own;
// else a receive that it took would be lost to the SRQ's count.
func (c *conn) awaitFlush() {
	c.drain()
	c.mu.Lock()
	if c.flushedLocked() {
		c.mu.Unlock()
		return
	}
	done := make(chan struct{})
	c.onFlushed = done
	c.mu.Unlock()
	late := time.NewTimer(flushLimit)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		c.mu.Lock()
		if c.work.count() == 0 {
			c.hw.lastTaken.missed()
		}
		c.mu.Unlock()
	}
}

// flushedLocked reports whether the device has completed everything that the QP had.
func (c *conn) flushedLocked() bool {
	return c.work.count() == 0 && (c.srq == nil || c.lastTaken || c.hw.lastTaken.never())
}

// noteFlushedLocked wakes awaitFlush where there is nothing more to wait for.
func (c *conn) noteFlushedLocked() {
	if c.onFlushed != nil && c.flushedLocked() {
		close(c.onFlushed)
		c.onFlushed = nil
	}
}

// takeLast notes that the device takes no more receives from the SRQ for the QP.
func (c *conn) takeLast() {
	c.hw.lastTaken.seen()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastTaken = true
	c.noteFlushedLocked()
}

// abort ends a connection that the peer has not answered. The device waits for the answer, as
// long as TCP's time-out or siw's of ten seconds, so it runs in the background and without a lock:
// events of other connections are handled meanwhile, among them the one that the peer waits for if
// it is of this process. The id is destroyed before the QP: the library may still work on the QP
// while the id is there.
func (c *conn) abort() {
	c.mu.Lock()
	qp := c.id.queuePair()
	c.hasQP = false
	c.mu.Unlock()
	c.hw.route(c.key, nil)
	c.hw.destroyID(c.id)
	_ = qp.free()
	c.releaseParts()
}

// cleanUp gives up everything but the QP, which is destroyed already. A connection that
// was ended here keeps its id until the peer has confirmed that (linger).
func (c *conn) cleanUp(linger bool) {
	c.releaseParts()
	if linger {
		c.linger()
		return
	}
	c.closeID()
}

// releaseParts forgets the QP and gives up what it used: its room in the completion
// queues, its zone and its SRQ. The kernel may have given the QP's number to another
// connection already, whose entry stays. The connection's lock is not held.
func (c *conn) releaseParts() {
	c.hw.mu.Lock()
	if c.hw.conns[c.qpNum] == c {
		delete(c.hw.conns, c.qpNum)
	}
	delete(c.hw.connsByKey, c.key)
	c.hw.mu.Unlock()
	c.sendQ.release()
	c.recvQ.release()
	for _, p := range c.held {
		p.drop()
	}
	c.held = nil
}

// lingerTime is how long an id waits for the peer to confirm a disconnect.
const lingerTime = 2 * time.Second

// lingering is the id of a connection that was ended here and not confirmed yet.
type lingering struct{ object }

// linger keeps the id until the peer has confirmed the disconnect, which it may have already.
func (c *conn) linger() {
	h, l := c.hw, &lingering{}
	late := time.AfterFunc(math.MaxInt64, l.free)
	release := func() {
		late.Stop()
		h.route(c.key, nil)
		h.background(func() { h.destroyID(c.id) })
	}
	if h.add(&l.object, dat.HandleNull, rankEP, release) != nil {
		release()
		return
	}
	late.Reset(lingerTime)
	h.route(c.key, l)
	c.mu.Lock()
	c.waiting = l
	confirmed := c.confirmed
	c.mu.Unlock()
	if confirmed {
		l.free()
	}
}

// handleCM takes the confirmation.
func (l *lingering) handleCM(cmEvent, cmID) { l.free() }
