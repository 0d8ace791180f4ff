package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// A Recorder makes changes last. The store implements it; an in-memory one for
// tests lies in rdmatest.
//
// It stamps Version, CreatedAt and UpdatedAt of the object that an entry's
// Apply gave, and keeps the order of Record and Note for each object as called.
// It may call Apply from any goroutine, also while the caller of Note holds a
// lock of the endpoint's state: neither Apply nor done ever takes one that
// Note's caller holds.
type Recorder interface {
	// Record commits the entries as one unit and waits. After the commit and before
	// anybody is told of the changes it calls what the entries have as Published.
	// On an error nothing was recorded, the recorder has made sure of it. Errors are
	// *dat.Error with Kind `name-taken` or `store-away`; one of `outcome-unknown` has a
	// *dat.OutcomeUnknown as its Cause, which tells later whether it was recorded.
	Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error)
	// Note hands over what happened already, or a refusal. It never blocks and
	// is retried until it is recorded; refusals are dropped while the store is
	// away. done, where set, is called after the commit. An entry whose object
	// is gone is forgotten (Apply gives nil for nil) and done is called all the same.
	Note(entry dat.Entry, done func(dat.Recorded))
	// Away is nil while writes are possible, else the refusal that they meet.
	Away() error
}

// Call says who asks for a write, why, and on what condition.
type Call struct {
	// Actor, RequestID and Reason go into the change.
	Actor, RequestID, Reason string
	// DryRun judges and does nothing.
	DryRun bool
	// Match tests the object's version (If-Match) under its operation lock and
	// before the judge; nil is no condition.
	Match func(version int64) error
	// Keep, where set, is the answer that is committed with the change.
	Keep *dat.Kept
	// Operator tells that the caller may see keys (rmr_context).
	Operator bool
}

// errorAway is what a write meets while events of its object wait for the store
// and the recorder does not say more.
func errorAway(cause error) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Kind: "store-away", Cause: cause,
		Detail: "Events of this object are not recorded yet, so it cannot be changed now; try again when the database answers.",
	}
}
