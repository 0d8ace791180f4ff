package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// Moment is a point of the log.
type Moment struct {
	// Change is the id of a change, which is included; 0 means that At counts.
	Change int64
	// At is a time, whose changes are included.
	At time.Time
}

// AsOf returns an object as it was at a moment. A moment before its creation or
// after its end, or at which it lay outside of the scope, is DAT_INVALID_HANDLE, one of which the retention has deleted the
// change that counts ErrGone, one in the future DAT_INVALID_PARAMETER.
//
// Of the changes that have made a state of an object the retention leaves the newest
// ones without a gap: the newest one until the moment, if it is there, is the right one.
func (s *Store) AsOf(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment, scope *access.Scope) (dat.Object, error) {
	if err := s.checkMoment(ctx, m); err != nil {
		return nil, err
	}
	column, at := "id", any(m.Change)
	if m.Change == 0 {
		column, at = "at", m.At
	}
	var o storedObject
	err := s.pool.QueryRow(ctx, `SELECT `+whole("image")+` FROM changes WHERE object_id = $1 AND object_type = $2 AND `+column+` <= $3
		AND (before IS NOT NULL OR image IS NOT NULL) ORDER BY id DESC LIMIT 1`, string(id), t.String(), at).Scan(&o.Body, &o.Form)
	switch {
	case scope != nil && (errors.Is(err, pgx.ErrNoRows) || err == nil && o.Body == nil):
		return nil, noSuchObject(t, id) // it may have lain elsewhere
	case errors.Is(err, pgx.ErrNoRows) || isUnreadableText(err):
		return nil, s.notYetThere(ctx, t, id, m)
	case err != nil:
		return nil, mapError(err)
	case o.Body == nil:
		return nil, notThereAt(t, id, "it had been freed by then")
	}
	o.Body = withoutSecrets(t, o.Body)
	then, err := o.read(t)
	if err == nil && !scope.Holds(string(then.Head().IA), then.Head().Labels) {
		return nil, noSuchObject(t, id)
	}
	return then, err
}

// checkMoment refuses a moment in the future.
//
// The clock of the database's host may have been set back: the time of the newest
// change is never in the future.
func (s *Store) checkMoment(ctx context.Context, m Moment) error {
	var last int64
	var now time.Time
	err := s.pool.QueryRow(ctx, `SELECT last, greatest(clock_timestamp(), (SELECT max(at) FROM changes)) FROM change_head`).Scan(&last, &now)
	switch {
	case err != nil:
		return mapError(err)
	case m.Change < 0 || m.Change > last:
		return badQuery("as_of", fmt.Sprintf("there is no change %d; the newest is %d", m.Change, last))
	case m.Change == 0 && m.At.After(now):
		return badQuery("as_of", "this moment lies in the future; give one that has passed")
	}
	return nil
}

// notYetThere returns DAT_INVALID_HANDLE for an object that was made after the
// moment, and ErrGone for one whose changes until then were pruned.
func (s *Store) notYetThere(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment) error {
	// The row of an object that was freed before the retention is deleted, its last
	// change, which has it as it was, is not. The id of its creation is not known then.
	var made *int64
	var at time.Time
	err := s.pool.QueryRow(ctx, `SELECT created_change, created_at FROM objects WHERE id = $1 AND type = $2
		UNION ALL SELECT NULL, (before ->> 'created_at')::timestamptz FROM changes
			WHERE object_id = $1 AND object_type = $2 AND before IS NOT NULL AND image IS NULL
		ORDER BY 1 NULLS LAST LIMIT 1`, string(id), t.String()).Scan(&made, &at)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || isUnreadableText(err):
		return noSuchObject(t, id)
	case err != nil:
		return mapError(err)
	case m.Change == 0 && m.At.Before(at), m.Change > 0 && made != nil && m.Change < *made:
		return notThereAt(t, id, "it was made later")
	}
	return ErrGone
}

// notThereAt returns the refusal of a moment at which an object did not live.
func notThereAt(t dat.ObjectType, id dat.Handle, why string) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: t.InvalidHandle(),
		Detail: fmt.Sprintf("the %s %s was not there at that moment: %s; its history tells when it was", t, id, why),
	}
}
