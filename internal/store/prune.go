package store

import (
	"context"
	"time"
)

const (
	// pruneEvery is how often what is past its time is deleted.
	pruneEvery = time.Hour
	// pruneChunk bounds one transaction of a prune.
	pruneChunk = 5000
)

// Prune deletes changes older than the age, but never an object's last one;
// freed objects older than that (their history's last change stays); and answers
// older than KeptFor. It returns how many changes it deleted.
func (s *Store) Prune(ctx context.Context, age time.Duration) (int64, error) {
	older := time.Now().Add(-age)
	var all int64
	for {
		var n int64
		if err := s.pool.QueryRow(ctx, `SELECT prune_changes($1, $2)`, older, pruneChunk).Scan(&n); err != nil {
			return all, mapError(err)
		}
		all += n
		if n < pruneChunk {
			break
		}
	}
	if _, err := s.pool.Exec(ctx, `DELETE FROM objects WHERE freed_at < $1`, older); err != nil {
		return all, mapError(err)
	}
	return all, s.pruneKept(ctx)
}

func (s *Store) pruneKept(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM kept WHERE at < now() - $1::interval`, KeptFor)
	return mapError(err)
}

// prunes deletes what is past its time, at start and then hour by hour.
func (s *Store) prunes(ctx context.Context) {
	prune := func() {
		ctx, cancel := context.WithTimeout(ctx, pruneEvery)
		defer cancel()
		var err error
		if s.cfg.Retention > 0 {
			_, err = s.Prune(ctx, s.cfg.Retention)
		} else {
			err = s.pruneKept(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.cfg.Logger.Warn("old changes could not be deleted; it is tried again in an hour", "error", err)
		}
	}
	prune()
	every(ctx, pruneEvery, prune)
}
