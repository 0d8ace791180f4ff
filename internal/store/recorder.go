package store

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// The kinds of *dat.Error of this package for which DAT has no return.
const (
	// KindNameTaken: another living object of the type bears the name.
	KindNameTaken = "name-taken"
	// KindStoreAway: the database does not answer; nothing was changed.
	KindStoreAway = "store-away"
	// KindKeyRunning: another request with this Idempotency-Key is under way.
	KindKeyRunning = "key-running"
)

// Recorder commits changes: one goroutine per process, many changes per commit.
type Recorder struct{}

// Record commits the entries as one unit and waits; on an error nothing of it was
// recorded. Errors: *dat.Error of the kinds above, or ctx's while the unit was
// not yet on its way.
func (r *Recorder) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	return nil, errUnbuilt
}

// Note hands over what already happened (or a refusal, which is dropped while the
// database is away). It never blocks; done, which may be nil, is called from the
// recorder's goroutine after the commit and must not block.
func (r *Recorder) Note(entry dat.Entry, done func(dat.Recorded)) {}

// Away is nil while writes are taken, else the *dat.Error that they get.
func (r *Recorder) Away() error { return nil }

// Waiting is the number of events that wait for their record.
func (r *Recorder) Waiting() int { return 0 }
