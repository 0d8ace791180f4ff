package rdmatest

import (
	"math"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// refusedConnect demands a synchronous refusal that leaves the endpoint as it was.
func (w *World) refusedConnect(what string, e *end, in manager.EPConnect, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	before := w.status(e.ep).State
	_, err := w.M.ConnectEP(w.ctx, call, e.ep, in)
	w.refused(what, err, ret, sub)
	if got := w.get(e.ep).State; got != before {
		w.Errorf("%s moved %s to %s", what, before, got)
	}
	w.none(e.conn)
}

var connectionCases = []Case{
	{"T13 T14 T20 T22 T11", "connect and accept on the consumer's endpoint make a connection that both ends see", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.to()
		in.PrivateData = []byte("hello")
		o, err := w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.must(err)
		if o.State != dat.EPActiveConnectionPending {
			w.Errorf("after connect it is %s", o.State)
		}
		cr := p.request()
		if cr.Endpoint != "" || cr.PSP != p.id || int64(cr.ConnQual) != p.qual || cr.RemoteIAAddress == nil ||
			*cr.RemoteIAAddress != w.address(w.A) || string(cr.PrivateData[:5]) != "hello" {
			w.Errorf("the request is %+v", cr)
		}
		w.accept(cr, b)
		w.expect(a.conn, dat.EventEstablished)
		if got := w.expect(b.conn, dat.EventEstablished); len(got.Data.PrivateData) != 0 {
			w.Errorf("the passive side got %d bytes of private data", len(got.Data.PrivateData))
		}
		up := w.reach(a.ep, dat.EPConnected)
		w.reach(b.ep, dat.EPConnected)
		if up.RemotePortQual == nil || int64(*up.RemotePortQual) != p.qual {
			w.Errorf("the active side shows the remote qualifier %v", up.RemotePortQual)
		}
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.ep})
		w.refused("accepting twice", err, dat.RetInvalidHandle, dat.SubInvalidHandleCR)
	}},
	{"T21 T5 T16 T34 T41 T3 D35 D42", "what a state forbids is DAT_INVALID_STATE with the subtype of that state", func(w *World) {
		subtypes := map[dat.EPState]dat.Subtype{
			dat.EPUnconnected: dat.SubInvalidStateEPUnconnected, dat.EPReserved: dat.SubInvalidStateEPReserved,
			dat.EPPassiveConnectionPending:   dat.SubInvalidStateEPPassconnpending,
			dat.EPActiveConnectionPending:    dat.SubInvalidStateEPActconnpending,
			dat.EPTentativeConnectionPending: dat.SubInvalidStateEPTentconnpending,
			dat.EPConnected:                  dat.SubInvalidStateEPConnected, dat.EPDisconnected: dat.SubInvalidStateEPDisconnected,
		}
		for _, s := range steady {
			e, _ := w.into(s)
			for name, c := range w.operations(e.ep) {
				if v := dat.Judge(s, c.in); v.Kind == dat.Refuse {
					w.refused(name+" in "+s.String(), c.do(call), dat.RetInvalidState, subtypes[s])
				}
			}
			if got := w.status(e.ep).State; got != s {
				w.Errorf("refusals moved %s to %s", s, got)
			}
		}
	}},
	{"T27 D44", "synchronous failures of connect leave the endpoint UNCONNECTED, and the state is judged first", func(w *World) {
		e := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		bad := func(what string, ret dat.Return, change func(*manager.EPConnect)) {
			w.Helper()
			in := p.to()
			change(&in)
			w.refusedConnect(what, e, in, ret, dat.SubNone)
		}
		bad("no address", dat.RetInvalidAddress, func(in *manager.EPConnect) { in.RemoteIAAddress = "nowhere" })
		for _, q := range []int64{0, -1, 65536, math.MaxInt64} {
			bad("a qualifier out of range", dat.RetInvalidParameter, func(in *manager.EPConnect) { in.RemotePortQual = q })
		}
		bad("a timeout of 0", dat.RetInvalidParameter, func(in *manager.EPConnect) { in.TimeoutUS = ptr(int64(0)) })
		bad("a negative timeout", dat.RetInvalidParameter, func(in *manager.EPConnect) { in.TimeoutUS = ptr(int64(-1)) })
		bad("an unknown quality", dat.RetInvalidParameter, func(in *manager.EPConnect) { in.QOS = ptr("FREE") })
		if q := w.unsupportedQOS(); q != "" {
			bad("a quality that is not supported", dat.RetModelNotSupported, func(in *manager.EPConnect) { in.QOS = &q })
		}
		connected, _ := w.pair()
		w.refusedConnect("everything wrong when connected", connected, manager.EPConnect{RemoteIAAddress: "nowhere"},
			dat.RetInvalidState, dat.SubInvalidStateEPConnected)
	}},
	{"T20", "connecting needs a zone and no connect EVD", func(w *World) {
		p := w.listen(w.B, dat.PSPConsumer)
		bare := w.ep(manager.EPCreate{IA: w.A})
		_, err := w.M.ConnectEP(w.ctx, call, bare.ID, p.to())
		w.refused("connecting without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
		w.must(w.modify(bare.ID, dat.ParamPZ, w.pz(w.A)))
		_, err = w.M.ConnectEP(w.ctx, call, bare.ID, p.to())
		w.must(err)
		b := w.end(w.B)
		w.accept(p.request(), b)
		w.reach(bare.ID, dat.EPConnected)
	}},
	{"T23 T17", "a rejection by the peer is DAT_CONNECTION_EVENT_PEER_REJECTED with its private data", func(w *World) {
		a := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.must(w.M.RejectCR(w.ctx, call, p.request().ID, []byte("no")))
		got := w.expect(a.conn, dat.EventPeerRejected)
		if len(got.Data.PrivateData) < 2 || string(got.Data.PrivateData[:2]) != "no" {
			w.Errorf("the rejection carries %q", got.Data.PrivateData)
		}
		o := w.reach(a.ep, dat.EPDisconnected)
		if o.LastEvent == nil || o.LastEvent.Event != dat.EventPeerRejected || o.LastEvent.Reason == nil {
			w.Errorf("the last event is %+v", o.LastEvent)
		}
	}},
	{"T26", "where nobody listens the answer is DAT_CONNECTION_EVENT_NON_PEER_REJECTED and receives are flushed", func(w *World) {
		a := w.end(w.A)
		a.recvs(1, 8)
		p := w.listen(w.B, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		a.connect(p)
		w.expect(a.conn, dat.EventNonPeerRejected)
		w.reach(a.ep, dat.EPDisconnected)
		w.done(a.recv, dat.KindRecv, dat.DTOErrFlushed)
	}},
	{"T25 D20", "the consumer's timer is DAT_CONNECTION_EVENT_TIMED_OUT, and acts only while connecting", func(w *World) {
		a := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.to()
		in.TimeoutUS = ptr(int64(100_000))
		_, err := w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.must(err)
		late := p.request()
		w.expect(a.conn, dat.EventTimedOut)
		w.reach(a.ep, dat.EPDisconnected)
		b := w.end(w.B)
		w.until("the request is gone or fails to be accepted", func() bool {
			_, err := w.M.AcceptCR(w.ctx, call, late.ID, manager.CRAccept{Endpoint: b.ep})
			return err == nil || isReturn(err, dat.RetInvalidHandle)
		})
		quick, d := w.end(w.A), w.end(w.B)
		in.TimeoutUS = ptr(int64(300_000))
		_, err = w.M.ConnectEP(w.ctx, call, quick.ep, in)
		w.must(err)
		w.accept(p.request(), d)
		w.expect(quick.conn, dat.EventEstablished)
		got, err := w.M.Dequeue(w.ctx, quick.conn, 1, 1, 600_000_000)
		w.must(err)
		if len(got) > 0 || w.status(quick.ep).State != dat.EPConnected {
			w.Errorf("after the timeout of an established connection: %v, %s", got, w.status(quick.ep).State)
		}
	}},
	{"T15 T46 D18 D40", "accepting a request whose peer is gone is DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		b.recvs(1, 8)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.request()
		_, err := w.M.DisconnectEP(w.ctx, call, a.ep, dat.CloseAbrupt)
		w.must(err)
		w.reach(a.ep, dat.EPDisconnected)
		if _, ok := w.M.Get(dat.TypeCR, cr.ID); !ok {
			w.Fatal("the request went with its peer")
		}
		w.accept(cr, b)
		w.either(b.conn, dat.EventAcceptCompletionError, dat.EventEstablished)
		w.reach(b.ep, dat.EPDisconnected)
		w.done(b.recv, dat.KindRecv, dat.DTOErrFlushed)
	}},
	{"T16", "an accept that the endpoint cannot satisfy leaves the request usable", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.request()
		_, err := w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{})
		w.refused("no endpoint at all", err, dat.RetInvalidParameter, dat.SubNone)
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: "none"})
		w.refused("an unknown endpoint", err, dat.RetInvalidHandle, dat.SubNone)
		busy, _ := w.pair()
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: busy.ep})
		if w.A == w.B {
			w.refused("a connected endpoint", err, dat.RetInvalidState, dat.SubInvalidStateEPConnected)
		} else {
			w.refused("an endpoint of another adapter", err, dat.RetInvalidHandle, dat.SubNone)
		}
		bare := w.ep(manager.EPCreate{IA: w.B})
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: bare.ID})
		w.refused("an endpoint without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
		w.accept(cr, b)
		w.reach(a.ep, dat.EPConnected)
		w.reach(b.ep, dat.EPConnected)
	}},
	{"T20 T22", "dup_connect reaches the peer of a connected endpoint again", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.accept(p.request(), b)
		w.reach(a.ep, dat.EPConnected)
		c, d := w.end(w.A), w.end(w.B)
		_, err := w.M.DupConnectEP(w.ctx, call, c.ep, manager.EPDupConnect{Endpoint: d.ep})
		if err == nil {
			w.Error("an unconnected endpoint was duplicated")
		}
		_, err = w.M.DupConnectEP(w.ctx, call, c.ep, manager.EPDupConnect{Endpoint: a.ep})
		w.must(err)
		w.accept(p.request(), d)
		w.expect(c.conn, dat.EventEstablished)
		w.reach(d.ep, dat.EPConnected)
	}},
	{"T14 W23", "receives posted before the connection are there when the first message comes", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		b.recvs(1, 64)
		w.join(a, b)
		a.send("first")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
	}},
}
