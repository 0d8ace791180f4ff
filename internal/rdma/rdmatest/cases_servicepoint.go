package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

var servicePointCases = []Case{
	{"D38", "qualifiers are 1 to 65535, exactly as asked, one owner each", func(w *World) {
		evd := w.evd(w.B, dat.StreamCR)
		for _, q := range []int64{0, -1, 65536, 1<<32 + 7000} {
			w.refused("a qualifier out of range", w.tryPSP(w.B, &q, evd), dat.RetInvalidParameter, dat.SubNone)
		}
		p := w.listen(w.B, dat.PSPConsumer)
		w.refused("a taken qualifier", w.tryPSP(w.B, &p.qual, evd), dat.RetConnQualInUse, dat.SubNone)
		other := p.qual + 1
		if p.qual == 65535 {
			other = p.qual - 1
		}
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.succeeds("a qualifier that was freed", w.tryPSP(w.B, &p.qual, evd))
		err := w.tryPSP(w.B, &other, evd)
		w.check(err == nil || hasReturn(err, dat.RetConnQualInUse), "the qualifier beside it: %v", err)
	}},
	{"D33 R10", "a service point needs a CR EVD of its own adapter whose streams allow it", func(w *World) {
		w.proves("D33")
		w.refused("a DTO EVD", w.tryPSP(w.B, nil, w.evd(w.B, dat.StreamDTO)), dat.RetInvalidHandle, dat.SubNone)
		w.refused("a freed EVD", w.tryPSP(w.B, nil, w.freedHandle(w.B, dat.StreamCR)), dat.RetInvalidHandle, dat.SubNone)
		if w.A != w.B {
			w.refused("an EVD of another adapter", w.tryPSP(w.B, nil, w.evd(w.A, dat.StreamCR)), dat.RetInvalidHandle, dat.SubNone)
		}
		w.proves("R10")
		evd := w.evd(w.B, dat.StreamCR, dat.StreamDTO)
		o := w.createEP(manager.EPCreate{IA: w.B, Values: dat.Values{dat.ParamRequestEVD: evd, dat.ParamRequestCompletionFlags: "UNSIGNALLED"}})
		w.refused("an EVD in NOTIFY mode", w.tryPSP(w.B, nil, evd), dat.RetInvalidParameter, dat.SubNone)
		w.must(w.M.FreeEP(w.ctx, call, o.ID))
		w.succeeds("an EVD that was in NOTIFY mode", w.tryPSP(w.B, nil, evd))
	}},
	{"T4 T6 T8 T12 T14", "an RSP reserves an endpoint, its request makes it PASSIVE, accepting connects it", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.reserve(b)
		w.proves("T4")
		w.expectState(b.id, dat.EPReserved)
		w.proves("T6")
		w.succeeds("freeing the RSP", w.M.FreeRSP(w.ctx, call, p.id))
		w.expectState(b.id, dat.EPUnconnected)
		p = w.reserve(b)
		a.connect(p)
		w.proves("T8")
		cr := p.nextRequest()
		w.check(cr.Endpoint == b.id && cr.RSP == p.id, "the request is %+v", cr)
		w.expectState(b.id, dat.EPPassiveConnectionPending)
		w.proves("T12")
		_, err := w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{})
		w.succeeds("accept", err)
		w.proves("T14")
		w.expectEvent(b.conn, dat.EventEstablished)
		w.expectEvent(a.conn, dat.EventEstablished)
		w.expectTransfer(a, b, "hello")
	}},
	{"T5", "an RSP needs an UNCONNECTED endpoint of its own adapter", func(w *World) {
		for _, s := range steadyStates[1:] {
			e, _ := w.inState(s)
			w.refused("an RSP in "+s.String(), w.tryRSP(call, w.B, e.id), dat.RetInvalidState, dat.SubNone)
		}
		w.refused("an unknown endpoint", w.tryRSP(call, w.B, "none"), dat.RetInvalidHandle, dat.SubNone)
		taken, e := w.listen(w.B, dat.PSPConsumer), w.endpoint(w.B)
		_, err := w.M.CreateRSP(w.ctx, call, manager.RSPCreate{IA: w.B, ConnQual: taken.qual, Endpoint: e.id, EVD: w.evd(w.B, dat.StreamCR)})
		w.refused("a taken qualifier", err, dat.RetConnQualInUse, dat.SubNone)
		w.expectState(e.id, dat.EPUnconnected)
		if w.A != w.B {
			w.refused("an endpoint of another adapter", w.tryRSP(call, w.B, w.endpoint(w.A).id), dat.RetInvalidHandle, dat.SubNone)
		}
	}},
	{"T7 T17", "freeing an RSP whose request has come leaves the request; rejecting it frees the endpoint", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.reserve(b)
		a.connect(p)
		cr := p.nextRequest()
		w.proves("T7")
		w.succeeds("freeing the RSP", w.M.FreeRSP(w.ctx, call, p.id))
		w.expectState(b.id, dat.EPPassiveConnectionPending)
		w.proves("T7", "T17")
		w.succeeds("reject", w.M.RejectCR(w.ctx, call, cr.ID, nil))
		w.proves("T17")
		w.expectState(b.id, dat.EPUnconnected)
		w.expectEvent(a.conn, dat.EventPeerRejected)
	}},
	{"T9", "an RSP takes one request; the next is rejected by the provider", func(w *World) {
		a, b, c := w.endpoint(w.A), w.endpoint(w.B), w.endpoint(w.A)
		p := w.reserve(b)
		a.connect(p)
		p.nextRequest()
		c.connect(p)
		w.expectEither(c.conn, dat.EventNonPeerRejected, dat.EventPeerRejected)
		w.expectState(c.id, dat.EPDisconnected)
		w.expectNoEvents(p.evd)
	}},
	{"T10", "a PROVIDER PSP creates a TENTATIVE endpoint without zone and EVDs, with attributes of the request", func(w *World) {
		if w.facts(w.B).Provider.EPCreator == dat.EPCreatorNever {
			w.cannotProve("the provider declares that it creates no endpoints")
			return
		}
		e, _ := w.inState(dat.EPTentativeConnectionPending)
		o := w.getEP(e.id)
		w.check(o.PZ == "" && o.RecvEVD == "" && o.RequestEVD == "" && o.ConnectEVD == "" && o.SRQ == "", "its handles are %v", o.Refs())
		w.check(o.Attributes.MaxRecvDTOs > 0 && o.Attributes.MaxMessageSize > 0, "its attributes are %+v", o.Attributes)
	}},
	{"T18", "rejecting the request of a TENTATIVE endpoint ends the endpoint", func(w *World) {
		peer := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		cr := p.nextRequest()
		w.must(w.M.RejectCR(w.ctx, call, cr.ID, nil))
		w.expectEvent(peer.conn, dat.EventPeerRejected)
		w.eventually("the endpoint is gone", func() bool { _, ok := w.M.Get(dat.TypeEndpoint, cr.Endpoint); return !ok })
	}},
	{"T19", "a handed-off request arrives at the other qualifier", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		one, two := w.listen(w.B, dat.PSPConsumer), w.listen(w.B, dat.PSPConsumer)
		a.connect(one)
		cr := one.nextRequest()
		w.succeeds("handoff", w.M.HandoffCR(w.ctx, call, cr.ID, two.qual))
		w.refused("the old request", w.M.RejectCR(w.ctx, call, cr.ID, nil), dat.RetInvalidHandle, dat.SubInvalidHandleCR)
		w.accept(two.nextRequest(), b)
		w.expectEvent(a.conn, dat.EventEstablished)
		w.expectState(b.id, dat.EPConnected)
	}},
	{"T47", "handing off to where nobody listens rejects the request, and the call succeeds", func(w *World) {
		a := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		freed := w.listen(w.B, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, freed.id))
		a.connect(p)
		w.succeeds("handoff", w.M.HandoffCR(w.ctx, call, p.nextRequest().ID, freed.qual))
		w.expectEither(a.conn, dat.EventNonPeerRejected, dat.EventPeerRejected)
		w.expectState(a.id, dat.EPDisconnected)
	}},
	{"T26", "a request whose EVD is full is rejected by the provider", func(w *World) {
		p := w.listen(w.B, dat.PSPConsumer)
		evd := w.evdOfLength(w.B, 1, dat.StreamCR)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.must(w.tryPSP(w.B, &p.qual, evd))
		a, b := w.endpoint(w.A), w.endpoint(w.A)
		a.connect(p)
		w.await("the first request", w.arrived(evd, 1))
		b.connect(p)
		w.expectEither(b.conn, dat.EventNonPeerRejected, dat.EventPeerRejected)
		w.expectState(a.id, dat.EPActiveConnectionPending)
		got := w.nextEvent(evd)
		w.succeeds("reject", w.M.RejectCR(w.ctx, call, got.Data.CR, nil))
		w.expectEvent(a.conn, dat.EventPeerRejected)
	}},
	{"T11", "a freed PSP leaves its waiting requests usable", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.nextRequest()
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.accept(cr, b)
		w.expectState(a.id, dat.EPConnected)
	}},
}
