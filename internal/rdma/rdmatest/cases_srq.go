package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// hasSRQ reports whether the passive adapter has SRQs; attributeCases prove the refusal where it has none.
func (w *World) hasSRQ() bool { return w.facts(w.B).Provider.SRQSupported }

// needsSRQ is hasSRQ for a case that proves nothing without.
func (w *World) needsSRQ() bool {
	w.Helper()
	if !w.hasSRQ() {
		w.cannotProve("the provider declares no SRQs")
	}
	return w.hasSRQ()
}

// srq creates a shared receive queue of n receives.
func (w *World) srq(ia, pz dat.Handle, n int64) dat.Handle {
	w.Helper()
	o, err := w.M.CreateSRQ(w.ctx, call, manager.SRQCreate{IA: ia, PZ: pz, MaxRecvDTOs: n, MaxRecvIOV: 1})
	return created(w, o, err).ID
}

// pairOnSRQ creates a connected pair whose passive end receives from an SRQ of n receives.
func (w *World) pairOnSRQ(n int64) (a, b *endpoint, srq dat.Handle) {
	w.Helper()
	a = w.endpoint(w.A)
	b = w.endpoint(w.B, func(e *endpoint, in *manager.EPCreate) {
		srq = w.srq(w.B, e.pz, n)
		in.SRQ = srq
	})
	w.connectPair(a, b)
	return a, b, srq
}

// postSRQRecvs posts n receives of size bytes to an SRQ.
func (w *World) postSRQRecvs(srq dat.Handle, n int, size int64) {
	w.Helper()
	_, err := w.M.PostSRQRecv(w.ctx, call, srq, manager.RecvPost{Count: n, Size: size})
	w.must(err)
}

// getSRQ returns the representation of an SRQ.
func (w *World) getSRQ(srq dat.Handle) *dat.SRQ {
	w.Helper()
	return object[*dat.SRQ](w, dat.TypeSRQ, srq)
}

// expectLowEvent demands the event of an SRQ's low watermark.
func (w *World) expectLowEvent(srq dat.Handle) {
	w.Helper()
	equal(w, "the reason of the SRQ's event", textOf(w.expectAsync(w.B, srq).Reason), "DAT_SRQ_LOW_WATERMARK_EVENT")
}

