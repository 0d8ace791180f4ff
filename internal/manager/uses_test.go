package manager_test

import (
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/soft"
)

func TestARegionThatFindsNoRoomGivesItsMemoryBack(t *testing.T) {
	r := newRig(t, soft.WithLimits(func(a *dat.IAAttributes) { a.MaxLMRs = 1 }))
	zone := r.pz(r.ia)
	create := func() (*dat.LMR, error) {
		return r.m.CreateLMR(r.ctx(), by, manager.LMRCreate{IA: r.ia, PZ: zone, Length: 1 << 26})
	}
	l, err := create()
	r.must(err)
	for range 20 {
		_, err = create()
		if d := r.refusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceMemoryRegion {
			t.Fatalf("subtype %s", d.Subtype)
		}
	}
	r.must(r.m.FreeLMR(r.ctx(), by, l.ID))
	_, err = create()
	r.must(err)
}

// window is a bind of a fresh window that the engine never completes.
func (r *rig) window(a end) (rmr, lmr dat.Handle, wr string) {
	r.Helper()
	l, err := r.m.CreateLMR(r.ctx(), by, manager.LMRCreate{
		IA: r.ia, PZ: a.pz, Length: 4096,
		Privileges: []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead, dat.PrivRemoteWrite},
	})
	r.must(err)
	w, err := r.m.CreateRMR(r.ctx(), by, manager.RMRCreate{IA: r.ia, PZ: a.pz})
	r.must(err)
	r.hook.set("Post swallows", errors.New("yes"))
	defer r.hook.set("Post swallows", nil)
	p, err := r.m.BindRMR(r.ctx(), by, a.ep, manager.BindPost{RMR: w.ID, LMR: l.ID, Length: 16, Privileges: []dat.Privilege{dat.PrivRemoteRead}})
	r.must(err)
	return w.ID, l.ID, p.Cookies[0]
}

func TestAResetLetsGoOfTheRegionsOfBindsThatWereOutstanding(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	_, lmr, _ := r.window(a)
	_, err := r.m.DisconnectEP(r.ctx(), by, a.ep, dat.CloseAbrupt)
	r.must(err)
	_, err = r.m.ResetEP(r.ctx(), by, a.ep)
	r.must(err)
	r.must(r.m.FreeLMR(r.ctx(), by, lmr))
}

func TestABindThatCompletesAfterItsWindowWasFreedHoldsNoRegion(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	rmr, lmr, cookie := r.window(a)
	r.must(r.m.FreeRMR(r.ctx(), by, rmr))
	r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportCompletion, EP: a.ep, WR: number(t, cookie), Operation: dat.KindRMRBind, Status: dat.DTOSuccess})
	r.expect(a.evd, dat.EventRMRBindCompletion)
	r.must(r.m.FreeLMR(r.ctx(), by, lmr))
}

// shared is an SRQ with two receives and an endpoint on it.
func (r *rig) shared(zone, evd dat.Handle) (srq, ep dat.Handle) {
	r.Helper()
	q, err := r.m.CreateSRQ(r.ctx(), by, manager.SRQCreate{IA: r.ia, PZ: zone, MaxRecvDTOs: 2, MaxRecvIOV: 1})
	r.must(err)
	e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia, SRQ: q.ID, Values: dat.Values{dat.ParamPZ: zone, dat.ParamRecvEVD: evd}})
	r.must(err)
	_, err = r.m.PostSRQRecv(r.ctx(), by, q.ID, manager.RecvPost{Count: 2, Size: 8})
	r.must(err)
	return q.ID, e.ID
}

func (r *rig) outstanding(srq dat.Handle) int32 {
	r.Helper()
	o, ok := r.m.Get(dat.TypeSRQ, srq)
	if !ok {
		r.Fatal("no srq")
	}
	return *o.(*dat.SRQ).OutstandingDTOCount
}

func TestCompletionsLostWithTheirEVDLeaveTheSharedQueue(t *testing.T) {
	r := newRig(t)
	zone, evd := r.pz(r.ia), r.evd(r.ia, 8, dat.StreamDTO)
	q, ep := r.shared(zone, evd)
	for wr := uint64(1); wr <= 2; wr++ {
		r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportCompletion, EP: ep, WR: wr, Status: dat.DTOSuccess})
	}
	r.until("both completed", func() bool { got, _ := r.m.Look(evd, 2); return len(got) == 2 })
	if n := r.outstanding(q); n != 2 {
		t.Fatalf("%d outstanding before the consumer has them", n)
	}
	r.must(r.m.FreeEP(r.ctx(), by, ep))
	r.must(r.m.FreeEVD(r.ctx(), by, evd))
	if n := r.outstanding(q); n != 0 {
		t.Errorf("%d outstanding", n)
	}
}

func TestAReceiveTakenForAFreedEndpointLeavesTheSharedQueue(t *testing.T) {
	r := newRig(t)
	q, ep := r.shared(r.pz(r.ia), dat.HandleNull)
	r.must(r.m.FreeEP(r.ctx(), by, ep))
	r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportRecvTaken, EP: ep, SRQ: q, WR: 1})
	r.until("it left", func() bool { return r.outstanding(q) == 1 })
	r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportCompletion, EP: ep, SRQ: q, WR: 2, Status: dat.DTOErrFlushed})
	r.until("so did the other", func() bool { return r.outstanding(q) == 0 })
}

