package store

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// clock gives the times of changes by the database's clock, as far as it is known, so
// that those of all nodes can be compared. Each is later than the one before, whatever
// the clocks do meanwhile.
type clock struct {
	// last is the time given last. A recorder starts with the newest recorded one,
	// see newestTime.
	last time.Time
	// database is the database's clock.
	database *databaseClock
}

// tick returns the present time or, where the clock is not beyond the last one, the
// microsecond after that.
func (c *clock) tick() dat.Time {
	now := dat.At(c.database.now())
	if !now.After(c.last) {
		now = dat.At(c.last.Add(time.Microsecond))
	}
	c.last = now.Time
	return now
}

// slowestMeasure is how long the database may take to tell its time. What it tells later
// than that says little.
const slowestMeasure = time.Second

// databaseClock is the database's clock as seen from this host. Its methods may be called
// from several goroutines.
type databaseClock struct {
	// host returns this host's time.
	host func() time.Time
	// ahead is how far the database's clock is ahead of the host's, in nanoseconds.
	ahead atomic.Int64
}

// newDatabaseClock returns the clock of a database that was not asked yet: the host's.
func newDatabaseClock(host func() time.Time) *databaseClock {
	if host == nil {
		host = time.Now
	}
	return &databaseClock{host: host}
}

// now returns the present time by the database's clock.
func (c *databaseClock) now() time.Time { return c.host().Add(c.offset()) }

// offset returns how far the database's clock is ahead of this host's.
func (c *databaseClock) offset() time.Duration { return time.Duration(c.ahead.Load()) }

// measure takes the time that the database told when it was asked: at some moment from
// asked, by the host's clock, until now. A difference that may come from not knowing that
// moment counts as none: two clocks that agree do not make each other jump.
func (c *databaseClock) measure(asked, told time.Time) {
	took := c.host().Sub(asked)
	if took < 0 || took > slowestMeasure {
		return
	}
	ahead := told.Sub(asked.Add(took / 2))
	if ahead.Abs() <= took/2 {
		ahead = 0
	}
	c.ahead.Store(int64(ahead))
}

// ask asks the database for its time.
func (c *databaseClock) ask(ctx context.Context, db querier) error {
	asked := c.host()
	var told time.Time
	if err := db.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&told); err != nil {
		return mapError(err)
	}
	c.measure(asked, told)
	return nil
}

// newestTime returns the newest time of all objects and changes in the database;
// zero if there are none. The clock may be behind it because it was set back: a recorder
// that then started at the present would write updates that lie before the creation of
// their object, which the database refuses.
func (s *Store) newestTime(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, livingTimeout)
	defer cancel()
	var newest *time.Time
	err := s.pool.QueryRow(ctx, `SELECT greatest((SELECT max(at) FROM changes),
		(SELECT max(updated_at) FROM objects), (SELECT max(freed_at) FROM objects))`).Scan(&newest)
	if err != nil || newest == nil {
		return time.Time{}, mapError(err)
	}
	return *newest, nil
}
