package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// srq makes a shared receive queue of n receives.
func (w *World) srq(ia, pz dat.Handle, n int64) dat.Handle {
	w.Helper()
	o, err := w.M.CreateSRQ(w.ctx, call, manager.SRQCreate{IA: ia, PZ: pz, MaxRecvDTOs: n, MaxRecvIOV: 1})
	return made(w, o, err).ID
}

// shared makes a connected pair whose passive end receives from an SRQ of n.
func (w *World) shared(n int64) (a, b *end, srq dat.Handle) {
	w.Helper()
	a = w.end(w.A)
	b = w.end(w.B, func(e *end, in *manager.EPCreate) {
		srq = w.srq(w.B, e.pz, n)
		in.SRQ = srq
	})
	w.join(a, b)
	return a, b, srq
}

// fill posts n receives of size bytes to an SRQ.
func (w *World) fill(srq dat.Handle, n int, size int64) {
	w.Helper()
	_, err := w.M.PostSRQRecv(w.ctx, call, srq, manager.RecvPost{Count: n, Size: size})
	w.must(err)
}

// queue is the representation of an SRQ.
func (w *World) queue(srq dat.Handle) *dat.SRQ {
	w.Helper()
	o, ok := w.M.Get(dat.TypeSRQ, srq)
	if !ok {
		w.Fatalf("no SRQ %s", srq)
	}
	return o.(*dat.SRQ)
}

// lowFired waits for the low watermark's event.
func (w *World) lowFired(srq dat.Handle) {
	w.Helper()
	if got := w.async(w.B, srq); text(got.Reason) != "DAT_SRQ_LOW_WATERMARK_EVENT" {
		w.Fatalf("the event of the SRQ is %+v", got)
	}
}

// needSRQ tells whether there are SRQs; attributeCases hold the other case.
func (w *World) needSRQ() bool { return w.facts(w.B).Provider.SRQSupported }

