package store

import (
	"context"
)

import "github.com/datapi/datapi/internal/dat"

// Log is the log of changes of the whole database as watchers see it: in order,
// without a gap or a duplicate, its newest part in memory.
type Log struct{}

// Last is the id of the newest change seen; 0 where there is none.
func (l *Log) Last() int64 { return 0 }

// Stale tells whether the database is away, so that newer changes may exist.
func (l *Log) Stale() bool { return false }

// Subscribe follows the log after a position (0 = from its beginning; Last() =
// from now). Errors: ErrGone, ErrBeyond.
func (l *Log) Subscribe(ctx context.Context, after int64, f ChangeFilter) (*Subscription, error) {
	return nil, errUnbuilt
}

// Subscription is one watcher's place in the log; it is for one goroutine and
// needs no closing.
type Subscription struct{}

// Delivery is what a watcher gets: changes in order, or the news that the log
// has become stale or fresh.
type Delivery struct {
	Changes []dat.Change
	// Position is the id up to which the watcher has seen everything, filtered
	// changes included.
	Position int64
	// Stale is Log.Stale as of now.
	Stale bool
}

// Next waits for at least one change that passes the filter, or for Stale to
// turn. Errors: ctx's, ErrGone when the watcher fell behind the retention.
func (s *Subscription) Next(ctx context.Context) (Delivery, error) { return Delivery{}, errUnbuilt }
