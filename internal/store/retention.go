package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// pruneEvery is the interval at which outdated rows are deleted.
	pruneEvery = time.Hour
	// pruneChunk is the number of changes that one transaction deletes at most.
	pruneChunk = 5000
)

// pruneChanges deletes at most $2 changes that are older than $1 and that nothing since
// then rests on, the oldest first, and returns their number. What stays of an object is
// its last change, and the one that made the state that it had at $1: without that
// AsOf could not tell the state between $1 and the next change. A refusal makes no
// state, so it takes nobody's place.
//
// The times of one object's changes grow with their ids. So of those that have made a
// state the oldest go first, and those that are left are the newest ones without a gap.
const pruneChanges = `WITH old AS (
		SELECT c.id FROM changes c
		WHERE c.at < $1 AND CASE WHEN c.before IS NULL AND c.image IS NULL
			THEN EXISTS (SELECT FROM changes n WHERE n.object_id = c.object_id AND n.id > c.id)
			ELSE (SELECT n.at FROM changes n WHERE n.object_id = c.object_id AND n.id > c.id
				AND (n.before IS NOT NULL OR n.image IS NOT NULL) ORDER BY n.id LIMIT 1) <= $1 END
		ORDER BY c.id LIMIT $2
	), deleted AS (
		DELETE FROM changes c USING old WHERE c.id = old.id RETURNING c.id, c.at
	), head AS (
		UPDATE change_head SET gone = greatest(gone, d.top), gone_at = greatest(gone_at, d.top_at)
		FROM (SELECT max(id) AS top, max(at) AS top_at FROM deleted) d WHERE d.top IS NOT NULL
	)
	SELECT count(*) FROM deleted`

// Prune deletes the changes that are older than the age, except for the last one of
// each object and the one that made its state of that time; objects that were freed
// before that; and stored answers older than AnswerLifetime. It returns the number of
// changes that it deleted.
func (s *Store) Prune(ctx context.Context, age time.Duration) (int64, error) {
	return s.pruneBefore(ctx, time.Now().Add(-age))
}

// pruneBefore is Prune with the time before which changes are too old.
func (s *Store) pruneBefore(ctx context.Context, older time.Time) (int64, error) {
	var deleted int64
	for {
		n, err := s.pruneOnce(ctx, older)
		if err != nil {
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

// pruneOnce deletes at most pruneChunk changes in a transaction of its own.
func (s *Store) pruneOnce(ctx context.Context, older time.Time) (n int64, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// The log is append-only, but for this.
		if _, err := tx.Exec(ctx, `SELECT set_config('datapi.prune', 'on', true)`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, pruneChanges, older, pruneChunk).Scan(&n)
	})
	return n, err
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
