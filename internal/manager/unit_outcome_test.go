package manager_test

import (
	"context"
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// unknownOutcome makes f's record one whose outcome is not known, and returns the entries and where to tell it.
func (node *testNode) unknownOutcome(f func() error) (entries []dat.Entry, tell chan<- dat.Outcome) {
	node.Helper()
	known := make(chan dat.Outcome, 1)
	unknown := &dat.Error{Kind: dat.KindOutcomeUnknown, Cause: &dat.OutcomeUnknown{Known: known}}
	node.rec.Refuse(func(given []dat.Entry) error { entries = given; return unknown })
	if err := f(); !errors.Is(err, unknown) {
		node.Fatalf("got %v", err)
	}
	node.rec.Refuse(nil)
	return entries, known
}

// Promise 1: a write whose outcome is not known in time is undone when it turns out not to be recorded, and the
// object stays locked until then.
func TestAWriteOfUnknownOutcomeIsUndoneWhenItWasNotRecorded(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	census := node.soft.Fabric().Census()
	_, tell := node.unknownOutcome(func() error {
		_, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.ia})
		return err
	})
	tell <- dat.Outcome{Err: errNotRecorded}
	node.waitUntil("the creation is undone", func() bool { return node.soft.Fabric().Census() == census })

	other := node.newPZ(node.ia)
	_, tell = node.unknownOutcome(func() error {
		_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: other}})
		return err
	})
	node.rec.GoAway()
	node.expectRefusal(node.m.FreeEP(node.ctx(), testCall, a.ep), dat.RetInterruptedCall) // it is locked, and nobody waits for that
	node.rec.Return()
	tell <- dat.Outcome{Err: errNotRecorded}
	_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Name: new(dat.Name("later"))}) // waits for the lock
	node.must(err)
	if e := node.endpoint(a.ep); e.PZ == other {
		t.Error("what was not recorded is in force")
	}
	node.must(node.m.FreePZ(node.ctx(), testCall, other))
}

// Promise 1: it is completed when it turns out to be recorded.
func TestAWriteOfUnknownOutcomeIsCompletedWhenItWasRecorded(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	entries, tell := node.unknownOutcome(func() error { return node.m.FreeEP(node.ctx(), testCall, a.ep) })
	if s := node.state(a.ep); s != dat.EPUnconnected {
		t.Errorf("it is %s before the outcome is known", s)
	}
	recorded, err := node.rec.Record(context.Background(), entries...)
	node.must(err)
	tell <- dat.Outcome{Recorded: recorded}
	node.waitUntil("the endpoint is gone", func() bool { _, ok := node.m.Get(dat.TypeEndpoint, a.ep); return !ok })
	node.must(node.m.FreePZ(node.ctx(), testCall, a.pz))
}
