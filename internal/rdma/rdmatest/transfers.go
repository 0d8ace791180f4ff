package rdmatest

import (
	"math"
	"strings"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// refusedSend demands the refusal of a send.
func (w *World) refusedSend(what string, e *end, in manager.SendPost, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	_, err := w.M.PostSend(w.ctx, call, e.ep, in)
	w.refused(what, err, ret, sub)
}

var transferCases = []Case{
	{"S2", "messages arrive in order, whole, with their cookies", func(w *World) {
		a, b := w.pair()
		b.recvs(3, 64)
		for _, message := range []string{"one", "", "three"} {
			_, err := w.M.PostSend(w.ctx, call, a.ep, manager.SendPost{Data: []byte(message), Count: 1, Cookie: ptr("c-" + message)})
			w.must(err)
		}
		for _, message := range []string{"one", "", "three"} {
			got := w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
			if string(got.Data.Payload) != message || *got.Data.TransferredLength != int64(len(message)) || *got.Data.Truncated {
				w.Errorf("%q arrived as %+v", message, got.Data)
			}
			if sent := w.done(a.request, dat.KindSend, dat.DTOSuccess); text(sent.Data.Cookie) != "c-"+message {
				w.Errorf("the cookie is %s", text(sent.Data.Cookie))
			}
		}
		if c := w.status(a.ep).Counters; c.Sends != 3 || c.SentBytes != 8 {
			w.Errorf("the counters are %+v", c)
		}
	}},
	{"S3", "SUPPRESS leaves out the event of a success and not that of a failure", func(w *World) {
		a, b := w.pair()
		b.recvs(1, 64)
		a.send("quiet", dat.CompletionSuppress)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.until("it is done", func() bool { return w.status(a.ep).RequestIdle })
		w.none(a.request)
		b.recvs(1, 1)
		a.send("too long", dat.CompletionSuppress)
		if w.delivered() {
			if got := w.next(a.request); *got.Data.Status == dat.DTOSuccess {
				w.Error("the failure is a success")
			}
		}
		w.reach(a.ep, dat.EPDisconnected)
		w.reach(b.ep, dat.EPDisconnected)
	}},
	{"T29", "the payload of an event is cut at 4096 bytes and says so", func(w *World) {
		a, b := w.pair()
		b.recvs(1, 8192)
		a.send(strings.Repeat("x", 5000))
		got := w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		if *got.Data.TransferredLength != 5000 || len(got.Data.Payload) != 4096 || !*got.Data.Truncated {
			w.Errorf("length %d, payload %d, truncated %v", *got.Data.TransferredLength, len(got.Data.Payload), *got.Data.Truncated)
		}
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
	}},
	{"D35 T21", "requests are refused outside of CONNECTED and DISCONNECTED with the subtype of the state", func(w *World) {
		e := w.end(w.A)
		w.refusedSend("UNCONNECTED", e, manager.SendPost{Data: []byte("x"), Count: 1}, dat.RetInvalidState, dat.SubInvalidStateEPUnconnected)
		active, _ := w.into(dat.EPActiveConnectionPending)
		w.refusedSend("ACTIVE", active, manager.SendPost{Data: []byte("x"), Count: 1}, dat.RetInvalidState, dat.SubInvalidStateEPActconnpending)
		if !w.delivered() {
			return // nothing holds a drain up there
		}
		a, _ := w.pair()
		a.send("held up")
		a.disconnect(dat.CloseGraceful)
		w.refusedSend("DISCONNECT_PENDING", a, manager.SendPost{Data: []byte("x"), Count: 1}, dat.RetInvalidState, dat.SubInvalidStateEPDiscpending)
	}},
	{"C13 M4", "the limits of the endpoint hold for postings, all or nothing", func(w *World) {
		small := []func(*end, *manager.EPCreate){
			with(dat.ParamMaxRecvDTOs, int64(2)), with(dat.ParamMaxRequestDTOs, int64(2)),
			with(dat.ParamMaxMessageSize, int64(16)), with(dat.ParamMaxRDMASize, int64(16)),
		}
		a, b := w.pair(small...)
		_, err := w.M.PostRecv(w.ctx, call, b.ep, manager.RecvPost{Count: 3, Size: 8})
		w.refused("three receives for two", err, dat.RetInsufficientResources, dat.SubNone)
		if !w.status(b.ep).RecvIdle {
			w.Error("some of them were posted")
		}
		b.recvs(2, 16)
		_, err = w.M.PostRecv(w.ctx, call, b.ep, manager.RecvPost{Count: 1, Size: 8})
		w.refused("one more", err, dat.RetInsufficientResources, dat.SubNone)
		w.refusedSend("three sends for two", a, manager.SendPost{Data: []byte("x"), Count: 3}, dat.RetInsufficientResources, dat.SubNone)
		w.refusedSend("a long message", a, manager.SendPost{Size: ptr(int64(17)), Count: 1}, dat.RetLengthError, dat.SubNone)
		for _, n := range []int{0, -1, math.MinInt} {
			_, err := w.M.PostRecv(w.ctx, call, b.ep, manager.RecvPost{Count: n, Size: 8})
			w.refused("a count that is none", err, dat.RetInvalidParameter, dat.SubNone)
			w.refusedSend("a count that is none", a, manager.SendPost{Data: []byte("x"), Count: n}, dat.RetInvalidParameter, dat.SubNone)
		}
		_, err = w.M.PostRecv(w.ctx, call, b.ep, manager.RecvPost{Count: 1, Size: -1})
		w.refused("a negative size", err, dat.RetInvalidParameter, dat.SubNone)
		a.sends(2, "both")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
	}},
	{"A21 D27", "the flags of single postings are taken, and what is no posting flag is refused", func(w *World) {
		a, b := w.pair()
		b.recvs(4, 64)
		for _, f := range []dat.CompletionFlag{dat.CompletionSuppress, dat.CompletionSolicitedWait, dat.CompletionBarrierFence, dat.CompletionDefault} {
			a.send(f.String(), f)
			w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		}
		w.refusedSend("EVD_THRESHOLD", a, manager.SendPost{Data: []byte("x"), Count: 1, Flags: []dat.CompletionFlag{dat.CompletionEVDThreshold}},
			dat.RetInvalidParameter, dat.SubNone)
	}},
	{"T29 T36", "a post on a freed or unknown endpoint is DAT_INVALID_HANDLE", func(w *World) {
		e := w.end(w.A)
		w.must(w.M.FreeEP(w.ctx, call, e.ep))
		w.refusedSend("send", e, manager.SendPost{Data: []byte("x"), Count: 1}, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		_, err := w.M.PostRecv(w.ctx, call, e.ep, manager.RecvPost{Count: 1, Size: 8})
		w.refused("recv", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
	}},
	{"T20", "receives can be posted in every state where there is a zone", func(w *World) {
		for _, s := range steady {
			if s == dat.EPTentativeConnectionPending {
				continue // it has no zone yet
			}
			e, _ := w.into(s)
			e.recvs(1, 8)
		}
		e, _ := w.into(dat.EPTentativeConnectionPending)
		_, err := w.M.PostRecv(w.ctx, call, e.ep, manager.RecvPost{Count: 1, Size: 8})
		w.refused("without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
	}},
}
