package soft

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// request implements rdma.ConnRequest.
type request struct {
	conn     *conn
	listener *listener
	target   *adapter
	sequence uint64
	// used: answered. gone: the peer withdrew it (T46).
	used, gone bool
}

// take ends the request's waiting; false where it was answered before.
func (r *request) take() bool {
	if r.used {
		return false
	}
	r.used = true
	r.listener.waiting--
	delete(r.target.requests, r)
	return true
}

// Accept implements rdma.ConnRequest.
func (r *request) Accept(on rdma.EP, privateData []byte) error {
	f := r.target.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	e, own := on.(*ep)
	if !own || e.ia != r.target {
		return &dat.Error{
			Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleEP, Field: "endpoint",
			Detail: "The endpoint belongs to another adapter than the request; take one of " + r.target.name + ".",
		}
	}
	if err := e.stale(); err != nil {
		return err
	}
	if !r.take() {
		return &dat.Error{
			Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleCR,
			Detail: "The request was answered before; a request is answered once.",
		}
	}
	c := r.conn
	e.makeQP()
	c.ends[passive], e.conn, e.ended, e.port = e, c, false, c.qual
	if r.gone || c.ends[active].conn != c {
		e.end(&rdma.Report{
			Kind: rdma.ReportAcceptFailed, Reason: "IB_CM_REJ_STALE_CONN",
			Detail: "The peer was gone before its request was accepted.",
		})
		return nil
	}
	f.deliver(func() { c.accepted(privateData) })
	return nil
}

// accepted is the arrival of the accept at the active end.
func (c *conn) accepted(privateData []byte) {
	f, a, p := c.fabric, c.ends[active], c.ends[passive]
	if a.conn != c || p.conn != c {
		return // word of the one that left is on its way
	}
	if !f.passes(a, p) {
		p.end(&rdma.Report{Kind: rdma.ReportAcceptFailed, Reason: "ETIMEDOUT", Detail: "The peer does not answer."})
		f.answer(c, rdma.Report{Kind: rdma.ReportUnreachable, Reason: "ETIMEDOUT", Detail: "The peer does not answer."})
		return
	}
	aa, pa := &a.params.Attributes, &p.params.Attributes
	c.reads = [2]int32{active: min(aa.MaxRDMAReadOut, pa.MaxRDMAReadIn), passive: min(pa.MaxRDMAReadOut, aa.MaxRDMAReadIn)}
	c.establish(active, privateData)
	f.deliver(func() {
		if p.conn == c {
			c.establish(passive, nil)
		}
	})
}

// establish lets one end know that the connection is there.
func (c *conn) establish(s side, privateData []byte) {
	e, peer := c.ends[s], c.ends[1-s]
	c.up[s] = true
	e.qpState = "RTS"
	number := peer.qp
	e.report(rdma.Report{
		Kind: rdma.ReportEstablished, PrivateData: privateData,
		RemoteAddress: peer.ia.addr.String(), RemoteQual: peer.port, LocalQual: e.port,
		PeerQPNum: &number, PeerEP: peer.id,
	})
}

// Reject implements rdma.ConnRequest.
func (r *request) Reject(peer bool, privateData []byte) {
	f := r.target.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.take() {
		return
	}
	answer := rdma.Report{
		Kind: rdma.ReportNonPeerRejected, Reason: "IB_CM_REJ_NO_RESOURCES",
		Detail: "The peer's provider rejected the request.",
	}
	if peer {
		answer = rdma.Report{
			Kind: rdma.ReportPeerRejected, PrivateData: privateData,
			Reason: "IB_CM_REJ_CONSUMER_DEFINED", Detail: "The peer rejected the request.",
		}
	}
	f.answer(r.conn, answer)
}

// Handoff implements rdma.ConnRequest.
func (r *request) Handoff(qual int32) {
	f := r.target.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.take() || r.gone || r.conn.ends[active].conn != r.conn {
		return
	}
	r.conn.qual = qual
	f.offer(r.conn, r.target, qual)
}
