//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// request implements rdma.ConnRequest.
type request struct {
	object
	listener *listener
	// cm is the id of the request, key names it in events.
	cm  cmID
	key uint64
	// event is the event that the request arrived with.
	event cmEvent

	mu       sync.Mutex
	answered bool
	peerGone bool
}

// release rejects a request that was not answered.
func (r *request) release() {
	r.mu.Lock()
	used := r.answered
	r.answered = true
	r.mu.Unlock()
	if used {
		return
	}
	r.hw.route(r.key, nil)
	_ = r.cm.reject(false, nil)
	r.hw.destroyID(r.cm)
}

// handleCM reports that the peer is gone while its request waits (T46).
func (r *request) handleCM(e cmEvent, _ cmID) {
	r.mu.Lock()
	first := !r.answered && !r.peerGone
	r.peerGone = true
	r.mu.Unlock()
	if first {
		r.hw.report(rdma.Report{Kind: rdma.ReportRequestGone, SP: r.listener.id, Request: r, Reason: cmReason(e)})
	}
}

// markAnswered takes the request for its one answer; lost says that the peer is gone.
func (r *request) markAnswered() (lost bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return false, &dat.Error{Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleCR, Detail: "The connection request was answered already."}
	}
	r.answered = true
	return r.peerGone, nil
}

// Accept implements rdma.ConnRequest.
//
// Implements: rdma_set_option, ibv_create_cq, ibv_req_notify_cq, rdma_create_qp,
// ibv_post_recv, rdma_accept; rdma_reject_ece and rdma_destroy_id where that fails.
func (r *request) Accept(to rdma.EP, privateData []byte) error {
	e, ok := to.(*ep)
	if !ok || e.hw != r.hw {
		return errStale("endpoint")
	}
	lost, err := r.markAnswered()
	if err != nil {
		return err
	}
	r.hw.route(r.key, nil)
	if lost {
		r.hw.destroyID(r.cm)
		r.free()
		e.failAccept(rdma.ReportAcceptFailed, cmNames[cmDisconnected], "The peer had gone before the request was accepted.")
		return nil
	}
	defer r.free()
	err = e.accept(r.cm, r.event.initiatorDepth, privateData)
	if err == nil {
		return nil
	}
	// The kernel tells of a vanished peer by refusing everything on its request.
	refused := r.cm.reject(false, nil)
	r.hw.destroyID(r.cm)
	if refused != nil {
		e.failAccept(rdma.ReportAcceptFailed, cmNames[cmDisconnected], "The peer had gone before the request was accepted.")
		return nil
	}
	return err
}

// Reject implements rdma.ConnRequest. A rejection by the provider carries another
// reason than the consumer's where the transport has reasons.
//
// Implements: rdma_reject for the consumer, rdma_reject_ece for the provider,
// rdma_destroy_id.
func (r *request) Reject(peer bool, privateData []byte) {
	if _, err := r.markAnswered(); err != nil {
		return
	}
	r.hw.route(r.key, nil)
	_ = r.cm.reject(peer, privateData)
	r.hw.destroyID(r.cm)
	r.free()
}

// Handoff implements rdma.ConnRequest.
//
// Implements: rdma_reject_ece and rdma_destroy_id where nobody listens.
func (r *request) Handoff(qual int32) {
	if _, err := r.markAnswered(); err != nil {
		return
	}
	r.hw.route(r.key, nil)
	r.hw.mu.RLock()
	var to *listener
	for _, t := range r.hw.handlers {
		if l, ok := t.(*listener); ok && l.Qual() == qual {
			to = l
		}
	}
	r.hw.mu.RUnlock()
	r.free()
	if to == nil {
		_ = r.cm.reject(false, nil)
		r.hw.destroyID(r.cm)
		return
	}
	to.offer(&request{listener: to, cm: r.cm, key: r.hw.newKey(), event: r.event})
}
