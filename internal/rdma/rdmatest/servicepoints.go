package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// tryPSP asks for a PSP on a qualifier.
func (w *World) tryPSP(ia dat.Handle, qual *int64, evd dat.Handle) error {
	_, err := w.M.CreatePSP(w.ctx, call, manager.PSPCreate{IA: ia, ConnQual: qual, EVD: evd})
	return err
}

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
		w.must(w.tryPSP(w.B, &p.qual, evd))
		if err := w.tryPSP(w.B, &other, evd); err != nil && !isReturn(err, dat.RetConnQualInUse) {
			w.Error(err)
		}
	}},
	{"D33 R10", "a service point needs a CR EVD of its own adapter whose streams allow it", func(w *World) {
		w.refused("a DTO EVD", w.tryPSP(w.B, nil, w.evd(w.B, dat.StreamDTO)), dat.RetInvalidHandle, dat.SubNone)
		w.refused("a freed EVD", w.tryPSP(w.B, nil, w.freed(w.B, dat.StreamCR)), dat.RetInvalidHandle, dat.SubNone)
		if w.A != w.B {
			w.refused("an EVD of another adapter", w.tryPSP(w.B, nil, w.evd(w.A, dat.StreamCR)), dat.RetInvalidHandle, dat.SubNone)
		}
		evd := w.evd(w.B, dat.StreamCR, dat.StreamDTO)
		o := w.ep(manager.EPCreate{IA: w.B, Values: dat.Values{dat.ParamRequestEVD: evd, dat.ParamRequestCompletionFlags: "UNSIGNALLED"}})
		w.refused("an EVD in NOTIFY mode", w.tryPSP(w.B, nil, evd), dat.RetInvalidParameter, dat.SubNone)
		w.must(w.M.FreeEP(w.ctx, call, o.ID))
		w.must(w.tryPSP(w.B, nil, evd))
	}},
	{"T4 T6 T8 T12 T14", "an RSP reserves an endpoint, its request makes it PASSIVE, accepting connects it", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.reserve(b)
		w.reach(b.ep, dat.EPReserved)
		w.must(w.M.FreeRSP(w.ctx, call, p.id))
		w.reach(b.ep, dat.EPUnconnected)
		p = w.reserve(b)
		a.connect(p)
		cr := p.request()
		if cr.Endpoint != b.ep || cr.RSP != p.id {
			w.Errorf("the request is %+v", cr)
		}
		w.reach(b.ep, dat.EPPassiveConnectionPending)
		w.accept(cr, nil)
		w.expect(b.conn, dat.EventEstablished)
		w.expect(a.conn, dat.EventEstablished)
		w.pass(a, b, "hello")
	}},
	{"T5", "an RSP needs an UNCONNECTED endpoint of its own adapter", func(w *World) {
		for _, s := range steady[1:] {
			e, _ := w.into(s)
			w.refused("an RSP in "+s.String(), w.tryRSP(call, w.B, e.ep), dat.RetInvalidState, dat.SubNone)
		}
		w.refused("an unknown endpoint", w.tryRSP(call, w.B, "none"), dat.RetInvalidHandle, dat.SubNone)
		taken, e := w.listen(w.B, dat.PSPConsumer), w.end(w.B)
		_, err := w.M.CreateRSP(w.ctx, call, manager.RSPCreate{IA: w.B, ConnQual: taken.qual, Endpoint: e.ep, EVD: w.evd(w.B, dat.StreamCR)})
		w.refused("a taken qualifier", err, dat.RetConnQualInUse, dat.SubNone)
		w.reach(e.ep, dat.EPUnconnected)
		if w.A != w.B {
			w.refused("an endpoint of another adapter", w.tryRSP(call, w.B, w.end(w.A).ep), dat.RetInvalidHandle, dat.SubNone)
		}
	}},
	{"T7 T17", "freeing an RSP whose request has come leaves the request; rejecting it frees the endpoint", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.reserve(b)
		a.connect(p)
		cr := p.request()
		w.must(w.M.FreeRSP(w.ctx, call, p.id))
		w.reach(b.ep, dat.EPPassiveConnectionPending)
		w.must(w.M.RejectCR(w.ctx, call, cr.ID, nil))
		w.reach(b.ep, dat.EPUnconnected)
		w.expect(a.conn, dat.EventPeerRejected)
	}},
	{"T9", "an RSP takes one request; the next is rejected by the provider", func(w *World) {
		a, b, c := w.end(w.A), w.end(w.B), w.end(w.A)
		p := w.reserve(b)
		a.connect(p)
		p.request()
		c.connect(p)
		w.either(c.conn, dat.EventNonPeerRejected, dat.EventPeerRejected)
		w.reach(c.ep, dat.EPDisconnected)
		w.none(p.evd)
	}},
	{"T10 T12", "a PROVIDER PSP makes a TENTATIVE endpoint without zone and EVDs, with attributes of the request", func(w *World) {
		if w.facts(w.B).Provider.EPCreator == dat.EPCreatorNever {
			return
		}
		e, _ := w.into(dat.EPTentativeConnectionPending)
		o := w.get(e.ep)
		if o.PZ != "" || o.RecvEVD != "" || o.RequestEVD != "" || o.ConnectEVD != "" || o.SRQ != "" {
			w.Errorf("its handles are %v", o.Refs())
		}
		if o.Attributes.MaxRecvDTOs <= 0 || o.Attributes.MaxMessageSize <= 0 {
			w.Errorf("its attributes are %+v", o.Attributes)
		}
	}},
	{"T18", "rejecting the request of a TENTATIVE endpoint ends the endpoint", func(w *World) {
		peer := w.end(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		cr := p.request()
		w.must(w.M.RejectCR(w.ctx, call, cr.ID, nil))
		w.expect(peer.conn, dat.EventPeerRejected)
		w.until("the endpoint is gone", func() bool { _, ok := w.M.Get(dat.TypeEndpoint, cr.Endpoint); return !ok })
	}},
	{"T19", "a handed-off request arrives at the other qualifier", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		one, two := w.listen(w.B, dat.PSPConsumer), w.listen(w.B, dat.PSPConsumer)
		a.connect(one)
		cr := one.request()
		w.must(w.M.HandoffCR(w.ctx, call, cr.ID, two.qual))
		w.refused("the old request", w.M.RejectCR(w.ctx, call, cr.ID, nil), dat.RetInvalidHandle, dat.SubInvalidHandleCR)
		w.accept(two.request(), b)
		w.expect(a.conn, dat.EventEstablished)
		w.reach(b.ep, dat.EPConnected)
	}},
	{"T47", "handing off to where nobody listens rejects the request, and the call succeeds", func(w *World) {
		a := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		gone := w.listen(w.B, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, gone.id))
		a.connect(p)
		w.must(w.M.HandoffCR(w.ctx, call, p.request().ID, gone.qual))
		w.either(a.conn, dat.EventNonPeerRejected, dat.EventPeerRejected)
		w.reach(a.ep, dat.EPDisconnected)
	}},
	{"T11 T26", "a request whose EVD is full is rejected by the provider", func(w *World) {
		p := w.listen(w.B, dat.PSPConsumer)
		evd := w.evdOf(w.B, 1, dat.StreamCR)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.must(w.tryPSP(w.B, &p.qual, evd))
		a, b := w.end(w.A), w.end(w.A)
		a.connect(p)
		w.until("the first request", func() bool { got, _ := w.M.Look(evd, 2); return len(got) == 1 })
		b.connect(p)
		w.either(b.conn, dat.EventNonPeerRejected, dat.EventPeerRejected)
		w.reach(a.ep, dat.EPActiveConnectionPending)
		got := w.next(evd)
		w.must(w.M.RejectCR(w.ctx, call, got.Data.CR, nil))
		w.expect(a.conn, dat.EventPeerRejected)
	}},
	{"T11", "a freed PSP leaves its waiting requests usable", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.request()
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.accept(cr, b)
		w.reach(a.ep, dat.EPConnected)
	}},
}
