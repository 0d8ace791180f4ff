package manager_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// inBubble runs f on a node whose time stands still until everybody waits.
func inBubble(t *testing.T, f func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newRig(t)) })
}

func TestTheConsumersTimerEndsAConnectOnlyWhileItIsPending_T25_D20(t *testing.T) {
	inBubble(t, func(r *rig) {
		a, b := r.end(r.ia), r.end(r.peer)
		sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.peer, EVD: b.evd})
		r.must(err)
		to := manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual), TimeoutUS: ptr(int64(2_000_000))}
		_, err = r.m.ConnectEP(r.ctx(), by, a.ep, to)
		r.must(err)
		cr := r.expect(b.evd, dat.EventConnectionRequest).Data.CR
		time.Sleep(1999 * time.Millisecond)
		synctest.Wait()
		if s := r.state(a.ep); s != dat.EPActiveConnectionPending {
			t.Errorf("before its time: %s", s)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		e := r.reach(a.ep, dat.EPDisconnected)
		if e.LastEvent.Event != dat.EventTimedOut {
			t.Errorf("last event %+v", e.LastEvent)
		}
		r.expect(a.evd, dat.EventTimedOut)
		r.must(r.m.RejectCR(r.ctx(), by, cr, nil))
		_, err = r.m.ResetEP(r.ctx(), by, a.ep)
		r.must(err)
		_, err = r.m.ConnectEP(r.ctx(), by, a.ep, to)
		r.must(err)
		_, err = r.m.AcceptCR(r.ctx(), by, r.expect(b.evd, dat.EventConnectionRequest).Data.CR, manager.CRAccept{Endpoint: b.ep})
		r.must(err)
		synctest.Wait()
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := r.state(a.ep); s != dat.EPConnected {
			t.Errorf("long after the connection: %s", s)
		}
	})
}

func TestALivenessProbeBreaksASilentConnection(t *testing.T) {
	inBubble(t, func(r *rig) {
		a, b := r.end(r.ia), r.end(r.peer)
		_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Probe: &dat.Probe{IntervalS: 5, FailAfter: 3}})
		r.must(err)
		r.connect(a, b)
		time.Sleep(time.Minute)
		synctest.Wait()
		s := r.status(a.ep)
		if s.State != dat.EPConnected || s.LastProofOfLife == nil || time.Since(s.LastProofOfLife.Time) > 6*time.Second {
			t.Errorf("while the peer lives: %+v", s)
		}
		if !s.RequestIdle || s.Counters.RDMAWrites != 0 {
			t.Errorf("the probe counts: %+v", s)
		}
		r.soft.Fabric().Kill(b.ep)
		time.Sleep(16 * time.Second)
		synctest.Wait()
		if s := r.state(a.ep); s != dat.EPDisconnected {
			t.Errorf("after the silence: %s", s)
		}
		r.expect(a.evd, dat.EventBroken)
	})
}

func TestAProbeCanBeSetAndTakenAwayWhileConnected(t *testing.T) {
	inBubble(t, func(r *rig) {
		a, b := r.end(r.ia), r.end(r.peer)
		r.connect(a, b)
		e, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Probe: &dat.Probe{IntervalS: 1, FailAfter: 2}})
		r.must(err)
		if e.Probe == nil {
			t.Error("the probe is not shown")
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		_, err = r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{NoProbe: true})
		r.must(err)
		proof := r.status(a.ep).LastProofOfLife
		r.soft.Fabric().Kill(b.ep)
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := r.status(a.ep); s.State != dat.EPConnected || *s.LastProofOfLife != *proof {
			t.Errorf("without a probe: %+v", s)
		}
		for _, bad := range []dat.Probe{{IntervalS: 0, FailAfter: 5}, {IntervalS: 9, FailAfter: 0}, {IntervalS: 9, FailAfter: 1001}, {IntervalS: 86401, FailAfter: 2}} {
			_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Probe: &bad})
			r.refusal(err, dat.RetInvalidParameter)
		}
	})
}

func TestWhoGoesAwayWhileWaitingTakesNoEvents(t *testing.T) {
	inBubble(t, func(r *rig) {
		evd := r.evd(r.ia, 4, dat.StreamSoftware)
		ctx, cancel := context.WithCancel(r.ctx())
		done := make(chan error, 1)
		go func() {
			_, err := r.m.Dequeue(ctx, evd, 4, 2, time.Hour)
			done <- err
		}()
		synctest.Wait()
		_, err := r.m.PostSE(r.ctx(), by, evd, nil)
		r.must(err)
		cancel()
		if err := <-done; err == nil {
			t.Error("the wait succeeded")
		}
		r.expect(evd, dat.EventSoftware)
	})
}

func TestAWaitEndsWithWhatThereIsAndAFreeAbortsIt(t *testing.T) {
	inBubble(t, func(r *rig) {
		evd := r.evd(r.ia, 4, dat.StreamSoftware)
		_, err := r.m.PostSE(r.ctx(), by, evd, nil)
		r.must(err)
		began := time.Now()
		got, err := r.m.Dequeue(r.ctx(), evd, 4, 2, time.Minute)
		if err != nil || len(got) != 1 || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v %v", time.Since(began), got, err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := r.m.Dequeue(r.ctx(), evd, 1, 1, time.Hour)
			done <- err
		}()
		synctest.Wait()
		_, err = r.m.Dequeue(r.ctx(), evd, 1, 1, time.Second)
		if d := r.refusal(err, dat.RetInvalidState); d.Subtype != dat.SubInvalidStateEVDWaiter {
			t.Errorf("subtype %s", d.Subtype)
		}
		r.must(r.m.FreeEVD(r.ctx(), by, evd))
		r.refusal(<-done, dat.RetAbort)
	})
}
