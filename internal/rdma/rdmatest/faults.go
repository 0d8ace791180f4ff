package rdmatest

import (
	"slices"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// pending are the two states that need held wires to be seen for long.
var pending = []dat.EPState{dat.EPCompletionPending, dat.EPDisconnectPending}

// occurring are the nine states.
var occurring = slices.Concat(steady, pending)

var faultCases = []Case{
	{"M1 M2 T42 D4 A20 W3 T43", "COMPLETION_PENDING and DISCONNECT_PENDING let nothing be modified and every mark be set", func(w *World) {
		for _, s := range pending {
			e, _ := w.into(s)
			w.modifyAll(e.ep, s)
			w.marks(e.ep, 100, 100)
			if got := w.status(e.ep).State; got != s {
				w.Errorf("%s became %s", s, got)
			}
			w.letGo()
		}
	}},
	{"T21 T5 T41 D35", "what they forbid has their subtype", func(w *World) {
		subtypes := map[dat.EPState]dat.Subtype{
			dat.EPCompletionPending: dat.SubInvalidStateEPComplpending,
			dat.EPDisconnectPending: dat.SubInvalidStateEPDiscpending,
		}
		for _, s := range pending {
			e, _ := w.into(s)
			for name, c := range w.operations(e.ep) {
				if dat.Judge(s, c.in).Kind == dat.Refuse {
					w.refused(name+" in "+s.String(), c.do(call), dat.RetInvalidState, subtypes[s])
				}
			}
			w.letGo()
		}
	}},
	{"T2 T28 T32", "operations and modifiable agree with the calls there, and freeing works", func(w *World) {
		for _, s := range pending {
			e, _ := w.into(s)
			w.agree(e)
			w.must(w.M.FreeEP(w.ctx, call, e.ep))
			w.letGo()
		}
	}},
	{"T32", "a disconnect in COMPLETION_PENDING aborts the accept; the active side learns it", func(w *World) {
		for _, how := range []dat.CloseFlag{dat.CloseAbrupt, dat.CloseGraceful} {
			e, peer := w.into(dat.EPCompletionPending)
			e.recvs(1, 8)
			e.disconnect(how)
			w.expect(e.conn, dat.EventDisconnected)
			w.done(e.recv, dat.KindRecv, dat.DTOErrFlushed)
			w.letGo()
			w.reach(peer.ep, dat.EPDisconnected)
			w.reach(e.ep, dat.EPDisconnected)
			w.none(e.conn)
		}
	}},
	{"T15 D18 D40", "a peer that leaves while the accept is on its way is DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR", func(w *World) {
		e, peer := w.into(dat.EPCompletionPending)
		peer.disconnect(dat.CloseAbrupt)
		w.letGo()
		w.expect(e.conn, dat.EventAcceptCompletionError)
		w.reach(e.ep, dat.EPDisconnected)
	}},
	{"T30 T31", "in DISCONNECT_PENDING graceful has no effect and abrupt ends it at once, with one event", func(w *World) {
		e, peer := w.into(dat.EPDisconnectPending)
		before := w.get(e.ep).Version
		e.disconnect(dat.CloseGraceful)
		if got := w.get(e.ep); got.Version != before || got.State != dat.EPDisconnectPending {
			w.Errorf("graceful again made it %s, version %d after %d", got.State, got.Version, before)
		}
		e.disconnect(dat.CloseAbrupt)
		w.expect(e.conn, dat.EventDisconnected)
		w.done(e.request, dat.KindSend, dat.DTOErrFlushed)
		w.letGo()
		w.reach(peer.ep, dat.EPDisconnected)
		w.none(e.conn)
	}},
	{"W7 T37", "the hard mark breaks a connection that drains", func(w *World) {
		if !w.able(-1, 0) {
			return
		}
		e, _ := w.into(dat.EPDisconnectPending)
		e.recvs(1, 8)
		w.marks(e.ep, -1, 0)
		w.expect(e.conn, dat.EventBroken)
		w.reach(e.ep, dat.EPDisconnected)
		w.letGo()
	}},
	{"T24 D19", "a peer that no packet reaches is DAT_CONNECTION_EVENT_UNREACHABLE, and the endpoint DISCONNECTED", func(w *World) {
		a := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		w.Faults.Cut(w.setup.Active, w.setup.Passive)
		a.connect(p)
		w.expect(a.conn, dat.EventUnreachable)
		w.reach(a.ep, dat.EPDisconnected)
		w.Faults.Mend(w.setup.Active, w.setup.Passive)
		_, err := w.M.ResetEP(w.ctx, call, a.ep)
		w.must(err)
		a.connect(p)
		w.accept(p.request(), w.end(w.B))
		w.reach(a.ep, dat.EPConnected)
	}},
	{"T37", "a cut link is noticed by sending: DAT_DTO_ERR_TRANSPORT and BROKEN, at each end in its time", func(w *World) {
		a, b := w.pair()
		w.Faults.Cut(w.setup.Active, w.setup.Passive)
		a.send("into nothing")
		w.done(a.request, dat.KindSend, dat.DTOErrTransport)
		w.expect(a.conn, dat.EventBroken)
		o := w.reach(a.ep, dat.EPDisconnected)
		if o.LastEvent == nil || text(o.LastEvent.Reason) == "null" {
			w.Errorf("the last event is %+v", o.LastEvent)
		}
		if got := w.status(b.ep).State; got != dat.EPConnected {
			w.Errorf("the other end is %s although nothing reached it", got)
		}
		b.send("nothing either")
		w.expect(b.conn, dat.EventBroken)
	}},
	{"T37 S1", "the probe tells that the peer lives, and breaks the connection when it no longer does", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		_, err := w.M.ModifyEP(w.ctx, call, a.ep, manager.EPModify{Probe: &dat.Probe{IntervalS: 1, FailAfter: 2}})
		w.must(err)
		w.join(a, b)
		born := w.status(a.ep).LastProofOfLife
		w.until("the proof of life is renewed", func() bool {
			now := w.status(a.ep).LastProofOfLife
			return born != nil && now != nil && now.After(born.Time)
		})
		if s := w.status(a.ep); !s.RequestIdle || s.Counters.RDMAWrites != 0 {
			w.Errorf("the probe counts: %+v", s)
		}
		w.none(a.request)
		if !w.Faults.Kill(b.ep) {
			w.Fatal("the peer cannot be killed")
		}
		w.expect(a.conn, dat.EventBroken)
		w.reach(a.ep, dat.EPDisconnected)
		w.none(a.request)
	}},
	{"T25", "a peer that stopped is TIMED_OUT by the consumer's timer alone", func(w *World) {
		a := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		w.hold()
		in := p.to()
		in.TimeoutUS = ptr(int64(200_000))
		_, err := w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.must(err)
		w.expect(a.conn, dat.EventTimedOut)
		w.reach(a.ep, dat.EPDisconnected)
		w.letGo()
		w.none(a.conn, p.evd)
	}},
	{"T48", "a device that goes breaks connections, ends requests and leaves other states alone", func(w *World) {
		after := map[dat.EPState]dat.EPState{
			dat.EPUnconnected: dat.EPUnconnected, dat.EPReserved: dat.EPReserved,
			dat.EPPassiveConnectionPending: dat.EPUnconnected, dat.EPActiveConnectionPending: dat.EPDisconnected,
			dat.EPConnected: dat.EPDisconnected, dat.EPDisconnected: dat.EPDisconnected,
		}
		ends := map[dat.EPState]*end{}
		for _, s := range steady {
			ends[s], _ = w.into(s)
		}
		waiting := len(w.M.List(dat.TypeCR))
		if !w.Faults.Remove(w.setup.Passive) {
			w.Fatal("the device cannot be removed")
		}
		for s, want := range after {
			w.reach(ends[s].ep, want)
		}
		for _, s := range []dat.EPState{dat.EPActiveConnectionPending, dat.EPConnected} {
			w.until("BROKEN is told", func() bool {
				got, _ := w.M.Look(ends[s].conn, 10)
				return len(got) > 0 && got[len(got)-1].Event == dat.EventBroken
			})
		}
		w.until("the tentative endpoint is gone", func() bool {
			_, ok := w.M.Get(dat.TypeEndpoint, ends[dat.EPTentativeConnectionPending].ep)
			return !ok
		})
		for _, o := range w.M.List(dat.TypeCR) {
			if o.Head().IA == w.B {
				w.Errorf("of %d requests %s still waits", waiting, o.Head().ID)
			}
		}
		if o, _ := w.M.IA(w.B); o.State != dat.IAGone {
			w.Errorf("the adapter is %s", o.State)
		}
		w.needsDevice(ends[dat.EPUnconnected])
	}},
	{"T48 T15 T28", "a device that goes ends a pending accept and a drain with BROKEN", func(w *World) {
		for _, s := range pending {
			e, _ := w.into(s)
			w.Faults.Remove(w.setup.Passive)
			w.reach(e.ep, dat.EPDisconnected)
			w.expect(e.conn, dat.EventBroken)
			w.letGo()
			w.Faults.Return(w.setup.Passive)
			w.until("the adapter is up", func() bool { o, _ := w.M.IA(w.B); return o.State == dat.IAUp })
		}
	}},
	{"T49", "a device that returns has its objects again: endpoints connect, memory can be reached", func(w *World) {
		a, b := w.pair()
		remote := w.memory(w.B, b.pz, 64)
		r := w.end(w.B)
		point := w.reserve(r)
		w.Faults.Remove(w.setup.Passive)
		w.reach(b.ep, dat.EPDisconnected)
		w.reach(a.ep, dat.EPDisconnected)
		w.Faults.Return(w.setup.Passive)
		w.until("the adapter is up", func() bool { o, _ := w.M.IA(w.B); return o.State == dat.IAUp })
		for _, e := range []*end{a, b} {
			w.expect(e.conn, map[*end]dat.EventNumber{a: dat.EventBroken, b: dat.EventBroken}[e])
			_, err := w.M.ResetEP(w.ctx, call, e.ep)
			w.must(err)
		}
		w.join(a, b)
		w.pass(a, b, "again")
		local := w.memory(w.A, a.pz, 64)
		o, _ := w.M.Get(dat.TypeLMR, remote.ID)
		a.rdma(dat.KindRDMAWrite, local, o.(*dat.LMR), 64)
		w.done(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
		c := w.end(w.A)
		c.connect(point)
		w.accept(point.request(), nil)
		w.reach(r.ep, dat.EPConnected)
	}},
}

// needsDevice demands that calls which need the device say so, and that queries
// and frees go on.
func (w *World) needsDevice(e *end) {
	w.Helper()
	_, err := w.M.CreatePZ(w.ctx, call, manager.PZCreate{IA: e.ia})
	w.refused("create without a device", err, dat.RetInvalidState, dat.SubNone)
	_, err = w.M.ConnectEP(w.ctx, call, e.ep, manager.EPConnect{RemoteIAAddress: w.address(w.A), RemotePortQual: 7000})
	w.refused("connect without a device", err, dat.RetInvalidState, dat.SubNone)
	_, err = w.M.PostRecv(w.ctx, call, e.ep, manager.RecvPost{Count: 1, Size: 8})
	w.refused("post without a device", err, dat.RetInvalidState, dat.SubNone)
	w.status(e.ep)
	w.must(w.modify(e.ep, dat.ParamMaxRecvDTOs, int64(7)))
	w.must(w.M.FreeEP(w.ctx, call, e.ep))
	w.must(w.M.FreePZ(w.ctx, call, e.pz))
}
