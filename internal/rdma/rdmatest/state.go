package rdmatest

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// steadyStates are the states in which an endpoint stays without help of the wires.
var steadyStates = []dat.EPState{
	dat.EPUnconnected, dat.EPReserved, dat.EPPassiveConnectionPending,
	dat.EPActiveConnectionPending, dat.EPTentativeConnectionPending, dat.EPConnected, dat.EPDisconnected,
}

// pendingStates are the two states in which an endpoint stays only while the
// wires are held.
var pendingStates = []dat.EPState{dat.EPCompletionPending, dat.EPDisconnectPending}

// allStates are the nine states.
var allStates = slices.Concat(steadyStates, pendingStates)

// stateSubtypes are the subtypes of DAT_INVALID_STATE in each state.
var stateSubtypes = map[dat.EPState]dat.Subtype{
	dat.EPUnconnected: dat.SubInvalidStateEPUnconnected, dat.EPReserved: dat.SubInvalidStateEPReserved,
	dat.EPPassiveConnectionPending:   dat.SubInvalidStateEPPassconnpending,
	dat.EPActiveConnectionPending:    dat.SubInvalidStateEPActconnpending,
	dat.EPTentativeConnectionPending: dat.SubInvalidStateEPTentconnpending,
	dat.EPConnected:                  dat.SubInvalidStateEPConnected, dat.EPDisconnected: dat.SubInvalidStateEPDisconnected,
	dat.EPCompletionPending: dat.SubInvalidStateEPComplpending, dat.EPDisconnectPending: dat.SubInvalidStateEPDiscpending,
}

// bringInto bring a new endpoint on the passive adapter into each state; the peer
// is nil if there is none.
var bringInto = map[dat.EPState]func(w *World, changes []endpointChange) (e, peer *endpoint){
	dat.EPUnconnected: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		return w.endpoint(w.B, changes...), nil
	},
	dat.EPReserved: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		e = w.endpoint(w.B, changes...)
		w.reserve(e)
		return e, nil
	},
	dat.EPPassiveConnectionPending: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		e, peer = w.endpoint(w.B, changes...), w.endpoint(w.A)
		p := w.reserve(e)
		peer.connect(p)
		p.nextRequest()
		return e, peer
	},
	dat.EPActiveConnectionPending: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		e = w.endpoint(w.B, changes...)
		p := w.listen(w.A, dat.PSPConsumer)
		e.connect(p)
		p.nextRequest()
		return e, nil
	},
	dat.EPTentativeConnectionPending: func(w *World, _ []endpointChange) (e, peer *endpoint) {
		peer = w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		return &endpoint{w: w, ia: w.B, id: p.nextRequest().Endpoint}, peer
	},
	dat.EPConnected: (*World).connectedByPeer,
	dat.EPDisconnected: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		e, peer = w.connectedByPeer(changes)
		w.disconnectPair(e, peer)
		return e, peer
	},
	dat.EPDisconnectPending: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		e, peer = w.connectedByPeer(changes)
		w.holdWires()
		e.postSend("on its way")
		e.disconnect(dat.CloseGraceful)
		return e, peer
	},
	dat.EPCompletionPending: func(w *World, changes []endpointChange) (e, peer *endpoint) {
		e, peer = w.endpoint(w.B, changes...), w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		peer.connect(p)
		cr := p.nextRequest()
		w.holdWires()
		w.accept(cr, e)
		return e, peer
	},
}

// connectedByPeer creates an endpoint that its peer has connected to.
func (w *World) connectedByPeer(changes []endpointChange) (e, peer *endpoint) {
	w.Helper()
	e, peer = w.endpoint(w.B, changes...), w.endpoint(w.A)
	w.connectPair(peer, e)
	return e, peer
}

// inState creates an endpoint and brings it into a state; those of steadyStates
// need no Faults.
func (w *World) inState(s dat.EPState, changes ...endpointChange) (e, peer *endpoint) {
	w.Helper()
	e, peer = bringInto[s](w, changes)
	w.awaitState(e.id, s)
	return e, peer
}

// holdWires keeps everything on its way until releaseWires.
func (w *World) holdWires() {
	w.wiresHeld = true
	w.Faults.Hold()
}

// releaseWires undoes holdWires.
func (w *World) releaseWires() {
	w.wiresHeld = false
	w.Faults.Release()
}
