package manager_test

import (
	"context"
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestTheConditionOnTheVersionIsTestedBeforeTheState(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	stale := errors.New("version mismatch")
	var seen int64
	c := manager.Call{Actor: "test", Match: func(v int64) error { seen = v; return stale }}
	_, err := node.m.DisconnectEP(node.ctx(), c, a.ep, dat.CloseAbrupt)
	if !errors.Is(err, stale) || seen != 1 {
		t.Errorf("got %v with version %d", err, seen)
	}
}

func TestAWriteEndsWithItsContext(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	ctx, cancel := context.WithCancel(node.ctx())
	cancel()
	_, err := node.m.ModifyEP(ctx, testCall, a.ep, manager.EPModify{Name: new(dat.Name("never"))})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if e := node.endpoint(a.ep); e.Name != "" {
		t.Errorf("the name is %q", e.Name)
	}
}
