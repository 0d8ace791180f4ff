package store

import (
	"context"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// clock gives the times of changes: each is later than the one before, whatever
// the host's clock does meanwhile.
type clock struct {
	// last is the time given last. A recorder starts with the newest recorded one,
	// see newestTime.
	last time.Time
}

// tick returns the present time or, where the host's clock is not beyond the last
// one, the microsecond after that.
func (c *clock) tick() dat.Time {
	now := dat.At(time.Now())
	if !now.After(c.last) {
		now = dat.At(c.last.Add(time.Microsecond))
	}
	c.last = now.Time
	return now
}

// newestTime returns the newest time of all objects and changes in the database;
// zero if there are none. The host's clock may be behind it because it was set
// back: a recorder that then started at the present would write updates that lie
// before the creation of their object, which the database refuses.
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
