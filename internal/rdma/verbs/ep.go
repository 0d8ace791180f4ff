//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// ep is an endpoint. It has a connection, and with it a QP, from connect or
// accept to the end of the connection; receives posted before wait here.
type ep struct {
	core

	mu      sync.Mutex
	params  rdma.EPParams
	waiting []*waitingRecv
	conn    *conn
	// ended: the connection is over and the endpoint not reset yet.
	ended bool
	freed bool

	// clearing counts connections whose QP is not gone yet.
	clearing sync.WaitGroup
}

// waitingRecv is a receive that waits for a QP, and the zone of its buffer.
type waitingRecv struct {
	work *work
	zone *pz
}

// CreateEP implements rdma.IA. It makes a record only.
//
// Implements: nothing of the libraries; the QP is made at connect or accept.
func (a *adapter) CreateEP(id dat.Handle, params rdma.EPParams) (rdma.EP, error) {
	h, err := a.life()
	if err != nil {
		return nil, err
	}
	e := &ep{params: params}
	if err := h.own(&e.core, id, rankEP, e.release); err != nil {
		return nil, err
	}
	return e, nil
}

// Free implements rdma.Object.
func (e *ep) Free() { e.free() }

func (e *ep) release() {
	e.Disconnect()
	e.clearing.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.freed = true
	e.dropWaiting()
}

func (e *ep) dropWaiting() {
	for _, r := range e.waiting {
		r.work.done()
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

// zone is the endpoint's protection zone; nil is null.
func (e *ep) zone() *pz {
	z, _ := e.params.PZ.(*pz)
	return z
}

// Connect implements rdma.EP.
//
// Implements: rdma_create_id, rdma_bind_addr, rdma_create_qp, rdma_resolve_addr.
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.openID(from); err != nil {
		return err
	}
	if err := c.openQP(e); err != nil {
		c.closeID()
		return err
	}
	e.conn = c
	if err := c.id.resolveAddr(address.withPort(uint16(to.RemoteQual)), address.scope, resolveMS); err != nil {
		e.hw.spawn(func() { c.end(rdma.ReportUnreachable, err.Error(), "The address cannot be resolved.") })
	}
	return nil
}

// accept takes a request's id for a connection on the endpoint. It reads no more at
// once from the peer than the request allows.
func (e *ep) accept(id cmID, mostReads uint8, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.hw.newConn(e, passive)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = id
	if err := c.openQP(e); err != nil {
		return err
	}
	e.conn = c
	id.setKey(c.key)
	e.hw.target(c.key, c)
	c.param.initiatorDepth = min(c.param.initiatorDepth, mostReads)
	if err := id.connect(c.param, true, data); err != nil {
		e.hw.spawn(func() { c.end(rdma.ReportAcceptFailed, err.Error(), "The request cannot be accepted any more.") })
	}
	return nil
}

// fail ends what would have been a connection on the endpoint.
func (e *ep) fail(kind rdma.ReportKind, reason, detail string) {
	e.mu.Lock()
	e.ended = true
	for _, r := range e.waiting {
		e.hw.report(r.work.report(e.id, dat.DTOErrFlushed, wcTable[wcFlushErr].name, 0))
	}
	e.dropWaiting()
	e.mu.Unlock()
	e.hw.report(rdma.Report{Kind: kind, EP: e.id, Reason: reason, Detail: detail})
}

// Disconnect implements rdma.EP.
//
// Implements: rdma_disconnect, rdma_destroy_qp, rdma_destroy_id.
func (e *ep) Disconnect() {
	e.mu.Lock()
	c := e.conn
	if c == nil {
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	c.end(quiet, "", "")
}

// Reset implements rdma.EP.
//
// Implements: nothing of the libraries; the QP went with the connection.
func (e *ep) Reset() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = false
	e.hw.report(rdma.Report{Kind: rdma.ReportReset, EP: e.id})
	return nil
}

// PostRecv implements rdma.EP.
//
// Implements: ibv_post_recv.
func (e *ep) PostRecv(recvs []rdma.Recv) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.freed {
		return errStale("endpoint")
	}
	if e.ended {
		for _, r := range recvs {
			e.hw.report((&work{wr: r.WR, kind: dat.KindRecv}).report(e.id, dat.DTOErrFlushed, wcTable[wcFlushErr].name, 0))
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
	for _, w := range all {
		e.waiting = append(e.waiting, &waitingRecv{w, zone})
	}
	return nil
}

// Post implements rdma.EP.
//
// Implements: ibv_post_send, ibv_bind_mw.
func (e *ep) Post(requests []rdma.Request) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.freed {
		return errStale("endpoint")
	}
	if e.ended || e.conn == nil {
		for _, r := range requests {
			e.hw.report((&work{wr: r.WR, kind: r.Kind}).report(e.id, dat.DTOErrFlushed, wcTable[wcFlushErr].name, 0))
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
