package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
)

var statusCases = []Case{
	{"S1 S2 S3 S9 D1", "the idle flags tell the truth, suppressed requests included", func(w *World) {
		a, b := w.pair()
		b.recvs(2, 64)
		if s := w.status(b.ep); s.RecvIdle || !s.RequestIdle || s.Recvs != 2 || s.State != dat.EPConnected {
			w.Errorf("with two receives posted: %+v", s)
		}
		a.send("quiet", dat.CompletionSuppress)
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.until("the suppressed send is done", func() bool { return w.status(a.ep).RequestIdle })
		if s := w.status(b.ep); s.RecvIdle || s.Recvs != 1 {
			w.Errorf("with one receive left: %+v", s)
		}
		a.send("loud")
		w.until("both are idle", func() bool { return w.status(b.ep).RecvIdle && w.status(a.ep).RequestIdle })
		// S2: what lies on the EVD is done.
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
		w.none(a.request)
	}},
	{"S6 S4", "after the flush and after a reset both flags are true", func(w *World) {
		a, b := w.pair()
		a.recvs(2, 8)
		w.leave(a, b)
		w.until("the flush", func() bool { return w.status(a.ep).RecvIdle })
		_, err := w.M.ResetEP(w.ctx, call, a.ep)
		w.must(err)
		if s := w.status(a.ep); !s.RecvIdle || !s.RequestIdle || s.State != dat.EPUnconnected {
			w.Errorf("after the reset: %+v", s)
		}
	}},
	{"S5", "receives of an SRQ are at the endpoint only while it has taken them", func(w *World) {
		if !w.facts(w.B).Provider.SRQSupported {
			return
		}
		_, b, q := w.shared(4)
		w.fill(q, 2, 64)
		if s := w.status(b.ep); !s.RecvIdle || s.Recvs != 0 {
			w.Errorf("with receives on the SRQ: %+v", s)
		}
	}},
	{"S8", "a freed endpoint is DAT_INVALID_HANDLE", func(w *World) {
		e := w.end(w.A)
		w.must(w.M.FreeEP(w.ctx, call, e.ep))
		_, err := w.M.EPStatus(e.ep)
		w.refused("get_status", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		w.refused("free again", w.M.FreeEP(w.ctx, call, e.ep), dat.RetInvalidHandle, dat.SubInvalidHandleEP)
	}},
	{"S7 S1", "status, query and recv_query succeed in every state", func(w *World) {
		for _, s := range steady {
			e, _ := w.into(s)
			if got := w.status(e.ep); got.State != s {
				w.Errorf("the status says %s, the endpoint is %s", got.State, s)
			}
			if got := w.get(e.ep); got.State != s {
				w.Errorf("the record says %s, the endpoint is %s", got.State, s)
			}
			_, err := w.M.RecvQuery(e.ep)
			w.must(err)
		}
	}},
	{"S2 B5", "dat_ep_recv_query counts the posted receives, span not below number", func(w *World) {
		e := w.end(w.A)
		e.recvs(3, 8)
		got, err := w.M.RecvQuery(e.ep)
		w.must(err)
		can := w.facts(w.A).Provider.EPRecvInfoSupported
		if can.NBufsAllocated != (got.NBufsAllocated != nil) || can.BufsAllocSpan != (got.BufsAllocSpan != nil) {
			w.Errorf("the provider declares %+v and tells %+v", can, got)
		}
		if got.NBufsAllocated != nil && *got.NBufsAllocated != 3 || got.BufsAllocSpan != nil && *got.BufsAllocSpan < 3 {
			w.Errorf("for three receives it tells %d, %d", *got.NBufsAllocated, *got.BufsAllocSpan)
		}
	}},
	{"T20 T36", "the fields that mean nothing in a state are null", func(w *World) {
		for _, s := range steady {
			e, _ := w.into(s)
			o := w.get(e.ep)
			remote := s == dat.EPPassiveConnectionPending || s == dat.EPActiveConnectionPending ||
				s == dat.EPTentativeConnectionPending || s == dat.EPConnected
			if (o.RemoteIAAddress != nil) != remote || (o.RemotePortQual != nil) != remote {
				w.Errorf("in %s the remote side is %v, %v", s, text(o.RemoteIAAddress), o.RemotePortQual)
			}
			if s == dat.EPUnconnected && o.LocalPortQual != nil {
				w.Errorf("in %s the local qualifier is %d", s, *o.LocalPortQual)
			}
			if s == dat.EPConnected && (o.Peer == nil || o.Transport.QPNum == nil || o.LastEvent == nil) {
				w.Errorf("a connected endpoint shows peer %v, transport %+v, last event %v", o.Peer, o.Transport, o.LastEvent)
			}
		}
	}},
}
