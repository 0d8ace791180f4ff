package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// Moment is a point of the log: a change id, or, where that is 0, a time.
type Moment struct {
	Change int64
	At     time.Time
}

// AsOf is an object as it was. Before its creation and after its end it is
// DAT_INVALID_HANDLE; before the retention ErrGone; in the future
// DAT_INVALID_PARAMETER.
func (s *Store) AsOf(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment) (dat.Object, error) {
	kept, err := s.check(ctx, m)
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
	case errors.Is(err, pgx.ErrNoRows) || isText(err):
		return nil, s.beforeAll(ctx, t, id, m, kept)
	case err != nil:
		return nil, mapError(err)
	case !kept:
		return nil, ErrGone // changes between this one and the moment may be missing
	case o.Body == nil:
		return nil, notThen(t, id, "it had been freed by then")
	}
	return o.read(t)
}

// check refuses the future, and tells whether the log still holds all changes
// after the moment. The time of a change is never in the future, also where the
// clock of the database's host was set back since.
func (s *Store) check(ctx context.Context, m Moment) (kept bool, err error) {
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

// beforeAll tells an object that was not made yet from one whose changes of
// then were pruned.
func (s *Store) beforeAll(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment, kept bool) error {
	obj, _, err := s.GetFreed(ctx, t, id)
	if err != nil {
		return err
	}
	if kept || m.Change == 0 && m.At.Before(obj.Head().CreatedAt.Time) {
		return notThen(t, id, "it was made later")
	}
	return ErrGone
}

func notThen(t dat.ObjectType, id dat.Handle, why string) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: kinds[t].invalidHandle,
		Detail: fmt.Sprintf("the %s %s was not there at that moment: %s; its history tells when it was", t, id, why),
	}
}
