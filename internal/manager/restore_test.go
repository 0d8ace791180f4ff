package manager_test

import (
	"slices"
	"testing"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// restart ends the node and starts another one on what it recorded.
func (r *rig) restart(opts ...soft.Option) *rig {
	r.Helper()
	r.close()
	return startRig(r.T, r.rec, r.rec.Living(), opts...)
}

func TestARestartWithoutLossRecordsNothing(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(3)}})
	r.must(err)
	_, err = r.m.SetWatermark(r.ctx(), by, a.ep, ptr(int64(1)), ptr(int64(9)))
	r.must(err)
	was, n := r.get(a.ep), len(r.rec.Changes())
	r = r.restart()
	if got := r.rec.Changes()[n:]; len(got) > 0 {
		t.Errorf("changes of a restart: %+v", got)
	}
	now := r.get(a.ep)
	if now.Version != was.Version || now.Attributes.MaxRecvDTOs != 3 || now.Watermarks != was.Watermarks {
		t.Errorf("after %+v, before %+v", now, was)
	}
	r.refusal(r.m.FreePZ(r.ctx(), by, a.pz), dat.RetInvalidState)
	b := r.end(r.peer)
	r.connect(a, b)
	if ia, _ := r.m.IA(r.ia); ia.Usage.Endpoints != 1 || ia.Usage.EVDs != 2 {
		t.Errorf("usage %+v", ia.Usage)
	}
}

func TestAnAdapterHasOneAsyncEVDInTheEngine(t *testing.T) {
	r := newRig(t)
	for _, when := range []string{"first start", "restart"} {
		if c := r.soft.Fabric().Census(); c.EVDs != 2 {
			t.Errorf("%s: %d EVDs for two adapters", when, c.EVDs)
		}
		if when == "first start" {
			r = r.restart()
		}
	}
}

func TestARestartSaysWhichConnectionWasLost(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	r.reach(a.ep, dat.EPConnected)
	r.reach(b.ep, dat.EPConnected)
	r = r.restart()
	for _, ep := range []dat.Handle{a.ep, b.ep} {
		e := r.get(ep)
		if e.State != dat.EPUnconnected || e.Peer != nil || e.RemoteIAAddress != nil || e.LastEvent == nil {
			t.Errorf("after the restart: %+v", e)
		}
		changes := r.rec.Of(ep)
		if last := changes[len(changes)-1]; last.Cause != "restore" || last.Reason == nil {
			t.Errorf("the last change is %+v", last)
		}
	}
	r.connect(a, b)
}

func TestARestartKeepsReservationsAndEndsRequests(t *testing.T) {
	r := newRig(t)
	waiting, asked, caller := r.end(r.peer), r.end(r.peer), r.end(r.ia)
	for i, e := range []end{waiting, asked} {
		_, err := r.m.CreateRSP(r.ctx(), by, manager.RSPCreate{IA: r.peer, ConnQual: int64(7000 + i), Endpoint: e.ep, EVD: e.evd})
		r.must(err)
	}
	_, err := r.m.ConnectEP(r.ctx(), by, caller.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 7001})
	r.must(err)
	cr := r.expect(asked.evd, dat.EventConnectionRequest).Data.CR
	r.reach(asked.ep, dat.EPPassiveConnectionPending)
	r.until("the request is recorded", func() bool { return r.rec.Image(cr) != nil })
	r = r.restart()
	for _, e := range []end{waiting, asked} {
		if s := r.get(e.ep).State; s != dat.EPReserved {
			t.Errorf("an endpoint with an RSP is %s", s)
		}
	}
	if _, ok := r.m.Get(dat.TypeCR, cr); ok || r.rec.Image(cr) != nil {
		t.Error("the request of the last process still lives")
	}
	_, err = r.m.ConnectEP(r.ctx(), by, caller.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 7001})
	r.must(err)
	_, err = r.m.AcceptCR(r.ctx(), by, r.expect(asked.evd, dat.EventConnectionRequest).Data.CR, manager.CRAccept{})
	r.must(err)
	r.expect(caller.evd, dat.EventEstablished)
}

