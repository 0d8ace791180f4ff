//go:build verbs

package verbs

import (
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// graceTime is how long a connection whose work the device flushes by itself waits for the
// event that says why; without one it is broken. On InfiniBand and RoCE a peer's disconnect
// flushes nothing: that event is an asynchronous one.
const graceTime = 500 * time.Millisecond

// handleCQEvent takes one completion event and delivers everything that is in its queue.
func (h *hardware) handleCQEvent() error {
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

// complete reports the completion of an entry of a completion queue. A failure ends the
// connection.
func (c *conn) complete(e completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.work[e.token]
	delete(c.work, e.token)
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

// flushAll reports what the device will not complete any more as flushed, in order. Some
// devices complete nothing that was posted to a QP in error.
func (c *conn) flushAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	tokens := make([]uint64, 0, len(c.work))
	for t := range c.work {
		tokens = append(tokens, t)
	}
	slices.Sort(tokens)
	for _, t := range tokens {
		c.reportFlushed(c.work[t])
	}
	clear(c.work)
}
