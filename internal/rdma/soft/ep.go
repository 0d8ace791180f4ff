package soft

import (
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// recv is a posted receive. It remembers the zone in which it was posted (M7).
type recv struct {
	wr   uint64
	size int64
	zone *pz
}

// ep implements rdma.EP. Its fields belong to the fabric's lock.
type ep struct {
	core
	params rdma.EPParams
	// recvs is its own receive queue, taken what it took from an SRQ.
	recvs, taken []recv
	// sends are the requests that are not completed, of which the first sent
	// are on their way; reads counts the RDMA reads among those.
	sends       []*work
	sent, reads int
	// inbox are messages of the peer that are not served yet, stuck own ones
	// that nobody answers.
	inbox, stuck []*work
	rnr, retry   *time.Timer

	conn *conn
	// ended: a connection or its setup is over, what is posted is flushed.
	ended   bool
	qp      uint32
	qpState string
	port    int32
	silent  bool

	pumping, draining bool
}

// CreateEP implements rdma.IA.
func (a *adapter) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	e := &ep{params: params}
	if err := a.admit(e, kindEP, id); err != nil {
		return nil, err
	}
	return e, nil
}

// zone is the endpoint's protection zone, nil for null.
func (e *ep) zone() *pz { return asPZ(e.params.PZ) }

// shared is the SRQ that the endpoint receives from, nil for its own queue.
func (e *ep) shared() *srq {
	q, _ := e.params.SRQ.(*srq)
	return q
}

// report queues r about e while e is there.
func (e *ep) report(r rdma.Report) {
	if e.alive {
		r.EP = e.id
		e.ia.report(r)
	}
}

// Free implements rdma.Object.
func (e *ep) Free() { e.free(e) }

func (e *ep) drop() {
	if e.conn != nil {
		e.leave(rdma.ReportDisconnected)
	}
	e.recvs = nil
}

// Modify implements rdma.EP.
func (e *ep) Modify(params rdma.EPParams) error {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if err := e.stale(); err != nil {
		return err
	}
	e.params = params
	return nil
}

// PostRecv implements rdma.EP.
func (e *ep) PostRecv(recvs []rdma.Recv) error {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if err := e.stale(); err != nil {
		return err
	}
	for _, r := range recvs {
		e.recvs = append(e.recvs, recv{r.WR, r.Size, e.zone()})
	}
	if e.ended {
		e.flush()
		return nil
	}
	e.drain()
	return nil
}

// Disconnect implements rdma.EP.
func (e *ep) Disconnect() {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if !e.alive {
		return
	}
	if e.conn != nil {
		e.leave(rdma.ReportDisconnected)
		return
	}
	e.ended = true
	e.flush()
}

// Reset implements rdma.EP.
func (e *ep) Reset() error {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if err := e.stale(); err != nil {
		return err
	}
	if e.conn == nil && e.ended {
		e.ended, e.silent = false, false
		e.qp, e.qpState, e.port = 0, "", 0
	}
	e.report(rdma.Report{Kind: rdma.ReportReset})
	return nil
}

// Transport implements rdma.EP.
func (e *ep) Transport() dat.Transport {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if e.qp == 0 {
		return dat.Transport{}
	}
	number, state := e.qp, e.qpState
	return dat.Transport{QPNum: &number, QPState: &state}
}

// makeQP gives the endpoint its queue pair.
func (e *ep) makeQP() {
	e.ia.fabric.lastQP++
	e.qp, e.qpState = e.ia.fabric.lastQP, "INIT"
}

// end takes e out of its connection without a word to the peer: everything
// posted is flushed, then the report, where there is one, follows.
func (e *ep) end(r *rdma.Report) {
	e.conn, e.ended, e.qpState = nil, true, "ERR"
	e.inbox, e.stuck, e.sent, e.reads = nil, nil, 0, 0
	stop(&e.rnr)
	stop(&e.retry)
	if q := e.shared(); q != nil {
		q.waiting = slices.DeleteFunc(q.waiting, func(w *ep) bool { return w == e })
	}
	e.flush()
	if r != nil {
		e.report(*r)
	}
}

// leave ends e without a report and lets the peer know how.
func (e *ep) leave(how rdma.ReportKind) {
	c := e.conn
	e.end(nil)
	c.part(e, how)
}

// flush completes everything posted as flushed: requests, then receives.
func (e *ep) flush() {
	sends, recvs, taken := e.sends, e.recvs, e.taken
	e.sends, e.recvs, e.taken = nil, nil, nil
	for _, w := range sends {
		if !w.probe {
			e.report(rdma.Report{
				Kind: rdma.ReportCompletion, WR: w.WR, Operation: w.Kind,
				Status: dat.DTOErrFlushed, Reason: "WR_FLUSH_ERR",
			})
		}
	}
	for _, r := range append(taken, recvs...) {
		e.report(rdma.Report{
			Kind: rdma.ReportCompletion, WR: r.wr, Operation: dat.KindRecv,
			Status: dat.DTOErrFlushed, Reason: "WR_FLUSH_ERR",
		})
	}
}

func stop(t **time.Timer) {
	if *t != nil {
		(*t).Stop()
		*t = nil
	}
}
