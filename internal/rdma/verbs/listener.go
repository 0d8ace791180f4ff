//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// listener implements rdma.Listener: an id that listens on each address of the IA.
type listener struct {
	object
	// key names its ids in events.
	key  uint64
	qual int32
	ids  []cmID
	// once: it takes one request only.
	once bool

	mu sync.Mutex
	// taken: it took a request.
	taken bool
}

// Listen implements rdma.IA.
//
// Implements: rdma_create_id, rdma_bind_addr, rdma_listen.
func (a *adapter) Listen(id dat.Handle, qual int32, once bool) (rdma.Listener, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	l := &listener{key: h.newKey(), qual: qual, once: once}
	h.route(l.key, l)
	release := func() {
		h.route(l.key, nil)
		for _, id := range l.ids {
			h.destroyID(id)
		}
	}
	if err := l.open(h); err != nil {
		release()
		return nil, err
	}
	if err := h.add(&l.object, id, rankListener, release); err != nil {
		release()
		return nil, err
	}
	return l, nil
}

// open listens on every address. Where any qualifier was asked for, the first address
// chooses one that is free there.
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
			return deviceError("make a connection id", err)
		}
		l.ids = append(l.ids, id)
		if err := id.bind(a.withPort(uint16(l.qual)), a.scope); err != nil {
			return deviceError("bind to "+a.String(), err)
		}
		if err := id.listen(backlog); err != nil {
			return deviceError("listen", err)
		}
		l.qual = int32(id.local().Port())
	}
	return nil
}

// Free implements rdma.Object. Requests that wait stay valid.
//
// Implements: rdma_destroy_id.
func (l *listener) Free() { l.free() }

// Qual implements rdma.Listener.
func (l *listener) Qual() int32 { return l.qual }

// handleCM takes a connection request.
func (l *listener) handleCM(e cmEvent, id cmID) {
	if e.kind != cmConnectRequest {
		return
	}
	r := &request{listener: l, cm: id, key: l.hw.newKey(), event: e}
	l.offer(r)
}

// offer reports a request, or rejects it where the service point takes no more.
func (l *listener) offer(r *request) {
	l.mu.Lock()
	full := l.once && l.taken
	l.taken = true
	l.mu.Unlock()
	if full || l.hw.add(&r.object, l.id, rankRequest, r.release) != nil {
		_ = r.cm.reject(false, nil)
		l.hw.destroyID(r.cm)
		return
	}
	r.cm.setKey(r.key)
	l.hw.route(r.key, r)
	local, peer := r.cm.local(), r.cm.peer()
	from, to := ends(l.hw.ia.bindAddresses(), local.Addr(), peer.Addr())
	e := &r.event
	report := rdma.Report{
		Kind: rdma.ReportRequest, SP: l.id, Request: r, Reason: cmReason(*e),
		LocalAddress: from, RemoteAddress: to, RemoteQual: int32(peer.Port()), LocalQual: int32(local.Port()),
		PrivateData: e.privateData,
	}
	attributes, provider := l.hw.ia.Attributes()
	report.Attributes = requestAttributes(attributes, provider, e)
	if e.peerQPNum != 0 {
		report.PeerQPNum = &e.peerQPNum
	}
	l.hw.report(report)
}
