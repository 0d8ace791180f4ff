package rdmatest

import (
	"encoding/json"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// getEVD returns the representation of an EVD.
func (w *World) getEVD(evd dat.Handle) *dat.EVD {
	w.Helper()
	return object[*dat.EVD](w, dat.TypeEVD, evd)
}

// postSE posts a software event.
func (w *World) postSE(evd dat.Handle, data string) error {
	_, err := w.M.PostSE(w.ctx, call, evd, json.RawMessage(data))
	return err
}

// createWithFlags asks for an endpoint with EVDs and the completion flags of its receives and requests.
func (w *World) createWithFlags(recv, request, conn dat.Handle, recvFlag, requestFlag dat.CompletionFlag) error {
	w.Helper()
	_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.A, Values: dat.Values{
		dat.ParamRecvEVD: recv, dat.ParamRequestEVD: request, dat.ParamConnectEVD: conn,
		dat.ParamRecvCompletionFlags: recvFlag.String(), dat.ParamRequestCompletionFlags: requestFlag.String(),
	}})
	return err
}

// arrived reports whether the EVD holds n events.
func (w *World) arrived(evd dat.Handle, n int) func() bool {
	return func() bool {
		got, _ := w.M.Look(evd, n+1)
		return len(got) == n
	}
}

// The completion flags by the letters that the flag rules use.
const (
	flagU = dat.CompletionUnsignalled
	flagS = dat.CompletionSolicitedWait
	flagT = dat.CompletionEVDThreshold
)

