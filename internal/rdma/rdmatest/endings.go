package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
)

// disconnect is dat_ep_disconnect.
func (e *end) disconnect(how dat.CloseFlag) *dat.Endpoint {
	e.w.Helper()
	o, err := e.w.M.DisconnectEP(e.w.ctx, call, e.ep, how)
	e.w.must(err)
	return o
}

var endingCases = []Case{
	{"T29 T36", "an abrupt disconnect ends both ends and flushes what is posted", func(w *World) {
		a, b := w.pair()
		a.recvs(2, 8)
		b.recvs(1, 8)
		if o := a.disconnect(dat.CloseAbrupt); o.State != dat.EPDisconnected {
			w.Errorf("after an abrupt disconnect it is %s", o.State)
		}
		w.expect(a.conn, dat.EventDisconnected)
		w.done(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.done(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.expect(b.conn, dat.EventDisconnected)
		w.done(b.recv, dat.KindRecv, dat.DTOErrFlushed)
		o := w.reach(b.ep, dat.EPDisconnected)
		if o.LastEvent == nil || o.LastEvent.Event != dat.EventDisconnected {
			w.Errorf("the last event is %+v", o.LastEvent)
		}
		w.none(a.conn, b.conn, a.recv, b.recv)
	}},
	{"T28 T31 D17", "a graceful disconnect drains the requests first; again it has no effect", func(w *World) {
		a, b := w.pair()
		if !w.delivered() { // nothing holds a send up, so it must arrive before the end
			b.recvs(1, 64)
			a.send("on its way")
			a.disconnect(dat.CloseGraceful)
			w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
			w.reach(a.ep, dat.EPDisconnected)
			w.reach(b.ep, dat.EPDisconnected)
			return
		}
		a.send("held up") // nothing to receive it yet
		if o := a.disconnect(dat.CloseGraceful); o.State != dat.EPDisconnectPending {
			w.Errorf("while it drains it is %s", o.State)
		}
		a.disconnect(dat.CloseGraceful)
		b.recvs(1, 64)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
		w.expect(a.conn, dat.EventDisconnected)
		w.expect(b.conn, dat.EventDisconnected)
		w.reach(a.ep, dat.EPDisconnected)
		w.reach(b.ep, dat.EPDisconnected)
		w.none(a.conn, b.conn)
	}},
	{"T28", "with nothing to drain a graceful disconnect ends at once, receives are flushed", func(w *World) {
		a, b := w.pair()
		a.recvs(1, 8)
		a.disconnect(dat.CloseGraceful)
		w.reach(a.ep, dat.EPDisconnected)
		w.expect(a.conn, dat.EventDisconnected)
		w.done(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"T28 T36", "a peer that disconnects ends a drain, with one event", func(w *World) {
		if !w.delivered() {
			return // nothing holds a send up there
		}
		a, b := w.pair()
		a.send("held up")
		a.disconnect(dat.CloseGraceful)
		b.disconnect(dat.CloseAbrupt)
		w.reach(a.ep, dat.EPDisconnected)
		w.expect(a.conn, dat.EventDisconnected)
		w.none(a.conn)
		if n := len(w.Rec.Of(a.ep)); w.get(a.ep).Version != int64(n) {
			w.Errorf("its changes are %d, its version %d", n, w.get(a.ep).Version)
		}
	}},
	{"T30", "an abrupt disconnect ends a drain, with one event", func(w *World) {
		a, b := w.pair()
		a.send("held up")
		a.disconnect(dat.CloseGraceful)
		a.disconnect(dat.CloseAbrupt)
		w.reach(a.ep, dat.EPDisconnected)
		w.expect(a.conn, dat.EventDisconnected)
		if w.delivered() {
			w.done(a.request, dat.KindSend, dat.DTOErrFlushed)
		}
		w.none(a.conn)
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"T32", "a disconnect while connecting aborts it: DISCONNECTED with its event, receives flushed", func(w *World) {
		for _, how := range []dat.CloseFlag{dat.CloseAbrupt, dat.CloseGraceful} {
			e, _ := w.into(dat.EPActiveConnectionPending)
			e.recvs(1, 8)
			e.disconnect(how)
			w.reach(e.ep, dat.EPDisconnected)
			w.expect(e.conn, dat.EventDisconnected)
			w.done(e.recv, dat.KindRecv, dat.DTOErrFlushed)
		}
	}},
	{"T35", "a way to disconnect that is none is DAT_INVALID_PARAMETER and moves nothing", func(w *World) {
		a, _ := w.pair()
		_, err := w.M.DisconnectEP(w.ctx, call, a.ep, dat.CloseFlag(9))
		w.refused("close 9", err, dat.RetInvalidParameter, dat.SubInvalidArg2)
		if got := w.status(a.ep).State; got != dat.EPConnected {
			w.Errorf("it is %s", got)
		}
	}},
	{"T33", "a disconnect in DISCONNECTED succeeds and does nothing", func(w *World) {
		e, _ := w.into(dat.EPDisconnected)
		before := w.get(e.ep).Version
		e.disconnect(dat.CloseAbrupt)
		e.disconnect(dat.CloseGraceful)
		w.expect(e.conn, dat.EventDisconnected)
		w.none(e.conn)
		if got := w.get(e.ep).Version; got != before {
			w.Errorf("version %d became %d", before, got)
		}
	}},
	{"T39 T40", "a reset makes DISCONNECTED UNCONNECTED and keeps parameters; in UNCONNECTED it leaves receives alone", func(w *World) {
		a, b := w.pair()
		w.leave(a, b)
		before := w.get(a.ep)
		after, err := w.M.ResetEP(w.ctx, call, a.ep)
		w.must(err)
		if after.State != dat.EPUnconnected || after.PZ != before.PZ || after.RecvEVD != before.RecvEVD ||
			after.Attributes.MaxRecvDTOs != before.Attributes.MaxRecvDTOs {
			w.Errorf("after the reset: %+v", after)
		}
		a.recvs(1, 64)
		_, err = w.M.ResetEP(w.ctx, call, a.ep)
		w.must(err)
		if w.status(a.ep).RecvIdle {
			w.Error("a reset in UNCONNECTED took the receives")
		}
		_, err = w.M.ResetEP(w.ctx, call, b.ep)
		w.must(err)
		w.expect(a.conn, dat.EventDisconnected)
		w.expect(b.conn, dat.EventDisconnected)
		w.join(a, b)
		b.send("into the old receive")
		w.done(a.recv, dat.KindRecv, dat.DTOSuccess)
	}},
	{"T29 D22", "what is posted in DISCONNECTED is flushed at once, and what connects stays connected", func(w *World) {
		a, b := w.pair()
		w.pass(a, b, "one")
		w.pass(b, a, "two")
		if w.status(a.ep).State != dat.EPConnected || w.status(b.ep).State != dat.EPConnected {
			w.Error("a finished transfer moved the state")
		}
		w.leave(a, b)
		a.recvs(1, 8)
		w.done(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		a.send("too late")
		w.done(a.request, dat.KindSend, dat.DTOErrFlushed)
	}},
	{"T2 T36", "freeing a connected endpoint ends its peer's connection", func(w *World) {
		a, b := w.pair()
		w.must(w.M.FreeEP(w.ctx, call, a.ep))
		w.expect(b.conn, dat.EventDisconnected)
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"T37", "a request that fails breaks the connection and flushes the rest", func(w *World) {
		a, b := w.pair()
		b.recvs(2, 4)
		a.send("longer than four")
		w.done(b.recv, dat.KindRecv, dat.DTOErrLocalLength)
		w.done(b.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.expect(b.conn, dat.EventBroken)
		w.reach(b.ep, dat.EPDisconnected)
		if got := w.next(a.request); w.delivered() && (got.Data.Status == nil || *got.Data.Status == dat.DTOSuccess || *got.Data.Status == dat.DTOErrFlushed) {
			w.Errorf("the send completed with %v", deref(got.Data.Status))
		}
		w.either(a.conn, dat.EventBroken, dat.EventDisconnected)
		o := w.reach(a.ep, dat.EPDisconnected)
		if o.LastEvent == nil || o.LastEvent.Reason == nil {
			w.Errorf("the last event is %+v", o.LastEvent)
		}
	}},
}
