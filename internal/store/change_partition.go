package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The log lies in partitions by id, which are made in time by the node that carries out the
// retention (pruneWhenDue). The last one is open upwards and empty: only where nobody was in
// time are there changes in it, which the next partition takes over. The first ones have what
// the retention has left of partitions that were dropped.

const (
	// partitionedSchema is the version of the schema from which on there are partitions.
	partitionedSchema = 11
	// openPartition is the partition that is open upwards.
	openPartition = "changes_open"
	// partitionPrefix begins the names of the others, and keptPrefix the names of those that
	// have what the retention left; the id below which a partition ends follows.
	partitionPrefix = "changes_before_"
	keptPrefix      = "changes_kept_before_"
	// partitionLeast is the number of ids of a partition at least.
	partitionLeast = 1 << 20
	// logLockTimeout is how long writers wait at most while the whole log is being locked,
	// and logLockTries is how often that is tried.
	logLockTimeout = 100 * time.Millisecond
	logLockTries   = 20
	// carryFew is a number of changes that is copied while others wait.
	carryFew = 1000
)

// partition is a part of the log.
type partition struct {
	name string
	// from is the lowest id that it may have, 0 in the first one; those from to on are in the
	// next one.
	from, to int64
	// size is what it takes on disk, in bytes, without indexes.
	size int64
}

// isKept reports whether it has what the retention left.
func (p *partition) isKept() bool { return strings.HasPrefix(p.name, keptPrefix) }

// partitionsOf returns the partitions of the log in the order of their ids. The last one is
// open upwards.
func partitionsOf(ctx context.Context, db querier) ([]partition, error) {
	rows, err := db.Query(ctx, `SELECT quote_ident(relname), coalesce(substring(bounds FROM 'FROM \(''?(\d+)')::bigint, 0),
			coalesce(substring(bounds FROM 'TO \(''?(\d+)')::bigint, 9223372036854775807), pg_table_size(oid)
		FROM (SELECT oid, relname, pg_get_expr(relpartbound, oid) AS bounds FROM pg_class
			JOIN pg_inherits ON inhrelid = oid WHERE inhparent = 'changes'::regclass) AS p ORDER BY 2`)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p partition, err error) {
		err = row.Scan(&p.name, &p.from, &p.to, &p.size)
		return p, err
	})
	if err == nil && (len(all) == 0 || all[len(all)-1].to < math.MaxInt64) {
		err = errors.New("the log has no partition that is open upwards; it looks as if the database were being restored")
	}
	return all, err
}

// selectAhead selects the last id, and for how many more there must be partitions: for $1 at
// least, and as many as the log got in a sixteenth of the retention or, if that is longer,
// in an hour.
const selectAhead = `SELECT last, greatest($1, last - coalesce((SELECT id FROM changes WHERE at >= now() - span ORDER BY at LIMIT 1), last))
	FROM change_head, (SELECT greatest(coalesce(age / 16, interval '1 year'), interval '1 hour') AS span FROM retention) AS r`

// extendLog makes the next partition, if there is no more room than it is to have; least is
// partitionLeast but in tests.
func extendLog(ctx context.Context, db beginner, least int64) error {
	all, err := partitionsOf(ctx, db)
	if err != nil {
		return err
	}
	open := all[len(all)-1]
	var last, ahead int64
	if err := db.QueryRow(ctx, selectAhead, least).Scan(&last, &ahead); err != nil || open.from-1-last >= ahead {
		return err
	}
	to := max(open.from, last+1) + ahead
	r := replacement{name: fmt.Sprint(partitionPrefix, to), from: open.from, to: to, former: []partition{open}}
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := r.create(ctx, tx); err != nil {
			return err
		}
		for carried := int64(carryFew); carried >= carryFew; {
			if carried, err = r.carryOver(ctx, tx); err != nil {
				return err
			}
		}
		if err := lockLog(ctx, tx, r.former); err != nil {
			return err
		}
		if _, err := r.carryOver(ctx, tx); err != nil { // what came meanwhile
			return err
		}
		return r.takePlaceOfOpen(ctx, tx)
	})
}