var evdCases = []Case{
	{"C20 D30", "EVDs are created for streams that merge, and only those", func(w *World) {
		m := w.facts(w.A).Provider.EVDStreamMergingSupported
		w.proves("C20", "D30")
		for a := dat.StreamSoftware; a < dat.StreamAsync; a++ {
			for b := a + 1; b < dat.StreamAsync; b++ {
				_, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: 4, Streams: []dat.Stream{a, b}})
				if m[a][b] {
					w.succeeds(a.String()+" with "+b.String(), err)
				} else {
					w.refused(a.String()+" with "+b.String(), err, dat.RetInvalidParameter, dat.SubNone)
				}
			}
		}
		w.proves("D30")
		for _, streams := range [][]dat.Stream{nil, {dat.StreamAsync}, {dat.StreamAsync, dat.StreamDTO}} {
			_, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: 4, Streams: streams})
			w.refused("streams that are none", err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"D12", "the length of an EVD is 1 to the adapter's limit", func(w *World) {
		most := int64(w.facts(w.A).Attributes.MaxEVDQLen)
		create := func(n int64, stream dat.Stream) error {
			_, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: w.A, QLen: n, Streams: []dat.Stream{stream}})
			return err
		}
		for _, n := range []int64{0, -1, 1 << 40} {
			w.refused("a length that is none", create(n, dat.StreamDTO), dat.RetInvalidParameter, dat.SubNone)
		}
		w.check(create(most+1, dat.StreamDTO) != nil, "a length beyond max_evd_qlen was taken")
		w.succeeds("a length of 1", create(1, dat.StreamSoftware))
		w.succeeds("a length of max_evd_qlen", create(most, dat.StreamSoftware))
	}},
	{"R1", "all requests on one EVD have one flag, and so have all receives", func(w *World) {
		evd, other := w.evd(w.A, dat.StreamDTO), w.evd(w.A, dat.StreamDTO)
		w.succeeds("the first request flag", w.createWithFlags("", evd, "", flagT, flagU))
		w.refused("two request flags", w.createWithFlags("", evd, "", flagT, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.succeeds("the same request flag", w.createWithFlags("", evd, "", flagT, flagU))
		w.succeeds("the first receive flag", w.createWithFlags(other, "", "", flagS, flagT))
		w.refused("two receive flags", w.createWithFlags(other, "", "", flagT, flagT), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R2 R4", "with another stream on the EVD only EVD_THRESHOLD is possible", func(w *World) {
		evd, software := w.evd(w.A, dat.StreamDTO, dat.StreamConnection), w.evd(w.A, dat.StreamDTO, dat.StreamSoftware)
		w.proves("R2")
		w.refused("UNSIGNALLED with connection events", w.createWithFlags(evd, "", evd, flagU, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.refused("UNSIGNALLED with software events", w.createWithFlags(software, "", "", flagU, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.proves("R4")
		w.refused("SOLICITED_WAIT with connection events", w.createWithFlags(evd, "", evd, flagS, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.proves("R2", "R4")
		w.succeeds("EVD_THRESHOLD with connection events", w.createWithFlags(evd, evd, evd, flagT, flagT))
	}},
	{"R3 R4a R5", "one EVD has one flag over receives and requests", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO)
		w.proves("R3", "R5")
		w.refused("U and T", w.createWithFlags(evd, evd, "", flagU, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.proves("R4a", "R5")
		w.refused("S and T", w.createWithFlags(evd, evd, "", flagS, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.refused("S and U", w.createWithFlags(evd, evd, "", flagS, flagU), dat.RetInvalidParameter, dat.SubNone)
		w.proves("R3", "R5")
		w.succeeds("U and U", w.createWithFlags(evd, evd, "", flagU, flagU))
	}},
	{"R6 R7", "an SRQ endpoint with EVD_THRESHOLD shares its EVD with others of that flag", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		zone, evd := w.pz(w.B), w.evd(w.B, dat.StreamDTO, dat.StreamConnection)
		q := w.srq(w.B, zone, 4)
		w.proves("R6", "R7")
		_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{
			IA: w.B, SRQ: q, Values: dat.Values{dat.ParamPZ: zone, dat.ParamRecvEVD: evd, dat.ParamConnectEVD: evd},
		})
		w.succeeds("EVD_THRESHOLD with connection events", err)
		w.proves("R6")
		_, err = w.M.CreateEP(w.ctx, call, manager.EPCreate{
			IA: w.B, Values: dat.Values{dat.ParamRequestEVD: evd, dat.ParamRequestCompletionFlags: flagU.String()},
		})
		w.refused("UNSIGNALLED beside it", err, dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R8", "a broken flag rule is DAT_INVALID_PARAMETER, at creation and to modify", func(w *World) {
		e := w.endpoint(w.A)
		w.refused("at creation", w.createWithFlags(e.recv, "", "", flagU, flagT), dat.RetInvalidParameter, dat.SubNone)
		w.must(w.createWithFlags(e.recv, "", "", flagT, flagT))
		w.refused("to modify", w.modify(e.id, dat.ParamRecvCompletionFlags, flagU.String()), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R9", "a stream without an EVD takes part in no rule", func(w *World) {
		w.succeeds("no EVD at all", w.createWithFlags("", "", "", flagS, flagU))
		evd := w.evd(w.A, dat.StreamDTO)
		w.succeeds("requests without an EVD", w.createWithFlags(evd, "", "", flagS, flagU))
	}},
	{"R10", "another endpoint's connection events cannot come to an EVD in NOTIFY or SOLICITED mode", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO, dat.StreamConnection)
		w.must(w.createWithFlags(evd, "", "", flagU, flagT))
		w.refused("at creation", w.createWithFlags("", "", evd, flagT, flagT), dat.RetInvalidParameter, dat.SubNone)
		e := w.endpoint(w.A)
		w.refused("by modify", w.modify(e.id, dat.ParamConnectEVD, evd), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"R12 D41", "the mode is shown, and in NOTIFY and SOLICITED mode a wait has threshold 1", func(w *World) {
		for flag, mode := range map[dat.CompletionFlag]dat.EVDMode{flagU: dat.ModeNotify, flagS: dat.ModeSolicited, flagT: dat.ModeThreshold} {
			evd := w.evd(w.A, dat.StreamDTO)
			w.proves("D41")
			equal(w, "the mode of an unused EVD", w.getEVD(evd).Mode, dat.ModeNone)
			w.must(w.createWithFlags(evd, "", "", flag, flagT))
			equal(w, "the mode with "+flag.String(), w.getEVD(evd).Mode, mode)
			w.proves("R12")
			_, err := w.M.Dequeue(w.ctx, evd, 4, 2, time.Millisecond)
			if mode == dat.ModeThreshold {
				w.succeeds("threshold 2 with "+flag.String(), err)
			} else {
				w.refused("threshold 2 with "+flag.String(), err, dat.RetInvalidState, dat.SubNone)
			}
		}
	}},
	{"dat_evd_wait", "SOLICITED_WAIT wakes for solicited messages only", func(w *World) {
		a := w.endpoint(w.A)
		b := w.endpoint(w.B, withValue(dat.ParamRecvCompletionFlags, flagS.String()))
		w.connectPair(a, b)
		b.postRecvs(2, 64)
		if !w.tellsSolicited() {
			a.postSend("asked", dat.CompletionSolicitedWait)
			equal(w, "the events that the waiter took", w.wokenWith(b.recv), 1)
			return
		}
		a.postSend("unasked")
		w.takeCompletion(a.request, dat.KindSend, dat.DTOSuccess)
		w.await("it arrived", w.arrived(b.recv, 1))
		woken := make(chan int, 1)
		go func() { woken <- w.wokenWith(b.recv) }()
		early := 0
		select {
		case early = <-woken:
		case <-time.After(50 * time.Millisecond):
		}
		equal(w, "the events for which an unsolicited message woke the waiter", early, 0)
		a.postSend("asked", dat.CompletionSolicitedWait)
		equal(w, "the events that the waiter took", <-woken, 2)
	}},
	{"dat_evd_wait", "an UNSIGNALLED request wakes nobody, its event is there all the same", func(w *World) {
		a, b := w.endpoint(w.A, withValue(dat.ParamRequestCompletionFlags, flagU.String())), w.endpoint(w.B)
		w.connectPair(a, b)
		b.postRecvs(2, 64)
		a.postSend("quiet", dat.CompletionUnsignalled)
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.eventually("its event is there", w.arrived(a.request, 1))
		a.postSend("loud")
		equal(w, "the events that the waiter took", w.wokenWith(a.request), 2)
	}},
	{"D21 dat_evd_create", "a full queue drops the newest event, counts it, and says so on the asynchronous EVD", func(w *World) {
		evd := w.evdOfLength(w.B, 1, dat.StreamDTO)
		a := w.endpoint(w.A)
		b := w.endpoint(w.B, withValue(dat.ParamRecvEVD, evd))
		w.connectPair(a, b)
		b.postRecvs(2, 64)
		a.postSend("first")
		a.postSend("dropped")
		w.takeCompletion(a.request, dat.KindSend, dat.DTOSuccess)
		w.takeCompletion(a.request, dat.KindSend, dat.DTOSuccess)
		w.proves("D21")
		overflow := w.expectAsync(w.B, evd)
		equal(w, "the event of the overflow", overflow.Event, dat.EventAsyncErrorEVDOverflow)
		w.check(overflow.Reason != nil, "the overflow has no reason")
		w.proves("dat_evd_create")
		o := w.getEVD(evd)
		w.check(o.Dropped == 1 && o.Depth == 1, "depth %d, dropped %d", o.Depth, o.Dropped)
		got := w.expectCompletion(evd, dat.KindRecv, dat.DTOSuccess)
		equal(w, "the message of the event that stayed", string(got.Data.Payload), "first")
		s := w.status(b.id)
		w.check(s.State == dat.EPConnected && s.RecvIdle, "the endpoint is %+v", s)
	}},
	{"M9", "resizing loses no event: a shorter queue than what is queued is refused", func(w *World) {
		evd := w.evdOfLength(w.A, 4, dat.StreamSoftware)
		for range 3 {
			w.must(w.postSE(evd, `"x"`))
		}
		resize := func(n int64) error {
			_, err := w.M.ModifyEVD(w.ctx, call, evd, manager.EVDModify{QLen: &n})
			return err
		}
		w.refused("two for three", resize(2), dat.RetInvalidState, dat.SubNone)
		w.refused("a length that is none", resize(0), dat.RetInvalidParameter, dat.SubNone)
		w.succeeds("three for three", resize(3))
		w.refused("a fourth event", w.postSE(evd, `"x"`), dat.RetQueueFull, dat.SubNone)
		got, err := w.M.Dequeue(w.ctx, evd, 10, 1, 0)
		w.must(err)
		equal(w, "the events that are left", len(got), 3)
	}},
	{"dat_evd_post_se", "software events come in order, only where they were declared", func(w *World) {
		evd := w.evd(w.A, dat.StreamSoftware)
		for _, data := range []string{`{"n":1}`, `{"n":2}`} {
			w.must(w.postSE(evd, data))
		}
		for _, want := range []string{`{"n":1}`, `{"n":2}`} {
			equal(w, "the software event", string(w.expectEvent(evd, dat.EventSoftware).Data.Software), want)
		}
		w.refused("an EVD without SOFTWARE", w.postSE(w.evd(w.A, dat.StreamDTO), `1`), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"dat_evd_wait", "a wait ends with its threshold, with its time, when the EVD becomes unwaitable, and with the EVD", func(w *World) {
		evd := w.evd(w.A, dat.StreamSoftware)
		got, err := w.M.Dequeue(w.ctx, evd, 4, 1, 20*time.Millisecond)
		w.succeeds("a wait without an event", err)
		equal(w, "the events of that wait", len(got), 0)
		type answer struct {
			n   int
			err error
		}
		wait := func(threshold int) chan answer {
			out := make(chan answer, 1)
			go func() {
				got, err := w.M.Dequeue(w.ctx, evd, 4, threshold, waitLimit)
				out <- answer{len(got), err}
			}()
			w.awaitWaiter(evd)
			return out
		}
		first := wait(2)
		_, err = w.M.Dequeue(w.ctx, evd, 1, 1, waitLimit)
		w.refused("a second waiter", err, dat.RetInvalidState, dat.SubInvalidStateEVDWaiter)
		w.must(w.postSE(evd, `1`))
		w.must(w.postSE(evd, `2`))
		a := <-first
		w.succeeds("a wait with threshold 2", a.err)
		equal(w, "the events of that wait", a.n, 2)
		second := wait(1)
		w.setWaitable(evd, false)
		w.refused("a waiter when the EVD becomes unwaitable", (<-second).err, dat.RetInvalidState, dat.SubInvalidStateEVDUnwaitable)
		_, err = w.M.Dequeue(w.ctx, evd, 1, 1, waitLimit)
		w.refused("waiting on an unwaitable EVD", err, dat.RetInvalidState, dat.SubInvalidStateEVDUnwaitable)
		_, err = w.M.Dequeue(w.ctx, evd, 1, 1, 0)
		w.succeeds("taking from an unwaitable EVD", err)
		w.setWaitable(evd, true)
		third := wait(1)
		w.must(w.M.FreeEVD(w.ctx, call, evd))
		w.refused("a waiter of a freed EVD", (<-third).err, dat.RetAbort, dat.SubNone)
	}},
}

// awaitWaiter waits until a call waits on the EVD: then no other one may.
func (w *World) awaitWaiter(evd dat.Handle) {
	w.Helper()
	w.await("the waiter waits", func() bool {
		_, err := w.M.Dequeue(w.ctx, evd, 1, 1, 0)
		return hasReturn(err, dat.RetInvalidState)
	})
}

// setWaitable is dat_evd_set_unwaitable and its opposite.
func (w *World) setWaitable(evd dat.Handle, waitable bool) {
	w.Helper()
	_, err := w.M.ModifyEVD(w.ctx, call, evd, manager.EVDModify{Waitable: &waitable})
	w.must(err)
}
