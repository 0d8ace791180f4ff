package soft

import (
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// recv is a posted receive with the zone in which it was posted (M7).
type recv struct {
	wr   uint64
	size int64
	zone *pz
}

// ep implements rdma.EP. Its fields belong to the fabric's lock.
type ep struct {
	object
	params rdma.EPParams
	// recvs is its own receive queue, taken are the receives that it took from an SRQ.
	recvs, taken []recv
	// sends are the requests that are not completed, of which the first sent were
	// started; reads counts the RDMA reads among those.
	sends       []*work
	sent, reads int
	// inbox are requests of the peer that are not served yet, unacknowledged its own
	// that nobody answers.
	inbox, unacknowledged []*work
	// rnr runs while the first message of the inbox waits for a receive, retry until
	// what is unacknowledged is tried again.
	rnr, retry *time.Timer

	// conn is the connection or its setup, nil where there is neither.
	conn *conn
	// ended: a connection or its setup is over, what is posted is flushed.
	ended   bool
	qpNum   uint32
	qpState string
	// port is the local qualifier of the connection.
	port int32
	// silent: a fault lets it neither send nor receive.
	silent bool

	// starting: startRequests runs, serving: serveInbox runs. Both can cause calls
	// of themselves on a fast fabric, which then return immediately.
	starting, serving bool
}

// CreateEP implements rdma.IA.
func (a *adapter) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	e := &ep{params: params}
	if err := a.create(e, kindEP, id); err != nil {
		return nil, err
	}
	return e, nil
}

// zone returns the endpoint's protection zone, nil for null.
func (e *ep) zone() *pz { return asPZ(e.params.PZ) }

// sharedQueue returns the SRQ that the endpoint receives from, nil if it has a queue of its own.
func (e *ep) sharedQueue() *srq {
	q, _ := e.params.SRQ.(*srq)
	return q
}

// report queues r about e unless e is freed.
func (e *ep) report(r rdma.Report) {
	if e.alive {
		r.EP = e.id
		e.ia.report(r)
	}
}

// Free implements rdma.Object.
func (e *ep) Free() { e.free(e) }

func (e *ep) release() {
	if e.conn != nil {
		e.endBoth(rdma.ReportDisconnected)
	}
	e.recvs = nil
}

// Modify implements rdma.EP.
func (e *ep) Modify(params rdma.EPParams) error {
	return e.whileAlive(func() error {
		e.params = params
		return nil
	})
}

// PostRecv implements rdma.EP.
func (e *ep) PostRecv(recvs []rdma.Recv) error {
	return e.whileAlive(func() error {
		for _, r := range recvs {
			e.recvs = append(e.recvs, recv{r.WR, r.Size, e.zone()})
		}
		if e.ended {
			e.flush()
		} else {
			e.serveInbox()
		}
		return nil
	})
}

// Disconnect implements rdma.EP.
func (e *ep) Disconnect() {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	switch {
	case !e.alive:
	case e.conn != nil:
		e.endBoth(rdma.ReportDisconnected)
	default:
		e.ended = true
		e.flush()
	}
}

// Reset implements rdma.EP.
func (e *ep) Reset() error {
	return e.whileAlive(func() error {
		if e.conn == nil && e.ended {
			e.ended, e.silent = false, false
			e.qpNum, e.qpState, e.port = 0, "", 0
		}
		e.report(rdma.Report{Kind: rdma.ReportReset})
		return nil
	})
}

// Transport implements rdma.EP.
func (e *ep) Transport() dat.Transport {
	e.ia.fabric.mu.Lock()
	defer e.ia.fabric.mu.Unlock()
	if e.qpNum == 0 {
		return dat.Transport{}
	}
	number, state := e.qpNum, e.qpState
	return dat.Transport{QPNum: &number, QPState: &state}
}

// newQueuePair gives the endpoint the number and state of a new queue pair.
func (e *ep) newQueuePair() {
	e.ia.fabric.lastQP++
	e.qpNum, e.qpState = e.ia.fabric.lastQP, "INIT"
}

// end takes e out of its connection and does not tell the peer: everything posted is
// flushed, then r is reported unless it is nil.
func (e *ep) end(r *rdma.Report) {
	e.conn, e.ended, e.qpState = nil, true, "ERR"
	e.inbox, e.unacknowledged, e.sent, e.reads = nil, nil, 0, 0
	stopTimer(&e.rnr)
	stopTimer(&e.retry)
	if q := e.sharedQueue(); q != nil {
		q.waiting = slices.DeleteFunc(q.waiting, func(w *ep) bool { return w == e })
	}
	e.flush()
	if r != nil {
		e.report(*r)
	}
}

// endBoth ends e without a report and lets the peer end with the report how.
func (e *ep) endBoth(how rdma.ReportKind) {
	c := e.conn
	e.end(nil)
	c.tellPeer(e, how)
}

// flush completes everything posted as flushed: requests, then receives.
func (e *ep) flush() {
	sends, recvs, taken := e.sends, e.recvs, e.taken
	e.sends, e.recvs, e.taken = nil, nil, nil
	flushed := func(wr uint64, kind dat.DTOKind) {
		e.report(rdma.Report{
			Kind: rdma.ReportCompletion, WR: wr, Operation: kind,
			Status: dat.DTOErrFlushed, Reason: "WR_FLUSH_ERR",
		})
	}
	for _, w := range sends {
		if !w.probe {
			flushed(w.WR, w.Kind)
		}
	}
	for _, r := range append(taken, recvs...) {
		flushed(r.wr, dat.KindRecv)
	}
}

// stopTimer stops a timer and forgets it.
func stopTimer(t **time.Timer) {
	if *t != nil {
		(*t).Stop()
		*t = nil
	}
}
