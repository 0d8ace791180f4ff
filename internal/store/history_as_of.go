package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
// after its end is DAT_INVALID_HANDLE, one before the retention ErrGone, one in the
// future DAT_INVALID_PARAMETER.
func (s *Store) AsOf(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment) (dat.Object, error) {
	complete, err := s.checkMoment(ctx, m)
	if err != nil {
		return nil, err
	}
	column, at := "id", any(m.Change)
	if m.Change == 0 {
		column, at = "at", m.At
	}
	var o storedObject
	err = s.pool.QueryRow(ctx, `SELECT `+whole("image")+` FROM changes WHERE object_id = $1 AND object_type = $2 AND `+column+` <= $3
		AND (before IS NOT NULL OR image IS NOT NULL) ORDER BY id DESC LIMIT 1`, string(id), t.String(), at).Scan(&o.Body, &o.Form)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || isUnreadableText(err):
		return nil, s.notYetThere(ctx, t, id, m, complete)
	case err != nil:
		return nil, mapError(err)
	case !complete:
		return nil, ErrGone // changes between this one and the moment may be missing
	case o.Body == nil:
		return nil, notThereAt(t, id, "it had been freed by then")
	}
	return o.read(t)
}

// checkMoment refuses a moment in the future. It reports whether the log still has
// all changes since the moment.
//
// The clock of the database's host may have been set back: the time of the newest
// change is never in the future.
func (s *Store) checkMoment(ctx context.Context, m Moment) (complete bool, err error) {
	var last, gone int64
	var goneAt *time.Time
	var now time.Time
	err = s.pool.QueryRow(ctx, `SELECT last, gone, gone_at,
		greatest(clock_timestamp(), (SELECT max(at) FROM changes)) FROM change_head`).Scan(&last, &gone, &goneAt, &now)
	switch {
	case err != nil:
		return false, mapError(err)
	case m.Change < 0 || m.Change > last:
		return false, badQuery("as_of", fmt.Sprintf("there is no change %d; the newest is %d", m.Change, last))
	case m.Change > 0:
		return m.Change >= gone, nil
	case m.At.After(now):
		return false, badQuery("as_of", "this moment lies in the future; give one that has passed")
	}
	return goneAt == nil || !m.At.Before(*goneAt), nil
}

// notYetThere returns DAT_INVALID_HANDLE for an object that was made after the
// moment, and ErrGone for one whose changes until then were pruned.
func (s *Store) notYetThere(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment, complete bool) error {
	obj, _, err := s.GetFreed(ctx, t, id)
	if err != nil {
		return err
	}
	if complete || m.Change == 0 && m.At.Before(obj.Head().CreatedAt.Time) {
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
