package manager_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/soft"
)

var errDisk = &dat.Error{Return: dat.RetInterruptedCall, Kind: "store-away", Detail: "the disk is full; try again later"}

// failing lets every record fail while f runs.
func (r *rig) failing(f func()) {
	r.rec.Refuse(func([]dat.Entry) error { return errDisk })
	defer r.rec.Refuse(nil)
	f()
}

func TestACreationWhoseRecordFailsLeavesNothingBehind(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	before, usage := r.soft.Fabric().Census(), r.usage()
	creations := map[string]func() error{
		"pz":  func() error { _, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.ia}); return err },
		"evd": func() error { return r.tryEVD() },
		"srq": func() error {
			_, err := r.m.CreateSRQ(r.ctx(), by, manager.SRQCreate{IA: r.ia, PZ: a.pz, MaxRecvDTOs: 8, MaxRecvIOV: 1})
			return err
		},
		"lmr": func() error {
			_, err := r.m.CreateLMR(r.ctx(), by, manager.LMRCreate{IA: r.ia, PZ: a.pz, Length: 4096})
			return err
		},
		"rmr": func() error { _, err := r.m.CreateRMR(r.ctx(), by, manager.RMRCreate{IA: r.ia, PZ: a.pz}); return err },
		"endpoint": func() error {
			_, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia, Values: dat.Values{dat.ParamPZ: a.pz, dat.ParamRecvEVD: a.evd}})
			return err
		},
		"psp": func() error {
			_, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.ia, EVD: a.evd})
			return err
		},
		"rsp": func() error {
			_, err := r.m.CreateRSP(r.ctx(), by, manager.RSPCreate{IA: r.ia, ConnQual: 7000, Endpoint: a.ep, EVD: a.evd})
			return err
		},
	}
	for what, create := range creations {
		r.failing(func() {
			if err := create(); !errors.Is(err, errDisk) {
				t.Errorf("%s: %v", what, err)
			}
		})
		if after := r.soft.Fabric().Census(); after != before {
			t.Errorf("%s left %+v, was %+v", what, after, before)
		}
		if after := r.usage(); after != usage {
			t.Errorf("%s left %+v, was %+v", what, after, usage)
		}
	}
	if s := r.state(a.ep); s != dat.EPUnconnected {
		t.Errorf("the endpoint of the RSP is %s", s)
	}
	r.must(r.m.FreeEP(r.ctx(), by, a.ep))
	r.must(r.m.FreePZ(r.ctx(), by, a.pz))
	r.must(r.m.FreeEVD(r.ctx(), by, a.evd))
}

func (r *rig) tryEVD() error {
	_, err := r.m.CreateEVD(r.ctx(), by, manager.EVDCreate{IA: r.ia, QLen: 8, Streams: []dat.Stream{dat.StreamDTO}})
	return err
}

func (r *rig) usage() dat.IAUsage {
	ia, _ := r.m.IA(r.ia)
	return ia.Usage
}

func TestAModificationWhoseRecordFailsIsUndone(t *testing.T) {
	r := newRig(t)
	a, other := r.end(r.ia), r.pz(r.ia)
	was := r.get(a.ep)
	r.failing(func() {
		_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: other, dat.ParamMaxRecvDTOs: int64(3)}})
		r.refusal(err, dat.RetInterruptedCall)
		_, err = r.m.SetWatermark(r.ctx(), by, a.ep, ptr(int64(1)), nil)
		r.refusal(err, dat.RetInterruptedCall)
		_, err = r.m.ModifyEVD(r.ctx(), by, a.evd, manager.EVDModify{QLen: ptr(int64(2))})
		r.refusal(err, dat.RetInterruptedCall)
	})
	now := r.get(a.ep)
	if now.Version != was.Version || now.PZ != was.PZ || now.Attributes.MaxRecvDTOs != was.Attributes.MaxRecvDTOs || now.Watermarks != was.Watermarks {
		t.Errorf("after the failure %+v, was %+v", now, was)
	}
	if live := r.m.Live(a.ep); live.PZ != was.PZ || live.Watermarks != was.Watermarks {
		t.Errorf("live %+v", live)
	}
	r.must(r.m.FreePZ(r.ctx(), by, other))
	r.refusal(r.m.FreePZ(r.ctx(), by, a.pz), dat.RetInvalidState)
	for range 256 {
		r.postRecvs(a.ep, 1)
		if r.status(a.ep).Recvs == 16 {
			break
		}
	}
}

func ptr[T any](v T) *T { return &v }

func (r *rig) postRecvs(ep dat.Handle, n int) {
	r.Helper()
	_, err := r.m.PostRecv(r.ctx(), by, ep, manager.RecvPost{Count: n, Size: 64})
	r.must(err)
}

func (r *rig) status(ep dat.Handle) dat.EPStatus {
	r.Helper()
	s, err := r.m.EPStatus(ep)
	r.must(err)
	return s
}

