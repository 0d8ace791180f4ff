package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// steady are the states in which an endpoint stays without help of the wires.
var steady = []dat.EPState{dat.EPUnconnected, dat.EPReserved, dat.EPPassiveConnectionPending,
	dat.EPActiveConnectionPending, dat.EPTentativeConnectionPending, dat.EPConnected, dat.EPDisconnected}

// into makes an endpoint on the passive adapter and brings it into a state;
// those of steady need no faults. The peer is nil where there is none.
func (w *World) into(s dat.EPState, change ...func(*end, *rdma.EPCreate)) (e, peer *end) {
	w.Helper()
	switch s {
	case dat.EPReserved:
		e = w.end(w.B, change...)
		w.reserve(e)
	case dat.EPPassiveConnectionPending:
		e, peer = w.end(w.B, change...), w.end(w.A)
		p := w.reserve(e)
		peer.connect(p)
		p.request()
	case dat.EPActiveConnectionPending:
		e = w.end(w.B, change...)
		p := w.listen(w.A, dat.PSPConsumer)
		e.connect(p)
		p.request()
	case dat.EPTentativeConnectionPending:
		peer = w.end(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		e = &end{w: w, ia: w.B, ep: p.request().Endpoint}
	case dat.EPCompletionPending:
		e, peer = w.end(w.B, change...), w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		peer.connect(p)
		cr := p.request()
		w.hold()
		w.accept(cr, e)
	case dat.EPUnconnected:
		e = w.end(w.B, change...)
	default:
		e, peer = w.end(w.B, change...), w.end(w.A)
		w.join(peer, e)
		switch s {
		case dat.EPDisconnected:
			w.leave(e, peer)
		case dat.EPDisconnectPending:
			w.hold()
			e.send("on its way")
			_, err := w.M.DisconnectEP(w.ctx, call, e.ep, dat.CloseGraceful)
			w.must(err)
		}
	}
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
