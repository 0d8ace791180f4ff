package rdmatest

import (
	"fmt"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// endpointReports are the reports about an endpoint, with their inputs of the
// transition table and the rules of the transitions that they cause.
var endpointReports = []struct {
	kind  rdma.ReportKind
	in    dat.Input
	rules []string
}{
	{rdma.ReportEstablished, dat.EvEstablished, []string{"T14", "T22"}},
	{rdma.ReportPeerRejected, dat.EvPeerRejected, []string{"T23"}},
	{rdma.ReportNonPeerRejected, dat.EvNonPeerRejected, []string{"T26"}},
	{rdma.ReportUnreachable, dat.EvUnreachable, []string{"T24"}},
	{rdma.ReportAcceptFailed, dat.EvAcceptFailed, []string{"T15"}},
	{rdma.ReportDisconnected, dat.EvDisconnected, []string{"T36"}},
	{rdma.ReportBroken, dat.EvBroken, []string{"T37"}},
	{rdma.ReportEPError, dat.EvEPError, []string{"T38"}},
}

// providerName returns the provider's name of an adapter.
func (w *World) providerName(ia dat.Handle) string {
	if ia == w.A {
		return w.setup.Active
	}
	return w.setup.Passive
}

// inject makes the adapter report something about an endpoint, and waits until it
// is recorded.
func (w *World) inject(e *endpoint, kind rdma.ReportKind) {
	w.Helper()
	before := len(w.Rec.Of(e.id))
	w.Faults.Inject(w.providerName(e.ia), rdma.Report{Kind: kind, EP: e.id, Reason: "INJECTED"})
	w.await("the event is recorded", func() bool { return len(w.Rec.Of(e.id)) > before })
}

// recordingRequest is a connection request that records how it is rejected.
type recordingRequest struct{ rejected chan bool }

func (r *recordingRequest) Accept(rdma.EP, []byte) error { return nil }
func (r *recordingRequest) Reject(peer bool, _ []byte)   { r.rejected <- peer }
func (r *recordingRequest) Handoff(int32)                {}

var reportCases = []Case{
	{"T50 T14 T15 T22 T23 T24 T26 T36 T37 T38", "every event in every state, and again: the table's answer, recorded, never a stuck endpoint", func(w *World) {
		for _, s := range allStates {
			for _, r := range endpointReports {
				e, _ := w.inState(s)
				state := s
				for range 2 {
					v := dat.Judge(state, r.in)
					w.proves("T50") // an event that changes nothing is recorded as such
					if v.Next != state {
						w.proves(append(r.rules, "T50")...)
					}
					w.inject(e, r.kind)
					equal(w, fmt.Sprintf("the state after %s in %s", r.in, state), w.status(e.id).State, v.Next)
					state = v.Next
				}
				if w.wiresHeld {
					w.releaseWires()
				}
				if state != s {
					w.must(w.M.FreeEP(w.ctx, call, e.id))
				}
			}
			w.freeAll()
		}
	}},
	{"dat_evd_wait", "a message that proves to be solicited after it was reported wakes the waiter all the same", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B, withValue(dat.ParamRecvCompletionFlags, dat.CompletionSolicitedWait.String()))
		w.connectPair(a, b)
		b.postRecvs(1, 64)
		a.postSend("unasked as it seems")
		w.await("it arrived", w.arrived(b.recv, 1))
		woken := make(chan int, 1)
		go func() { woken <- w.wokenWith(b.recv) }()
		w.Faults.Inject(w.providerName(w.B), rdma.Report{Kind: rdma.ReportSolicited, EP: b.id})
		equal(w, "the events that the waiter took", <-woken, 1)
	}},
	{"T38 D21", "an error that only the adapter sees is DAT_ASYNC_ERROR_EP_BROKEN with the endpoint and a reason", func(w *World) {
		e, _ := w.inState(dat.EPConnected)
		w.inject(e, rdma.ReportEPError)
		w.proves("D21")
		got := w.expectAsync(e.ia, e.id)
		w.check(got.Event == dat.EventAsyncErrorEPBroken && got.Endpoint == e.id && got.Reason != nil && got.Stream == dat.StreamAsync,
			"the event is %+v", got)
		w.proves("T38")
		w.expectState(e.id, dat.EPDisconnected)
		w.expectNoEvents(e.conn)
	}},
	{"T25 D20", "a timer that fires late does nothing", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.connectInput()
		in.TimeoutUS = ptr(int64(50_000))
		_, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.must(err)
		w.accept(p.nextRequest(), b)
		w.awaitState(a.id, dat.EPConnected)
		w.awaitState(b.id, dat.EPConnected)
		w.disconnectPair(a, b)
		w.reset(a.id)
		a.connect(p)
		w.takeEvent(a.conn, dat.EventEstablished)
		w.takeEvent(a.conn, dat.EventDisconnected)
		w.proves("T25", "D20")
		got, err := w.M.Dequeue(w.ctx, a.conn, 1, 1, 200*time.Millisecond)
		w.must(err)
		w.check(len(got) == 0, "the old timer fired: %+v", got)
		equal(w, "the state after the old timer", w.status(a.id).State, dat.EPActiveConnectionPending)
	}},
	{"D23", "errors of an SRQ name the SRQ", func(w *World) {
		if !w.needsSRQ() {
			return
		}
		q := w.srq(w.B, w.pz(w.B), 4)
		w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportSRQError, SRQ: q})
		got := w.expectAsync(w.B, q)
		w.check(got.Object != nil && got.Object.Type == dat.TypeSRQ && got.Reason != nil, "the event is %+v", got)
		w.eventually("the SRQ shows it", func() bool { return w.getSRQ(q).State == dat.SRQError })
	}},
	{"D22", "completions of nothing, receives of nothing and probes of nothing move no state", func(w *World) {
		e, peer := w.inState(dat.EPConnected)
		version := w.getEP(e.id).Version
		for _, r := range []rdma.Report{
			{Kind: rdma.ReportCompletion, EP: e.id, WR: 1 << 60, Operation: dat.KindSend, Status: dat.DTOErrTransport},
			{Kind: rdma.ReportRecvTaken, EP: e.id, SRQ: "none", WR: 1 << 60},
			{Kind: rdma.ReportProbe, EP: e.id},
			{Kind: rdma.ReportEstablished, EP: "none"},
			{Kind: rdma.ReportBroken, EP: "none"},
			{Kind: rdma.ReportRequestGone, SP: "none", Request: &recordingRequest{}},
		} {
			w.Faults.Inject(w.setup.Passive, r)
		}
		w.expectTransfer(peer, e, "still there")
		got := w.getEP(e.id)
		equal(w, "the state", got.State, dat.EPConnected)
		equal(w, "the version", got.Version, version)
	}},
	{"T26", "a request that no living service point waits for is rejected by the provider", func(w *World) {
		p := w.listen(w.B, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		r := &recordingRequest{rejected: make(chan bool, 1)}
		w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportRequest, SP: p.id, Request: r})
		equal(w, "whether it was rejected in the consumer's name", <-r.rejected, false)
	}},
	{"T46", "rejecting a request whose peer has gone changes nothing more", func(w *World) {
		a := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPConsumer)
		a.connect(p)
		cr := p.nextRequest()
		a.disconnect(dat.CloseAbrupt)
		w.awaitState(a.id, dat.EPDisconnected)
		w.succeeds("reject", w.M.RejectCR(w.ctx, call, cr.ID, nil))
		_, there := w.M.Get(dat.TypeCR, cr.ID)
		w.check(!there, "the request is still there")
		w.expectEvent(a.conn, dat.EventDisconnected)
		w.expectNoEvents(a.conn, p.evd)
	}},
	{"T48 T49", "a device that vanishes and returns repeatedly, or reports that twice, leaves nothing stuck", func(w *World) {
		a, b := w.pair()
		for n := range 3 {
			before := len(w.Rec.Of(w.B))
			w.Faults.Remove(w.setup.Passive)
			w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportDeviceGone})
			w.Faults.Return(w.setup.Passive)
			w.Faults.Inject(w.setup.Passive, rdma.Report{Kind: rdma.ReportDeviceBack})
			w.proves("T48", "T49")
			w.eventually(fmt.Sprint("it vanished and returned, time ", n+1), func() bool { return len(w.Rec.Of(w.B)) == before+2 })
			w.proves("T48")
			for _, e := range []*endpoint{a, b} {
				w.expectState(e.id, dat.EPDisconnected)
				w.expectEvent(e.conn, dat.EventBroken)
				w.reset(e.id)
			}
			w.connectPair(a, b)
		}
		w.proves("T49")
		w.expectTransfer(a, b, "after all")
	}},
}
