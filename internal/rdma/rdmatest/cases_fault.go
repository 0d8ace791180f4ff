package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

var faultCases = []Case{
	{"M2 T42 A20 W3 T43", "COMPLETION_PENDING and DISCONNECT_PENDING let nothing be modified and every mark be set", func(w *World) {
		for _, s := range pendingStates {
			e, _ := w.inState(s)
			w.checkModifyMatrix(e.id, s)
			w.proves("M2")
			w.checkEmptyMask(e.id)
			w.checkMarksIn(e.id, s)
			w.releaseWires()
		}
	}},
	{"T5 T21 T41 D35", "what they forbid has their subtype", func(w *World) {
		for _, s := range pendingStates {
			e, _ := w.inState(s)
			w.checkRefusedOperations(e.id, s)
			w.releaseWires()
		}
	}},
	{"T2 T5 T21 T41", "operations and modifiable agree with the calls there, and freeing works", func(w *World) {
		for _, s := range pendingStates {
			e, _ := w.inState(s)
			w.checkOperationsAgree(e)
			w.proves("T2")
			w.succeeds("free in "+s.String(), w.M.FreeEP(w.ctx, call, e.id))
			w.releaseWires()
		}
	}},
	{"T32", "a disconnect in COMPLETION_PENDING aborts the accept; the active side learns it", func(w *World) {
		for _, how := range []dat.CloseFlag{dat.CloseAbrupt, dat.CloseGraceful} {
			e, peer := w.inState(dat.EPCompletionPending)
			e.postRecvs(1, 8)
			e.disconnect(how)
			w.expectEvent(e.conn, dat.EventDisconnected)
			w.expectCompletion(e.recv, dat.KindRecv, dat.DTOErrFlushed)
			w.releaseWires()
			w.expectState(peer.id, dat.EPDisconnected)
			w.expectState(e.id, dat.EPDisconnected)
			w.expectNoEvents(e.conn)
		}
	}},
	{"T15 D18 D40", "a peer that disconnects while the accept is on its way is DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR", func(w *World) {
		e, peer := w.inState(dat.EPCompletionPending)
		peer.disconnect(dat.CloseAbrupt)
		w.releaseWires()
		w.proves("T15", "D40")
		w.expectEvent(e.conn, dat.EventAcceptCompletionError)
		w.proves("T15", "D18")
		w.expectState(e.id, dat.EPDisconnected)
	}},
	{"T30 T31", "in DISCONNECT_PENDING graceful has no effect and abrupt ends it immediately, with one event", func(w *World) {
		e, peer := w.inState(dat.EPDisconnectPending)
		before := w.getEP(e.id).Version
		w.proves("T31")
		e.disconnect(dat.CloseGraceful)
		got := w.getEP(e.id)
		w.check(got.Version == before && got.State == dat.EPDisconnectPending,
			"graceful again made it %s, version %d after %d", got.State, got.Version, before)
		w.proves("T30")
		e.disconnect(dat.CloseAbrupt)
		w.expectEvent(e.conn, dat.EventDisconnected)
		w.expectCompletion(e.request, dat.KindSend, dat.DTOErrFlushed)
		w.releaseWires()
		w.expectState(peer.id, dat.EPDisconnected)
		w.expectNoEvents(e.conn)
	}},
	{"T37 W7", "the hard mark breaks a connection that drains", func(w *World) {
		if !w.needsMarks(-1, 0) {
			return
		}
		e, _ := w.inState(dat.EPDisconnectPending)
		e.postRecvs(1, 8)
		w.setMarks(e.id, -1, 0)
		w.proves("T37", "W7")
		w.expectEvent(e.conn, dat.EventBroken)
		w.expectState(e.id, dat.EPDisconnected)
		w.releaseWires()
	}},
	{"T24 D19", "a peer that no packet reaches is DAT_CONNECTION_EVENT_UNREACHABLE, and the endpoint DISCONNECTED", func(w *World) {
		a := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		w.Faults.Cut(w.setup.Active, w.setup.Passive)
		a.connect(p)
		w.proves("T24")
		w.expectEvent(a.conn, dat.EventUnreachable)
		w.proves("T24", "D19")
		w.expectState(a.id, dat.EPDisconnected)
		w.Faults.Mend(w.setup.Active, w.setup.Passive)
		w.reset(a.id)
		a.connect(p)
		w.accept(p.nextRequest(), w.endpoint(w.B))
		w.expectState(a.id, dat.EPConnected)
	}},
	{"T37", "a cut link is noticed by sending: DAT_DTO_ERR_TRANSPORT and BROKEN, at each end in its time", func(w *World) {
		a, b := w.pair()
		w.Faults.Cut(w.setup.Active, w.setup.Passive)
		a.postSend("into nothing")
		w.expectCompletion(a.request, dat.KindSend, dat.DTOErrTransport)
		w.expectEvent(a.conn, dat.EventBroken)
		o := w.expectState(a.id, dat.EPDisconnected)
		w.check(o.LastEvent != nil && o.LastEvent.Reason != nil, "the last event is %+v", o.LastEvent)
		equal(w, "the state of the other end, which nothing reached", w.status(b.id).State, dat.EPConnected)
		b.postSend("nothing either")
		w.expectEvent(b.conn, dat.EventBroken)
	}},
	{"T37", "the probe shows that the peer lives, and breaks the connection when it no longer does", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		_, err := w.M.ModifyEP(w.ctx, call, a.id, manager.EPModify{Probe: &dat.Probe{IntervalS: 1, FailAfter: 2}})
		w.must(err)
		w.connectPair(a, b)
		first := w.status(a.id).LastProofOfLife
		w.eventually("the proof of life is renewed", func() bool {
			now := w.status(a.id).LastProofOfLife
			return first != nil && now != nil && now.After(first.Time)
		})
		s := w.status(a.id)
		w.check(s.RequestIdle && s.Counters.RDMAWrites == 0, "the probe counts: %+v", s)
		w.expectNoEvents(a.request)
		if !w.Faults.Kill(b.id) {
			w.Fatal("the peer cannot be killed")
		}
		w.expectEvent(a.conn, dat.EventBroken)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectNoEvents(a.request)
	}},
	{"T25", "a peer that stopped is TIMED_OUT by the consumer's timer alone", func(w *World) {
		a := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		w.holdWires()
		in := p.connectInput()
		in.TimeoutUS = ptr(int64(200_000))
		_, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.must(err)
		w.expectEvent(a.conn, dat.EventTimedOut)
		w.expectState(a.id, dat.EPDisconnected)
		w.releaseWires()
		w.expectNoEvents(a.conn, p.evd)
	}},
	{"T48", "a device that vanishes breaks connections, ends requests and leaves other states alone", func(w *World) {
		after := map[dat.EPState]dat.EPState{
			dat.EPUnconnected: dat.EPUnconnected, dat.EPReserved: dat.EPReserved,
			dat.EPPassiveConnectionPending: dat.EPUnconnected, dat.EPActiveConnectionPending: dat.EPDisconnected,
			dat.EPConnected: dat.EPDisconnected, dat.EPDisconnected: dat.EPDisconnected,
		}
		ends := map[dat.EPState]*endpoint{}
		for _, s := range steadyStates {
			ends[s], _ = w.inState(s)
		}
		waiting := len(w.M.List(dat.TypeCR))
		if !w.Faults.Remove(w.setup.Passive) {
			w.Fatal("the device cannot be removed")
		}
		for s, want := range after {
			w.expectState(ends[s].id, want)
		}
		for _, s := range []dat.EPState{dat.EPActiveConnectionPending, dat.EPConnected} {
			w.eventually("BROKEN is told", func() bool {
				got, _ := w.M.Look(ends[s].conn, 10)
				return len(got) > 0 && got[len(got)-1].Event == dat.EventBroken
			})
		}
		w.eventually("the tentative endpoint is gone", func() bool {
			_, ok := w.M.Get(dat.TypeEndpoint, ends[dat.EPTentativeConnectionPending].id)
			return !ok
		})
		for _, o := range w.M.List(dat.TypeCR) {
			w.check(o.Head().IA != w.B, "of %d requests %s still waits", waiting, o.Head().ID)
		}
		o, _ := w.M.IA(w.B)
		equal(w, "the state of the adapter", o.State, dat.IAGone)
		w.checkWithoutDevice(ends[dat.EPUnconnected])
	}},
	{"T48", "a device that vanishes ends a pending accept and a drain with BROKEN", func(w *World) {
		for _, s := range pendingStates {
			e, _ := w.inState(s)
			w.Faults.Remove(w.setup.Passive)
			w.expectState(e.id, dat.EPDisconnected)
			w.expectEvent(e.conn, dat.EventBroken)
			w.releaseWires()
			w.returnDevice()
		}
	}},
	{"T49", "a device that returns has its objects again: endpoints connect, memory can be reached", func(w *World) {
		a, b := w.pair()
		remote := w.lmr(w.B, b.pz, 64)
		r := w.endpoint(w.B)
		point := w.reserve(r)
		w.Faults.Remove(w.setup.Passive)
		w.awaitState(b.id, dat.EPDisconnected)
		w.awaitState(a.id, dat.EPDisconnected)
		w.returnDevice()
		for _, e := range []*endpoint{a, b} {
			w.takeEvent(e.conn, dat.EventBroken)
			w.reset(e.id)
		}
		w.connectPair(a, b)
		w.expectTransfer(a, b, "again")
		local := w.lmr(w.A, a.pz, 64)
		a.postRDMA(dat.KindRDMAWrite, local, object[*dat.LMR](w, dat.TypeLMR, remote.ID), 64)
		w.expectCompletion(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
		c := w.endpoint(w.A)
		c.connect(point)
		w.accept(point.nextRequest(), nil)
		w.expectState(r.id, dat.EPConnected)
	}},
}

