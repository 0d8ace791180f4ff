package soft

import (
	"strconv"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// work is a posted request.
type work struct {
	rdma.Request
	ep    *ep
	conn  *conn
	probe bool
	// done: its status is known; it is reported when all before it are.
	done   bool
	status dat.DTOStatus
	length int64
	// key and address are what a successful bind gave.
	key     uint32
	address uint64
	// hasRecv: the receiver took a receive of an SRQ for it.
	hasRecv bool
}

// rdmaAccess is what an RDMA operation needs of the memory at both ends.
type rdmaAccess struct {
	local, remote dat.Privilege
	word          string
}

var rdmaAccesses = map[dat.DTOKind]rdmaAccess{
	dat.KindRDMAWrite: {dat.PrivLocalRead, dat.PrivRemoteWrite, "write"},
	dat.KindRDMARead:  {dat.PrivLocalWrite, dat.PrivRemoteRead, "read"},
}

// reasons are the transport's own names of the statuses that it makes.
var reasons = map[dat.DTOStatus]string{
	dat.DTOErrLocalLength:      "LOC_LEN_ERR",
	dat.DTOErrLocalEP:          "LOC_QP_OP_ERR",
	dat.DTOErrLocalProtection:  "LOC_PROT_ERR",
	dat.DTOErrRemoteAccess:     "REM_ACCESS_ERR",
	dat.DTOErrRemoteResponder:  "REM_OP_ERR",
	dat.DTOErrTransport:        "RETRY_EXC_ERR",
	dat.DTOErrReceiverNotReady: "RNR_RETRY_EXC_ERR",
	dat.RMROperationFailed:     "MW_BIND_ERR",
}

// Post implements rdma.EP.
func (e *ep) Post(requests []rdma.Request) error {
	return e.whileAlive(func() error {
		for _, q := range requests {
			e.sends = append(e.sends, &work{Request: q, ep: e, conn: e.conn})
		}
		if e.conn == nil {
			e.flush()
		} else {
			e.startRequests()
		}
		return nil
	})
}

// Probe implements rdma.EP.
func (e *ep) Probe() error {
	return e.whileAlive(func() error {
		if e.conn == nil {
			return &dat.Error{Return: dat.RetInvalidState, Detail: "There is no connection to probe; connect first."}
		}
		e.sends = append(e.sends, &work{Request: rdma.Request{Kind: dat.KindRDMAWrite}, ep: e, conn: e.conn, probe: true})
		e.startRequests()
		return nil
	})
}

// startRequests sends the requests that may be started. On a fast fabric answers
// arrive meanwhile, and allow more to be started.
func (e *ep) startRequests() {
	c := e.conn
	if e.starting || c == nil || !c.up[c.sideOf(e)] {
		return
	}
	e.starting = true
	for e.conn == c {
		batch := e.takeStartable(c)
		e.reportDone()
		if len(batch) == 0 || e.conn != c {
			break
		}
		c.fabric.transmit(func() { c.deliver(e, batch) })
	}
	e.starting = false
}

// takeStartable returns what may be sent now: reads up to the limit, a fenced
// request only when no read is outstanding, nothing behind one that failed here.
// Binds, which are done here, are left out.
func (e *ep) takeStartable(c *conn) []*work {
	var batch []*work
	limit := int(c.reads[c.sideOf(e)])
	if e.sent > 0 && e.sends[e.sent-1].status != dat.DTOSuccess {
		return nil
	}
	for ; e.sent < len(e.sends); e.sent++ {
		w := e.sends[e.sent]
		if w.Fence && e.reads > 0 || w.Kind == dat.KindRDMARead && limit > 0 && e.reads >= limit {
			break
		}
		switch {
		case w.Kind == dat.KindRMRBind:
			w.bind()
		case w.Kind == dat.KindRDMARead && limit == 0:
			w.done, w.status = true, dat.DTOErrLocalEP
		case w.Kind != dat.KindSend && !w.probe && !w.localAllowed():
			w.done, w.status = true, dat.DTOErrLocalProtection
		default:
			if w.Kind == dat.KindRDMARead {
				e.reads++
			}
			batch = append(batch, w)
		}
		if w.done && w.status != dat.DTOSuccess {
			e.sent++
			break
		}
	}
	return batch
}

// bind does a bind; it takes effect in the order of posting.
func (w *work) bind() {
	w.done, w.status = true, dat.RMROperationFailed
	if window, ok := w.RMR.(*rmr); ok {
		if key, address, ok := window.bind(w.ep, &w.Request); ok {
			w.status, w.key, w.address, w.length = dat.DTOSuccess, key, address, w.Length
		}
	}
}

// localAllowed reports whether an RDMA operation may use its local memory.
func (w *work) localAllowed() bool {
	_, ok := w.local()
	return ok
}

// local returns the local memory of an RDMA operation; ok is false where it may not use it.
func (w *work) local() (memory []byte, ok bool) {
	l, ok := w.LMR.(*lmr)
	if !ok {
		return nil, w.Length == 0
	}
	if !l.alive || l.zone != w.ep.zone() || !l.rights.has(rdmaAccesses[w.Kind].local) {
		return nil, false
	}
	return l.bytes(w.Offset, w.Length)
}

// finish sets the status of w and reports what is next in order.
func (w *work) finish(status dat.DTOStatus) {
	if w.done || w.ep.conn != w.conn {
		return
	}
	w.done, w.status = true, status
	if w.Kind == dat.KindRDMARead {
		w.ep.reads--
	}
	w.ep.reportDone()
	w.ep.startRequests()
}

// reportDone reports the completions that are next in order. One that failed ends
// the connection; the Manager concludes from it that it is broken (T37).
func (e *ep) reportDone() {
	for len(e.sends) > 0 && e.sends[0].done {
		w := e.sends[0]
		e.sends[0] = nil
		e.sends = e.sends[1:]
		e.sent--
		w.report()
		if w.status != dat.DTOSuccess {
			e.endBoth(rdma.ReportDisconnected)
			return
		}
	}
	if len(e.sends) == 0 {
		e.sends = nil
	}
}

// report reports the completion of w.
func (w *work) report() {
	r := rdma.Report{
		Kind: rdma.ReportCompletion, WR: w.WR, Operation: w.Kind, Status: w.status,
		Length: w.length, RMRContext: w.key, TargetAddress: w.address, Reason: reasons[w.status],
	}
	if w.probe {
		r = rdma.Report{Kind: rdma.ReportProbe, Status: w.status, Reason: reasons[w.status]}
	}
	w.ep.report(r)
}

// number returns a numeric named attribute of the endpoint, or fallback without one.
func (e *ep) number(name string, fallback int) int {
	if n, err := strconv.Atoi(e.params.Attributes.EPTransportSpecific[name]); err == nil {
		return n
	}
	return fallback
}

// deliver brings a batch of e to its peer, or keeps it while nothing passes.
func (c *conn) deliver(e *ep, batch []*work) {
	p := c.peer(e)
	if e.conn != c || p.conn != c && !c.lost {
		return // it was flushed, or e will hear that its peer has ended
	}
	if len(e.unacknowledged) > 0 || p.conn != c || !c.fabric.passes(e, p) {
		e.unacknowledged = append(e.unacknowledged, batch...)
		if e.retry == nil {
			e.retry = c.fabric.after(c.fabric.ackTime*time.Duration(1+e.number("retry_count", 7)), e.retransmit)
		}
		return
	}
	p.inbox = append(p.inbox, batch...)
	p.serveInbox()
}

// retransmit sends once more what nobody answered, and fails it where nothing passes still.
func (e *ep) retransmit() {
	e.retry = nil
	batch := e.unacknowledged
	e.unacknowledged = nil
	if len(batch) == 0 || e.conn == nil {
		return
	}
	c := e.conn
	if p := c.peer(e); p.conn == c && c.fabric.passes(e, p) {
		c.deliver(e, batch)
		return
	}
	batch[0].finish(dat.DTOErrTransport)
}