func TestAFreeWhoseRecordFailsFreesNothing(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	r.failing(func() {
		r.refusal(r.m.FreeEP(r.ctx(), by, a.ep), dat.RetInterruptedCall)
	})
	if s := r.state(a.ep); s != dat.EPConnected {
		t.Errorf("the endpoint is %s", s)
	}
	r.must(r.m.FreeEP(r.ctx(), by, a.ep))
	r.expect(b.evd, dat.EventDisconnected)
}

func TestWhatTheEngineRefusesIsNotRecorded(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	version := r.get(a.ep).Version
	r.hook.set("Modify", refused)
	_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(3)}})
	r.refusal(err, dat.RetInsufficientResources)
	if e := r.get(a.ep); e.Version != version || e.Attributes.MaxRecvDTOs == 3 {
		t.Errorf("after the refusal: %+v", e)
	}
	changes := r.rec.Of(a.ep)
	if last := changes[len(changes)-1]; last.Outcome != dat.RetInsufficientResources || last.Version != version {
		t.Errorf("the refusal in the log: %+v", last)
	}
	r.hook.set("PostRecv", refused)
	_, err = r.m.PostRecv(r.ctx(), by, a.ep, manager.RecvPost{Count: 2, Size: 8})
	r.refusal(err, dat.RetInsufficientResources)
	if s := r.status(a.ep); !s.RecvIdle {
		t.Errorf("%d receives are outstanding after none was taken", s.Recvs)
	}
}

func TestAConnectThatTheEngineRefusesIsTakenBack(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	r.hook.set("Connect", refused)
	_, err := r.m.ConnectEP(r.ctx(), by, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
	r.refusal(err, dat.RetInsufficientResources)
	if e := r.get(a.ep); e.State != dat.EPUnconnected || e.RemoteIAAddress != nil {
		t.Errorf("after the refusal: %+v", e)
	}
	if got, want := r.causes(a.ep), []string{"dat_ep_create", "dat_ep_connect", "dat_ep_connect"}; !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

func TestAPeerFoundUnreachableAtOnceIsAnEvent_D19(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	r.hook.set("Connect", &dat.Error{Return: dat.RetInvalidAddress, Subtype: dat.SubInvalidAddressUnreachable, Detail: "no route; name an address that there is a route to"})
	_, err := r.m.ConnectEP(r.ctx(), by, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.9", RemotePortQual: 9})
	r.must(err)
	r.expect(a.evd, dat.EventUnreachable)
	r.reach(a.ep, dat.EPDisconnected)
}

func TestAnAcceptThatTheEngineRefusesIsNeverStuck_D18(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.peer, EVD: b.evd})
	r.must(err)
	_, err = r.m.ConnectEP(r.ctx(), by, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual), TimeoutUS: ptr(int64(50000))})
	r.must(err)
	cr := r.expect(b.evd, dat.EventConnectionRequest).Data.CR
	r.hook.set("Accept", refused)
	_, err = r.m.AcceptCR(r.ctx(), by, cr, manager.CRAccept{Endpoint: b.ep})
	r.must(err)
	r.expect(b.evd, dat.EventAcceptCompletionError)
	r.reach(b.ep, dat.EPDisconnected)
	r.reach(a.ep, dat.EPDisconnected)
	if _, ok := r.m.Get(dat.TypeCR, cr); ok {
		t.Error("the request is still listed")
	}
}

func TestEventsMoveTheStateWhileTheStoreIsAway(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	version := r.reach(a.ep, dat.EPConnected).Version
	r.rec.GoAway()
	r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep, Reason: "TEST"})
	r.until("the live state moves", func() bool { return r.state(a.ep) == dat.EPDisconnected })
	if e := r.get(a.ep); e.State != dat.EPConnected || e.Version != version {
		t.Errorf("the recorded state is ahead of its record: %s, version %d", e.State, e.Version)
	}
	r.expect(a.evd, dat.EventBroken)
	_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Name: ptr(dat.Name("x"))})
	if d := r.refusal(err, dat.RetInterruptedCall); d.Kind != "store-away" {
		t.Errorf("kind %q", d.Kind)
	}
	r.refusal(r.m.FreeEP(r.ctx(), by, a.ep), dat.RetInterruptedCall)
	r.rec.Return()
	r.until("the event is recorded", func() bool { return r.get(a.ep).State == dat.EPDisconnected })
	r.must(r.m.FreeEP(r.ctx(), by, a.ep))
}

func TestAWriteWaitsForTheRecordOfEvents(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	r.reach(a.ep, dat.EPConnected)
	r.rec.Hold()
	r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep})
	r.until("the live state moves", func() bool { return r.state(a.ep) == dat.EPDisconnected })
	done := make(chan error, 1)
	go func() {
		_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Name: ptr(dat.Name("later"))})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("the write did not wait: %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	if s := r.state(a.ep); s != dat.EPDisconnected {
		t.Errorf("the status waited: %s", s)
	}
	r.rec.Return()
	r.must(<-done)
	got := r.causes(a.ep)
	if want := []string{"DAT_CONNECTION_EVENT_BROKEN", "dat_ep_modify"}; !slices.Equal(got[len(got)-2:], want) {
		t.Errorf("changes %q", got)
	}
}

