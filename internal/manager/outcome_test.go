package manager_test

import (
	"context"
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// unknownOutcome makes f's record one whose outcome is not known, and returns the entries and where to tell it.
func (r *rig) unknownOutcome(f func() error) (entries []dat.Entry, tell chan<- dat.Outcome) {
	r.Helper()
	known := make(chan dat.Outcome, 1)
	unknown := &dat.Error{Kind: dat.KindOutcomeUnknown, Cause: &dat.OutcomeUnknown{Known: known}}
	r.rec.Refuse(func(given []dat.Entry) error { entries = given; return unknown })
	if err := f(); !errors.Is(err, unknown) {
		r.Fatalf("got %v", err)
	}
	r.rec.Refuse(nil)
	return entries, known
}

// Promise 1: a write whose outcome is not known in time is undone when it turns out not to be recorded, and the
// object stays locked until then.
func TestAWriteOfUnknownOutcomeIsUndoneWhenItWasNotRecorded(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	census := r.soft.Fabric().Census()
	_, tell := r.unknownOutcome(func() error {
		_, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.ia})
		return err
	})
	tell <- dat.Outcome{Err: errDisk}
	r.until("the creation is undone", func() bool { return r.soft.Fabric().Census() == census })

	other := r.pz(r.ia)
	_, tell = r.unknownOutcome(func() error {
		_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: other}})
		return err
	})
	r.rec.GoAway()
	r.refusal(r.m.FreeEP(r.ctx(), by, a.ep), dat.RetInterruptedCall) // it is locked, and nobody waits for that
	r.rec.Return()
	tell <- dat.Outcome{Err: errDisk}
	_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Name: ptr(dat.Name("later"))}) // waits for the lock
	r.must(err)
	if e := r.get(a.ep); e.PZ == other {
		t.Error("what was not recorded is in force")
	}
	r.must(r.m.FreePZ(r.ctx(), by, other))
}

// Promise 1: it is completed when it turns out to be recorded.
func TestAWriteOfUnknownOutcomeIsCompletedWhenItWasRecorded(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	entries, tell := r.unknownOutcome(func() error { return r.m.FreeEP(r.ctx(), by, a.ep) })
	if s := r.state(a.ep); s != dat.EPUnconnected {
		t.Errorf("it is %s before the outcome is known", s)
	}
	recorded, err := r.rec.Record(context.Background(), entries...)
	r.must(err)
	tell <- dat.Outcome{Recorded: recorded}
	r.until("the endpoint is gone", func() bool { _, ok := r.m.Get(dat.TypeEndpoint, a.ep); return !ok })
	r.must(r.m.FreePZ(r.ctx(), by, a.pz))
}
