package rdmatest

import (
	"math"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// refusedSend demands the refusal of a send.
func (w *World) refusedSend(what string, e *endpoint, in manager.SendPost, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	_, err := w.M.PostSend(w.ctx, call, e.id, in)
	w.refused(what, err, ret, sub)
}

var transferCases = []Case{
	{"dat_ep_post_send dat_ep_post_recv", "messages arrive in order, whole, with their cookies", func(w *World) {
		a, b := w.pair()
		b.postRecvs(3, 64)
		for _, message := range []string{"one", "", "three"} {
			_, err := w.M.PostSend(w.ctx, call, a.id, manager.SendPost{Data: []byte(message), Count: 1, Cookie: ptr("c-" + message)})
			w.must(err)
		}
		for _, message := range []string{"one", "", "three"} {
			w.proves("dat_ep_post_recv")
			got := w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess).Data
			w.check(string(got.Payload) == message && *got.TransferredLength == int64(len(message)) && !*got.Truncated,
				"%q arrived as %+v", message, got)
			w.proves("dat_ep_post_send")
			sent := w.expectCompletion(a.request, dat.KindSend, dat.DTOSuccess)
			equal(w, "the cookie", textOf(sent.Data.Cookie), "c-"+message)
		}
		c := w.status(a.id).Counters
		w.check(c.Sends == 3 && c.SentBytes == 8, "the counters are %+v", c)
	}},
	{"S3", "SUPPRESS leaves out the event of a success and not that of a failure", func(w *World) {
		a, b := w.pair()
		b.postRecvs(1, 64)
		a.postSend("quiet", dat.CompletionSuppress)
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.eventually("it is done", func() bool { return w.status(a.id).RequestIdle })
		w.expectNoEvents(a.request)
		b.postRecvs(1, 1)
		a.postSend("too long", dat.CompletionSuppress)
		if w.reportsDelivery() {
			got := w.nextEvent(a.request).Data.Status
			w.check(got != nil && *got != dat.DTOSuccess, "the failure completed with %v", wordOf(got))
		}
		w.expectState(a.id, dat.EPDisconnected)
		w.expectState(b.id, dat.EPDisconnected)
	}},
	{"dat_ep_post_recv", "the payload of an event is cut at 4096 bytes and says so", func(w *World) {
		a, b := w.pair()
		b.postRecvs(1, 8192)
		a.postSend(strings.Repeat("x", 5000))
		got := w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess).Data
		w.check(*got.TransferredLength == 5000 && len(got.Payload) == 4096 && *got.Truncated,
			"length %d, payload %d, truncated %v", *got.TransferredLength, len(got.Payload), *got.Truncated)
		w.takeCompletion(a.request, dat.KindSend, dat.DTOSuccess)
	}},
	{"D35", "requests are refused outside of CONNECTED and DISCONNECTED with the subtype of the state", func(w *World) {
		send := manager.SendPost{Data: []byte("x"), Count: 1}
		w.refusedSend("UNCONNECTED", w.endpoint(w.A), send, dat.RetInvalidState, dat.SubInvalidStateEPUnconnected)
		active, _ := w.inState(dat.EPActiveConnectionPending)
		w.refusedSend("ACTIVE", active, send, dat.RetInvalidState, dat.SubInvalidStateEPActconnpending)
		if !w.reportsDelivery() {
			return // no drain lasts there
		}
		a, _ := w.pair()
		a.postSend("held up")
		a.disconnect(dat.CloseGraceful)
		w.refusedSend("DISCONNECT_PENDING", a, send, dat.RetInvalidState, dat.SubInvalidStateEPDiscpending)
	}},
	{"C11 C13", "the limits of the endpoint hold for postings, all or nothing", func(w *World) {
		a, b := w.pair(withValue(dat.ParamMaxRecvDTOs, int64(2)), withValue(dat.ParamMaxRequestDTOs, int64(2)),
			withValue(dat.ParamMaxMessageSize, int64(16)), withValue(dat.ParamMaxRDMASize, int64(16)))
		postRecv := func(n int, size int64) error {
			_, err := w.M.PostRecv(w.ctx, call, b.id, manager.RecvPost{Count: n, Size: size})
			return err
		}
		w.proves("C13")
		w.refused("three receives for two", postRecv(3, 8), dat.RetInsufficientResources, dat.SubNone)
		w.check(w.status(b.id).RecvIdle, "some of them were posted")
		b.postRecvs(2, 16)
		w.refused("one more", postRecv(1, 8), dat.RetInsufficientResources, dat.SubNone)
		w.refusedSend("three sends for two", a, manager.SendPost{Data: []byte("x"), Count: 3}, dat.RetInsufficientResources, dat.SubNone)
		for _, n := range []int{0, -1, math.MinInt} {
			w.refused("a count that is none", postRecv(n, 8), dat.RetInvalidParameter, dat.SubNone)
			w.refusedSend("a count that is none", a, manager.SendPost{Data: []byte("x"), Count: n}, dat.RetInvalidParameter, dat.SubNone)
		}
		w.proves("C11")
		w.refusedSend("a long message", a, manager.SendPost{Size: ptr(int64(17)), Count: 1}, dat.RetLengthError, dat.SubNone)
		w.refused("a negative size", postRecv(1, -1), dat.RetInvalidParameter, dat.SubNone)
		w.proves("C11", "C13")
		a.postSends(2, "both")
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
	}},
	{"A21 D27", "the flags of single postings are taken, and what is no posting flag is refused", func(w *World) {
		a, b := w.pair()
		b.postRecvs(4, 64)
		w.proves("A21", "D27")
		for _, f := range []dat.CompletionFlag{dat.CompletionSuppress, dat.CompletionSolicitedWait, dat.CompletionBarrierFence, dat.CompletionDefault} {
			a.postSend(f.String(), f)
			got := w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
			equal(w, "the message posted with "+f.String(), string(got.Data.Payload), f.String())
		}
		w.proves("A21")
		w.refusedSend("EVD_THRESHOLD", a, manager.SendPost{Data: []byte("x"), Count: 1, Flags: []dat.CompletionFlag{dat.CompletionEVDThreshold}},
			dat.RetInvalidParameter, dat.SubNone)
	}},
	{"T2", "a post on a freed endpoint is DAT_INVALID_HANDLE", func(w *World) {
		e := w.endpoint(w.A)
		w.must(w.M.FreeEP(w.ctx, call, e.id))
		w.refusedSend("send", e, manager.SendPost{Data: []byte("x"), Count: 1}, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		_, err := w.M.PostRecv(w.ctx, call, e.id, manager.RecvPost{Count: 1, Size: 8})
		w.refused("recv", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
	}},
	{"dat_ep_post_recv", "receives can be posted in every state where there is a zone", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			_, err := w.M.PostRecv(w.ctx, call, e.id, manager.RecvPost{Count: 1, Size: 8})
			if s == dat.EPTentativeConnectionPending { // it has no zone yet
				w.refused("post_recv without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
			} else {
				w.succeeds("post_recv in "+s.String(), err)
			}
		}
	}},
}