func TestEventsBeforeTheRecordOfAnOperationWin(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	r.reach(a.ep, dat.EPConnected)
	r.rec.Refuse(func(entries []dat.Entry) error {
		if entries[0].Cause != "dat_ep_disconnect" {
			return nil
		}
		r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep})
		r.until("the event is live", func() bool { s, _ := r.m.EPStatus(a.ep); return s.State == dat.EPDisconnected })
		return nil
	})
	_, err := r.m.DisconnectEP(r.ctx(), by, a.ep, dat.CloseGraceful)
	r.must(err)
	r.rec.Refuse(nil)
	e := r.reach(a.ep, dat.EPDisconnected)
	if e.LastEvent == nil || e.LastEvent.Event != dat.EventBroken {
		t.Errorf("last event %+v", e.LastEvent)
	}
	r.expect(a.evd, dat.EventBroken)
	if left, _ := r.m.Look(a.evd, 10); len(left) > 0 {
		t.Errorf("an event too many: %v", left)
	}
}

func TestADryRunChangesNothingAnywhere(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	before, usage, n := r.soft.Fabric().Census(), r.usage(), len(r.rec.Changes())
	e, err := r.m.CreateEP(r.ctx(), dry, manager.EPCreate{IA: r.ia, Name: "n", Values: dat.Values{dat.ParamPZ: a.pz}})
	r.must(err)
	if e.ID != "" || e.Version != 0 || e.PZ != a.pz || e.Name != "n" {
		t.Errorf("the answer of a dry run: %+v", e)
	}
	e, err = r.m.ConnectEP(r.ctx(), dry, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
	r.must(err)
	if e.State != dat.EPActiveConnectionPending {
		t.Errorf("a dry connect answers %s", e.State)
	}
	e, err = r.m.ModifyEP(r.ctx(), dry, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: dat.HandleNull}})
	r.must(err)
	if e.PZ != dat.HandleNull {
		t.Errorf("a dry modify answers pz %q", e.PZ)
	}
	r.must(r.m.FreeEP(r.ctx(), dry, a.ep))
	_, err = r.m.ResetEP(r.ctx(), dry, a.ep)
	r.must(err)
	_, err = r.m.DisconnectEP(r.ctx(), dry, a.ep, dat.CloseAbrupt)
	r.refusal(err, dat.RetInvalidState)
	if after := r.soft.Fabric().Census(); after != before || r.usage() != usage || len(r.rec.Changes()) != n {
		t.Errorf("census %+v, was %+v; %d changes, were %d", after, before, len(r.rec.Changes()), n)
	}
	if s := r.state(a.ep); s != dat.EPUnconnected || r.get(a.ep).PZ != a.pz {
		t.Errorf("the endpoint is %s", s)
	}
}

func TestAConditionOnTheVersionIsTestedBeforeTheJudge(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	stale := errors.New("version mismatch")
	var seen int64
	c := manager.Call{Actor: "test", Match: func(v int64) error { seen = v; return stale }}
	_, err := r.m.DisconnectEP(r.ctx(), c, a.ep, dat.CloseAbrupt)
	if !errors.Is(err, stale) || seen != 1 {
		t.Errorf("got %v with version %d", err, seen)
	}
}

func TestAModifyThatChangesNothingRecordsNothing(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	n := len(r.rec.Changes())
	for _, v := range []dat.Values{{}, {dat.ParamPZ: a.pz}, {dat.ParamMaxRecvDTOs: int64(16)}} {
		e, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Values: v})
		r.must(err)
		if e.Version != 1 {
			t.Errorf("%v made version %d", v, e.Version)
		}
	}
	if got := len(r.rec.Changes()); got != n {
		t.Errorf("%d changes, want %d", got, n)
	}
	r.must(r.m.FreeEP(r.ctx(), by, a.ep))
	r.must(r.m.FreePZ(r.ctx(), by, a.pz))
}

func TestLimitsOfTheAdapterAreRefusedByName(t *testing.T) {
	r := newRig(t, soft.WithLimits(func(a *dat.IAAttributes) { a.MaxEPs, a.MaxPZs, a.MaxEVDs = 1, 1, 3 }))
	a := r.end(r.ia)
	_, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia})
	if d := r.refusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceTEP {
		t.Errorf("subtype %s", d.Subtype)
	}
	_, err = r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.ia})
	if d := r.refusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceProtectionDomain {
		t.Errorf("subtype %s", d.Subtype)
	}
	for err = nil; err == nil; err = r.tryEVD() {
	}
	if d := r.refusal(err, dat.RetInsufficientResources); d.Subtype != dat.SubResourceTEVD {
		t.Errorf("subtype %s", d.Subtype)
	}
	r.must(r.m.FreeEP(r.ctx(), by, a.ep))
	_, err = r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia})
	r.must(err)
}

func TestAWriteGivesUpWithItsContext(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	ctx, cancel := context.WithCancel(r.ctx())
	cancel()
	_, err := r.m.ModifyEP(ctx, by, a.ep, manager.EPModify{Name: ptr(dat.Name("never"))})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if e := r.get(a.ep); e.Name != "" {
		t.Errorf("the name is %q", e.Name)
	}
}
