package manager

import (
	"cmp"
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// outstandingWork is an outstanding DTO or RMR bind.
type outstandingWork struct {
	kind   dat.DTOKind
	cookie string
	flags  []dat.CompletionFlag
	srq    *srq        // nil but for a receive of an SRQ
	bind   *rmrBinding // nil but for a bind
}

// reap tells the SRQ of a receive that the consumer has its completion, or will
// never get it.
func (w outstandingWork) reap() {
	if w.srq != nil {
		w.srq.reaped()
	}
}

// recvCount returns the number of receives at the endpoint.
func (ep *endpoint) recvCount() int {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return len(ep.recvs)
}

// outstandingLocked returns the outstanding work of a kind. The state lock is held.
func (ep *endpoint) outstandingLocked(kind dat.DTOKind) map[uint64]outstandingWork {
	if kind == dat.KindRecv {
		return ep.recvs
	}
	return ep.requests
}

// takeWorkLocked returns the work of a completion, which is not outstanding any
// more, and whether there is any. A receive of an SRQ that the engine did not
// report as taken is found in the SRQ. The state lock is held.
func (ep *endpoint) takeWorkLocked(r rdma.Report) (outstandingWork, bool) {
	if w, ok := ep.requests[r.WR]; ok {
		delete(ep.requests, r.WR)
		return w, true
	}
	if w, ok := ep.recvs[r.WR]; ok {
		delete(ep.recvs, r.WR)
		return w, true
	}
	if s, ok := find[*srq](ep.m(), ep.live.SRQ); ok {
		return s.take(r.WR)
	}
	return outstandingWork{}, false
}

// completeLocked counts a completion, posts its event and judges what follows from
// it. The state lock is held; the caller calls disconnectIfOwed afterwards.
func (m *Manager) completeLocked(ep *endpoint, w outstandingWork, r rdma.Report) {
	ep.countTransferLocked(w.kind, r)
	ep.ia.metrics.completed(w.kind, r)
	if r.Status == dat.DTOSuccess {
		ep.lastProofOfLife = new(now())
	}
	m.completionEventLocked(ep, w, r)
	if r.Status != dat.DTOSuccess && r.Status != dat.DTOErrFlushed {
		m.handleEventLocked(ep, dat.EvBroken, eventDetails{
			reason: r.Status.String(), detail: cmp.Or(r.Detail, w.kind.String()+" failed with "+r.Status.String()), derived: true,
		})
	}
	// A flush does not end a drain: the report of what ended the connection follows.
	if r.Status != dat.DTOErrFlushed {
		m.finishDrainLocked(ep)
	}
}

// countTransferLocked adds a completion to the counters of the status. The state
// lock is held.
func (ep *endpoint) countTransferLocked(kind dat.DTOKind, r rdma.Report) {
	c := &ep.counters
	switch {
	case r.Status == dat.DTOErrFlushed:
		c.Flushed++
		return
	case r.Status != dat.DTOSuccess:
		c.Errors++
		return
	}
	counts := [...]*int64{
		dat.KindRecv: &c.Recvs, dat.KindSend: &c.Sends, dat.KindRDMAWrite: &c.RDMAWrites,
		dat.KindRDMARead: &c.RDMAReads, dat.KindRMRBind: &c.RMRBinds,
	}
	*counts[kind]++
	bytes := [...]*int64{
		dat.KindRecv: &c.RecvBytes, dat.KindSend: &c.SentBytes, dat.KindRDMAWrite: &c.SentBytes,
		dat.KindRDMARead: &c.RecvBytes, dat.KindRMRBind: new(int64),
	}
	*bytes[kind] += r.Length
}

// completionEventLocked posts the event of a completion. A request posted with
// SUPPRESS has one only if it failed. The state lock is held.
func (m *Manager) completionEventLocked(ep *endpoint, w outstandingWork, r rdma.Report) {
	if r.Status == dat.DTOSuccess && slices.Contains(w.flags, dat.CompletionSuppress) {
		w.reap()
		return
	}
	q := queued{ev: completionEvent(ep, w, r), notification: ep.isNotificationLocked(w, r), reaped: w.reap}
	evd := ep.live.RequestEVD
	if w.kind == dat.KindRecv {
		evd = ep.live.RecvEVD
	}
	if !m.emit(evd, q) {
		w.reap()
	}
}

// completionEvent returns the event of a completion.
func completionEvent(ep *endpoint, w outstandingWork, r rdma.Report) dat.Event {
	kind, status, length, cookie := w.kind, r.Status, r.Length, w.cookie
	ref := ep.ref()
	ev := dat.Event{Event: dat.EventDTOCompletion, Stream: dat.StreamDTO, Endpoint: ep.id, Object: &ref, Reason: optional(r.Reason)}
	ev.Data = dat.EventData{Operation: &kind, Status: &status, Cookie: &cookie}
	if w.bind != nil {
		target := w.bind.rmr.ref()
		ev.Event, ev.Stream, ev.Object = dat.EventRMRBindCompletion, dat.StreamRMRBind, &target
		return ev
	}
	ev.Data.TransferredLength = &length
	if kind == dat.KindRecv && r.Status == dat.DTOSuccess {
		truncated := int64(len(r.Payload)) < r.Length
		ev.Data.Payload, ev.Data.Truncated = r.Payload, &truncated
	}
	return ev
}

// isNotificationLocked reports whether a completion is a notification event. That
// of an UNSIGNALLED request is not, nor in SOLICITED_WAIT mode that of a receive
// that the sender did not mark. A failure always is. The state lock is held.
func (ep *endpoint) isNotificationLocked(w outstandingWork, r rdma.Report) bool {
	if r.Status != dat.DTOSuccess {
		return true
	}
	if w.kind == dat.KindRecv {
		return ep.live.Attributes.RecvCompletionFlags != dat.CompletionSolicitedWait || r.Solicited
	}
	return !slices.Contains(w.flags, dat.CompletionUnsignalled)
}

// flushLocked completes everything that is outstanding as flushed, if there is no
// engine left to do it (T48). The state lock is held; the caller calls
// disconnectIfOwed afterwards.
func (m *Manager) flushLocked(ep *endpoint) {
	for _, set := range []map[uint64]outstandingWork{ep.recvs, ep.requests} {
		ids := make([]uint64, 0, len(set))
		for wr := range set {
			ids = append(ids, wr)
		}
		slices.Sort(ids)
		for _, wr := range ids {
			w := set[wr]
			delete(set, wr)
			if w.bind != nil {
				ep.orphanedBinds = append(ep.orphanedBinds, w.bind)
			}
			m.completeLocked(ep, w, rdma.Report{WR: wr, Status: dat.DTOErrFlushed, Reason: "DEVICE_GONE"})
		}
	}
}

// dropWorkLocked forgets what is outstanding: its completions are lost (T2, T39).
// The state lock is held; the caller calls disconnectIfOwed afterwards.
func (ep *endpoint) dropWorkLocked() {
	for _, set := range []map[uint64]outstandingWork{ep.recvs, ep.requests} {
		for _, w := range set {
			w.reap()
			if w.bind != nil {
				ep.orphanedBinds = append(ep.orphanedBinds, w.bind)
			}
		}
		clear(set)
	}
}
