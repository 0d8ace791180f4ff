package rdmatest

import "github.com/datapi/datapi/internal/dat"

var disconnectCases = []Case{
	{"T29 T36", "an abrupt disconnect ends the connection at both ends and flushes what is posted", func(w *World) {
		a, b := w.pair()
		a.postRecvs(2, 8)
		b.postRecvs(1, 8)
		w.proves("T29")
		equal(w, "the state after an abrupt disconnect", a.disconnect(dat.CloseAbrupt).State, dat.EPDisconnected)
		w.expectEvent(a.conn, dat.EventDisconnected)
		w.expectCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.expectCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.proves("T36")
		w.expectEvent(b.conn, dat.EventDisconnected)
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOErrFlushed)
		o := w.expectState(b.id, dat.EPDisconnected)
		w.check(o.LastEvent != nil && o.LastEvent.Event == dat.EventDisconnected, "the last event is %+v", o.LastEvent)
		w.proves("T29", "T36")
		w.expectNoEvents(a.conn, b.conn, a.recv, b.recv)
	}},
	{"T28 T31 D17", "a graceful disconnect drains the requests first; again it has no effect", func(w *World) {
		a, b := w.pair()
		w.proves("T28")
		if !w.reportsDelivery() { // a send must arrive before the end
			w.cannotProve("the transport completes a send without its receive, so no drain lasts", "T31", "D17")
			b.postRecvs(1, 64)
			a.postSend("on its way")
			a.disconnect(dat.CloseGraceful)
			w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
			w.expectState(a.id, dat.EPDisconnected)
			w.expectState(b.id, dat.EPDisconnected)
			return
		}
		a.postSend("held up") // nothing to receive it yet
		equal(w, "the state while it drains", a.disconnect(dat.CloseGraceful).State, dat.EPDisconnectPending)
		w.proves("T31", "D17")
		equal(w, "the state after a second graceful disconnect", a.disconnect(dat.CloseGraceful).State, dat.EPDisconnectPending)
		w.proves("T28", "T31")
		b.postRecvs(1, 64)
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.expectCompletion(a.request, dat.KindSend, dat.DTOSuccess)
		w.expectEvent(a.conn, dat.EventDisconnected)
		w.expectEvent(b.conn, dat.EventDisconnected)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectState(b.id, dat.EPDisconnected)
		w.expectNoEvents(a.conn, b.conn)
	}},
	{"T28", "with nothing to drain a graceful disconnect ends immediately, receives are flushed", func(w *World) {
		a, b := w.pair()
		a.postRecvs(1, 8)
		a.disconnect(dat.CloseGraceful)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectEvent(a.conn, dat.EventDisconnected)
		w.expectCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"T28 T36", "a peer that disconnects ends a drain, with one event", func(w *World) {
		if !w.reportsDelivery() {
			w.cannotProve("the transport completes a send without its receive, so no drain lasts")
			return
		}
		a, b := w.pair()
		a.postSend("held up")
		w.proves("T28")
		equal(w, "the state while it drains", a.disconnect(dat.CloseGraceful).State, dat.EPDisconnectPending)
		b.disconnect(dat.CloseAbrupt)
		w.proves("T28", "T36")
		w.expectState(a.id, dat.EPDisconnected)
		w.expectEvent(a.conn, dat.EventDisconnected)
		w.expectNoEvents(a.conn)
		equal(w, "its changes", int64(len(w.Rec.Of(a.id))), w.getEP(a.id).Version)
	}},
	{"T30", "an abrupt disconnect ends a drain, with one event", func(w *World) {
		a, b := w.pair()
		a.postSend("held up")
		a.disconnect(dat.CloseGraceful)
		a.disconnect(dat.CloseAbrupt)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectEvent(a.conn, dat.EventDisconnected)
		if w.reportsDelivery() {
			w.expectCompletion(a.request, dat.KindSend, dat.DTOErrFlushed)
		}
		w.expectNoEvents(a.conn)
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"T32", "a disconnect while connecting aborts it: DISCONNECTED with its event, receives flushed", func(w *World) {
		for _, how := range []dat.CloseFlag{dat.CloseAbrupt, dat.CloseGraceful} {
			e, _ := w.inState(dat.EPActiveConnectionPending)
			e.postRecvs(1, 8)
			e.disconnect(how)
			w.expectState(e.id, dat.EPDisconnected)
			w.expectEvent(e.conn, dat.EventDisconnected)
			w.expectCompletion(e.recv, dat.KindRecv, dat.DTOErrFlushed)
		}
	}},
	{"T35", "a way to disconnect that is none is DAT_INVALID_PARAMETER and moves nothing", func(w *World) {
		a, _ := w.pair()
		_, err := w.M.DisconnectEP(w.ctx, call, a.id, dat.CloseFlag(9))
		w.refused("close 9", err, dat.RetInvalidParameter, dat.SubInvalidArg2)
		equal(w, "the state", w.status(a.id).State, dat.EPConnected)
	}},
	{"T33", "a disconnect in DISCONNECTED succeeds and does nothing", func(w *World) {
		e, _ := w.inState(dat.EPDisconnected)
		before := w.getEP(e.id).Version
		e.disconnect(dat.CloseAbrupt)
		e.disconnect(dat.CloseGraceful)
		w.expectEvent(e.conn, dat.EventDisconnected)
		w.expectNoEvents(e.conn)
		equal(w, "the version", w.getEP(e.id).Version, before)
	}},
	{"T39 T40", "a reset makes DISCONNECTED UNCONNECTED and keeps parameters; in UNCONNECTED it leaves receives alone", func(w *World) {
		a, b := w.pair()
		w.disconnectPair(a, b)
		before := w.getEP(a.id)
		w.proves("T39")
		after := w.reset(a.id)
		equal(w, "the state after the reset", after.State, dat.EPUnconnected)
		w.check(after.PZ == before.PZ && after.RecvEVD == before.RecvEVD && after.Attributes.MaxRecvDTOs == before.Attributes.MaxRecvDTOs,
			"after the reset: %+v", after)
		w.proves("T40")
		a.postRecvs(1, 64)
		equal(w, "the state after a second reset", w.reset(a.id).State, dat.EPUnconnected)
		w.check(!w.status(a.id).RecvIdle, "a reset in UNCONNECTED took the receives")
		w.reset(b.id)
		w.takeEvent(a.conn, dat.EventDisconnected)
		w.takeEvent(b.conn, dat.EventDisconnected)
		w.connectPair(a, b)
		b.postSend("into the old receive")
		w.expectCompletion(a.recv, dat.KindRecv, dat.DTOSuccess)
	}},
	{"T29 D22", "what is posted in DISCONNECTED is flushed immediately, and what connects stays connected", func(w *World) {
		a, b := w.pair()
		w.proves("D22")
		w.expectTransfer(a, b, "one")
		w.expectTransfer(b, a, "two")
		equal(w, "the sender's state after the transfers", w.status(a.id).State, dat.EPConnected)
		equal(w, "the receiver's state after the transfers", w.status(b.id).State, dat.EPConnected)
		w.disconnectPair(a, b)
		w.proves("T29")
		a.postRecvs(1, 8)
		w.expectCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		a.postSend("too late")
		w.expectCompletion(a.request, dat.KindSend, dat.DTOErrFlushed)
	}},
	{"T2 T36", "freeing a connected endpoint ends its peer's connection", func(w *World) {
		a, b := w.pair()
		w.proves("T2")
		w.succeeds("free", w.M.FreeEP(w.ctx, call, a.id))
		w.proves("T36")
		w.expectEvent(b.conn, dat.EventDisconnected)
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"T37", "a request that fails breaks the connection and flushes the rest", func(w *World) {
		a, b := w.pair()
		b.postRecvs(2, 4)
		a.postSend("longer than four")
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOErrLocalLength)
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.expectEvent(b.conn, dat.EventBroken)
		w.expectState(b.id, dat.EPDisconnected)
		if got := w.nextEvent(a.request).Data.Status; w.reportsDelivery() {
			w.check(got != nil && *got != dat.DTOSuccess && *got != dat.DTOErrFlushed, "the send completed with %v", wordOf(got))
		}
		w.expectEither(a.conn, dat.EventBroken, dat.EventDisconnected)
		o := w.expectState(a.id, dat.EPDisconnected)
		w.check(o.LastEvent != nil && o.LastEvent.Reason != nil, "the last event is %+v", o.LastEvent)
	}},
}
