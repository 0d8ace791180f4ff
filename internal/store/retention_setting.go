package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

// Age is how old something may become, in whole microseconds.
type Age time.Duration

const day = 24 * time.Hour

// maxAgeDays bounds what ParseAge takes.
const maxAgeDays = 36500

// ParseAge reads a number of days (90d) or a Go duration (36h), of a microsecond to
// 36500 days.
func ParseAge(word string) (Age, error) {
	if days, ok := strings.CutSuffix(word, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= maxAgeDays {
			return Age(n) * Age(day), nil
		}
	} else if d, err := time.ParseDuration(word); err == nil && d >= time.Microsecond && d <= maxAgeDays*day {
		return Age(d.Truncate(time.Microsecond)), nil
	}
	return 0, fmt.Errorf("%q is no age; write it as 90d or 36h, %dd at most", cutAt(word, 80), maxAgeDays)
}

// String returns the age as ParseAge reads it: in days where they are whole ones.
func (a Age) String() string {
	if d := time.Duration(a); d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	word := time.Duration(a).String()
	if short, ok := strings.CutSuffix(word, "m0s"); ok {
		word = short + "m"
	}
	if short, ok := strings.CutSuffix(word, "h0m"); ok {
		word = short + "h"
	}
	return word
}

// Retention is how long changes are kept: one setting for all nodes of the database.
type Retention struct {
	// Age is the age up to which changes are kept; 0 keeps all.
	Age Age
	// SetBy is who set it, and SetAt when, by the database's clock; both are zero where
	// nobody has.
	SetBy string
	SetAt time.Time
}

const selectRetention = `SELECT age, coalesce(set_by, ''), set_at FROM retention`

// scanRetention reads a row of selectRetention.
func scanRetention(row pgx.Row) (Retention, error) {
	var r Retention
	var age *time.Duration
	var at *time.Time
	if err := row.Scan(&age, &r.SetBy, &at); err != nil || age == nil || at == nil {
		return Retention{}, err
	}
	r.Age, r.SetAt = Age(*age), *at
	return r, nil
}

// Retention returns how long changes are kept. Without the database it is refused.
func (s *Store) Retention(ctx context.Context) (Retention, error) {
	var r Retention
	away, err := s.readUnlessAway(ctx, refusalPatience, func(ctx context.Context) (err error) {
		r, err = scanRetention(s.pool.QueryRow(ctx, selectRetention))
		return mapError(err)
	})
	if away {
		return Retention{}, s.errAway()
	}
	return r, err
}

// SetRetention sets how long changes are kept, and who says so. What is too old by that
// is deleted soon after, by one of the nodes. It returns the setting before and after;
// a dry run returns them too and sets nothing. Where the database has not confirmed
// the setting the error is KindOutcomeUnknown.
func (s *Store) SetRetention(ctx context.Context, age Age, by string, dryRun bool) (before, after Retention, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if err := s.recorder.Away(); err != nil { // not to wait for the pool
		return before, after, err
	}
	err = s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		defer rollBack(ctx, tx)
		if before, err = scanRetention(tx.QueryRow(ctx, selectRetention+` FOR UPDATE`)); err != nil {
			return err
		}
		after, err = scanRetention(tx.QueryRow(ctx, `UPDATE retention SET age = $1, set_by = $2, set_at = now(), pruned_at = NULL
			RETURNING age, set_by, set_at`, time.Duration(age), by))
		if err != nil || dryRun {
			return err
		}
		return commitConfirmed(ctx, tx, "the setting", "read it to find out")
	})
	if err != nil {
		return Retention{}, Retention{}, mapError(err)
	}
	if !dryRun {
		s.wakePruner()
	}
	return before, after, nil
}

// commitConfirmed commits a transaction. Where it is not known whether that is done, on
// the standbys too, the error is KindOutcomeUnknown; what is the thing that was changed, and
// remedy how to find out.
func commitConfirmed(ctx context.Context, tx pgx.Tx, what, remedy string) error {
	conn := tx.Conn().PgConn()
	takeWarning(conn)
	err := tx.Commit(ctx)
	if warning := takeWarning(conn); err == nil && warning != "" {
		err = fmt.Errorf("%w: %s", errNotReplicated, warning)
	}
	if err == nil || mappingOf(err).class == classRefused {
		return err
	}
	return &dat.Error{Return: dat.RetInternalError, Kind: KindOutcomeUnknown, Detail: "the database has not confirmed " + what + " in time, so it may be made or not; " + remedy, Cause: err}
}

// adoptRetention sets how long changes are kept as the configuration says, where the
// database has no such setting. Where it has another one than an operator asked for,
// that is logged.
func (s *Store) adoptRetention(ctx context.Context) error {
	if s.cfg.Retention == 0 {
		return nil
	}
	_, err := s.pool.Exec(ctx, `UPDATE retention SET age = $1, set_by = $2, set_at = now() WHERE set_at IS NULL`,
		time.Duration(s.cfg.Retention), "node "+s.cfg.Node)
	if err != nil || !s.cfg.RetentionGiven {
		return err
	}
	r, err := scanRetention(s.pool.QueryRow(ctx, selectRetention))
	if err == nil && r.Age != s.cfg.Retention {
		s.cfg.Logger.Warn("--retention is not what the database has, which holds for all nodes; change it there: PUT /api/v1/retention, or datapi retention set --age",
			"given", s.cfg.Retention.String(), "retention", r.Age.String(), "set_by", r.SetBy, "set_at", dat.At(r.SetAt).String())
	}
	return err
}
