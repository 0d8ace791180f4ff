//go:build verbs && rxe

package verbs

import (
	"slices"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// ownerOf returns who has a queue pair by the kernel's list, "" where it is not listed.
func (b *bench) ownerOf(number uint32) (dat.ResourceOwner, dat.Handle) {
	b.t.Helper()
	all, err := b.ia.Resources(dat.ResourceQP)
	b.must(err)
	for _, r := range all {
		if r.Number == number {
			return r.Owner, r.Endpoint
		}
	}
	return "", ""
}

func TestAQueuePairThatNobodyHasIsAnOrphan(t *testing.T) {
	b := newBench(t)
	x, y := b.ep("x"), b.ep("y")
	b.connect(x, y, "x", "y")
	number := *x.Transport().QPNum
	if owner, ep := b.ownerOf(number); owner != dat.OwnerDatapi || ep != "x" {
		t.Errorf("the queue pair of x is %q of %q", owner, ep)
	}
	h := x.(*ep).hw
	h.mu.Lock()
	c := h.conns[number]
	delete(h.conns, number)
	h.mu.Unlock()
	if owner, ep := b.ownerOf(number); owner != dat.OwnerOrphan || ep != "" {
		t.Errorf("a queue pair that the provider has lost is %q of %q", owner, ep)
	}
	h.mu.Lock()
	h.conns[number] = c
	h.mu.Unlock()
	x.Free()
	y.Free()
	if owner, _ := b.ownerOf(number); owner != "" {
		t.Errorf("after its end the queue pair is %q", owner)
	}
}

func TestTheKernelListsEveryKindOfObjects(t *testing.T) {
	b := newBench(t)
	all, err := b.ia.Resources()
	b.must(err)
	for _, kind := range []dat.ResourceKind{dat.ResourceCMID, dat.ResourceCQ, dat.ResourcePD, dat.ResourceCtx} {
		if !slices.ContainsFunc(all, func(r dat.Resource) bool { return r.Kind == kind && r.Owner == dat.OwnerDatapi && r.Comm != nil }) {
			t.Errorf("no %s of this process is listed: %+v", kind, all)
		}
	}
	limits := b.ia.Limits()
	if len(limits) == 0 || limits[0].Name != "locked_memory" {
		t.Errorf("the limits are %+v", limits)
	}
}
