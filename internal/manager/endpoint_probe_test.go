package manager_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestALivenessProbeBreaksASilentConnection(t *testing.T) {
	withFakeTime(t, func(node *testNode) {
		a, b := node.newEP(node.ia), node.newEP(node.peer)
		_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Probe: &dat.Probe{IntervalS: 5, FailAfter: 3}})
		node.must(err)
		node.connect(a, b)
		time.Sleep(time.Minute)
		synctest.Wait()
		s := node.status(a.ep)
		if s.State != dat.EPConnected || s.LastProofOfLife == nil || time.Since(s.LastProofOfLife.Time) > 6*time.Second {
			t.Errorf("while the peer lives: %+v", s)
		}
		if !s.RequestIdle || s.Counters.RDMAWrites != 0 {
			t.Errorf("the probe counts: %+v", s)
		}
		node.soft.Fabric().Kill(b.ep)
		time.Sleep(16 * time.Second)
		synctest.Wait()
		if s := node.state(a.ep); s != dat.EPDisconnected {
			t.Errorf("after the silence: %s", s)
		}
		node.expectEvent(a.evd, dat.EventBroken)
	})
}

func TestAProbeCanBeSetAndRemovedWhileConnected(t *testing.T) {
	withFakeTime(t, func(node *testNode) {
		a, b := node.newEP(node.ia), node.newEP(node.peer)
		node.connect(a, b)
		e, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Probe: &dat.Probe{IntervalS: 1, FailAfter: 2}})
		node.must(err)
		if e.Probe == nil {
			t.Error("the probe is not shown")
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		_, err = node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{NoProbe: true})
		node.must(err)
		proof := node.status(a.ep).LastProofOfLife
		node.soft.Fabric().Kill(b.ep)
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := node.status(a.ep); s.State != dat.EPConnected || *s.LastProofOfLife != *proof {
			t.Errorf("without a probe: %+v", s)
		}
		for _, bad := range []dat.Probe{{IntervalS: 0, FailAfter: 5}, {IntervalS: 9, FailAfter: 0}, {IntervalS: 9, FailAfter: 1001}, {IntervalS: 86401, FailAfter: 2}} {
			_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Probe: &bad})
			node.expectRefusal(err, dat.RetInvalidParameter)
		}
	})
}
