//go:build verbs && rxe

package verbs

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// entries returns how many entries a folder has.
func entries(t *testing.T, folder string) int {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestConnectionsCostNoThreadAndNoDescriptor(t *testing.T) {
	const pairs = 100
	b := newBench(t)
	connectPair := func(i int) (x, y rdma.EP) {
		xID, yID := dat.Handle(fmt.Sprintf("x%d", i)), dat.Handle(fmt.Sprintf("y%d", i))
		x, y = b.ep(xID), b.ep(yID)
		b.connect(x, y, xID, yID)
		return x, y
	}
	x, y := connectPair(pairs) // what the first connection alone costs
	descriptors, threads, goroutines := entries(t, "/proc/self/fd"), entries(t, "/proc/self/task"), runtime.NumGoroutine()
	all := []rdma.EP{x, y}
	for i := range pairs {
		x, y := connectPair(i)
		all = append(all, x, y)
	}
	t.Logf("%d connections: descriptors %d → %d, threads %d → %d, goroutines %d → %d", 2*pairs,
		descriptors, entries(t, "/proc/self/fd"), threads, entries(t, "/proc/self/task"), goroutines, runtime.NumGoroutine())
	if n := entries(t, "/proc/self/fd"); n > descriptors {
		t.Errorf("%d connections have %d descriptors more", 2*pairs, n-descriptors)
	}
	// The Go runtime starts a few threads of its own accord.
	if n := entries(t, "/proc/self/task"); n > threads+pairs/10 {
		t.Errorf("%d connections have %d threads more", 2*pairs, n-threads)
	}
	if n := runtime.NumGoroutine(); n > goroutines+pairs/10 {
		t.Errorf("%d connections have %d goroutines more", 2*pairs, n-goroutines)
	}
	for _, e := range all {
		e.Free()
	}
}

func TestConnectsThatBlockWaitForTheirTurnAndCanBeEnded(t *testing.T) {
	b := newBench(t)
	h := b.hardware()
	h.connects = make(chan struct{}, 1)
	x, y, z := b.ep("x"), b.ep("y"), b.ep("z")
	b.connectToNobody(x)
	attributes, _ := b.ia.Attributes()
	for _, e := range []rdma.EP{y, z} {
		b.must(e.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4242}))
	}
	b.soon("freeing a connection that waits for its turn", z.Free)
	if h.iwarp { // elsewhere the call does not block
		b.giveUpSilentPeers()
		b.wantKind(rdma.ReportUnreachable, "x")
	}
	b.wantKind(rdma.ReportNonPeerRejected, "y")
	x.Free()
	y.Free()
}
