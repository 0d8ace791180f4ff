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
	// sequence orders requests by their arrival.
	sequence uint64
	// answered: it was accepted, rejected or handed off. withdrawn: the peer is gone (T46).
	answered, withdrawn bool
}

// markAnswered ends the waiting of the request. It reports whether the request was
// not answered before.
func (r *request) markAnswered() bool {
	if r.answered {
		return false
	}
	r.answered = true
	r.listener.waiting--
	delete(r.target.requests, r)
	return true
}

// withdraw reports that the peer of the request, which still waits, is gone.
func (r *request) withdraw() {
	if r == nil || r.answered || r.withdrawn {
		return
	}
	r.withdrawn = true
	r.target.report(rdma.Report{
		Kind: rdma.ReportRequestGone, SP: r.listener.id, Request: r,
		Reason: "IB_CM_REQ_CANCELLED", Detail: "The peer withdrew its request.",
	})
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
	if err := e.checkAlive(); err != nil {
		return err
	}
	if !r.markAnswered() {
		return &dat.Error{
			Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleCR,
			Detail: "The request was answered before; a request is answered once.",
		}
	}
	c := r.conn
	e.newQueuePair()
	c.ends[passive], e.conn, e.ended, e.port = e, c, false, c.qual
	if r.withdrawn || c.ends[active].conn != c {
		e.end(&rdma.Report{
			Kind: rdma.ReportAcceptFailed, Reason: "IB_CM_REJ_STALE_CONN",
			Detail: "The peer was gone before its request was accepted.",
		})
		return nil
	}
	f.transmit(func() { c.accepted(privateData) })
	return nil
}

// Reject implements rdma.ConnRequest.
func (r *request) Reject(peer bool, privateData []byte) {
	f := r.target.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.markAnswered() {
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
	r.conn.endSetup(answer)
}

// Handoff implements rdma.ConnRequest.
func (r *request) Handoff(qual int32) {
	f := r.target.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.markAnswered() || r.withdrawn || r.conn.ends[active].conn != r.conn {
		return
	}
	r.conn.qual = qual
	r.target.offer(r.conn, qual)
}
