package manager_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

func TestACancelledWaitRemovesNoEvents(t *testing.T) {
	withFakeTime(t, func(node *testNode) {
		evd := node.newEVD(node.ia, 4, dat.StreamSoftware)
		ctx, cancel := context.WithCancel(node.ctx())
		done := make(chan error, 1)
		go func() {
			_, err := node.m.Dequeue(ctx, evd, 4, 2, time.Hour)
			done <- err
		}()
		synctest.Wait()
		_, err := node.m.PostSE(node.ctx(), testCall, evd, nil)
		node.must(err)
		cancel()
		if err := <-done; err == nil {
			t.Error("the wait succeeded")
		}
		node.expectEvent(evd, dat.EventSoftware)
	})
}

func TestAWaitReturnsWhatIsThereAtItsEndAndAFreeAbortsIt(t *testing.T) {
	withFakeTime(t, func(node *testNode) {
		evd := node.newEVD(node.ia, 4, dat.StreamSoftware)
		_, err := node.m.PostSE(node.ctx(), testCall, evd, nil)
		node.must(err)
		began := time.Now()
		got, err := node.m.Dequeue(node.ctx(), evd, 4, 2, time.Minute)
		if err != nil || len(got) != 1 || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v %v", time.Since(began), got, err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := node.m.Dequeue(node.ctx(), evd, 1, 1, time.Hour)
			done <- err
		}()
		synctest.Wait()
		_, err = node.m.Dequeue(node.ctx(), evd, 1, 1, time.Second)
		if d := node.expectRefusal(err, dat.RetInvalidState); d.Subtype != dat.SubInvalidStateEVDWaiter {
			t.Errorf("subtype %s", d.Subtype)
		}
		node.must(node.m.FreeEVD(node.ctx(), testCall, evd))
		node.expectRefusal(<-done, dat.RetAbort)
	})
}
