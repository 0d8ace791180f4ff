package store

import (
	"context"
	"time"
)

const (
	// pruneEvery is the interval at which outdated rows are deleted.
	pruneEvery = time.Hour
	// pruneChunk is the number of changes that one transaction deletes at most.
	pruneChunk = 5000
)

// Prune deletes changes that are older than the age, except for the last one of
// each object; objects that were freed before that; and stored answers older than
// AnswerLifetime. It returns the number of changes that it deleted.
func (s *Store) Prune(ctx context.Context, age time.Duration) (int64, error) {
	older := time.Now().Add(-age)
	var deleted int64
	for {
		var n int64
		if err := s.pool.QueryRow(ctx, `SELECT prune_changes($1, $2)`, older, pruneChunk).Scan(&n); err != nil {
			return deleted, mapError(err)
		}
		deleted += n
		if n < pruneChunk {
			break
		}
	}
	if _, err := s.pool.Exec(ctx, `DELETE FROM objects WHERE freed_at < $1`, older); err != nil {
		return deleted, mapError(err)
	}
	return deleted, s.pruneAnswers(ctx)
}

// pruneHourly prunes at once and then every pruneEvery, until ctx ends.
func (s *Store) pruneHourly(ctx context.Context) {
	prune := func() {
		ctx, cancel := context.WithTimeout(ctx, pruneEvery)
		defer cancel()
		var err error
		if s.cfg.Retention > 0 {
			_, err = s.Prune(ctx, s.cfg.Retention)
		} else {
			err = s.pruneAnswers(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.cfg.Logger.Warn("old changes could not be deleted; it is tried again in an hour", "error", err)
		}
	}
	prune()
	every(ctx, pruneEvery, prune)
}

// every calls work at an interval until ctx ends.
func every(ctx context.Context, interval time.Duration, work func()) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			work()
		}
	}
}