func TestWhatTheEngineRefusesToMakeAgainStaysListedAndCanBeFreed(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	r.close()
	next := &rig{T: t, rec: r.rec, soft: soft.New(2), hook: &hooks{}, ia: r.ia, peer: r.peer}
	next.hook.set("CreateEP", refused)
	next.m = manager.NewManager("test", r.rec)
	next.must(next.m.AddProvider(t.Context(), hooked{next.soft, next.hook}))
	next.must(next.m.Restore(t.Context(), r.rec.Living()))
	t.Cleanup(next.close)
	e := next.get(a.ep)
	if e.LastEvent == nil || e.LastEvent.Detail == nil || *e.LastEvent.Reason != refused.Return.String() {
		t.Errorf("the reason is not shown: %+v", e.LastEvent)
	}
	_, err := next.m.ConnectEP(t.Context(), by, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
	next.refusal(err, dat.RetInvalidState)
	next.must(next.m.FreeEP(t.Context(), by, a.ep))
	next.must(next.m.FreePZ(t.Context(), by, a.pz))
}

func TestAMissingAdapterIsGoneAndItsObjectsWait(t *testing.T) {
	r := newRig(t)
	a := r.end(r.peer)
	r.close()
	next := &rig{T: t, rec: r.rec, soft: soft.New(1), hook: &hooks{}, ia: r.ia, peer: r.peer}
	next.m = manager.NewManager("test", r.rec)
	next.must(next.m.AddProvider(t.Context(), hooked{next.soft, next.hook}))
	next.must(next.m.Restore(t.Context(), r.rec.Living()))
	t.Cleanup(next.close)
	if ia, ok := next.m.IA(r.peer); !ok || ia.State != dat.IAGone {
		t.Fatalf("the adapter is %+v", ia)
	}
	_, err := next.m.CreatePZ(t.Context(), by, manager.PZCreate{IA: r.peer})
	if d := next.refusal(err, dat.RetInvalidState); d.Kind != "ia-gone" {
		t.Errorf("kind %q", d.Kind)
	}
	if s := next.state(a.ep); s != dat.EPUnconnected {
		t.Errorf("the endpoint is %s", s)
	}
	if name := next.soft.Fabric().Plug(); name != "soft1" {
		t.Fatalf("plugged %q", name)
	}
	next.until("the adapter is back", func() bool { ia, _ := next.m.IA(r.peer); return ia.State == dat.IAUp })
	b := next.end(r.ia)
	next.connect(b, a)
}

func TestADeviceThatGoesAndComesBack_T48_T49(t *testing.T) {
	r := newRig(t)
	a, b, idle := r.end(r.ia), r.end(r.peer), r.end(r.ia)
	mem, err := r.m.CreateLMR(r.ctx(), by, manager.LMRCreate{IA: r.ia, PZ: a.pz, Length: 64, Privileges: []dat.Privilege{dat.PrivLocalRead}})
	r.must(err)
	r.connect(a, b)
	r.postRecvs(a.ep, 3)
	r.postRecvs(idle.ep, 2)
	r.soft.Fabric().Remove("soft0")
	r.reach(a.ep, dat.EPDisconnected)
	r.reach(b.ep, dat.EPDisconnected)
	var events []dat.EventNumber
	for range 4 {
		events = append(events, r.next(a.evd).Event)
	}
	if !slices.Contains(events, dat.EventBroken) {
		t.Errorf("events %v", events)
	}
	r.until("everything is flushed", func() bool { return r.status(a.ep).RecvIdle && r.status(idle.ep).RecvIdle })
	if s := r.state(idle.ep); s != dat.EPUnconnected {
		t.Errorf("the idle endpoint is %s", s)
	}
	_, err = r.m.PostRecv(r.ctx(), by, idle.ep, manager.RecvPost{Count: 1, Size: 8})
	if d := r.refusal(err, dat.RetInvalidState); d.Kind != "ia-gone" {
		t.Errorf("kind %q", d.Kind)
	}
	_, err = r.m.ModifyEP(r.ctx(), by, idle.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(5)}})
	r.must(err)
	_, err = r.m.ResetEP(r.ctx(), by, a.ep)
	r.must(err)
	r.soft.Fabric().Return("soft0")
	r.until("the adapter is up", func() bool { ia, _ := r.m.IA(r.ia); return ia.State == dat.IAUp })
	r.until("the region says what it lost", func() bool { return slices.Contains(r.causes(mem.ID), "device_back") })
	r.must(r.m.FreeEP(r.ctx(), by, b.ep))
	c := r.end(r.peer)
	for left, _ := r.m.Look(a.evd, 100); len(left) > 0; left, _ = r.m.Look(a.evd, 100) {
		r.next(a.evd)
	}
	r.connect(a, c)
}

func TestAnEndpointMadeForARequestEndsWithItsDevice_T48(t *testing.T) {
	r := newRig(t)
	a, zone := r.end(r.ia), r.pz(r.peer)
	server := r.evd(r.peer, 8, dat.StreamCR)
	sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.peer, EVD: server, EPCreator: dat.PSPProvider})
	r.must(err)
	_, err = r.m.ConnectEP(r.ctx(), by, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual)})
	r.must(err)
	made := r.expect(server, dat.EventConnectionRequest).Endpoint
	r.until("the endpoint is recorded", func() bool { return r.rec.Image(made) != nil })
	_, err = r.m.ModifyEP(r.ctx(), by, made, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone}})
	r.must(err)
	r.refusal(r.m.FreePZ(r.ctx(), by, zone), dat.RetInvalidState)
	r.soft.Fabric().Remove("soft1")
	r.until("the endpoint is gone", func() bool { _, err := r.m.EPStatus(made); return err != nil && r.rec.Image(made) == nil })
	r.must(r.m.FreePZ(r.ctx(), by, zone))
	if got := r.m.List(dat.TypeCR); len(got) > 0 {
		t.Errorf("requests live on: %v", got)
	}
}

func TestCloseCountsConnectionsAndWakesWaiters(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	woken := make(chan error, 1)
	go func() {
		_, err := r.m.Dequeue(t.Context(), a.evd, 1, 1, patience)
		woken <- err
	}()
	r.until("somebody waits", func() bool {
		_, err := r.m.Dequeue(t.Context(), a.evd, 1, 1, 0)
		return err != nil
	})
	n, err := r.m.Close(t.Context())
	r.must(err)
	if n != 2 {
		t.Errorf("%d connections ended, want 2", n)
	}
	r.refusal(<-woken, dat.RetAbort)
	_, err = r.m.CreatePZ(t.Context(), by, manager.PZCreate{IA: r.ia})
	r.refusal(err, dat.RetInterruptedCall)
}
