package rdmatest

import (
	"math"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// refusedConnect demands a synchronous refusal that leaves the endpoint as it was.
func (w *World) refusedConnect(what string, e *endpoint, in manager.EPConnect, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	before := w.status(e.id).State
	_, err := w.M.ConnectEP(w.ctx, call, e.id, in)
	w.refused(what, err, ret, sub)
	equal(w, "the state after "+what, w.getEP(e.id).State, before)
	w.expectNoEvents(e.conn)
}

var connectCases = []Case{
	{"T11 T13 T14 T20 T22", "connect and accept on the consumer's endpoint make a connection that both ends see", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.connectInput()
		in.PrivateData = []byte("hello")
		w.proves("T20")
		o, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.succeeds("connect", err)
		equal(w, "the state after connect", o.State, dat.EPActiveConnectionPending)
		w.proves("T11")
		cr := p.nextRequest()
		equal(w, "the request's endpoint", cr.Endpoint, dat.HandleNull)
		w.check(cr.PSP == p.id && int64(cr.ConnQual) == p.qual && textOf(cr.RemoteIAAddress) == w.address(w.A) &&
			string(cr.PrivateData[:min(5, len(cr.PrivateData))]) == "hello", "the request is %+v", cr)
		w.proves("T13")
		o, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.id})
		w.succeeds("accept", err)
		w.check(o.State == dat.EPCompletionPending || o.State == dat.EPConnected, "after accept it is %s", o.State)
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.id})
		w.refused("accepting twice", err, dat.RetInvalidHandle, dat.SubInvalidHandleCR)
		w.proves("T22")
		w.expectEvent(a.conn, dat.EventEstablished)
		up := w.expectState(a.id, dat.EPConnected)
		w.check(up.RemotePortQual != nil && int64(*up.RemotePortQual) == p.qual, "the active side shows the remote qualifier %v", up.RemotePortQual)
		w.proves("T14")
		got := w.expectEvent(b.conn, dat.EventEstablished)
		equal(w, "the private data of the passive side", string(got.Data.PrivateData), "")
		w.expectState(b.id, dat.EPConnected)
	}},
	{"T3 T5 T16 T21 T34 T41 D35 D42", "what a state forbids is DAT_INVALID_STATE with the subtype of that state", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			w.checkRefusedOperations(e.id, s)
		}
	}},
	{"T27 D44", "synchronous failures of connect leave the endpoint UNCONNECTED, and the state is judged first", func(w *World) {
		e := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		bad := func(what string, ret dat.Return, change func(*manager.EPConnect)) {
			w.Helper()
			in := p.connectInput()
			change(&in)
			w.refusedConnect(what, e, in, ret, dat.SubNone)
		}
		w.proves("T27")
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
		w.proves("D44")
		connected, _ := w.pair()
		w.refusedConnect("everything wrong when connected", connected, manager.EPConnect{RemoteIAAddress: "nowhere"},
			dat.RetInvalidState, dat.SubInvalidStateEPConnected)
	}},
	{"T20", "connecting needs a zone and no connect EVD", func(w *World) {
		p := w.listen(w.B, dat.PSPConsumer)
		bare := w.createEP(manager.EPCreate{IA: w.A})
		_, err := w.M.ConnectEP(w.ctx, call, bare.ID, p.connectInput())
		w.refused("connecting without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
		w.must(w.modify(bare.ID, dat.ParamPZ, w.pz(w.A)))
		_, err = w.M.ConnectEP(w.ctx, call, bare.ID, p.connectInput())
		w.succeeds("connecting without a connect EVD", err)
		b := w.endpoint(w.B)
		w.accept(p.nextRequest(), b)
		w.expectState(bare.ID, dat.EPConnected)
	}},
	{"T17 T23", "a rejection by the peer is DAT_CONNECTION_EVENT_PEER_REJECTED with its private data", func(w *World) {
		a := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.proves("T17")
		w.succeeds("reject", w.M.RejectCR(w.ctx, call, p.nextRequest().ID, []byte("no")))
		w.proves("T17", "T23")
		got := w.expectEvent(a.conn, dat.EventPeerRejected).Data.PrivateData
		equal(w, "the private data of the rejection", string(got[:min(2, len(got))]), "no")
		w.proves("T23")
		o := w.expectState(a.id, dat.EPDisconnected)
		w.check(o.LastEvent != nil && o.LastEvent.Event == dat.EventPeerRejected && o.LastEvent.Reason != nil,
			"the last event is %+v", o.LastEvent)
	}},
	{"T26", "where nobody listens the answer is DAT_CONNECTION_EVENT_NON_PEER_REJECTED and receives are flushed", func(w *World) {
		a := w.endpoint(w.A)
		a.postRecvs(1, 8)
		p := w.listen(w.B, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		a.connect(p)
		w.expectEvent(a.conn, dat.EventNonPeerRejected)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
	}},
	{"T25 D20", "the consumer's timer is DAT_CONNECTION_EVENT_TIMED_OUT, and acts only while connecting", func(w *World) {
		w.proves("T25", "D20")
		late := w.requestOfATimedOut(100 * time.Millisecond)
		b := w.endpoint(w.B)
		w.eventually("the request is gone or fails to be accepted", func() bool {
			_, err := w.M.AcceptCR(w.ctx, call, late.ID, manager.CRAccept{Endpoint: b.id})
			return err == nil || hasReturn(err, dat.RetInvalidHandle)
		})
		w.proves("D20")
		quick, timeout := w.connectedWithin(300 * time.Millisecond)
		got, err := w.M.Dequeue(w.ctx, quick.conn, 1, 1, 2*timeout)
		w.must(err)
		w.check(len(got) == 0, "events after the timeout of an established connection: %+v", got)
		equal(w, "the state after that timeout", w.status(quick.id).State, dat.EPConnected)
	}},
	{"T15 T46 D18 D40", "accepting a request whose peer is gone is DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		b.postRecvs(1, 8)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.nextRequest()
		a.disconnect(dat.CloseAbrupt)
		w.awaitState(a.id, dat.EPDisconnected)
		w.proves("T46")
		_, ok := w.M.Get(dat.TypeCR, cr.ID)
		w.check(ok, "the request went with its peer")
		_, err := w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.id})
		w.succeeds("accepting it", err)
		w.proves("T15", "T46", "D40")
		w.expectEither(b.conn, dat.EventAcceptCompletionError, dat.EventEstablished)
		w.proves("T15", "D18")
		w.expectState(b.id, dat.EPDisconnected)
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOErrFlushed)
	}},
	{"T16", "an accept that the endpoint cannot satisfy leaves the request usable", func(w *World) {
		// Everything else is made before the request: a peer waits for its answer as long as
		// its transport does, over siw 10 s.
		busy, _ := w.pair()
		bare := w.createEP(manager.EPCreate{IA: w.B})
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.nextRequest()
		_, err := w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{})
		w.refused("no endpoint at all", err, dat.RetInvalidParameter, dat.SubNone)
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: "none"})
		w.refused("an unknown endpoint", err, dat.RetInvalidHandle, dat.SubNone)
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: busy.id})
		if w.A == w.B {
			w.refused("a connected endpoint", err, dat.RetInvalidState, dat.SubInvalidStateEPConnected)
		} else {
			w.refused("an endpoint of another adapter", err, dat.RetInvalidHandle, dat.SubNone)
		}
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: bare.ID})
		w.refused("an endpoint without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.id})
		w.succeeds("accepting after the refusals", err)
		w.expectState(a.id, dat.EPConnected)
		w.expectState(b.id, dat.EPConnected)
	}},
	{"T20 T22", "dup_connect reaches the peer of a connected endpoint again", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.accept(p.nextRequest(), b)
		w.awaitState(a.id, dat.EPConnected)
		c, d := w.endpoint(w.A), w.endpoint(w.B)
		w.proves("T20")
		_, err := w.M.DupConnectEP(w.ctx, call, c.id, manager.EPDupConnect{Endpoint: d.id})
		w.check(err != nil, "an unconnected endpoint was duplicated")
		_, err = w.M.DupConnectEP(w.ctx, call, c.id, manager.EPDupConnect{Endpoint: a.id})
		w.succeeds("dup_connect", err)
		w.accept(p.nextRequest(), d)
		w.proves("T22")
		w.expectEvent(c.conn, dat.EventEstablished)
		w.expectState(d.id, dat.EPConnected)
	}},
	{"T14", "receives posted before the connection are there when the first message comes", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		b.postRecvs(1, 64)
		w.connectPair(a, b)
		a.postSend("first")
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
	}},
}

