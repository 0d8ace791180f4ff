package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// pruneEvery is the interval at which one of the nodes deletes what is too old.
	pruneEvery = time.Hour
	// pruneLook is the interval at which each node looks whether that is due, and whether the
	// log needs another partition.
	pruneLook = 30 * time.Second
	// pruneOffset keeps the looks from meeting what a node does each second: that would take a
	// connection more.
	pruneOffset = 500 * time.Millisecond
	// pruneLock is the advisory lock of the node that deletes.
	pruneLock = migrateLock + 1
	// prunePatience is the part of the retention for which changes may stay longer, so that they
	// are dropped with all others of their partition, which spans half of that.
	prunePatience = 8
	// pruneChunk is the number of changes that one transaction deletes at most.
	pruneChunk = 5000
)

// superseded is the condition that nothing since $1 rests on the change c. What stays of an
// object is its last change, and the one that made the state that it had at $1: without that
// AsOf could not tell the state between $1 and the next change. A refusal makes no state,
// so it takes nobody's place.
const superseded = `CASE WHEN c.before IS NULL AND c.image IS NULL
	THEN EXISTS (SELECT FROM changes n WHERE n.object_id = c.object_id AND n.id > c.id)
	ELSE (SELECT n.at FROM changes n WHERE n.object_id = c.object_id AND n.id > c.id
		AND (n.before IS NOT NULL OR n.image IS NOT NULL) ORDER BY n.id LIMIT 1) <= $1 END`

// pruneChanges deletes at most $2 changes with ids below $3 that are older than $1 and
// superseded, the oldest first, and returns their number.
//
// The times of one object's changes grow with their ids. So of those that have made a
// state the oldest go first, and those that are left are the newest ones without a gap.
const pruneChanges = `WITH old AS (
		SELECT c.id FROM changes c
		WHERE c.at < $1 AND c.id < $3 AND ` + superseded + `
		ORDER BY c.id LIMIT $2
	), deleted AS (
		DELETE FROM changes c USING old WHERE c.id = old.id RETURNING c.id, c.at
	), head AS (
		UPDATE change_head SET gone = greatest(gone, d.top), gone_at = greatest(gone_at, d.top_at)
		FROM (SELECT max(id) AS top, max(at) AS top_at FROM deleted) d WHERE d.top IS NOT NULL
	)
	SELECT count(*) FROM deleted`

// pruneWhenDue makes the next partition of the log in time, and deletes what is past its time
// if that is due, unless another node is at it.
// The node that holds pruneLock is the only one: it deletes over the connection that has
// the lock, so that it stops where it loses that. All times are those of the database's
// clock. done reports that this node has carried it out.
func (s *Store) pruneWhenDue(ctx context.Context) (done bool, err error) {
	s.claims.prune(time.Now())
	err = s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		var elected bool
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, int64(pruneLock)).Scan(&elected); err != nil || !elected {
			return err
		}
		defer unlockPruning(ctx, c.Conn())
		extended := extendLog(ctx, c, partitionLeast)
		done, err = pruneElected(ctx, c, s.cfg.Logger)
		return errors.Join(extended, err)
	})
	return done, mapError(err)
}

// unlockPruning gives pruneLock back, with the connection where it must.
func unlockPruning(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), roundTrip)
	defer cancel()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, int64(pruneLock)); err != nil {
		_ = conn.Close(ctx) // the lock ends with it
	}
}

// pruneElected is pruneWhenDue of the node that holds the lock. It begins anew where
// somebody has set another retention meanwhile.
func pruneElected(ctx context.Context, db beginner, log *slog.Logger) (done bool, err error) {
	for {
		var older, setAt *time.Time
		var patience *time.Duration
		var due bool
		err := db.QueryRow(ctx, `SELECT now() - age, age / $2, set_at, pruned_at IS NULL OR pruned_at NOT BETWEEN now() - $1::interval AND now()
			FROM retention`, pruneEvery, prunePatience).Scan(&older, &patience, &setAt, &due)
		if err != nil || !due {
			return done, err
		}
		if older != nil {
			deleted, err := pruneBefore(ctx, db, *older, *patience)
			if err != nil {
				return done, err
			}
			if deleted > 0 {
				log.Info("changes that were too old are deleted", "changes", deleted, "older_than", dat.At(*older).String())
			}
		}
		if err := pruneAnswers(ctx, db); err != nil {
			return done, err
		}
		tag, err := db.Exec(ctx, `UPDATE retention SET pruned_at = now() WHERE set_at IS NOT DISTINCT FROM $1`, setAt)
		if err != nil || tag.RowsAffected() > 0 {
			return err == nil, err
		}
	}
}

// beginner is a pool, or a connection of one.
type beginner interface {
	querier
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// pruneBefore deletes the changes that are older than a time, except for the last one of
// each object and the one that made its state of that time, and objects that were freed
// before that, without IAs (formerIAs), and lines of the audit. Changes go with their partition where all of that are
// past the time, and stay where they will be after patience; the others are deleted one by
// one. It returns the number of changes that it deleted.
func pruneBefore(ctx context.Context, db beginner, older time.Time, patience time.Duration) (deleted int64, err error) {
	aged, err := ageLog(ctx, db, older, patience)
	if err != nil {
		return 0, err
	}
	if len(aged.old) > 0 { // after what is older still, so that no state is left without the next one
		if deleted, err = pruneBelow(ctx, db, older, aged.old[0].from); err != nil {
			return deleted, err
		}
		n, err := aged.dropOld(ctx, db, older)
		if err != nil {
			return deleted, err
		}
		deleted += n
	}
	n, err := pruneBelow(ctx, db, older, aged.rest)
	if deleted += n; err != nil {
		return deleted, err
	}
	if _, err = db.Exec(ctx, `DELETE FROM audit WHERE at < $1`, older); err != nil {
		return deleted, err
	}
	_, err = db.Exec(ctx, `DELETE FROM objects WHERE freed_at < $1 AND type <> 'ia'`, older)
	return deleted, err
}

// pruneBelow deletes changes with ids below rest one by one.
func pruneBelow(ctx context.Context, db beginner, older time.Time, rest int64) (deleted int64, err error) {
	for {
		n, err := pruneOnce(ctx, db, older, rest)
		if deleted += n; err != nil || n < pruneChunk {
			return deleted, err
		}
	}
}

// pruneOnce deletes at most pruneChunk changes in a transaction of its own.
func pruneOnce(ctx context.Context, db beginner, older time.Time, rest int64) (n int64, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		// The log is append-only, but for this.
		if _, err := tx.Exec(ctx, `SELECT set_config('datapi.prune', 'on', true)`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, pruneChanges, older, pruneChunk, rest).Scan(&n)
	})
	return n, err
}

// pruneRegularly looks at once, every pruneLook and after each wakePruner whether there
// is something to delete, until ctx ends.
func (s *Store) pruneRegularly(ctx context.Context) {
	look := time.NewTimer(pruneLook + pruneOffset)
	defer look.Stop()
	for {
		s.pruneLogged(ctx)
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			look.Reset(pruneLook)
		case <-s.pruneSoon:
		}
	}
}

// pruneLogged is pruneWhenDue; an error is logged.
func (s *Store) pruneLogged(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pruneEvery)
	defer cancel()
	if _, err := s.pruneWhenDue(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Logger.Warn("old changes could not be deleted; it is tried again in "+pruneLook.String(), "error", err)
	}
}

// wakePruner makes this node look immediately whether there is something to delete.
func (s *Store) wakePruner() {
	select {
	case s.pruneSoon <- struct{}{}:
	default: // it has been told already
	}
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
