package manager_test

import (
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// Promise 14: events that are posted and never dequeued are bounded in bytes, over all EVDs; dequeue and free give the
// bytes back.
func TestTheDataOfQueuedSoftwareEventsIsBounded(t *testing.T) {
	node := newNode(t)
	evds := []dat.Handle{node.newEVD(node.ia, 1000, dat.StreamSoftware), node.newEVD(node.peer, 1000, dat.StreamSoftware)}
	big := manager.SoftwareEvent(`"` + strings.Repeat("x", 1<<20-2) + `"`)
	// fill posts until the bound is reached and returns how many events fit.
	fill := func() (n int) {
		for {
			_, err := node.m.PostSE(node.ctx(), testCall, evds[n%2], big)
			if err != nil {
				node.expectRefusal(err, dat.RetQueueFull)
				return n
			}
			n++
		}
	}
	if n := fill(); n != 64 {
		t.Errorf("%d events of 1 MiB fit", n)
	}
	_, err := node.m.PostSE(node.ctx(), dryRun, evds[0], big)
	node.expectRefusal(err, dat.RetQueueFull)
	seen, err := node.m.Look(evds[0], 1000)
	node.must(err)
	taken, err := node.m.Dequeue(node.ctx(), evds[0], 1000, 1, 0)
	node.must(err)
	if len(taken) != 8 || len(seen) != 8 {
		t.Errorf("one dequeue takes %d events of 1 MiB, and a look shows %d", len(taken), len(seen))
	}
	if n := fill(); n != len(taken) {
		t.Errorf("after %d were dequeued %d fit", len(taken), n)
	}
	for i, ia := range []dat.Handle{node.ia, node.peer} {
		node.must(node.m.FreeEVD(node.ctx(), testCall, evds[i]))
		evds[i] = node.newEVD(ia, 1000, dat.StreamSoftware)
	}
	if n := fill(); n != 64 {
		t.Errorf("after all EVDs were freed %d events fit", n)
	}
}
