package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// agedLog says which parts of the log are past a time.
type agedLog struct {
	// kept have what the retention left earlier, and old are past the time with all their
	// changes.
	kept, old []partition
	// rest is the id from which on nothing is deleted change by change: it is younger, or soon
	// to be dropped in one.
	rest int64
}

// ageLog looks which partitions are past a time. One that is past the time after it by patience
// is left as it is, to be dropped in one later.
func ageLog(ctx context.Context, db querier, older time.Time, patience time.Duration) (agedLog, error) {
	var a agedLog
	all, err := partitionsOf(ctx, db)
	if err != nil {
		return a, err
	}
	var last int64
	if err := db.QueryRow(ctx, `SELECT last FROM change_head`).Scan(&last); err != nil {
		return a, err
	}
	a.rest = all[len(all)-1].to
	for _, p := range all {
		if p.isKept() {
			a.kept = append(a.kept, p)
			continue
		}
		if p.to-1 > last { // there is more to come
			return a, nil
		}
		var newest *time.Time
		if err := db.QueryRow(ctx, `SELECT max(at) FROM changes WHERE id >= $1 AND id < $2`, p.from, p.to).Scan(&newest); err != nil {
			return a, err
		}
		switch {
		case newest == nil || newest.Before(older):
			a.old = append(a.old, p)
		case newest.Before(older.Add(patience)):
			a.rest = p.from
			return a, nil
		default:
			return a, nil
		}
	}
	return a, nil
}

// dropOld drops the old partitions. What stays of their changes, as pruneChanges says, is put
// apart, in one partition instead of them. That takes over what was put apart before, as far
// as that is no larger: so there are few of them, and each change is copied seldom. It
// returns the number of changes that are deleted.
func (a *agedLog) dropOld(ctx context.Context, db beginner, older time.Time) (deleted int64, err error) {
	former, size := a.old, int64(0)
	for _, p := range a.old {
		size += p.size
	}
	for i := len(a.kept) - 1; i >= 0 && a.kept[i].size <= size; i-- {
		former, size = append([]partition{a.kept[i]}, former...), size+a.kept[i].size
	}
	r := replacement{from: former[0].from, to: former[len(former)-1].to, former: former}
	r.name = fmt.Sprint(keptPrefix, r.to)
	// While somebody reads for long, as a backup does, the work would be in vain.
	if err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error { return lockLog(ctx, tx, former) }); err != nil {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := r.create(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO `+r.name+selectStaying, older, r.from, r.to); err != nil {
			return err
		}
		var top *int64
		var topAt *time.Time
		if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*), max(id), max(at) FROM changes c
			WHERE id >= $1 AND id < $2 AND NOT EXISTS (SELECT FROM %s k WHERE k.id = c.id)`, r.name), r.from, r.to).Scan(&deleted, &top, &topAt); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `ANALYZE `+r.name); err != nil {
			return err
		}
		if err := lockLog(ctx, tx, former); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE change_head SET gone = greatest(gone, $1), gone_at = greatest(gone_at, $2)`, top, topAt); err != nil {
			return err
		}
		return r.takePlace(ctx, tx)
	})
	return deleted, err
}

// selectStaying selects what stays of the changes from $2 to before $3, all of which are older
// than $1. That can only be the last one of an object, and the last one that made a state.
const selectStaying = ` SELECT c.* FROM changes c WHERE c.id IN (
		SELECT max(id) FROM changes WHERE id >= $2 AND id < $3 GROUP BY object_id
		UNION ALL
		SELECT max(id) FROM changes WHERE id >= $2 AND id < $3 AND (before IS NOT NULL OR image IS NOT NULL) GROUP BY object_id
	) AND c.id >= $2 AND c.id < $3 AND (` + superseded + `) IS NOT TRUE`