func TestABatchReservesAnEndpointOnce_T4(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	b, err := r.m.BeginBatch(r.ctx(), a.ep)
	r.must(err)
	defer b.Cancel()
	_, err = b.CreateRSP(by, manager.RSPCreate{IA: r.ia, ConnQual: 7200, Endpoint: a.ep, EVD: a.evd})
	r.must(err)
	_, err = b.CreateRSP(by, manager.RSPCreate{IA: r.ia, ConnQual: 7201, Endpoint: a.ep, EVD: a.evd})
	r.refusal(err, dat.RetInvalidState)
}

func TestABatchFreesAReservationAndItsEndpoint(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	sp, err := r.m.CreateRSP(r.ctx(), by, manager.RSPCreate{IA: r.ia, ConnQual: 7200, Endpoint: a.ep, EVD: a.evd})
	r.must(err)
	b, err := r.m.BeginBatch(r.ctx(), a.ep, sp.ID)
	r.must(err)
	r.must(b.Free(by, dat.TypeRSP, sp.ID))
	r.must(b.Free(by, dat.TypeEndpoint, a.ep))
	_, err = b.Run(r.ctx())
	r.must(err)
	r.must(r.m.FreeEVD(r.ctx(), by, a.evd))
}

func TestALowWatermarkThatTheEngineRefusesIsTakenBack(t *testing.T) {
	r := newRig(t)
	q, _ := r.shared(r.pz(r.ia), dat.HandleNull)
	r.hook.set("SetLowWatermark", refused)
	_, err := r.m.SetSRQLowWatermark(r.ctx(), by, q, 1)
	r.refusal(err, dat.RetInsufficientResources)
	o, _ := r.m.Get(dat.TypeSRQ, q)
	if low := o.(*dat.SRQ).LowWatermark; low != 0 {
		t.Errorf("the mark is %d", low)
	}
}

func TestEveryPostingTestsTheConditionOnTheVersion(t *testing.T) {
	r := newRig(t)
	q, ep := r.shared(r.pz(r.ia), dat.HandleNull)
	evd := r.evd(r.ia, 8, dat.StreamSoftware)
	stale := errors.New("version mismatch")
	c := manager.Call{Actor: "test", DryRun: true, Match: func(int64) error { return stale }}
	region, err := r.m.CreateLMR(r.ctx(), by, manager.LMRCreate{IA: r.ia, PZ: r.pz(r.ia), Length: 8})
	r.must(err)
	posts := map[string]func() error{
		"srq": func() error {
			_, err := r.m.PostSRQRecv(r.ctx(), c, q, manager.RecvPost{Count: 99, Size: 8})
			return err
		},
		"endpoint": func() error { _, err := r.m.PostSend(r.ctx(), c, ep, manager.SendPost{Count: 1}); return err },
		"event":    func() error { _, err := r.m.PostSE(r.ctx(), c, evd, nil); return err },
		"memory":   func() error { return r.m.WriteLMR(r.ctx(), c, region.ID, 99, []byte{1}) },
	}
	for what, post := range posts {
		if err := post(); !errors.Is(err, stale) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAnUnbindByLengthZeroLeavesTheWindowUnbound(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	l, err := r.m.CreateLMR(r.ctx(), by, manager.LMRCreate{
		IA: r.ia, PZ: a.pz, Length: 4096, Privileges: []dat.Privilege{dat.PrivLocalRead, dat.PrivRemoteRead},
	})
	r.must(err)
	w, err := r.m.CreateRMR(r.ctx(), by, manager.RMRCreate{IA: r.ia, PZ: a.pz})
	r.must(err)
	for _, length := range []int64{16, 0} {
		_, err = r.m.BindRMR(r.ctx(), by, a.ep, manager.BindPost{RMR: w.ID, LMR: l.ID, Length: length, Privileges: []dat.Privilege{dat.PrivRemoteRead}})
		r.must(err)
		r.expect(a.evd, dat.EventRMRBindCompletion)
	}
	o, _ := r.m.Get(dat.TypeRMR, w.ID)
	if got := o.(*dat.RMR); got.LMR != dat.HandleNull || got.RMRContext != nil || got.TargetAddress != nil || len(got.Privileges) != 0 {
		t.Errorf("the window shows %+v", got)
	}
	r.must(r.m.FreeLMR(r.ctx(), by, l.ID))
}

func TestAPeerOfThisNodeIsFoundByItsPlace(t *testing.T) {
	r := newRig(t)
	r.hook.set("hide PeerEP", errors.New("yes"))
	a, b := r.end(r.ia), r.end(r.peer)
	for range 2 {
		r.connect(a, b)
		r.until("one of them knows the other", func() bool {
			x, y := r.get(a.ep).Peer, r.get(b.ep).Peer
			return x != nil && x.Endpoint == b.ep || y != nil && y.Endpoint == a.ep
		})
		for _, e := range []end{a, b} {
			_, err := r.m.DisconnectEP(r.ctx(), by, e.ep, dat.CloseAbrupt)
			r.must(err)
			r.expect(e.evd, dat.EventDisconnected)
			_, err = r.m.ResetEP(r.ctx(), by, e.ep)
			r.must(err)
		}
	}
}