// makeRoom makes a partition up to an id in a log without changes, if it has none for that.
func makeRoom(ctx context.Context, tx pgx.Tx, last int64) error {
	all, err := partitionsOf(ctx, tx)
	if err != nil {
		return err
	}
	open := all[len(all)-1]
	if open.from > last {
		return nil
	}
	to := last + 1 + partitionLeast
	r := replacement{name: fmt.Sprint(partitionPrefix, to), from: open.from, to: to, former: []partition{open}}
	if err := r.create(ctx, tx); err != nil {
		return err
	}
	return r.takePlaceOfOpen(ctx, tx)
}

// replacement is a partition that takes the place of some neighbours.
type replacement struct {
	name     string
	from, to int64
	former   []partition
}

// create makes the table, beside the log. That its ids are those of the partition is a
// constraint, so that nobody waits until they are looked through.
func (r *replacement) create(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s (LIKE changes INCLUDING DEFAULTS INCLUDING CONSTRAINTS, CONSTRAINT %[1]s_ids CHECK (id >= %[2]d AND id < %[3]d));
		SELECT complete_change_partition('%[1]s')`, r.name, r.from, r.to))
	return err
}

// carryOver copies what came into the open partition since the last time, and returns how many
// changes that were.
func (r *replacement) carryOver(ctx context.Context, tx pgx.Tx) (int64, error) {
	tag, err := tx.Exec(ctx, fmt.Sprintf(`INSERT INTO %[1]s SELECT * FROM changes
		WHERE id >= %[2]d AND id > (SELECT coalesce(max(id), 0) FROM %[1]s)`, r.name, r.from))
	return tag.RowsAffected(), err
}

// takePlace drops the former partitions and puts the new one there. The log is locked.
func (r *replacement) takePlace(ctx context.Context, tx pgx.Tx) error {
	var sql strings.Builder
	for _, p := range r.former {
		fmt.Fprintf(&sql, "DROP TABLE %s;", p.name)
	}
	from := "MINVALUE"
	if r.from > 0 {
		from = fmt.Sprint(r.from)
	}
	fmt.Fprintf(&sql, `ALTER TABLE changes ATTACH PARTITION %[1]s FOR VALUES FROM (%[2]s) TO (%[3]d);
		ALTER TABLE %[1]s DROP CONSTRAINT %[1]s_ids`, r.name, from, r.to)
	_, err := tx.Exec(ctx, sql.String())
	return err
}

// takePlaceOfOpen is takePlace of the one that is open upwards, with another one of that kind
// after it.
func (r *replacement) takePlaceOfOpen(ctx context.Context, tx pgx.Tx) error {
	if err := r.takePlace(ctx, tx); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s PARTITION OF changes FOR VALUES FROM (%[2]d) TO (MAXVALUE);
		SELECT complete_change_partition('%[1]s')`, openPartition, r.to))
	return err
}

// lockLog locks the log against everybody else until the end of a transaction, which is to
// come soon and to drop some partitions. It waits for those who are reading, so that writers
// wait for them too: only for logLockTimeout, and then it lets everybody through and tries
// again. The end of the log is locked first, as by writers. The COMMIT does not wait for
// standbys, as readers would too: nobody is told of it, and one that lacks it has the log
// as it was.
func lockLog(ctx context.Context, tx pgx.Tx, drop []partition) error {
	sql := fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = %d; SET LOCAL synchronous_commit = local;
		SELECT FROM change_head FOR UPDATE; LOCK TABLE ONLY changes`, int64(headLock), logLockTimeout.Milliseconds())
	for _, p := range drop {
		sql += ", " + p.name
	}
	var retry backoff
	for tries := 1; ; tries++ {
		err := pgx.BeginFunc(ctx, tx, func(attempt pgx.Tx) error { // a savepoint
			_, err := attempt.Exec(ctx, sql)
			return err
		})
		if !isLockTimeout(err) {
			return err
		}
		if tries == logLockTries || !retry.sleep(ctx) {
			return fmt.Errorf("others have been reading the log all the time: %w", err)
		}
	}
}

// isLockTimeout reports whether an error says that a lock was not to be had in time.
func isLockTimeout(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == lockTimeoutCode
}
