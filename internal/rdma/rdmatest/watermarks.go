package rdmatest

import (
	"math"

	"github.com/datapi/datapi/internal/dat"
)

// softFired waits for the soft event of an endpoint.
func (w *World) softFired(e *end) {
	w.Helper()
	got := w.async(e.ia, e.ep)
	if got.Event != dat.EventNone || text(got.Reason) != "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT" || got.Stream != dat.StreamAsync ||
		got.Object == nil || got.Object.ID != e.ep {
		w.Fatalf("the soft event is %+v", got)
	}
}

// able tells whether marks can be set on endpoints with their own receives.
func (w *World) able(soft, hard int64) bool {
	w.Helper()
	can := w.facts(w.A).Provider.SRQWatermarksSupported
	ok := (soft == -1 || can.EPSoftHigh) && (hard == -1 || can.EPHardHigh)
	if !ok {
		_, err := w.M.SetWatermark(w.ctx, call, w.end(w.A).ep, mark(soft), mark(hard))
		w.refused("a mark that is not supported", err, dat.RetModelNotSupported, dat.SubNone)
	}
	return ok
}

var watermarkCases = []Case{
	{"W1 W2 B10", "both marks are infinite until one call sets both", func(w *World) {
		e := w.end(w.A)
		infinite := dat.Watermarks{SoftHigh: dat.WatermarkInfinite, HardHigh: dat.WatermarkInfinite}
		if got := w.get(e.ep).Watermarks; got != infinite {
			w.Errorf("a new endpoint has %+v", got)
		}
		if !w.able(3, 5) {
			return
		}
		want := dat.Watermarks{SoftHigh: 3, HardHigh: 5, SoftArmed: true, HardArmed: true}
		if got := w.marks(e.ep, 3, 5).Watermarks; got != want {
			w.Errorf("set to 3 and 5 they are %+v", got)
		}
		if got := w.get(e.ep).Attributes.SRQSoftHW; got != 3 {
			w.Errorf("srq_soft_hw shows %d", got)
		}
		if got := w.marks(e.ep, -1, -1).Watermarks; got != infinite {
			w.Errorf("taken away they are %+v", got)
		}
	}},
	{"W3 T43", "the call succeeds in every state and moves none", func(w *World) {
		if !w.able(100, 100) {
			return
		}
		for _, s := range steady {
			e, _ := w.into(s)
			w.marks(e.ep, 100, 100)
			if got := w.status(e.ep).State; got != s {
				w.Errorf("it moved %s to %s", s, got)
			}
		}
	}},
	{"W5 W6 W8 W9 W11 W24 B5 B6", "the soft mark fires once, when more than it are at the endpoint", func(w *World) {
		if !w.able(2, -1) {
			return
		}
		e := w.end(w.A)
		w.marks(e.ep, 2, -1)
		e.recvs(2, 8)
		w.quiet(w.A, e.ep)
		e.recvs(1, 8)
		w.softFired(e)
		e.recvs(1, 8)
		w.quiet(w.A, e.ep)
		w.until("the record shows it disarmed", func() bool { return !w.get(e.ep).Watermarks.SoftArmed })
	}},
	{"W4 W10", "every call arms the marks anew, and what is exceeded fires during it", func(w *World) {
		if !w.able(2, -1) {
			return
		}
		e := w.end(w.A)
		e.recvs(3, 8)
		for range 2 {
			if got := w.marks(e.ep, 2, -1).Watermarks; got.SoftArmed {
				w.Error("the mark is still armed after it fired in the call")
			}
			w.softFired(e)
		}
		w.marks(e.ep, 3, -1)
		w.quiet(w.A, e.ep)
		if !w.get(e.ep).Watermarks.SoftArmed {
			w.Error("a mark that is not exceeded is not armed")
		}
	}},
	{"W7 W8 T37", "the hard mark breaks the connection when it is exceeded", func(w *World) {
		if !w.able(-1, 2) {
			return
		}
		a, b := w.pair()
		w.marks(a.ep, -1, 2)
		a.recvs(2, 8)
		w.none(a.conn)
		a.recvs(1, 8)
		w.expect(a.conn, dat.EventBroken)
		w.reach(a.ep, dat.EPDisconnected)
		for range 3 {
			w.done(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		}
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"W10 W13 W12", "marks set below what is there fire both at once, each in its own way", func(w *World) {
		if !w.able(1, 2) {
			return
		}
		a, _ := w.pair()
		a.recvs(3, 8)
		w.marks(a.ep, 2, 1) // a soft mark above the hard one is legal
		w.softFired(a)
		w.expect(a.conn, dat.EventBroken)
		if got := w.reach(a.ep, dat.EPDisconnected).Watermarks; got.SoftArmed || !got.HardArmed {
			w.Errorf("afterwards the marks are %+v", got)
		}
	}},
	{"W16 B4", "a hard mark exceeded before fires at the establishment: ESTABLISHED, then BROKEN", func(w *World) {
		if !w.able(-1, 1) {
			return
		}
		a, b := w.end(w.A), w.end(w.B)
		a.recvs(2, 8)
		w.marks(a.ep, -1, 1)
		w.none(a.conn)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.accept(p.request(), b)
		w.expect(a.conn, dat.EventEstablished)
		w.expect(a.conn, dat.EventBroken)
		w.reach(a.ep, dat.EPDisconnected)
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"W14", "an infinite mark never fires", func(w *World) {
		a, _ := w.pair()
		w.marks(a.ep, -1, -1)
		a.recvs(10, 8)
		w.quiet(w.A, a.ep)
		w.none(a.conn)
	}},
	{"W15", "a message without a receive breaks the connection whatever the marks are", func(w *World) {
		a, b := w.pair(with(dat.ParamEPTransportSpecific, map[string]*string{"rnr_retry_count": ptr("1")}))
		a.send("nowhere to go")
		if w.delivered() {
			w.done(a.request, dat.KindSend, dat.DTOErrReceiverNotReady)
		}
		w.either(a.conn, dat.EventBroken, dat.EventDisconnected)
		w.reach(a.ep, dat.EPDisconnected)
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"W17 W19", "zero and marks above max_recv_dtos are legal", func(w *World) {
		if !w.able(0, math.MaxInt32) {
			return
		}
		e := w.end(w.A)
		w.marks(e.ep, 0, math.MaxInt32)
		w.quiet(w.A, e.ep)
		e.recvs(1, 8)
		w.softFired(e)
	}},
	{"W18 W21 D37", "the handle is judged first, then the values, and -1 is no value on the wire", func(w *World) {
		_, err := w.M.SetWatermark(w.ctx, call, "none", ptr(int64(-5)), nil)
		w.refused("an unknown endpoint", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		e := w.end(w.A)
		for _, n := range []int64{-1, -2, math.MinInt64, math.MaxInt32 + 1} {
			_, err := w.M.SetWatermark(w.ctx, call, e.ep, &n, nil)
			w.refused("soft_high", err, dat.RetInvalidParameter, dat.SubNone)
			_, err = w.M.SetWatermark(w.ctx, call, e.ep, nil, &n)
			w.refused("hard_high", err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"W20", "what is declared for SRQ endpoints holds: a finite mark works or is refused, null always succeeds", func(w *World) {
		p := w.facts(w.B).Provider
		if !p.SRQSupported {
			return
		}
		_, b, _ := w.shared(4)
		w.marks(b.ep, -1, -1)
		for _, c := range []struct {
			can        bool
			soft, hard int64
		}{{p.SRQWatermarksSupported.SRQEPSoftHigh, 3, -1}, {p.SRQWatermarksSupported.SRQEPHardHigh, -1, 3}} {
			if c.can {
				w.marks(b.ep, c.soft, c.hard)
				continue
			}
			before := w.get(b.ep).Watermarks
			_, err := w.M.SetWatermark(w.ctx, call, b.ep, mark(c.soft), mark(c.hard))
			w.refused("a mark on an SRQ endpoint", err, dat.RetModelNotSupported, dat.SubNone)
			if w.get(b.ep).Watermarks != before {
				w.Error("the refusal changed a mark")
			}
		}
	}},
	{"W9 W5 W7", "an SRQ endpoint's marks count what it has taken and not completed", func(w *World) {
		p := w.facts(w.B).Provider
		if !p.SRQSupported || !p.SRQWatermarksSupported.SRQEPSoftHigh || !p.SRQWatermarksSupported.SRQEPHardHigh {
			return
		}
		a, b, q := w.shared(8)
		w.fill(q, 8, 64)
		w.marks(b.ep, 1, 3)
		w.quiet(w.B, b.ep)
		a.sends(2, "two")
		w.softFired(b)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		a.sends(4, "four")
		w.expect(b.conn, dat.EventBroken)
		w.reach(b.ep, dat.EPDisconnected)
		w.reach(a.ep, dat.EPDisconnected)
	}},
	{"W22", "marks and their arming survive disconnect, reset and the next connection", func(w *World) {
		if !w.able(1, 9) {
			return
		}
		a, b := w.pair()
		w.marks(a.ep, 1, 9)
		a.recvs(2, 8)
		w.softFired(a)
		w.leave(a, b)
		want := dat.Watermarks{SoftHigh: 1, HardHigh: 9, HardArmed: true}
		for _, e := range []*end{a, b} {
			w.expect(e.conn, dat.EventDisconnected)
			_, err := w.M.ResetEP(w.ctx, call, e.ep)
			w.must(err)
		}
		w.join(a, b)
		if got := w.get(a.ep).Watermarks; got != want {
			w.Errorf("they are %+v", got)
		}
	}},
	{"W23", "without a connect EVD the hard mark still ends the connection", func(w *World) {
		if !w.able(-1, 0) {
			return
		}
		a, b := w.pair()
		w.leave(a, b)
		_, err := w.M.ResetEP(w.ctx, call, a.ep)
		w.must(err)
		w.must(w.modify(a.ep, dat.ParamConnectEVD, dat.HandleNull))
		c := w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.accept(p.request(), c)
		w.reach(a.ep, dat.EPConnected)
		a.recvs(1, 8)
		w.marks(a.ep, -1, 0)
		w.reach(a.ep, dat.EPDisconnected)
		w.reach(c.ep, dat.EPDisconnected)
	}},
}
