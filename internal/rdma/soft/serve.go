package soft

import (
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// drain serves the messages that arrived, in order. From an SRQ it takes the
// buffers of all of them first, so that a burst shows what it holds.
func (e *ep) drain() {
	c := e.conn
	if e.draining || c == nil {
		return
	}
	e.draining = true
	for e.conn == c && len(e.inbox) > 0 {
		e.setAside()
		w := e.inbox[0]
		if w.Kind == dat.KindSend && !e.hasBuffer(w) {
			e.wait(w)
			break
		}
		stop(&e.rnr)
		e.inbox[0] = nil
		e.inbox = e.inbox[1:]
		if w.Kind == dat.KindSend {
			e.receive(w)
		} else {
			e.access(w)
		}
	}
	e.draining = false
	if len(e.inbox) == 0 {
		e.inbox = nil
	}
}

// setAside takes buffers from the SRQ for the sends in the inbox.
func (e *ep) setAside() {
	q := e.shared()
	if q == nil {
		return
	}
	for _, w := range e.inbox {
		if w.Kind != dat.KindSend || w.taken {
			continue
		}
		if len(q.recvs) == 0 {
			return
		}
		r := q.recvs[0]
		q.recvs = q.recvs[1:]
		w.taken = true
		e.taken = append(e.taken, r)
		e.report(rdma.Report{Kind: rdma.ReportRecvTaken, SRQ: q.id, WR: r.wr})
		q.testLow()
	}
}

// hasBuffer tells whether a receive is there for w.
func (e *ep) hasBuffer(w *work) bool {
	if e.shared() != nil {
		return w.taken
	}
	return len(e.recvs) > 0
}

// wait lets the sender try again for a while, then breaks both ends (W15).
func (e *ep) wait(w *work) {
	if q := e.shared(); q != nil && !slices.Contains(q.waiting, e) {
		q.waiting = append(q.waiting, e)
	}
	if e.rnr != nil {
		return
	}
	retries := w.ep.named("rnr_retry_count", 6)
	if retries == 0 {
		e.notReady(w)
		return
	}
	c := e.conn
	e.rnr = e.ia.fabric.after(e.ia.fabric.rnrTime*time.Duration(retries), func() {
		e.rnr = nil
		if e.conn == c && len(e.inbox) > 0 && e.inbox[0] == w {
			e.notReady(w)
		}
	})
}

func (e *ep) notReady(w *work) {
	e.fail(w, dat.DTOErrReceiverNotReady, &rdma.Report{
		Kind: rdma.ReportBroken, Status: dat.DTOErrReceiverNotReady,
		Reason: "RNR_NAK", Detail: "A message arrived and no receive buffer was there.",
	})
}

// fail ends e, with r where no completion tells, and answers the sender of w
// with status.
func (e *ep) fail(w *work, status dat.DTOStatus, r *rdma.Report) {
	e.end(r)
	e.ia.fabric.deliver(func() { w.finish(status) })
}

// answer tells the sender of w that it is done.
func (e *ep) answer(w *work) {
	e.ia.fabric.deliver(func() { w.finish(dat.DTOSuccess) })
}

// receive puts the message w into the oldest buffer.
func (e *ep) receive(w *work) {
	queue := &e.recvs
	if e.shared() != nil {
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
	case e.shared() == nil && buffer.zone != e.zone():
		r.Status = dat.DTOErrLocalProtection
	case length > buffer.size:
		r.Status = dat.DTOErrLocalLength
	}
	if r.Status != dat.DTOSuccess {
		r.Reason = reasons[r.Status]
		e.report(r)
		e.fail(w, dat.DTOErrRemoteResponder, nil)
		return
	}
	r.Length, r.Solicited, r.Payload = length, w.Solicited, payload(w.Data, length)
	w.length = length
	e.report(r)
	e.answer(w)
}

// payload is what a report shows of a message; zeros where data is nil.
func payload(data []byte, length int64) []byte {
	if data == nil {
		return make([]byte, min(length, maxPayload))
	}
	return slices.Clone(data[:min(len(data), maxPayload)])
}

// access carries an RDMA operation of the peer out on the memory here. What it
// may not touch breaks both: the adapter alone sees it at this end (T38).
func (e *ep) access(w *work) {
	if w.Length == 0 {
		e.answer(w)
		return
	}
	local, localOK := w.local()
	if !localOK {
		e.ia.fabric.deliver(func() { w.finish(dat.DTOErrLocalProtection) })
		return
	}
	right := dat.PrivRemoteWrite
	if w.Kind == dat.KindRDMARead {
		right = dat.PrivRemoteRead
	}
	remote, ok := e.reached(w, right)
	if !ok {
		e.fail(w, dat.DTOErrRemoteAccess, &rdma.Report{
			Kind: rdma.ReportEPError, Status: dat.DTOErrRemoteAccess,
			Reason: "QP_ACCESS_ERR", Detail: "The peer asked for memory that it may not " + verbs[w.Kind] + ".",
		})
		return
	}
	if w.Kind == dat.KindRDMARead {
		copy(local, remote)
	} else {
		copy(remote, local)
	}
	w.length = w.Length
	e.answer(w)
}

var verbs = map[dat.DTOKind]string{dat.KindRDMAWrite: "write", dat.KindRDMARead: "read"}

// reached is the memory of this end that w names, where it may.
func (e *ep) reached(w *work, right dat.Privilege) ([]byte, bool) {
	k := e.ia.keys[w.RemoteContext]
	if k == nil || k.zone == nil || k.zone != e.zone() || !k.rights.has(right) || w.RemoteAddress < k.address() {
		return nil, false
	}
	off := w.RemoteAddress - k.address()
	if off > uint64(k.length) {
		return nil, false
	}
	return k.span(int64(off), w.Length)
}
