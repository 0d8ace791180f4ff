//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// listener is a service point: an id that listens on each address of the IA.
type listener struct {
	core
	key  uint64
	qual int32
	once bool

	mu    sync.Mutex
	ids   []cmID
	taken bool
}

// Listen implements rdma.IA.
//
// Implements: rdma_create_id, rdma_bind_addr, rdma_listen.
func (a *adapter) Listen(id dat.Handle, qual int32, once bool) (rdma.Listener, error) {
	h, err := a.life()
	if err != nil {
		return nil, err
	}
	l := &listener{key: h.key(), qual: qual, once: once}
	h.target(l.key, l)
	release := func() {
		h.target(l.key, nil)
		for _, id := range l.ids {
			h.destroyID(id)
		}
	}
	if err := l.open(h); err != nil {
		release()
		return nil, err
	}
	if err := h.own(&l.core, id, rankListener, release); err != nil {
		release()
		return nil, err
	}
	return l, nil
}

// open listens on every address; the first chooses a free qualifier where none was
// asked for.
func (l *listener) open(h *hardware) error {
	addresses := h.ia.bindAddresses()
	if len(addresses) == 0 {
		return &dat.Error{
			Return: dat.RetInvalidState,
			Detail: "The IA has no IP address to listen on; give its network device one.",
		}
	}
	for _, a := range addresses {
		id, err := h.cm.createID(l.key)
		if err != nil {
			return fault("make a connection id", err)
		}
		l.ids = append(l.ids, id)
		if err := id.bind(a.withPort(uint16(l.qual)), a.scope); err != nil {
			return fault("bind to "+a.String(), err)
		}
		if err := id.listen(backlog); err != nil {
			return fault("listen", err)
		}
		l.qual = int32(id.local().Port())
	}
	return nil
}

// Free implements rdma.Object.
func (l *listener) Free() { l.free() }

// Qual implements rdma.Listener.
func (l *listener) Qual() int32 { return l.qual }

// cmEvent takes a connection request.
func (l *listener) cmEvent(e cmEvent, id cmID) {
	if e.kind != cmConnectRequest {
		return
	}
	r := &request{listener: l, cm: id, key: l.hw.key(), arrived: e}
	l.offer(r)
}

// offer reports a request, unless this point takes no more.
func (l *listener) offer(r *request) {
	l.mu.Lock()
	full := l.once && l.taken
	l.taken = true
	l.mu.Unlock()
	if full || l.hw.own(&r.core, l.id, rankRequest, r.release) != nil {
		_ = r.cm.reject(false, nil)
		l.hw.destroyID(r.cm)
		return
	}
	r.cm.setKey(r.key)
	l.hw.target(r.key, r)
	local, peer := r.cm.local(), r.cm.peer()
	e := &r.arrived
	report := rdma.Report{
		Kind: rdma.ReportRequest, SP: l.id, Request: r, Reason: cmReason(*e),
		RemoteAddress: addressOf(peer), RemoteQual: int32(peer.Port()), LocalQual: int32(local.Port()),
		PrivateData: e.privateData,
	}
	attributes, provider := l.hw.ia.Attributes()
	report.Attributes = requestAttributes(attributes, provider, e)
	if e.peerQPNum != 0 {
		report.PeerQPNum = &e.peerQPNum
	}
	l.hw.report(report)
}

// request is a connection request that waits for an answer.
type request struct {
	core
	listener *listener
	cm       cmID
	key      uint64
	arrived  cmEvent

	mu   sync.Mutex
	used bool
	lost bool
}

// release drops a request that was not answered; the peer is told.
func (r *request) release() {
	r.mu.Lock()
	used := r.used
	r.used = true
	r.mu.Unlock()
	if used {
		return
	}
	r.hw.target(r.key, nil)
	_ = r.cm.reject(false, nil)
	r.hw.destroyID(r.cm)
}

// cmEvent is the end of the peer while its request waits (T46).
func (r *request) cmEvent(e cmEvent, _ cmID) {
	r.mu.Lock()
	first := !r.used && !r.lost
	r.lost = true
	r.mu.Unlock()
	if first {
		r.hw.report(rdma.Report{Kind: rdma.ReportRequestGone, SP: r.listener.id, Request: r, Reason: cmReason(e)})
	}
}

// use takes the request for its one answer; lost tells that the peer vanished.
func (r *request) use() (lost bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used {
		return false, &dat.Error{Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleCR, Detail: "The connection request was answered already."}
	}
	r.used = true
	return r.lost, nil
}

// Accept implements rdma.ConnRequest.
//
// Implements: rdma_create_qp, rdma_accept.
func (r *request) Accept(to rdma.EP, privateData []byte) error {
	e, ok := to.(*ep)
	if !ok || e.hw != r.hw {
		return errStale("endpoint")
	}
	lost, err := r.use()
	if err != nil {
		return err
	}
	r.hw.target(r.key, nil)
	if lost {
		r.hw.destroyID(r.cm)
		r.free()
		e.fail(rdma.ReportAcceptFailed, cmNames[cmDisconnected], "The peer had gone before the request was accepted.")
		return nil
	}
	defer r.free()
	err = e.accept(r.cm, r.arrived.initiatorDepth, privateData)
	if err == nil {
		return nil
	}
	// The kernel tells of a vanished peer by refusing everything on its request.
	refused := r.cm.reject(false, nil)
	r.hw.destroyID(r.cm)
	if refused != nil {
		e.fail(rdma.ReportAcceptFailed, cmNames[cmDisconnected], "The peer had gone before the request was accepted.")
		return nil
	}
	return err
}

// Reject implements rdma.ConnRequest. A rejection by the provider carries another
// reason than the consumer's where the transport has reasons.
//
// Implements: rdma_reject, rdma_reject_ece.
func (r *request) Reject(peer bool, privateData []byte) {
	if _, err := r.use(); err != nil {
		return
	}
	r.hw.target(r.key, nil)
	_ = r.cm.reject(peer, privateData)
	r.hw.destroyID(r.cm)
	r.free()
}

// Handoff implements rdma.ConnRequest.
//
// Implements: rdma_reject, where nobody listens.
func (r *request) Handoff(qual int32) {
	if _, err := r.use(); err != nil {
		return
	}
	r.hw.mu.RLock()
	var to *listener
	for _, t := range r.hw.targets {
		if l, ok := t.(*listener); ok && l.qual == qual {
			to = l
		}
	}
	r.hw.mu.RUnlock()
	r.free()
	if to == nil {
		r.hw.target(r.key, nil)
		_ = r.cm.reject(false, nil)
		r.hw.destroyID(r.cm)
		return
	}
	to.offer(&request{listener: to, cm: r.cm, key: r.hw.key(), arrived: r.arrived})
}