var sharedQueueCases = []Case{
	{"S5 D23", "endpoints take their receives from the SRQ, in order, and post none themselves", func(w *World) {
		if !w.needSRQ() {
			return
		}
		a, b, q := w.shared(4)
		w.fill(q, 2, 64)
		_, err := w.M.PostRecv(w.ctx, call, b.ep, manager.RecvPost{Count: 1, Size: 8})
		w.refused("post_recv on an SRQ endpoint", err, dat.RetInvalidState, dat.SubNone)
		a.send("one")
		if got := w.done(b.recv, dat.KindRecv, dat.DTOSuccess); string(got.Data.Payload) != "one" {
			w.Errorf("%q arrived", got.Data.Payload)
		}
		w.until("the endpoint has nothing", func() bool { return w.status(b.ep).RecvIdle })
	}},
	{"D24", "available and outstanding count as the page's example does", func(w *World) {
		if !w.needSRQ() {
			return
		}
		a, b, q := w.shared(10)
		info := w.facts(w.B).Provider.SRQInfoSupported
		counts := func(available, outstanding int32) {
			w.Helper()
			o := w.queue(q)
			if info.AvailableDTOCount != (o.AvailableDTOCount != nil) || info.OutstandingDTOCount != (o.OutstandingDTOCount != nil) {
				w.Errorf("declared is %+v, told %v %v", info, o.AvailableDTOCount, o.OutstandingDTOCount)
			}
			if o.AvailableDTOCount != nil && *o.AvailableDTOCount != available || o.OutstandingDTOCount != nil && *o.OutstandingDTOCount != outstanding {
				w.Errorf("the counts are %d/%d, want %d/%d", *o.AvailableDTOCount, *o.OutstandingDTOCount, available, outstanding)
			}
		}
		counts(0, 0)
		w.fill(q, 3, 64)
		counts(3, 3)
		a.send("one")
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
		w.until("it arrived", func() bool { got, _ := w.M.Look(b.recv, 1); return len(got) == 1 })
		counts(2, 3)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		counts(2, 2)
	}},
	{"W9", "the low watermark fires once, when fewer are left, and at once where that is so", func(w *World) {
		if !w.needSRQ() {
			return
		}
		a, b, q := w.shared(8)
		set := func(low int64) error { _, err := w.M.SetSRQLowWatermark(w.ctx, call, q, low); return err }
		if !w.facts(w.B).Provider.SRQWatermarksSupported.SRQLowWatermark {
			w.refused("a low watermark", set(1), dat.RetModelNotSupported, dat.SubNone)
			return
		}
		w.must(set(1))
		w.lowFired(q)
		w.fill(q, 3, 64)
		w.must(set(2))
		w.quietObject(w.B, q)
		a.send("one")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.quietObject(w.B, q)
		a.send("two")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.lowFired(q)
		a.send("three")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.quietObject(w.B, q)
		w.must(set(0))
		w.quietObject(w.B, q)
		for _, n := range []int64{-1, 9} {
			w.refused("a mark out of range", set(n), dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"M9", "an SRQ is resized, never below what is outstanding", func(w *World) {
		if !w.needSRQ() {
			return
		}
		q := w.srq(w.B, w.pz(w.B), 4)
		w.fill(q, 3, 64)
		resize := func(n int64) error {
			_, err := w.M.ModifySRQ(w.ctx, call, q, manager.SRQModify{MaxRecvDTOs: &n})
			return err
		}
		w.refused("two for three", resize(2), dat.RetInvalidState, dat.SubNone)
		w.refused("a negative length", resize(-1), dat.RetInvalidParameter, dat.SubNone)
		w.refused("beyond the limit", resize(int64(w.facts(w.B).Attributes.MaxRecvPerSRQ)+1), dat.RetInvalidParameter, dat.SubNone)
		w.must(resize(6))
		w.fill(q, 3, 64)
		_, err := w.M.PostSRQRecv(w.ctx, call, q, manager.RecvPost{Count: 1, Size: 8})
		w.refused("a seventh", err, dat.RetInsufficientResources, dat.SubNone)
	}},
	{"A7 B10", "the SRQ of an endpoint never changes, its soft mark can be given at creation", func(w *World) {
		if !w.needSRQ() {
			return
		}
		zone := w.pz(w.B)
		q := w.srq(w.B, zone, 4)
		values := dat.Values{dat.ParamPZ: zone}
		soft := w.facts(w.B).Provider.SRQWatermarksSupported.SRQEPSoftHigh
		values[dat.ParamSRQSoftHW] = ptr(int64(2))
		o, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.B, SRQ: q, Values: values})
		if !soft {
			w.refused("a soft mark", err, dat.RetModelNotSupported, dat.SubNone)
			return
		}
		made(w, o, err)
		if o.Watermarks.SoftHigh != 2 || !o.Watermarks.SoftArmed || o.Attributes.SRQSoftHW != 2 {
			w.Errorf("the marks are %+v, srq_soft_hw %d", o.Watermarks, o.Attributes.SRQSoftHW)
		}
		w.refused("another SRQ", w.modify(o.ID, dat.ParamSRQ, w.srq(w.B, zone, 4)), dat.RetInvalidParameter, dat.SubNone)
		if got := w.marks(o.ID, 5, -1); got.Attributes.SRQSoftHW != 5 {
			w.Errorf("srq_soft_hw is %d after the soft mark was set to 5", got.Attributes.SRQSoftHW)
		}
	}},
	{"C20", "an SRQ of another zone fits where the provider declares it", func(w *World) {
		if !w.needSRQ() {
			return
		}
		q := w.srq(w.B, w.pz(w.B), 4)
		o, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.B, SRQ: q, Values: dat.Values{dat.ParamPZ: w.pz(w.B)}})
		if w.facts(w.B).Provider.SRQEPPZDifferenceSupported {
			made(w, o, err)
		} else {
			w.refused("two zones", err, dat.RetInvalidParameter, dat.SubNone)
		}
		_, err = w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.B, SRQ: "none"})
		w.refused("an unknown SRQ", err, dat.RetInvalidHandle, dat.SubInvalidHandleSRQ)
	}},
	{"W15", "a message that finds the SRQ empty breaks the connection", func(w *World) {
		if !w.needSRQ() {
			return
		}
		a, b, _ := w.shared(4)
		a.send("nowhere to go")
		w.reach(a.ep, dat.EPDisconnected)
		w.reach(b.ep, dat.EPDisconnected)
		w.either(a.conn, dat.EventBroken, dat.EventDisconnected)
	}},
	{"T39", "a reset keeps the SRQ, and what was taken is flushed before", func(w *World) {
		if !w.needSRQ() {
			return
		}
		a, b, q := w.shared(4)
		w.leave(a, b)
		for _, e := range []*end{a, b} {
			w.expect(e.conn, dat.EventDisconnected)
			_, err := w.M.ResetEP(w.ctx, call, e.ep)
			w.must(err)
		}
		w.join(a, b)
		w.fill(q, 1, 64)
		a.send("again")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		if w.get(b.ep).SRQ != q {
			w.Error("the endpoint lost its SRQ")
		}
	}},
}

// quietObject demands that the async EVD of an adapter holds no event of an object.
func (w *World) quietObject(ia, object dat.Handle) {
	w.Helper()
	got, err := w.M.Look(w.asyncEVD(ia), 1000)
	w.must(err)
	for _, e := range got {
		if e.Object != nil && e.Object.ID == object {
			w.Errorf("an asynchronous event too many: %s", text(e.Reason))
		}
	}
}
