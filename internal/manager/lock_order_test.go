//go:build lockorder

package manager

import (
	"context"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// panics reports whether f ended in a panic.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}

func TestALockOutOfOrderIsAPanic(t *testing.T) {
	type locker interface{ Lock() }
	for name, c := range map[string]struct {
		locks func(ia *adapter, a, b *endpoint) (first, then locker)
		wrong bool
	}{
		"a state under the registry":   {func(ia *adapter, a, _ *endpoint) (locker, locker) { return &ia.mu, &a.mu }, false},
		"the registry under a state":   {func(ia *adapter, a, _ *endpoint) (locker, locker) { return &a.mu, &ia.mu }, true},
		"two states":                   {func(_ *adapter, a, b *endpoint) (locker, locker) { return &a.mu, &b.mu }, true},
		"a state under calls":          {func(_ *adapter, a, _ *endpoint) (locker, locker) { return &a.calls, &a.mu }, false},
		"calls under a state":          {func(_ *adapter, a, _ *endpoint) (locker, locker) { return &a.mu, &a.calls }, true},
		"a state under a leaf":         {func(_ *adapter, a, _ *endpoint) (locker, locker) { return &a.unrecorded.mu, &a.mu }, true},
		"two leaves":                   {func(_ *adapter, a, b *endpoint) (locker, locker) { return &a.unrecorded.mu, &b.unrecorded.mu }, true},
		"operations by ids":            {func(_ *adapter, a, b *endpoint) (locker, locker) { return operation{a}, operation{b} }, false},
		"operations against their ids": {func(_ *adapter, a, b *endpoint) (locker, locker) { return operation{b}, operation{a} }, true},
		"an operation under calls":     {func(_ *adapter, a, b *endpoint) (locker, locker) { return &a.calls, operation{b} }, true},
		"the registry under both":      {func(ia *adapter, a, _ *endpoint) (locker, locker) { return operation{a}, &ia.mu }, false},
	} {
		ia := &adapter{}
		first, then := c.locks(ia, newEndpoint(ia, "a"), newEndpoint(ia, "b"))
		done := make(chan bool)
		go func() { // the locks of a goroutine that ends are nobody's
			first.Lock()
			done <- panics(then.Lock)
		}()
		if wrong := <-done; wrong != c.wrong {
			t.Errorf("%s: panic %v, want %v", name, wrong, c.wrong)
		}
	}
}

// operation is the operation lock of an endpoint as a locker.
type operation struct{ ep *endpoint }

func (o operation) Lock() {
	if err := o.ep.lock(context.Background()); err != nil {
		panic(err)
	}
}

func TestTheStoreIsNotWaitedForUnderAStateLock(t *testing.T) {
	ep := newEndpoint(&adapter{}, "a")
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if !panics(func() { _, _ = checkedRecorder(nil).Record(context.Background(), dat.Entry{}) }) {
		t.Error("Record was called under a state lock")
	}
}
