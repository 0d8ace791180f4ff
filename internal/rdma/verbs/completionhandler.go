//go:build verbs

package verbs

import (
	"runtime"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// graceTime is how long a connection whose work the device flushes by itself waits for the
// event that says why; without one it is broken. On InfiniBand and RoCE a peer's disconnect
// flushes nothing: that event is an asynchronous one.
const graceTime = 500 * time.Millisecond

// handleCQEvents takes all completion events that are there, and delivers what is in their
// queues. It returns why there are no more: EAGAIN, or the failure.
//
// Where a report was given to a reader that waited, the reader runs first: what it posts may have
// completed by then, and is then delivered without an event of its own.
func (h *hardware) handleCQEvents() error {
	key, err := h.comp.event()
	for err == nil {
		h.mu.RLock()
		q := h.cqs[key]
		h.mu.RUnlock()
		if q == nil {
			key, err = h.comp.event()
			continue
		}
		key, err = q.handleEvent()
		if h.readerWoken.Swap(false) {
			runtime.Gosched()
		}
	}
	return err
}

// complete reports the completion of an entry of a completion queue. A failure ends the
// connection.
func (c *conn) complete(e completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.work.take(e.token)
	defer c.noteFlushedLocked()
	if w == nil {
		w = c.srq.take(e.token)
	}
	if w == nil {
		return
	}
	status, name := outcome(w, e.status)
	r := w.report(c.ep.id, status, name, e.length)
	r.Solicited = e.solicited || !c.hw.tellsSolicited()
	w.release()
	c.deliver(r)
	// Over iWARP the device also flushes when the peer disconnects. There every end has its
	// event, which is waited for however late it is.
	if status == dat.DTOErrFlushed && !c.ended && !c.flushing && !c.hw.iwarp {
		c.flushing = true
		time.AfterFunc(graceTime, func() {
			c.hw.startTask(func() { c.end(rdma.ReportBroken, name, "The queue pair failed.") })
		})
	}
	if status != dat.DTOSuccess && status != dat.DTOErrFlushed && !c.ended {
		// The failed completion tells the Manager that the connection is broken (T37).
		c.hw.startTask(func() { c.end(noReport, "", "") })
	}
}

// reportFlushed reports work as flushed that never reached the device, or that the
// device will not complete.
func (c *conn) reportFlushed(w *work) {
	w.release()
	c.deliver(w.report(c.ep.id, dat.DTOErrFlushed, wcTable[wcFlushErr].name, 0))
}

// deliver reports r, or holds it back while the connection is not established.
func (c *conn) deliver(r rdma.Report) {
	if !c.established && !c.ended {
		c.heldReports = append(c.heldReports, r)
		return
	}
	c.hw.report(r)
}

// reportHeld reports what deliver held back; the connection's lock is held.
func (c *conn) reportHeld() {
	for _, r := range c.heldReports {
		c.hw.report(r)
	}
	c.heldReports = nil
}

// flushAll reports what the device will not complete any more as flushed, in order. Some
// devices complete nothing that was posted to a QP in error.
func (c *conn) flushAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.work.takeAll() {
		c.reportFlushed(w)
	}
}
