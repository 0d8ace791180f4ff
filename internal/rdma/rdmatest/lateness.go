package rdmatest

import (
	"fmt"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// events are the reports about an endpoint with their inputs of the table.
var events = []struct {
	kind rdma.ReportKind
	in   dat.Input
}{
	{rdma.ReportEstablished, dat.EvEstablished},
	{rdma.ReportPeerRejected, dat.EvPeerRejected},
	{rdma.ReportNonPeerRejected, dat.EvNonPeerRejected},
	{rdma.ReportUnreachable, dat.EvUnreachable},
	{rdma.ReportAcceptFailed, dat.EvAcceptFailed},
	{rdma.ReportDisconnected, dat.EvDisconnected},
	{rdma.ReportBroken, dat.EvBroken},
	{rdma.ReportEPError, dat.EvEPError},
}

// adapter is the provider's name of an adapter.
func (w *World) adapter(ia dat.Handle) string {
	if ia == w.A {
		return w.setup.Active
	}
	return w.setup.Passive
}

// inject reports an event of an endpoint and waits until it is recorded.
func (w *World) inject(e *end, kind rdma.ReportKind) {
	w.Helper()
	before := len(w.Rec.Of(e.ep))
	w.Faults.Inject(w.adapter(e.ia), rdma.Report{Kind: kind, EP: e.ep, Reason: "INJECTED"})
	w.until("the event is recorded", func() bool { return len(w.Rec.Of(e.ep)) > before })
}

// unwanted is a request that counts how it is answered.
type unwanted struct{ rejected chan bool }

func (u *unwanted) Accept(rdma.EP, []byte) error { return nil }
func (u *unwanted) Reject(peer bool, _ []byte)   { u.rejected <- peer }
func (u *unwanted) Handoff(int32)                {}

var lateCases = []Case{
	{"T50 T14 T15 T22 T23 T24 T26 T36 T37 T38", "every event in every state, and again: the table's answer, recorded, never a stuck endpoint", func(w *World) {
		for _, s := range occurring {
			for _, ev := range events {
				e, _ := w.into(s)
				state := s
				for range 2 {
					v := dat.Judge(state, ev.in)
					w.inject(e, ev.kind)
					state = v.Next
					if got := w.status(e.ep).State; got != state {
						w.Errorf("%s in %s made it %s, the table says %s", ev.in, s, got, state)
					}
				}
				if w.held {
					w.letGo()
				}
				if state != s {
					w.must(w.M.FreeEP(w.ctx, call, e.ep))
				}
			}
			w.clear()
		}
	}},
	{"T38 D21", "an error that only the adapter sees is DAT_ASYNC_ERROR_EP_BROKEN with the endpoint and a reason", func(w *World) {
		e, _ := w.into(dat.EPConnected)
		w.inject(e, rdma.ReportEPError)
		got := w.async(e.ia, e.ep)
		if got.Event != dat.EventAsyncErrorEPBroken || got.Endpoint != e.ep || got.Reason == nil || got.Stream != dat.StreamAsync {
			w.Errorf("the event is %+v", got)
		}
		w.reach(e.ep, dat.EPDisconnected)
		w.none(e.conn)
	}},
	{"T25 D20", "a timer that fires late does nothing", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.to()
		in.TimeoutUS = ptr(int64(50_000))
		_, err := w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.must(err)
		w.accept(p.request(), b)
		w.reach(a.ep, dat.EPConnected)
		w.reach(b.ep, dat.EPConnected)
		w.leave(a, b)
		_, err = w.M.ResetEP(w.ctx, call, a.ep)
		w.must(err)
		a.connect(p)
		w.expect(a.conn, dat.EventEstablished)
		w.expect(a.conn, dat.EventDisconnected)
		got, err := w.M.Dequeue(w.ctx, a.conn, 1, 1, 200_000_000)
		w.must(err)
		if len(got) > 0 || w.status(a.ep).State != dat.EPActiveConnectionPending {
			w.Errorf("the old timer fired: %v, %s", got, w.status(a.ep).State)
		}
	}},
	{"D23", "errors of an SRQ name the SRQ", func(w *World) {
		if !w.needSRQ() {
			return
		}
		q := w.srq(w.B, w.pz(w.B), 4)
		w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportSRQError, SRQ: q})
		if got := w.async(w.B, q); got.Object.Type != dat.TypeSRQ || got.Reason == nil {
			w.Errorf("the event is %+v", got)
		}
		w.until("the SRQ shows it", func() bool { return w.queue(q).State == dat.SRQError })
	}},
	{"D22", "completions of nothing, receives of nothing and probes of nothing move no state", func(w *World) {
		e, peer := w.into(dat.EPConnected)
		version := w.get(e.ep).Version
		for _, r := range []rdma.Report{
			{Kind: rdma.ReportCompletion, EP: e.ep, WR: 1 << 60, Operation: dat.KindSend, Status: dat.DTOErrTransport},
			{Kind: rdma.ReportRecvTaken, EP: e.ep, SRQ: "none", WR: 1 << 60},
			{Kind: rdma.ReportProbe, EP: e.ep},
			{Kind: rdma.ReportEstablished, EP: "none"},
			{Kind: rdma.ReportBroken, EP: "none"},
			{Kind: rdma.ReportRequestGone, SP: "none", Request: &unwanted{}},
		} {
			w.Faults.Inject(w.setup.Passive, r)
		}
		w.pass(peer, e, "still there")
		if got := w.get(e.ep); got.State != dat.EPConnected || got.Version != version {
			w.Errorf("it is %s, version %d after %d", got.State, got.Version, version)
		}
	}},
	{"T9 T11", "a request that no living service point waits for is rejected by the provider", func(w *World) {
		p := w.listen(w.B, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		u := &unwanted{rejected: make(chan bool, 1)}
		w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportRequest, SP: p.id, Request: u})
		if <-u.rejected {
			w.Error("it was rejected in the consumer's name")
		}
	}},
	{"T46 T50", "a request that goes twice, or after its answer, changes nothing more", func(w *World) {
		a := w.end(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.request()
		a.disconnect(dat.CloseAbrupt)
		w.reach(a.ep, dat.EPDisconnected)
		w.must(w.M.RejectCR(w.ctx, call, cr.ID, nil))
		if _, ok := w.M.Get(dat.TypeCR, cr.ID); ok {
			w.Error("the request is still there")
		}
		w.expect(a.conn, dat.EventDisconnected)
		w.none(a.conn, p.evd)
	}},
	{"T48 T49 T50", "a device that goes and comes repeatedly, or reports so twice, leaves nothing stuck", func(w *World) {
		a, b := w.pair()
		for n := range 3 {
			before := len(w.Rec.Of(w.B))
			w.Faults.Remove(w.setup.Passive)
			w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportDeviceGone})
			w.Faults.Return(w.setup.Passive)
			w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportDeviceBack})
			w.until(fmt.Sprint("it went and came, time ", n+1), func() bool { return len(w.Rec.Of(w.B)) == before+2 })
			for _, e := range []*end{a, b} {
				w.reach(e.ep, dat.EPDisconnected)
				w.expect(e.conn, dat.EventBroken)
				_, err := w.M.ResetEP(w.ctx, call, e.ep)
				w.must(err)
			}
			w.join(a, b)
		}
		w.pass(a, b, "after all")
	}},
}
