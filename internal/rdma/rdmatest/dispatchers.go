package rdmatest

import (
	"encoding/json"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// mode is the mode of an EVD now.
func (w *World) mode(evd dat.Handle) dat.EVDMode {
	w.Helper()
	return w.dispatcher(evd).Mode
}

func (w *World) dispatcher(evd dat.Handle) *dat.EVD {
	w.Helper()
	o, ok := w.M.Get(dat.TypeEVD, evd)
	if !ok {
		w.Fatalf("no EVD %s", evd)
	}
	return o.(*dat.EVD)
}

// tell posts a software event.
func (w *World) tell(evd dat.Handle, data string) error {
	_, err := w.M.PostSE(w.ctx, call, evd, json.RawMessage(data))
	return err
}

// flagged asks for an endpoint with EVDs and flags, by parameter.
func (w *World) flagged(recv, request, conn dat.Handle, recvFlag, requestFlag string) error {
	w.Helper()
	_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.A, Values: dat.Values{
		dat.ParamRecvEVD: recv, dat.ParamRequestEVD: request,
		dat.ParamConnectEVD: conn, dat.ParamRecvCompletionFlags: recvFlag, dat.ParamRequestCompletionFlags: requestFlag,
	}})
	return err
}

const (
	u = "UNSIGNALLED"
	s = "SOLICITED_WAIT"
	t = "EVD_THRESHOLD"
)

