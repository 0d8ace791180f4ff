package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestCloseCountsConnectionsAndWakesWaiters(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	woken := make(chan error, 1)
	go func() {
		_, err := node.m.Dequeue(t.Context(), a.evd, 1, 1, patience)
		woken <- err
	}()
	node.waitUntil("somebody waits", func() bool {
		_, err := node.m.Dequeue(t.Context(), a.evd, 1, 1, 0)
		return err != nil
	})
	n, err := node.m.Close(t.Context())
	node.must(err)
	if n != 2 {
		t.Errorf("%d connections ended, want 2", n)
	}
	node.expectRefusal(<-woken, dat.RetAbort)
	_, err = node.m.CreatePZ(t.Context(), testCall, manager.PZCreate{IA: node.ia})
	node.expectRefusal(err, dat.RetInterruptedCall)
}
