package rdmatest

import (
	"math"

	"github.com/datapi/datapi/internal/dat"
)

// expectSoftEvent demands the event of an endpoint's soft watermark.
func (w *World) expectSoftEvent(e *endpoint) {
	w.Helper()
	got := w.expectAsync(e.ia, e.id)
	w.check(got.Event == dat.EventNone && textOf(got.Reason) == "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT" && got.Stream == dat.StreamAsync &&
		got.Object != nil && got.Object.ID == e.id, "the soft event is %+v", got)
}

// needsMarks reports whether the marks can be set on endpoints with their own
// receives; a case that needs them proves nothing without. A finite mark that is not
// supported must be refused.
func (w *World) needsMarks(soft, hard int64) bool {
	w.Helper()
	can := w.facts(w.A).Provider.SRQWatermarksSupported
	if (soft == -1 || can.EPSoftHigh) && (hard == -1 || can.EPHardHigh) {
		return true
	}
	_, err := w.M.SetWatermark(w.ctx, call, w.endpoint(w.A).id, wireMark(soft), wireMark(hard))
	w.proves()
	w.refused("a mark that is not supported", err, dat.RetModelNotSupported, dat.SubNone)
	w.cannotProve("the provider declares no such mark for endpoints with their own receives")
	return false
}

var watermarkCases = []Case{
	{"W1 W2 B10", "both marks are infinite until one call sets both", func(w *World) {
		if !w.needsMarks(3, 5) {
			return
		}
		e := w.endpoint(w.A)
		infinite := dat.Watermarks{SoftHigh: dat.WatermarkInfinite, HardHigh: dat.WatermarkInfinite}
		w.proves("W2")
		equal(w, "the marks of a new endpoint", w.getEP(e.id).Watermarks, infinite)
		w.proves("W1")
		want := dat.Watermarks{SoftHigh: 3, HardHigh: 5, SoftArmed: true, HardArmed: true}
		equal(w, "the marks set to 3 and 5", w.setMarks(e.id, 3, 5).Watermarks, want)
		w.proves("B10")
		equal(w, "srq_soft_hw", w.getEP(e.id).Attributes.SRQSoftHW, 3)
		w.proves("W1")
		equal(w, "the marks taken away", w.setMarks(e.id, -1, -1).Watermarks, infinite)
	}},
	{"T43 W3", "the call succeeds in every state and moves none", func(w *World) {
		if !w.needsMarks(100, 100) {
			return
		}
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			w.checkMarksIn(e.id, s)
		}
	}},
	{"W5 W6 W8 W9 W11 W24 B5 B6", "the soft mark fires once, when more than it are at the endpoint", func(w *World) {
		if !w.needsMarks(2, -1) {
			return
		}
		e := w.endpoint(w.A)
		w.setMarks(e.id, 2, -1)
		w.proves("W8", "W11")
		e.postRecvs(2, 8)
		w.expectNoAsync(w.A, e.id)
		w.proves("W5", "W9", "W24", "B5")
		e.postRecvs(1, 8)
		w.expectSoftEvent(e)
		w.proves("W6", "B6")
		e.postRecvs(1, 8)
		w.expectNoAsync(w.A, e.id)
		w.proves("W5")
		w.eventually("the record shows it disarmed", func() bool { return !w.getEP(e.id).Watermarks.SoftArmed })
	}},
	{"W4 W10 W11", "every call arms the marks anew, and what is exceeded fires during it", func(w *World) {
		if !w.needsMarks(2, -1) {
			return
		}
		e := w.endpoint(w.A)
		e.postRecvs(3, 8)
		w.proves("W4", "W10")
		for range 2 {
			got := w.setMarks(e.id, 2, -1).Watermarks
			w.check(!got.SoftArmed, "the mark is still armed after it fired in the call")
			w.expectSoftEvent(e)
		}
		w.proves("W11")
		w.setMarks(e.id, 3, -1)
		w.expectNoAsync(w.A, e.id)
		w.proves("W4", "W11")
		w.check(w.getEP(e.id).Watermarks.SoftArmed, "a mark that is not exceeded is not armed")
	}},
	{"T37 W7 W8", "the hard mark breaks the connection when it is exceeded", func(w *World) {
		if !w.needsMarks(-1, 2) {
			return
		}
		a, b := w.pair()
		w.setMarks(a.id, -1, 2)
		w.proves("W8")
		a.postRecvs(2, 8)
		w.expectNoEvents(a.conn)
		w.proves("T37", "W7")
		a.postRecvs(1, 8)
		w.expectEvent(a.conn, dat.EventBroken)
		w.expectState(a.id, dat.EPDisconnected)
		for range 3 {
			w.expectCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		}
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"W10 W12 W13", "marks set below what is there fire both immediately, each in its own way", func(w *World) {
		if !w.needsMarks(1, 2) {
			return
		}
		a, _ := w.pair()
		a.postRecvs(3, 8)
		w.proves("W12") // a soft mark above the hard one is legal
		marks := w.setMarks(a.id, 2, 1).Watermarks
		w.check(marks.SoftHigh == 2 && marks.HardHigh == 1, "the marks are %+v", marks)
		w.proves("W10", "W13")
		w.expectSoftEvent(a)
		w.expectEvent(a.conn, dat.EventBroken)
		w.proves("W12")
		got := w.expectState(a.id, dat.EPDisconnected).Watermarks
		w.check(!got.SoftArmed && got.HardArmed, "afterwards the marks are %+v", got)
	}},
	{"W16 B4", "a hard mark exceeded before fires at the establishment: ESTABLISHED, then BROKEN", func(w *World) {
		if !w.needsMarks(-1, 1) {
			return
		}
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		a.postRecvs(2, 8)
		w.setMarks(a.id, -1, 1)
		w.proves("B4")
		w.expectNoEvents(a.conn)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.accept(p.nextRequest(), b)
		w.proves("W16")
		w.expectEvent(a.conn, dat.EventEstablished)
		w.expectEvent(a.conn, dat.EventBroken)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"W14", "an infinite mark never fires", func(w *World) {
		a, _ := w.pair()
		w.setMarks(a.id, -1, -1)
		a.postRecvs(10, 8)
		w.expectNoAsync(w.A, a.id)
		w.expectNoEvents(a.conn)
	}},
	{"W15", "a message without a receive breaks the connection whatever the marks are", func(w *World) {
		a, b := w.pair(withValue(dat.ParamEPTransportSpecific, map[string]*string{"rnr_retry_count": ptr("1")}))
		a.postSend("nowhere to go")
		if w.reportsDelivery() {
			w.expectCompletion(a.request, dat.KindSend, dat.DTOErrReceiverNotReady)
		}
		w.expectEither(a.conn, dat.EventBroken, dat.EventDisconnected)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"W17 W19", "zero and marks above max_recv_dtos are legal", func(w *World) {
		if !w.needsMarks(0, math.MaxInt32) {
			return
		}
		e := w.endpoint(w.A)
		w.proves("W19")
		equal(w, "the hard mark", w.setMarks(e.id, 0, math.MaxInt32).Watermarks.HardHigh, math.MaxInt32)
		w.proves("W17")
		w.expectNoAsync(w.A, e.id)
		e.postRecvs(1, 8)
		w.expectSoftEvent(e)
	}},
	{"W18 W21 D37", "the handle is judged first, then the values, and -1 is no value on the wire", func(w *World) {
		w.proves("W21", "D37")
		_, err := w.M.SetWatermark(w.ctx, call, "none", ptr(int64(-5)), nil)
		w.refused("an unknown endpoint", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		e := w.endpoint(w.A)
		w.proves("W18")
		for _, n := range []int64{-1, -2, math.MinInt64, math.MaxInt32 + 1} {
			_, err := w.M.SetWatermark(w.ctx, call, e.id, &n, nil)
			w.refused("soft_high", err, dat.RetInvalidParameter, dat.SubNone)
			_, err = w.M.SetWatermark(w.ctx, call, e.id, nil, &n)
			w.refused("hard_high", err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"W20", "what is declared for SRQ endpoints holds: a finite mark works or is refused, null always succeeds", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		p := w.facts(w.B).Provider.SRQWatermarksSupported
		_, b, _ := w.pairOnSRQ(4)
		w.setMarks(b.id, -1, -1)
		for _, c := range []struct {
			can        bool
			soft, hard int64
		}{{p.SRQEPSoftHigh, 3, -1}, {p.SRQEPHardHigh, -1, 3}} {
			before := w.getEP(b.id).Watermarks
			_, err := w.M.SetWatermark(w.ctx, call, b.id, wireMark(c.soft), wireMark(c.hard))
			if c.can {
				w.succeeds("a mark on an SRQ endpoint", err)
				continue
			}
			w.refused("a mark on an SRQ endpoint", err, dat.RetModelNotSupported, dat.SubNone)
			equal(w, "the marks after the refusal", w.getEP(b.id).Watermarks, before)
		}
	}},
	{"W5 W7 W9", "an SRQ endpoint's marks count what it has taken and not completed", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		if can := w.facts(w.B).Provider.SRQWatermarksSupported; !can.SRQEPSoftHigh || !can.SRQEPHardHigh {
			w.cannotProve("the provider declares no marks for SRQ endpoints")
			return
		}
		a, b, q := w.pairOnSRQ(8)
		w.postSRQRecvs(q, 8, 64)
		w.setMarks(b.id, 1, 3)
		w.proves("W9")
		w.expectNoAsync(w.B, b.id)
		w.proves("W5", "W9")
		a.postSends(2, "two")
		w.expectSoftEvent(b)
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.proves("W7", "W9")
		a.postSends(4, "four")
		w.expectEvent(b.conn, dat.EventBroken)
		w.expectState(b.id, dat.EPDisconnected)
		w.expectState(a.id, dat.EPDisconnected)
	}},
	{"W22", "marks and their arming survive disconnect, reset and the next connection", func(w *World) {
		if !w.needsMarks(1, 9) {
			return
		}
		a, b := w.pair()
		w.setMarks(a.id, 1, 9)
		a.postRecvs(2, 8)
		w.expectSoftEvent(a)
		w.disconnectPair(a, b)
		for _, e := range []*endpoint{a, b} {
			w.takeEvent(e.conn, dat.EventDisconnected)
			w.reset(e.id)
		}
		w.connectPair(a, b)
		want := dat.Watermarks{SoftHigh: 1, HardHigh: 9, HardArmed: true}
		equal(w, "the marks of the next connection", w.getEP(a.id).Watermarks, want)
	}},
	{"W23", "without a connect EVD the hard mark still ends the connection", func(w *World) {
		if !w.needsMarks(-1, 0) {
			return
		}
		a, b := w.pair()
		w.disconnectPair(a, b)
		w.reset(a.id)
		w.must(w.modify(a.id, dat.ParamConnectEVD, dat.HandleNull))
		c := w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		w.accept(p.nextRequest(), c)
		w.awaitState(a.id, dat.EPConnected)
		a.postRecvs(1, 8)
		w.setMarks(a.id, -1, 0)
		w.expectState(a.id, dat.EPDisconnected)
		w.expectState(c.id, dat.EPDisconnected)
	}},
}

// checkMarksIn demands that setting both marks succeeds in a state and leaves it.
func (w *World) checkMarksIn(ep dat.Handle, s dat.EPState) {
	w.Helper()
	w.provesIfClaimed("W3")
	_, err := w.M.SetWatermark(w.ctx, call, ep, ptr(int64(100)), ptr(int64(100)))
	w.succeeds("set_watermark in "+s.String(), err)
	w.provesIfClaimed("T43")
	equal(w, "the state after set_watermark", w.status(ep).State, s)
}
