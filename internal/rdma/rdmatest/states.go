package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// steady are the states in which an endpoint stays without help of the wires.
var steady = []dat.EPState{
	dat.EPUnconnected, dat.EPReserved, dat.EPPassiveConnectionPending,
	dat.EPActiveConnectionPending, dat.EPTentativeConnectionPending, dat.EPConnected, dat.EPDisconnected,
}

// ways bring a new endpoint on the passive adapter into each state; the peer is
// nil where there is none.
var ways = map[dat.EPState]func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end){
	dat.EPUnconnected: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		return w.end(w.B, change...), nil
	},
	dat.EPReserved: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		e = w.end(w.B, change...)
		w.reserve(e)
		return e, nil
	},
	dat.EPPassiveConnectionPending: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		e, peer = w.end(w.B, change...), w.end(w.A)
		p := w.reserve(e)
		peer.connect(p)
		p.request()
		return e, peer
	},
	dat.EPActiveConnectionPending: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		e = w.end(w.B, change...)
		p := w.listen(w.A, dat.PSPConsumer)
		e.connect(p)
		p.request()
		return e, nil
	},
	dat.EPTentativeConnectionPending: func(w *World, _ []func(*end, *manager.EPCreate)) (e, peer *end) {
		peer = w.end(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		return &end{w: w, ia: w.B, ep: p.request().Endpoint}, peer
	},
	dat.EPConnected: (*World).connected,
	dat.EPDisconnected: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		e, peer = w.connected(change)
		w.leave(e, peer)
		return e, peer
	},
	dat.EPDisconnectPending: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		e, peer = w.connected(change)
		w.hold()
		e.send("on its way")
		_, err := w.M.DisconnectEP(w.ctx, call, e.ep, dat.CloseGraceful)
		w.must(err)
		return e, peer
	},
	dat.EPCompletionPending: func(w *World, change []func(*end, *manager.EPCreate)) (e, peer *end) {
		e, peer = w.end(w.B, change...), w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		peer.connect(p)
		cr := p.request()
		w.hold()
		w.accept(cr, e)
		return e, peer
	},
}

// connected makes an endpoint that its peer has connected to.
func (w *World) connected(change []func(*end, *manager.EPCreate)) (e, peer *end) {
	w.Helper()
	e, peer = w.end(w.B, change...), w.end(w.A)
	w.join(peer, e)
	return e, peer
}

// into makes an endpoint and brings it into a state; those of steady need no faults.
func (w *World) into(s dat.EPState, change ...func(*end, *manager.EPCreate)) (e, peer *end) {
	w.Helper()
	e, peer = ways[s](w, change)
	w.reach(e.ep, s)
	return e, peer
}

// hold keeps everything on its way until release.
func (w *World) hold() {
	w.held = true
	w.Faults.Hold()
}

// letGo undoes hold.
func (w *World) letGo() {
	w.held = false
	w.Faults.Release()
}
