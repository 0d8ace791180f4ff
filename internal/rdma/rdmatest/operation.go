package rdmatest

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// operation is a call on one endpoint with all else right.
type operation struct {
	*operationRule
	do func(manager.Call) error
}

// operationRule is what the pages say of an operation.
type operationRule struct {
	// states are those in which the pages allow it.
	states []dat.EPState
	// allowed and refused are the rules that say so, "" where none has a number.
	allowed, refused string
}

// in reports whether the pages allow the operation in a state.
func (r *operationRule) in(s dat.EPState) bool { return slices.Contains(r.states, s) }

// allBut returns the states without those named.
func allBut(without ...dat.EPState) []dat.EPState {
	return slices.DeleteFunc(slices.Clone(allStates), func(s dat.EPState) bool { return slices.Contains(without, s) })
}

// The rules of the operations, read from the pages and not from the tables of
// package dat, docs/rules/transitions.md.
var (
	connectRule = &operationRule{[]dat.EPState{dat.EPUnconnected}, "T20", "T21"}
	rspRule     = &operationRule{[]dat.EPState{dat.EPUnconnected}, "T4", "T5"}
	acceptRule  = &operationRule{[]dat.EPState{dat.EPUnconnected}, "T13", "T16"}
	ownRule     = &operationRule{[]dat.EPState{dat.EPPassiveConnectionPending, dat.EPTentativeConnectionPending}, "T12", "T16"}
	endRule     = &operationRule{
		[]dat.EPState{
			dat.EPActiveConnectionPending, dat.EPCompletionPending, dat.EPConnected, dat.EPDisconnectPending, dat.EPDisconnected,
		}, "T29", "T34",
	}
	resetRule    = &operationRule{[]dat.EPState{dat.EPUnconnected, dat.EPDisconnected}, "T39", "T41"}
	freeRule     = &operationRule{allBut(dat.EPReserved, dat.EPPassiveConnectionPending, dat.EPTentativeConnectionPending), "T2", "T3"}
	markRule     = &operationRule{allBut(), "W3", ""}
	postRecvRule = &operationRule{allBut(), "", ""}
	postRule     = &operationRule{[]dat.EPState{dat.EPConnected, dat.EPDisconnected}, "", "D35"}
)

// operations returns the calls of dat_ep_* on an endpoint, by their words in
// `operations`; a second way of a word stands behind a space. What they need
// beside the endpoint is created once. accept and dup_connect need a living peer
// and are left out while the wires are held.
func (w *World) operations(ep dat.Handle) map[string]operation {
	w.Helper()
	o := w.getEP(ep)
	p := w.listen(w.B, dat.PSPConsumer)
	cr := w.waitingRequest(o.IA)
	memory := w.lmr(o.IA, w.pz(o.IA), 16)
	if o.PZ != "" {
		memory = w.lmr(o.IA, o.PZ, 16)
	}
	window := w.rmr(o.IA, memory.PZ)
	rdmaPost := manager.RDMAPost{LMR: memory.ID, Length: 8, RemoteContext: "0x1", TargetAddress: "4096"}
	disconnect := func(how dat.CloseFlag) func(manager.Call) error {
		return func(c manager.Call) error { _, err := w.M.DisconnectEP(w.ctx, c, ep, how); return err }
	}
	postRDMA := func(kind dat.DTOKind) func(manager.Call) error {
		return func(c manager.Call) error { _, err := w.M.PostRDMA(w.ctx, c, ep, kind, rdmaPost); return err }
	}
	all := map[string]operation{
		"connect":             {connectRule, func(c manager.Call) error { _, err := w.M.ConnectEP(w.ctx, c, ep, p.connectInput()); return err }},
		"create_rsp":          {rspRule, func(c manager.Call) error { return w.tryRSP(c, o.IA, ep) }},
		"disconnect":          {endRule, disconnect(dat.CloseAbrupt)},
		"disconnect graceful": {endRule, disconnect(dat.CloseGraceful)},
		"reset":               {resetRule, func(c manager.Call) error { _, err := w.M.ResetEP(w.ctx, c, ep); return err }},
		"free":                {freeRule, func(c manager.Call) error { return w.M.FreeEP(w.ctx, c, ep) }},
		"set_watermark":       {markRule, func(c manager.Call) error { _, err := w.M.SetWatermark(w.ctx, c, ep, nil, nil); return err }},
		"post_recv": {postRecvRule, func(c manager.Call) error {
			_, err := w.M.PostRecv(w.ctx, c, ep, manager.RecvPost{Count: 1, Size: 8})
			return err
		}},
		"post_send": {postRule, func(c manager.Call) error {
			_, err := w.M.PostSend(w.ctx, c, ep, manager.SendPost{Data: []byte("x"), Count: 1})
			return err
		}},
		"post_rdma_write": {postRule, postRDMA(dat.KindRDMAWrite)},
		"post_rdma_read":  {postRule, postRDMA(dat.KindRDMARead)},
	}
	accept := func(id, endpoint dat.Handle) func(manager.Call) error {
		return func(c manager.Call) error {
			_, err := w.M.AcceptCR(w.ctx, c, id, manager.CRAccept{Endpoint: endpoint})
			return err
		}
	}
	if cr != nil {
		all["accept"] = operation{acceptRule, accept(cr.ID, ep)}
		connected := w.endpoint(o.IA)
		w.connectPair(connected, w.endpoint(w.A))
		all["dup_connect"] = operation{connectRule, func(c manager.Call) error {
			_, err := w.M.DupConnectEP(w.ctx, c, ep, manager.EPDupConnect{Endpoint: connected.id})
			return err
		}}
	}
	for _, waits := range w.M.List(dat.TypeCR) {
		if waits.(*dat.CR).Endpoint == ep {
			all["accept own"] = operation{ownRule, accept(waits.Head().ID, dat.HandleNull)}
		}
	}
	if window != nil {
		all["bind_rmr"] = operation{postRule, func(c manager.Call) error {
			_, err := w.M.BindRMR(w.ctx, c, ep, manager.BindPost{
				RMR: window.ID, LMR: memory.ID, Length: 8,
				Privileges: []dat.Privilege{dat.PrivRemoteRead},
			})
			return err
		}}
	}
	return all
}

// waitingRequest returns a request that waits at an adapter, nil while the wires are held.
func (w *World) waitingRequest(ia dat.Handle) *dat.CR {
	w.Helper()
	if w.wiresHeld {
		return nil
	}
	p := w.listen(ia, dat.PSPConsumer)
	w.endpoint(w.A).connect(p)
	return p.nextRequest()
}

// checkRefusedOperations demands that every operation which the pages forbid in a
// state is DAT_INVALID_STATE with the subtype of that state.
func (w *World) checkRefusedOperations(ep dat.Handle, s dat.EPState) {
	w.Helper()
	for name, op := range w.operations(ep) {
		if op.in(s) {
			continue
		}
		w.provesIfClaimed(op.refused)
		if s == dat.EPUnconnected {
			w.provesIfClaimed(op.refused, "D42")
		}
		w.refused(name+" in "+s.String(), op.do(call), dat.RetInvalidState, stateSubtypes[s])
	}
	w.provesIfClaimed("T21")
	equal(w, "the state after the refusals", w.status(ep).State, s)
}
