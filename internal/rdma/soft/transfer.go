package soft

import (
	"strconv"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// maxPayload is how much of a message a report shows.
const maxPayload = 4096

// work is a posted request.
type work struct {
	rdma.Request
	ep    *ep
	conn  *conn
	probe bool
	// done: its status is known; it is reported when all before it are.
	done    bool
	status  dat.DTOStatus
	length  int64
	key     uint32
	address uint64
	// taken: a receive of an SRQ is set aside for it.
	taken bool
}

// Post implements rdma.EP.
func (e *ep) Post(requests []rdma.Request) error {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if err := e.stale(); err != nil {
		return err
	}
	for _, q := range requests {
		e.sends = append(e.sends, &work{Request: q, ep: e, conn: e.conn})
	}
	if e.conn == nil {
		e.flush()
		return nil
	}
	e.pump()
	return nil
}

// Probe implements rdma.EP.
func (e *ep) Probe() error {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if err := e.stale(); err != nil {
		return err
	}
	if e.conn == nil {
		return &dat.Error{Return: dat.RetInvalidState, Detail: "There is no connection to probe; connect first."}
	}
	e.sends = append(e.sends, &work{Request: rdma.Request{Kind: dat.KindRDMAWrite}, ep: e, conn: e.conn, probe: true})
	e.pump()
	return nil
}

// pump sends what may be sent. On a fast fabric the answers come in while it
// does, and let it send more.
func (e *ep) pump() {
	c := e.conn
	if e.pumping || c == nil || !c.up[c.sideOf(e)] {
		return
	}
	e.pumping = true
	for e.conn == c {
		batch := e.collect(c)
		e.settle()
		if len(batch) == 0 || e.conn != c {
			break
		}
		c.fabric.deliver(func() { c.carry(e, batch) })
	}
	e.pumping = false
}

// collect takes what may leave now: reads up to the limit, a fenced request
// only when no read is on the way, nothing behind one that failed here.
func (e *ep) collect(c *conn) []*work {
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
		case w.Kind != dat.KindSend && !w.probe && !w.localOK():
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

// bind carries a bind out; it takes effect in the order of posting.
func (w *work) bind() {
	w.done, w.status = true, dat.RMROperationFailed
	if window, ok := w.RMR.(*rmr); ok {
		if key, address, ok := window.bind(w.ep, &w.Request); ok {
			w.status, w.key, w.address, w.length = dat.DTOSuccess, key, address, w.Length
		}
	}
}

// localOK tests the local memory of an RDMA operation.
func (w *work) localOK() bool {
	_, ok := w.local()
	return ok
}

func (w *work) local() ([]byte, bool) {
	l, ok := w.LMR.(*lmr)
	if !ok {
		return nil, w.Length == 0
	}
	right := dat.PrivLocalRead
	if w.Kind == dat.KindRDMARead {
		right = dat.PrivLocalWrite
	}
	if !l.alive || l.zone != w.ep.zone() || !l.rights.has(right) {
		return nil, false
	}
	return l.span(w.Offset, w.Length)
}

// finish sets the outcome of w and reports what is next in order.
func (w *work) finish(status dat.DTOStatus) {
	if w.done || w.ep.conn != w.conn {
		return
	}
	w.done, w.status = true, status
	if w.Kind == dat.KindRDMARead {
		w.ep.reads--
	}
	w.ep.settle()
	w.ep.pump()
}

// settle reports the completions whose turn it is. One that failed ends the
// connection; the Manager concludes from it that it is broken (T37).
func (e *ep) settle() {
	for len(e.sends) > 0 && e.sends[0].done {
		w := e.sends[0]
		e.sends[0] = nil
		e.sends = e.sends[1:]
		e.sent--
		w.complete()
		if w.status != dat.DTOSuccess {
			e.leave(rdma.ReportDisconnected)
			return
		}
	}
	if len(e.sends) == 0 {
		e.sends = nil
	}
}

// complete reports the outcome of w.
func (w *work) complete() {
	r := rdma.Report{
		Kind: rdma.ReportCompletion, WR: w.WR, Operation: w.Kind, Status: w.status,
		Length: w.length, RMRContext: w.key, TargetAddress: w.address, Reason: reasons[w.status],
	}
	if w.probe {
		r = rdma.Report{Kind: rdma.ReportProbe, Status: w.status, Reason: reasons[w.status]}
	}
	w.ep.report(r)
}

// reasons are the transport's own words for the statuses that it makes.
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

// named is a numeric named attribute of the endpoint, or what it is if not given.
func (e *ep) named(name string, otherwise int) int {
	if n, err := strconv.Atoi(e.params.Attributes.EPTransportSpecific[name]); err == nil {
		return n
	}
	return otherwise
}

// carry brings a batch of e to its peer, or holds it while nothing passes.
func (c *conn) carry(e *ep, batch []*work) {
	p := c.peer(e)
	if e.conn != c || p.conn != c && !c.lost {
		return // flushed, or word of the peer's leaving is on its way
	}
	if len(e.stuck) > 0 || p.conn != c || !c.fabric.passes(e, p) {
		e.stuck = append(e.stuck, batch...)
		if e.retry == nil {
			e.retry = c.fabric.after(c.fabric.ackTime*time.Duration(1+e.named("retry_count", 7)), e.retransmit)
		}
		return
	}
	p.inbox = append(p.inbox, batch...)
	p.drain()
}

// retransmit tries once more what nobody answered, then gives up.
func (e *ep) retransmit() {
	e.retry = nil
	batch := e.stuck
	e.stuck = nil
	if len(batch) == 0 || e.conn == nil {
		return
	}
	c := e.conn
	if p := c.peer(e); p.conn == c && c.fabric.passes(e, p) {
		c.carry(e, batch)
		return
	}
	batch[0].finish(dat.DTOErrTransport)
}