// requestOfATimedOut connects endpoints with a timeout that nobody's accept meets, until one
// of their requests has arrived, and demands that each ends as timed out. The timeout grows
// until it is long enough for a request to arrive on this machine.
func (w *World) requestOfATimedOut(timeout time.Duration) *dat.CR {
	w.Helper()
	p := w.listen(w.B, dat.PSPConsumer)
	for ; ; timeout *= 2 {
		a := w.endpoint(w.A)
		in := p.connectInput()
		in.TimeoutUS = ptr(timeout.Microseconds())
		_, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.must(err)
		w.expectEvent(a.conn, dat.EventTimedOut)
		w.expectState(a.id, dat.EPDisconnected)
		if w.getEVD(p.evd).Depth > 0 || timeout > waitLimit {
			return p.nextRequest()
		}
	}
}

// connectedWithin connects endpoints with a timeout until one is connected before it is
// over; the timeout grows until it is long enough for this machine.
func (w *World) connectedWithin(timeout time.Duration) (*endpoint, time.Duration) {
	w.Helper()
	for ; ; timeout *= 2 {
		a, b, p := w.endpoint(w.A), w.endpoint(w.B), w.listen(w.B, dat.PSPConsumer)
		in := p.connectInput()
		in.TimeoutUS = ptr(timeout.Microseconds())
		_, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.must(err)
		w.accept(p.nextRequest(), b)
		if got := w.nextEvent(a.conn); got.Event == dat.EventEstablished || timeout > waitLimit {
			equal(w, "the event of the connection", got.Event, dat.EventEstablished)
			return a, timeout
		}
	}
}