var dispatcherCases = []Case{
	{"D30 C20", "EVDs are made for streams that merge, and only those", func(w *World) {
		m := w.facts(w.A).Provider.EVDStreamMergingSupported
		for a := dat.StreamSoftware; a < dat.StreamAsync; a++ {
			for b := a + 1; b < dat.StreamAsync; b++ {
				o, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: 4, Streams: []dat.Stream{a, b}})
				if m[a][b] {
					made(w, o, err)
				} else {
					w.refused(a.String()+" with "+b.String(), err, dat.RetInvalidParameter, dat.SubNone)
				}
			}
		}
		for _, streams := range [][]dat.Stream{nil, {dat.StreamAsync}, {dat.StreamAsync, dat.StreamDTO}} {
			_, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: 4, Streams: streams})
			w.refused("streams that are none", err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"D12", "the length of an EVD is 1 to the adapter's limit", func(w *World) {
		most := int64(w.facts(w.A).Attributes.MaxEVDQLen)
		for _, n := range []int64{0, -1, 1 << 40} {
			_, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: n, Streams: []dat.Stream{dat.StreamDTO}})
			w.refused("a length that is none", err, dat.RetInvalidParameter, dat.SubNone)
		}
		if _, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: most + 1, Streams: []dat.Stream{dat.StreamDTO}}); err == nil {
			w.Error("a length beyond max_evd_qlen was taken")
		}
		w.evdOf(w.A, 1, dat.StreamSoftware)
		w.evdOf(w.A, most, dat.StreamSoftware)
	}},
	{"R1", "all requests on one EVD have one flag, and so have all receives", func(w *World) {
		evd, other := w.evd(w.A, dat.StreamDTO), w.evd(w.A, dat.StreamDTO)
		w.must(w.flagged("", evd, "", t, u))
		w.refused("two request flags", w.flagged("", evd, "", t, t), dat.RetInvalidParameter, dat.SubNone)
		w.must(w.flagged("", evd, "", t, u))
		w.must(w.flagged(other, "", "", s, t))
		w.refused("two receive flags", w.flagged(other, "", "", t, t), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R2 R4", "with another stream on the EVD only EVD_THRESHOLD is possible", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO, dat.StreamConnection)
		for _, f := range []string{u, s} {
			w.refused(f+" with connection events", w.flagged(evd, "", evd, f, t), dat.RetInvalidParameter, dat.SubNone)
		}
		w.must(w.flagged(evd, evd, evd, t, t))
		software := w.evd(w.A, dat.StreamDTO, dat.StreamSoftware)
		w.refused("UNSIGNALLED with software events", w.flagged(software, "", "", u, t), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R3 R5 R4a", "one EVD has one flag over receives and requests", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO)
		w.refused("U and T", w.flagged(evd, evd, "", u, t), dat.RetInvalidParameter, dat.SubNone)
		w.refused("S and T", w.flagged(evd, evd, "", s, t), dat.RetInvalidParameter, dat.SubNone)
		w.refused("S and U", w.flagged(evd, evd, "", s, u), dat.RetInvalidParameter, dat.SubNone)
		w.must(w.flagged(evd, evd, "", u, u))
	}},
	{"R6 R7", "an SRQ endpoint with EVD_THRESHOLD shares its EVD with others of that flag", func(w *World) {
		if !w.needSRQ() {
			return
		}
		zone, evd := w.pz(w.B), w.evd(w.B, dat.StreamDTO, dat.StreamConnection)
		q := w.srq(w.B, zone, 4)
		w.ep(manager.EPCreate{IA: w.B, SRQ: q, Values: dat.Values{dat.ParamPZ: zone, dat.ParamRecvEVD: evd, dat.ParamConnectEVD: evd}})
		_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.B, Values: dat.Values{dat.ParamRequestEVD: evd, dat.ParamRequestCompletionFlags: u}})
		w.refused("UNSIGNALLED beside it", err, dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R8 R9", "a stream without an EVD takes part in no rule", func(w *World) {
		w.must(w.flagged("", "", "", s, u))
		evd := w.evd(w.A, dat.StreamDTO)
		w.must(w.flagged(evd, "", "", s, u))
	}},
	{"R10", "another endpoint's connection events cannot come to an EVD in NOTIFY or SOLICITED mode", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO, dat.StreamConnection)
		w.must(w.flagged(evd, "", "", u, t))
		w.refused("at creation", w.flagged("", "", evd, t, t), dat.RetInvalidParameter, dat.SubNone)
		e := w.end(w.A)
		w.refused("by modify", w.modify(e.ep, dat.ParamConnectEVD, evd), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R12 D41", "the mode is shown, and in NOTIFY and SOLICITED mode a wait has threshold 1", func(w *World) {
		for flag, mode := range map[string]dat.EVDMode{u: dat.ModeNotify, s: dat.ModeSolicited, t: dat.ModeThreshold} {
			evd := w.evd(w.A, dat.StreamDTO)
			if got := w.mode(evd); got != dat.ModeNone {
				w.Errorf("an unused EVD is in mode %s", got)
			}
			w.must(w.flagged(evd, "", "", flag, t))
			if got := w.mode(evd); got != mode {
				w.Errorf("with %s it is in mode %s", flag, got)
			}
			_, err := w.M.Dequeue(w.ctx, evd, 4, 2, time.Millisecond)
			if mode == dat.ModeThreshold {
				w.must(err)
			} else {
				w.refused("threshold 2 with "+flag, err, dat.RetInvalidState, dat.SubNone)
			}
		}
	}},
	{"R12 A21", "SOLICITED_WAIT wakes for solicited messages only", func(w *World) {
		a := w.end(w.A)
		b := w.end(w.B, with(dat.ParamRecvCompletionFlags, s))
		w.join(a, b)
		b.recvs(2, 64)
		a.send("unasked")
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
		w.until("it arrived", func() bool { got, _ := w.M.Look(b.recv, 2); return len(got) == 1 })
		woken := make(chan int, 1)
		go func() {
			got, _ := w.M.Dequeue(w.ctx, b.recv, 4, 1, patience)
			woken <- len(got)
		}()
		select {
		case n := <-woken:
			w.Errorf("an unsolicited message woke the waiter, who took %d events", n)
		case <-time.After(50 * time.Millisecond):
		}
		a.send("asked", dat.CompletionSolicitedWait)
		if n := <-woken; n != 2 {
			w.Errorf("the waiter took %d events", n)
		}
	}},
	{"R12", "an UNSIGNALLED request wakes nobody, its event is there all the same", func(w *World) {
		a, b := w.end(w.A, with(dat.ParamRequestCompletionFlags, u)), w.end(w.B)
		w.join(a, b)
		b.recvs(2, 64)
		a.send("quiet", dat.CompletionUnsignalled)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.until("its event is there", func() bool { got, _ := w.M.Look(a.request, 2); return len(got) == 1 })
		a.send("loud")
		got, err := w.M.Dequeue(w.ctx, a.request, 4, 1, patience)
		w.must(err)
		if len(got) != 2 {
			w.Errorf("the waiter took %d events", len(got))
		}
	}},
	{"W5 D21", "a full queue drops the newest event, counts it, and says so on the async EVD", func(w *World) {
		evd := w.evdOf(w.B, 1, dat.StreamDTO)
		a := w.end(w.A)
		b := w.end(w.B, with(dat.ParamRecvEVD, evd))
		w.join(a, b)
		b.recvs(2, 64)
		a.send("kept")
		a.send("dropped")
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
		got := w.async(w.B, evd)
		if got.Event != dat.EventAsyncErrorEVDOverflow {
			w.Errorf("the overflow is %s", got.Event)
		}
		if o := w.dispatcher(evd); o.Dropped != 1 || o.Depth != 1 {
			w.Errorf("depth %d, dropped %d", o.Depth, o.Dropped)
		}
		if got := w.done(evd, dat.KindRecv, dat.DTOSuccess); string(got.Data.Payload) != "kept" {
			w.Errorf("%q was kept", got.Data.Payload)
		}
		if w.status(b.ep).State != dat.EPConnected || !w.status(b.ep).RecvIdle {
			w.Errorf("the endpoint is %+v", w.status(b.ep))
		}
	}},
	{"M9", "resizing loses no event: a shorter queue than what is queued is refused", func(w *World) {
		evd := w.evdOf(w.A, 4, dat.StreamSoftware)
		for range 3 {
			w.must(w.tell(evd, `"x"`))
		}
		resize := func(n int64) error {
			_, err := w.M.ModifyEVD(w.ctx, call, evd, manager.EVDModify{QLen: &n})
			return err
		}
		w.refused("two for three", resize(2), dat.RetInvalidState, dat.SubNone)
		w.refused("a length that is none", resize(0), dat.RetInvalidParameter, dat.SubNone)
		w.must(resize(3))
		w.refused("a fourth event", w.tell(evd, `"x"`), dat.RetQueueFull, dat.SubNone)
		got, err := w.M.Dequeue(w.ctx, evd, 10, 1, 0)
		w.must(err)
		if len(got) != 3 {
			w.Errorf("%d events are left of 3", len(got))
		}
	}},
	{"D16", "software events come in order, only where they were declared", func(w *World) {
		evd := w.evd(w.A, dat.StreamSoftware)
		w.must(w.tell(evd, `{"n":1}`))
		w.must(w.tell(evd, `{"n":2}`))
		for _, want := range []string{`{"n":1}`, `{"n":2}`} {
			if got := w.expect(evd, dat.EventSoftware); string(got.Data.Software) != want {
				w.Errorf("%s came, want %s", got.Data.Software, want)
			}
		}
		w.refused("an EVD without SOFTWARE", w.tell(w.evd(w.A, dat.StreamDTO), `1`), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R12 W9", "a wait ends with its threshold, with its time, with the waiter's leaving, and with the EVD", func(w *World) {
		evd := w.evd(w.A, dat.StreamSoftware)
		got, err := w.M.Dequeue(w.ctx, evd, 4, 1, 20*time.Millisecond)
		if err != nil || len(got) != 0 {
			w.Errorf("an empty wait gave %v, %v", got, err)
		}
		type answer struct {
			n   int
			err error
		}
		wait := func(threshold int) chan answer {
			out := make(chan answer, 1)
			go func() {
				got, err := w.M.Dequeue(w.ctx, evd, 4, threshold, patience)
				out <- answer{len(got), err}
			}()
			w.until("the waiter waits", func() bool {
				_, err := w.M.Dequeue(w.ctx, evd, 1, 1, 0)
				return isReturn(err, dat.RetInvalidState)
			})
			return out
		}
		first := wait(2)
		_, err = w.M.Dequeue(w.ctx, evd, 1, 1, patience)
		w.refused("a second waiter", err, dat.RetInvalidState, dat.SubInvalidStateEVDWaiter)
		w.must(w.tell(evd, `1`))
		w.must(w.tell(evd, `2`))
		if a := <-first; a.n != 2 || a.err != nil {
			w.Errorf("the threshold gave %+v", a)
		}
		second := wait(1)
		_, err = w.M.ModifyEVD(w.ctx, call, evd, manager.EVDModify{Waitable: ptr(false)})
		w.must(err)
		w.refused("a waiter when the EVD becomes unwaitable", (<-second).err, dat.RetInvalidState, dat.SubInvalidStateEVDUnwaitable)
		_, err = w.M.Dequeue(w.ctx, evd, 1, 1, patience)
		w.refused("waiting on an unwaitable EVD", err, dat.RetInvalidState, dat.SubInvalidStateEVDUnwaitable)
		_, err = w.M.Dequeue(w.ctx, evd, 1, 1, 0)
		w.must(err)
		_, err = w.M.ModifyEVD(w.ctx, call, evd, manager.EVDModify{Waitable: ptr(true)})
		w.must(err)
		third := wait(1)
		w.must(w.M.FreeEVD(w.ctx, call, evd))
		w.refused("a waiter of a freed EVD", (<-third).err, dat.RetAbort, dat.SubNone)
	}},
}
