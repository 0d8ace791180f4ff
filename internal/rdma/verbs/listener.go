//go:build verbs

package verbs

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// listener implements rdma.Listener: an id that listens on each address of the IA. It
// follows the addresses: it listens on those that come and no longer on those that go.
type listener struct {
	object
	// key names its ids in events.
	key uint64
	// qual is the qualifier, 0 until the first address has chosen one.
	qual atomic.Int32
	// once: it takes one request only.
	once bool

	// following guards ids, refusals and closed, and is held while ids are made and destroyed.
	following sync.Mutex
	ids       map[address]cmID
	// refusals are the addresses that it does not listen on, with the error that was reported.
	refusals map[address]string
	closed   bool

	// mu guards what follows.
	mu sync.Mutex
	// taken: it took a request.
	taken bool
}

// Listen implements rdma.IA. An address that is stale, or not ready yet, does not hinder
// the others; with a qualifier even none needs to be there.
//
// Implements: rdma_create_id, rdma_bind_addr, rdma_listen.
func (a *adapter) Listen(id dat.Handle, qual int32, once bool) (rdma.Listener, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	l := &listener{key: h.newKey(), once: once, ids: map[address]cmID{}, refusals: map[address]string{}}
	l.qual.Store(qual)
	release := func() {
		h.route(l.key, nil)
		l.close()
	}
	if err := h.add(&l.object, id, rankListener, release); err != nil {
		return nil, err
	}
	h.route(l.key, l)
	if err := l.open(); err != nil {
		l.free()
		return nil, err
	}
	return l, nil
}

// open listens on every address. Where any qualifier was asked for, the first address
// chooses one that is free there.
func (l *listener) open() error {
	l.following.Lock()
	defer l.following.Unlock()
	for _, a := range l.hw.ia.bindAddresses() {
		if err := l.listenOn(a.address); err != nil && !isStale(err) {
			return err
		}
	}
	if l.Qual() == 0 {
		return &dat.Error{
			Return: dat.RetInvalidState,
			Detail: "The IA has no IP address to listen on; give its network device one.",
		}
	}
	return nil
}

// staleAddress are the errors of an address that is not there any more, or of which the
// device does not know yet.
var staleAddress = []error{syscall.EADDRNOTAVAIL, syscall.ENODEV}

// isStale reports whether an address cannot be listened on because it is not there.
func isStale(err error) bool {
	return slices.ContainsFunc(staleAddress, func(stale error) bool { return errors.Is(err, stale) })
}

// listenOn listens on an address, if it does not yet; following is held.
func (l *listener) listenOn(a address) error {
	if _, listens := l.ids[a]; listens {
		return nil
	}
	id, err := l.hw.cm.createID(l.key)
	if err != nil {
		return deviceError("make a connection id", err)
	}
	if err := id.bind(a.withPort(uint16(l.Qual())), a.scope); err != nil {
		l.hw.destroyID(id)
		return deviceError("bind to "+a.String(), err)
	}
	if err := id.listen(backlog); err != nil {
		l.hw.destroyID(id)
		return deviceError("listen", err)
	}
	l.ids[a] = id
	l.qual.Store(int32(id.local().Port()))
	return nil
}

// follow listens on the addresses that it does not listen on yet, and no longer on those
// that are not among them. One that cannot be listened on is reported, and tried again with the
// next change.
func (l *listener) follow() {
	l.following.Lock()
	defer l.following.Unlock()
	if l.closed || l.Qual() == 0 {
		return
	}
	there := map[address]bool{}
	for _, a := range l.hw.ia.bindAddresses() {
		there[a.address] = true
		l.reportRefusal(a.address, l.listenOn(a.address))
	}
	for a, id := range l.ids {
		if !there[a] {
			l.stopListening(id)
			delete(l.ids, a)
		}
	}
	maps.DeleteFunc(l.refusals, func(a address, _ string) bool { return !there[a] })
}

// reportRefusal reports why an address cannot be listened on, once for each cause; following is
// held. An address that is not there yet, or no more, is left to the next change.
func (l *listener) reportRefusal(a address, err error) {
	switch {
	case err == nil:
		delete(l.refusals, a)
	case !isStale(err) && l.refusals[a] != err.Error():
		l.refusals[a] = err.Error()
		l.hw.report(rdma.Report{
			Kind: rdma.ReportNotListening, SP: l.id, LocalAddress: a.String(), LocalQual: l.Qual(), Detail: err.Error(),
		})
	}
}

// close ends the listening.
func (l *listener) close() {
	l.following.Lock()
	defer l.following.Unlock()
	l.closed = true
	l.stopListening(slices.Collect(maps.Values(l.ids))...)
	clear(l.ids)
}

// stopLimit is how long the kernel may take to end what listens.
const stopLimit = 5 * time.Second

// stopListening destroys ids that listen; following is held. It does not wait for longer than
// stopLimit: where siw has lost a listener, the kernel may never return from destroying its id.
func (l *listener) stopListening(ids ...cmID) {
	var stopping sync.WaitGroup
	for _, id := range ids {
		stopping.Add(1)
		l.hw.background(func() {
			defer stopping.Done()
			l.hw.destroyID(id)
		})
	}
	stopped := make(chan struct{})
	go func() { defer close(stopped); stopping.Wait() }()
	late := time.NewTimer(stopLimit)
	defer late.Stop()
	select {
	case <-stopped:
	case <-late.C:
	}
}

// followAddresses lets every service point follow the addresses of the port.
func (h *hardware) followAddresses() {
	h.mu.RLock()
	var all []*listener
	for _, t := range h.handlers {
		if l, ok := t.(*listener); ok {
			all = append(all, l)
		}
	}
	h.mu.RUnlock()
	for _, l := range all {
		l.follow()
	}
}

// Free implements rdma.Object. Requests that wait stay valid.
//
// Implements: rdma_destroy_id.
func (l *listener) Free() { l.free() }

// Qual implements rdma.Listener.
func (l *listener) Qual() int32 { return l.qual.Load() }

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
	report.Attributes = l.hw.ia.requestAttributes(e)
	if e.peerQPNum != 0 {
		report.PeerQPNum = &e.peerQPNum
	}
	l.hw.report(report)
}
