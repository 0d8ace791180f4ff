package rdmatest

import "github.com/datapi/datapi/internal/dat"

var statusCases = []Case{
	{"S1 S2 S3 S9 D1", "the idle flags tell the truth, suppressed requests included", func(w *World) {
		a, b := w.pair()
		b.postRecvs(2, 64)
		w.proves("S1", "S2", "S9", "D1")
		s := w.status(b.id)
		w.check(!s.RecvIdle && s.RequestIdle && s.Recvs == 2 && s.State == dat.EPConnected, "with two receives posted: %+v", s)
		a.postSend("quiet", dat.CompletionSuppress)
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.proves("S3")
		w.eventually("the suppressed send is done", func() bool { return w.status(a.id).RequestIdle })
		w.proves("S1", "S2", "D1")
		s = w.status(b.id)
		w.check(!s.RecvIdle && s.Recvs == 1, "with one receive left: %+v", s)
		a.postSend("loud")
		w.proves("S2", "S9", "D1") // what lies on the EVD is done
		w.eventually("both are idle", func() bool { return w.status(b.id).RecvIdle && w.status(a.id).RequestIdle })
		w.takeCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.takeCompletion(a.request, dat.KindSend, dat.DTOSuccess)
		w.proves("S3")
		w.expectNoEvents(a.request)
	}},
	{"S4 S6", "after the flush and after a reset both flags are true", func(w *World) {
		a, b := w.pair()
		a.postRecvs(2, 8)
		w.disconnectPair(a, b)
		w.proves("S6")
		w.eventually("the flush", func() bool { return w.status(a.id).RecvIdle })
		w.proves("S4")
		w.reset(a.id)
		s := w.status(a.id)
		w.check(s.RecvIdle && s.RequestIdle && s.State == dat.EPUnconnected, "after the reset: %+v", s)
	}},
	{"S5", "receives of an SRQ are at the endpoint only while it has taken them", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		_, b, q := w.pairOnSRQ(4)
		w.postSRQRecvs(q, 2, 64)
		s := w.status(b.id)
		w.check(s.RecvIdle && s.Recvs == 0, "with receives on the SRQ: %+v", s)
	}},
	{"S8", "a freed endpoint is DAT_INVALID_HANDLE", func(w *World) {
		e := w.endpoint(w.A)
		w.must(w.M.FreeEP(w.ctx, call, e.id))
		_, err := w.M.EPStatus(e.id)
		w.refused("get_status", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		w.refused("free again", w.M.FreeEP(w.ctx, call, e.id), dat.RetInvalidHandle, dat.SubInvalidHandleEP)
	}},
	{"S1 S7", "status, query and recv_query succeed in every state", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			w.proves("S1", "S7")
			got, err := w.M.EPStatus(e.id)
			w.succeeds("get_status in "+s.String(), err)
			equal(w, "the state of the status", got.State, s)
			w.proves("S7")
			equal(w, "the state of the query", w.getEP(e.id).State, s)
			_, err = w.M.RecvQuery(e.id)
			w.succeeds("recv_query in "+s.String(), err)
		}
	}},
	{"S2 B5", "dat_ep_recv_query counts the posted receives, span not below number", func(w *World) {
		e := w.endpoint(w.A)
		e.postRecvs(3, 8)
		w.proves("S2")
		equal(w, "the receives of the status", w.status(e.id).Recvs, 3)
		w.proves("B5")
		got, err := w.M.RecvQuery(e.id)
		w.succeeds("recv_query", err)
		can := w.facts(w.A).Provider.EPRecvInfoSupported
		w.check(can.NBufsAllocated == (got.NBufsAllocated != nil) && can.BufsAllocSpan == (got.BufsAllocSpan != nil),
			"the provider declares %+v and tells %+v", can, got)
		if got.NBufsAllocated != nil {
			equal(w, "nbufs_allocated for three receives", *got.NBufsAllocated, 3)
		}
		if got.BufsAllocSpan != nil {
			w.check(*got.BufsAllocSpan >= 3, "bufs_alloc_span for three receives is %d", *got.BufsAllocSpan)
		}
	}},
	{"dat_ep_query", "the fields that mean nothing in a state are null", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			o := w.getEP(e.id)
			remote := s == dat.EPPassiveConnectionPending || s == dat.EPActiveConnectionPending ||
				s == dat.EPTentativeConnectionPending || s == dat.EPConnected
			w.check((o.RemoteIAAddress != nil) == remote && (o.RemotePortQual != nil) == remote,
				"in %s the remote side is %v, %v", s, textOf(o.RemoteIAAddress), o.RemotePortQual)
			w.check(s != dat.EPUnconnected || o.LocalPortQual == nil, "in %s the local qualifier is %v", s, o.LocalPortQual)
			w.check(s != dat.EPConnected || o.Peer != nil && o.Transport.QPNum != nil && o.LastEvent != nil,
				"a connected endpoint shows peer %v, transport %+v, last event %v", o.Peer, o.Transport, o.LastEvent)
		}
	}},
}
