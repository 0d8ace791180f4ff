//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// ep implements rdma.EP. It has a connection, and with it a QP, from connect or
// accept to the end of the connection; receives posted before wait here.
type ep struct {
	object

	mu     sync.Mutex
	params rdma.EPParams
	// waiting are the receives that wait for a QP.
	waiting []*waitingRecv
	// conn is the connection or its setup, nil where there is neither.
	conn *conn
	// ended: the connection is over and the endpoint not reset yet.
	ended bool
	freed bool
}

// waitingRecv is a receive that waits for a QP, and the zone of its buffer.
type waitingRecv struct {
	work *work
	zone *pz
}

// CreateEP implements rdma.IA. It makes a record only.
//
// Implements: nothing of the libraries; the QP is created at connect or accept.
func (a *adapter) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	e := &ep{params: params}
	if err := h.add(&e.object, id, rankEP, e.release); err != nil {
		return nil, err
	}
	return e, nil
}

// Free implements rdma.Object.
//
// Implements: what Disconnect implements.
func (e *ep) Free() { e.free() }

// release ends the connection. The QP of one that a peer has not answered is destroyed in
// the background.
func (e *ep) release() {
	e.Disconnect()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.freed = true
	e.dropWaiting()
}

// dropWaiting gives up the receives that wait for a QP.
func (e *ep) dropWaiting() {
	for _, r := range e.waiting {
		r.work.release()
	}
	e.waiting = nil
}

// Modify implements rdma.EP.
//
// Implements: nothing of the libraries; there is no QP yet.
func (e *ep) Modify(params rdma.EPParams) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.params = params
	return nil
}

// zone returns the endpoint's protection zone, nil for null.
func (e *ep) zone() *pz {
	z, _ := e.params.PZ.(*pz)
	return z
}

// Connect implements rdma.EP.
//
// Implements: rdma_create_id, rdma_bind_addr, rdma_set_option, ibv_create_cq,
// ibv_req_notify_cq, rdma_create_qp, ibv_post_recv, rdma_resolve_addr; after their
// events rdma_resolve_route and rdma_connect; where that cannot use its local port, again
// rdma_create_id, rdma_bind_addr, rdma_set_option and rdma_resolve_addr, and rdma_destroy_id.
func (e *ep) Connect(to rdma.Connect) error {
	address, err := e.hw.ia.parseAddress(to.RemoteAddress)
	if err != nil {
		return err
	}
	from, err := e.hw.ia.bindAddressFor(address)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.hw.newConn(e, active)
	c.data = to.PrivateData
	c.from, c.to, c.toPort = from, address, uint16(to.RemoteQual)
	if err := c.openID(); err != nil {
		return err
	}
	c.mu.Lock()
	err = c.openQP(e)
	c.mu.Unlock()
	if err != nil {
		c.discard()
		c.closeID()
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.conn = c
	if err := c.resolveAddr(c.id); err != nil {
		e.hw.startTask(func() { c.end(rdma.ReportUnreachable, err.Error(), "The address cannot be resolved.") })
	}
	return nil
}

// accept accepts the request of an id on the endpoint. mostReads is how many RDMA reads
// the request allows to be outstanding at the peer.
func (e *ep) accept(id cmID, mostReads uint8, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.hw.newConn(e, passive)
	c.mu.Lock()
	c.id = id
	err := c.openQP(e)
	c.mu.Unlock()
	if err != nil {
		c.discard()
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.conn = c
	id.setKey(c.key)
	e.hw.route(c.key, c)
	c.param.initiatorDepth = min(c.param.initiatorDepth, mostReads)
	if err := id.connect(c.param, true, data); err != nil {
		e.hw.startTask(func() { c.end(rdma.ReportAcceptFailed, err.Error(), "The request cannot be accepted any more.") })
	}
	return nil
}

// failAccept ends the endpoint whose accept failed before there was a connection.
func (e *ep) failAccept(kind rdma.ReportKind, reason, detail string) {
	e.mu.Lock()
	e.ended = true
	for _, r := range e.waiting {
		e.reportFlushed(r.work.wr, r.work.kind)
	}
	e.dropWaiting()
	e.mu.Unlock()
	e.hw.report(rdma.Report{Kind: kind, EP: e.id, Reason: reason, Detail: detail})
}

// reportFlushed reports work as flushed that never reached a QP.
func (e *ep) reportFlushed(wr uint64, kind dat.DTOKind) {
	e.hw.report((&work{wr: wr, kind: kind}).report(e.id, dat.DTOErrFlushed, wcTable[wcFlushErr].name, 0))
}

// Disconnect implements rdma.EP.
//
// Implements: rdma_disconnect, ibv_modify_qp, ibv_poll_cq, rdma_destroy_qp,
// ibv_destroy_cq where the connection has a queue of its own, rdma_destroy_id;
// ibv_destroy_qp instead of rdma_destroy_qp for an iWARP connection that is being set up.
func (e *ep) Disconnect() {
	e.mu.Lock()
	c := e.conn
	if c == nil {
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	c.end(noReport, "", "")
}

// Reset implements rdma.EP.
//
// Implements: nothing of the libraries; the QP was destroyed with the connection.
func (e *ep) Reset() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = false
	e.hw.report(rdma.Report{Kind: rdma.ReportReset, EP: e.id})
	return nil
}

// PostRecv implements rdma.EP.
//
// Implements: ibv_post_recv; ibv_reg_mr_iova2 where the zone has no idle buffer.
func (e *ep) PostRecv(recvs []rdma.Recv) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.freed {
		return errStale("endpoint")
	}
	if e.ended {
		for _, r := range recvs {
			e.reportFlushed(r.WR, dat.KindRecv)
		}
		return nil
	}
	zone := e.zone()
	if zone == nil {
		return errStale("protection zone")
	}
	all, err := newRecvs(zone, recvs)
	if err != nil {
		return err
	}
	if e.conn != nil {
		return e.conn.postRecvs(all)
	}
	for i := range all {
		e.waiting = append(e.waiting, &waitingRecv{&all[i], zone})
	}
	return nil
}

// Post implements rdma.EP.
//
// Implements: ibv_post_send, for binds ibv_bind_mw; ibv_reg_mr_iova2 where the zone has
// no idle buffer for a send.
func (e *ep) Post(requests []rdma.Request) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.freed {
		return errStale("endpoint")
	}
	if e.ended || e.conn == nil {
		for _, r := range requests {
			e.reportFlushed(r.WR, r.Kind)
		}
		return nil
	}
	return e.conn.post(e, requests)
}

// Probe implements rdma.EP.
//
// Implements: ibv_post_send.
func (e *ep) Probe() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conn == nil {
		return &dat.Error{Return: dat.RetInvalidState, Subtype: dat.SubInvalidStateEPNotready, Detail: "Only a connected endpoint can be probed."}
	}
	return e.conn.probe()
}

// Transport implements rdma.EP.
//
// Implements: ibv_query_qp.
func (e *ep) Transport() dat.Transport {
	e.mu.Lock()
	c := e.conn
	e.mu.Unlock()
	if c == nil {
		return dat.Transport{}
	}
	return c.transport()
}