// returnDevice brings the passive adapter's device back and waits until it is up.
func (w *World) returnDevice() {
	w.Helper()
	w.Faults.Return(w.setup.Passive)
	w.await("the adapter is up", func() bool { o, _ := w.M.IA(w.B); return o.State == dat.IAUp })
}

// checkWithoutDevice demands that calls which need the device say so, and that
// queries and frees go on.
func (w *World) checkWithoutDevice(e *endpoint) {
	w.Helper()
	_, err := w.M.CreatePZ(w.ctx, call, manager.PZCreate{IA: e.ia})
	w.refused("create without a device", err, dat.RetInvalidState, dat.SubNone)
	_, err = w.M.ConnectEP(w.ctx, call, e.id, manager.EPConnect{RemoteIAAddress: w.address(w.A), RemotePortQual: 7000})
	w.refused("connect without a device", err, dat.RetInvalidState, dat.SubNone)
	_, err = w.M.PostRecv(w.ctx, call, e.id, manager.RecvPost{Count: 1, Size: 8})
	w.refused("post without a device", err, dat.RetInvalidState, dat.SubNone)
	_, err = w.M.EPStatus(e.id)
	w.succeeds("get_status without a device", err)
	w.succeeds("modify without a device", w.modify(e.id, dat.ParamMaxRecvDTOs, int64(7)))
	w.succeeds("freeing an endpoint without a device", w.M.FreeEP(w.ctx, call, e.id))
	w.succeeds("freeing a zone without a device", w.M.FreePZ(w.ctx, call, e.pz))
}
