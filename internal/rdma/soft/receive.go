package soft

import (
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// maxPayload is how much of a message a report carries, in bytes.
const maxPayload = 4096

// serveInbox serves the requests of the peer in order. From an SRQ it takes the
// receives of all messages first, so that a burst shows how many it holds.
func (e *ep) serveInbox() {
	c := e.conn
	if e.serving || c == nil {
		return
	}
	e.serving = true
	for e.conn == c && len(e.inbox) > 0 {
		e.takeSharedRecvs()
		w := e.inbox[0]
		if w.Kind == dat.KindSend && !e.hasRecvFor(w) {
			e.awaitRecv(w)
			break
		}
		stopTimer(&e.rnr)
		e.inbox[0] = nil
		e.inbox = e.inbox[1:]
		if w.Kind == dat.KindSend {
			e.serveSend(w)
		} else {
			e.serveRDMA(w)
		}
	}
	e.serving = false
	if len(e.inbox) == 0 {
		e.inbox = nil
	}
}

// takeSharedRecvs takes receives from the SRQ for the messages in the inbox.
func (e *ep) takeSharedRecvs() {
	q := e.sharedQueue()
	if q == nil {
		return
	}
	for _, w := range e.inbox {
		if w.Kind != dat.KindSend || w.hasRecv {
			continue
		}
		if len(q.recvs) == 0 {
			return
		}
		r := q.recvs[0]
		q.recvs = q.recvs[1:]
		w.hasRecv = true
		e.taken = append(e.taken, r)
		e.report(rdma.Report{Kind: rdma.ReportRecvTaken, SRQ: q.id, WR: r.wr})
		q.checkLow()
	}
}

// hasRecvFor reports whether there is a receive for the message w.
func (e *ep) hasRecvFor(w *work) bool {
	if e.sharedQueue() != nil {
		return w.hasRecv
	}
	return len(e.recvs) > 0
}

// awaitRecv waits as long as the sender retries for a receive for w, then breaks
// both ends (W15).
func (e *ep) awaitRecv(w *work) {
	if q := e.sharedQueue(); q != nil && !slices.Contains(q.waiting, e) {
		q.waiting = append(q.waiting, e)
	}
	if e.rnr != nil {
		return
	}
	retries := w.ep.number("rnr_retry_count", 6)
	if retries == 0 {
		e.refuseForWantOfRecv(w)
		return
	}
	c := e.conn
	e.rnr = e.ia.fabric.after(e.ia.fabric.rnrTime*time.Duration(retries), func() {
		e.rnr = nil
		if e.conn == c && len(e.inbox) > 0 && e.inbox[0] == w {
			e.refuseForWantOfRecv(w)
		}
	})
}

func (e *ep) refuseForWantOfRecv(w *work) {
	e.refuse(w, dat.DTOErrReceiverNotReady, &rdma.Report{
		Kind: rdma.ReportBroken, Status: dat.DTOErrReceiverNotReady,
		Reason: "RNR_NAK", Detail: "A message arrived and no receive buffer was there.",
	})
}

// refuse ends e and fails w at its sender with status. r is the report of the end,
// nil where a completion tells it already.
func (e *ep) refuse(w *work, status dat.DTOStatus, r *rdma.Report) {
	e.end(r)
	e.ia.fabric.transmit(func() { w.finish(status) })
}

// acknowledge tells the sender of w that it is done.
func (e *ep) acknowledge(w *work) {
	e.ia.fabric.transmit(func() { w.finish(dat.DTOSuccess) })
}

// serveSend puts the message w into the oldest receive.
func (e *ep) serveSend(w *work) {
	queue := &e.recvs
	if e.sharedQueue() != nil {
		queue = &e.taken
	}
	buffer := (*queue)[0]
	*queue = (*queue)[1:]
	if len(*queue) == 0 {
		*queue = nil
	}
	length := w.Size
	if w.Data != nil {
		length = int64(len(w.Data))
	}
	r := rdma.Report{Kind: rdma.ReportCompletion, WR: buffer.wr, Operation: dat.KindRecv}
	switch {
	case e.sharedQueue() == nil && buffer.zone != e.zone():
		r.Status = dat.DTOErrLocalProtection
	case length > buffer.size:
		r.Status = dat.DTOErrLocalLength
	}
	if r.Status != dat.DTOSuccess {
		r.Reason = reasons[r.Status]
		e.report(r)
		e.refuse(w, dat.DTOErrRemoteResponder, nil)
		return
	}
	r.Length, r.Solicited, r.Payload = length, w.Solicited, payload(w.Data, length)
	w.length = length
	e.countTransfer(w)
	e.report(r)
	e.acknowledge(w)
}

// payload returns what a report carries of a message; zeros where data is nil.
func payload(data []byte, length int64) []byte {
	if data == nil {
		return make([]byte, min(length, maxPayload))
	}
	return slices.Clone(data[:min(len(data), maxPayload)])
}

// serveRDMA does an RDMA operation of the peer on the memory here. One that it may
// not do breaks both ends: at this end only the adapter sees it (T38).
func (e *ep) serveRDMA(w *work) {
	if w.Length == 0 {
		e.acknowledge(w)
		return
	}
	local, ok := w.local()
	if !ok {
		e.ia.fabric.transmit(func() { w.finish(dat.DTOErrLocalProtection) })
		return
	}
	access := rdmaAccesses[w.Kind]
	remote, ok := e.remoteMemory(w, access.remote)
	if !ok {
		e.refuse(w, dat.DTOErrRemoteAccess, &rdma.Report{
			Kind: rdma.ReportEPError, Status: dat.DTOErrRemoteAccess,
			Reason: "QP_ACCESS_ERR", Detail: "The peer asked for memory that it may not " + access.word + ".",
		})
		return
	}
	if w.Kind == dat.KindRDMARead {
		copy(local, remote)
	} else {
		copy(remote, local)
	}
	w.length = w.Length
	e.countTransfer(w)
	e.acknowledge(w)
}

// remoteMemory returns the memory of this end that w names; ok is false where w may not use it.
func (e *ep) remoteMemory(w *work, right dat.Privilege) (memory []byte, ok bool) {
	k := e.ia.keys[w.RemoteContext]
	if k == nil || k.zone == nil || k.zone != e.zone() || !k.rights.has(right) || w.RemoteAddress < k.address() {
		return nil, false
	}
	off := w.RemoteAddress - k.address()
	if off > uint64(k.length) {
		return nil, false
	}
	return k.bytes(int64(off), w.Length)
}
