package manager_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
)

func TestEventsMoveTheStateWhileTheStoreIsAway(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	version := node.waitForState(a.ep, dat.EPConnected).Version
	node.rec.GoAway()
	node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep, Reason: "TEST"})
	node.waitUntil("the live state moves", func() bool { return node.state(a.ep) == dat.EPDisconnected })
	if e := node.endpoint(a.ep); e.State != dat.EPConnected || e.Version != version {
		t.Errorf("the recorded state is ahead of its record: %s, version %d", e.State, e.Version)
	}
	node.expectEvent(a.evd, dat.EventBroken)
	_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Name: new(dat.Name("x"))})
	if d := node.expectRefusal(err, dat.RetInterruptedCall); d.Kind != "store-away" {
		t.Errorf("kind %q", d.Kind)
	}
	node.expectRefusal(node.m.FreeEP(node.ctx(), testCall, a.ep), dat.RetInterruptedCall)
	node.rec.Return()
	node.waitUntil("the event is recorded", func() bool { return node.endpoint(a.ep).State == dat.EPDisconnected })
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
}

func TestAWriteWaitsForTheRecordOfEvents(t *testing.T) {
	withFakeTime(t, func(node *testNode) {
		a, b := node.newEP(node.ia), node.newEP(node.peer)
		node.connect(a, b)
		node.waitForState(a.ep, dat.EPConnected)
		node.rec.Hold()
		node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep})
		node.waitUntil("the live state moves", func() bool { return node.state(a.ep) == dat.EPDisconnected })
		done := make(chan error, 1)
		go func() {
			_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Name: new(dat.Name("later"))})
			done <- err
		}()
		synctest.Wait()
		select {
		case err := <-done:
			node.Fatalf("the write did not wait: %v", err)
		default:
		}
		if s := node.state(a.ep); s != dat.EPDisconnected {
			node.Errorf("the status waited: %s", s)
		}
		node.rec.Return()
		node.must(<-done)
		got := node.causes(a.ep)
		if want := []string{"DAT_CONNECTION_EVENT_BROKEN", "dat_ep_modify"}; !slices.Equal(got[len(got)-2:], want) {
			node.Errorf("changes %q", got)
		}
	})
}

func TestAnEventBeforeTheRecordOfAnOperationPrevails(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	node.waitForState(a.ep, dat.EPConnected)
	node.rec.Refuse(func(entries []dat.Entry) error {
		if entries[0].Cause != "dat_ep_disconnect" {
			return nil
		}
		node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep})
		node.waitUntil("the event is live", func() bool { s, _ := node.m.EPStatus(a.ep); return s.State == dat.EPDisconnected })
		return nil
	})
	_, err := node.m.DisconnectEP(node.ctx(), testCall, a.ep, dat.CloseGraceful)
	node.must(err)
	node.rec.Refuse(nil)
	e := node.waitForState(a.ep, dat.EPDisconnected)
	if e.LastEvent == nil || e.LastEvent.Event != dat.EventBroken {
		t.Errorf("last event %+v", e.LastEvent)
	}
	node.expectEvent(a.evd, dat.EventBroken)
	if left, _ := node.m.Look(a.evd, 10); len(left) > 0 {
		t.Errorf("an event too many: %v", left)
	}
}

// eventfulRecorder is a recorder with a hook between a record and its answer.
type eventfulRecorder struct {
	*rdmatest.Recorder
	afterRecord func([]dat.Entry)
}

// Record implements manager.Recorder.
func (a *eventfulRecorder) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	recs, err := a.Recorder.Record(ctx, entries...)
	if err == nil && a.afterRecord != nil {
		a.afterRecord(entries)
	}
	return recs, err
}

func TestAnEventBetweenTheRecordOfAnOperationAndItsAnswerIsRecorded(t *testing.T) {
	rec := rdmatest.NewRecorder()
	late := &eventfulRecorder{Recorder: rec}
	node := startNodeWith(t, rec, late, nil)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	node.waitForState(a.ep, dat.EPConnected)
	late.afterRecord = func(entries []dat.Entry) {
		late.afterRecord = nil
		node.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep})
		node.waitUntil("the event is live", func() bool { return node.state(a.ep) == dat.EPDisconnected })
	}
	_, err := node.m.DisconnectEP(node.ctx(), testCall, a.ep, dat.CloseGraceful)
	node.must(err)
	if e := node.waitForState(a.ep, dat.EPDisconnected); e.State != dat.EPDisconnected || e.LastEvent == nil || e.LastEvent.Event != dat.EventBroken {
		t.Errorf("recorded %s after %+v", e.State, e.LastEvent)
	}
}