var srqCases = []Case{
	{"S5 dat_ep_create_with_srq", "endpoints take their receives from the SRQ, in order, and post none themselves", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		a, b, q := w.pairOnSRQ(4)
		w.postSRQRecvs(q, 2, 64)
		w.proves("dat_ep_create_with_srq")
		_, err := w.M.PostRecv(w.ctx, call, b.id, manager.RecvPost{Count: 1, Size: 8})
		w.refused("post_recv on an SRQ endpoint", err, dat.RetInvalidState, dat.SubNone)
		a.postSend("one")
		got := w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		equal(w, "the message that arrived", string(got.Data.Payload), "one")
		w.proves("S5")
		w.eventually("the endpoint holds nothing", func() bool { return w.status(b.id).RecvIdle })
	}},
	{"D24 dat_srq_query", "available and outstanding count as the page's example does", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		a, b, q := w.pairOnSRQ(10)
		info := w.facts(w.B).Provider.SRQInfoSupported
		counts := func(available, outstanding int32) {
			w.Helper()
			o := w.getSRQ(q)
			w.proves("D24")
			equal(w, "whether available_dto_count is told", o.AvailableDTOCount != nil, info.AvailableDTOCount)
			equal(w, "whether outstanding_dto_count is told", o.OutstandingDTOCount != nil, info.OutstandingDTOCount)
			w.proves("dat_srq_query")
			if o.AvailableDTOCount != nil {
				equal(w, "available_dto_count", *o.AvailableDTOCount, available)
			}
			if o.OutstandingDTOCount != nil {
				equal(w, "outstanding_dto_count", *o.OutstandingDTOCount, outstanding)
			}
		}
		if info == (dat.SRQInfo{}) {
			w.cannotProve("the provider declares neither count", "dat_srq_query")
		}
		counts(0, 0)
		w.postSRQRecvs(q, 3, 64)
		counts(3, 3)
		a.postSend("one")
		w.takeCompletion(a.request, dat.KindSend, dat.DTOSuccess)
		w.await("it arrived", w.arrived(b.recv, 1))
		counts(2, 3)
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		counts(2, 2)
	}},
	{"dat_srq_set_lw", "the low watermark fires once, when fewer are left, and immediately where that is so", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		a, b, q := w.pairOnSRQ(8)
		set := func(low int64) error { _, err := w.M.SetSRQLowWatermark(w.ctx, call, q, low); return err }
		if !w.facts(w.B).Provider.SRQWatermarksSupported.SRQLowWatermark {
			w.refused("a low watermark", set(1), dat.RetModelNotSupported, dat.SubNone)
			return
		}
		w.must(set(1))
		w.expectLowEvent(q)
		w.postSRQRecvs(q, 3, 64)
		w.must(set(2))
		w.expectNoAsync(w.B, q)
		a.postSend("one")
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.expectNoAsync(w.B, q)
		a.postSend("two")
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.expectLowEvent(q)
		a.postSend("three")
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.expectNoAsync(w.B, q)
		w.must(set(0))
		w.expectNoAsync(w.B, q)
		for _, n := range []int64{-1, 9} {
			w.refused("a mark out of range", set(n), dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"dat_srq_resize", "an SRQ is resized, never below what is outstanding", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		q := w.srq(w.B, w.pz(w.B), 4)
		w.postSRQRecvs(q, 3, 64)
		resize := func(n int64) error {
			_, err := w.M.ModifySRQ(w.ctx, call, q, manager.SRQModify{MaxRecvDTOs: &n})
			return err
		}
		w.refused("two for three", resize(2), dat.RetInvalidState, dat.SubNone)
		w.refused("a negative length", resize(-1), dat.RetInvalidParameter, dat.SubNone)
		w.refused("beyond the limit", resize(int64(w.facts(w.B).Attributes.MaxRecvPerSRQ)+1), dat.RetInvalidParameter, dat.SubNone)
		w.succeeds("six for three", resize(6))
		w.postSRQRecvs(q, 3, 64)
		_, err := w.M.PostSRQRecv(w.ctx, call, q, manager.RecvPost{Count: 1, Size: 8})
		w.refused("a seventh", err, dat.RetInsufficientResources, dat.SubNone)
	}},
	{"A7 B10", "the SRQ of an endpoint never changes, its soft mark can be given at creation", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		zone := w.pz(w.B)
		q := w.srq(w.B, zone, 4)
		in := manager.EPCreate{IA: w.B, SRQ: q, Values: dat.Values{dat.ParamPZ: zone}}
		w.proves("A7")
		w.refused("another SRQ", w.modify(w.createEP(in).ID, dat.ParamSRQ, w.srq(w.B, zone, 4)), dat.RetInvalidParameter, dat.SubNone)
		w.proves("B10")
		in.Values[dat.ParamSRQSoftHW] = ptr(int64(2))
		o, err := w.M.CreateEP(w.ctx, call, in)
		if !w.facts(w.B).Provider.SRQWatermarksSupported.SRQEPSoftHigh {
			w.refused("a soft mark", err, dat.RetModelNotSupported, dat.SubNone)
			return
		}
		w.succeeds("a soft mark", err)
		w.check(o.Watermarks.SoftHigh == 2 && o.Watermarks.SoftArmed && o.Attributes.SRQSoftHW == 2,
			"the marks are %+v, srq_soft_hw %d", o.Watermarks, o.Attributes.SRQSoftHW)
		equal(w, "srq_soft_hw after the soft mark was set to 5", w.setMarks(o.ID, 5, -1).Attributes.SRQSoftHW, 5)
	}},
	{"dat_ep_create_with_srq", "an SRQ of another zone fits where the provider declares it", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		q := w.srq(w.B, w.pz(w.B), 4)
		_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.B, SRQ: q, Values: dat.Values{dat.ParamPZ: w.pz(w.B)}})
		if w.facts(w.B).Provider.SRQEPPZDifferenceSupported {
			w.succeeds("two zones", err)
		} else {
			w.refused("two zones", err, dat.RetInvalidParameter, dat.SubNone)
		}
		_, err = w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.B, SRQ: "none"})
		w.refused("an unknown SRQ", err, dat.RetInvalidHandle, dat.SubInvalidHandleSRQ)
	}},
	{"W15", "a message that finds the SRQ empty breaks the connection", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		a, b, _ := w.pairOnSRQ(4)
		a.postSend("nowhere to go")
		w.expectState(a.id, dat.EPDisconnected)
		w.expectState(b.id, dat.EPDisconnected)
		w.expectEither(a.conn, dat.EventBroken, dat.EventDisconnected)
	}},
	{"T39", "a reset keeps the SRQ, and what was taken is flushed before", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		a, b, q := w.pairOnSRQ(4)
		w.disconnectPair(a, b)
		for _, e := range []*endpoint{a, b} {
			w.takeEvent(e.conn, dat.EventDisconnected)
			w.reset(e.id)
		}
		w.connectPair(a, b)
		w.postSRQRecvs(q, 1, 64)
		a.postSend("again")
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		equal(w, "the endpoint's SRQ", w.getEP(b.id).SRQ, q)
	}},
}
