package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// History returns an object's changes, newest first, also after it was freed. Only
// Limit, Cursor, Offset, Total and Scope of the query count. An id that never was is
// DAT_INVALID_HANDLE.
func (s *Store) History(ctx context.Context, t dat.ObjectType, id dat.Handle, q ChangeQuery) (ChangePage, error) {
	if id == dat.HandleNull {
		return ChangePage{}, noSuchObject(t, id)
	}
	q = ChangeQuery{ChangeFilter: ChangeFilter{Scope: q.Scope}, Limit: q.Limit, Cursor: q.Cursor, Offset: q.Offset, Total: q.Total}
	q.Objects, q.Types = []dat.Handle{id}, []dat.ObjectType{t}
	page, err := s.Changes(ctx, q)
	if err != nil || len(page.Items) > 0 || q.Cursor != "" {
		return page, err
	}
	if q.Offset > 0 { // beyond the end, or of an object that never was
		_, err = s.History(ctx, t, id, ChangeQuery{ChangeFilter: ChangeFilter{Scope: q.Scope}, Limit: 1})
		return page, err
	}
	return ChangePage{}, noSuchObject(t, id)
}

// HistoryVersion returns the change that made a version, and the whole object after
// it; the object is nil if the change ended it. A version that never was, or lay outside
// of the scope, is DAT_INVALID_HANDLE, one past the retention ErrGone.
func (s *Store) HistoryVersion(ctx context.Context, t dat.ObjectType, id dat.Handle, version int64, scope *access.Scope) (dat.Change, dat.Object, error) {
	c := &conditions{args: []any{string(id), t.String(), version}}
	c.add("object_id = $1 AND object_type = $2 AND version = $3 AND (before IS NOT NULL OR image IS NOT NULL)")
	addChangeScope(c, scope)
	rows, err := s.pool.Query(ctx, selectChange+c.where(), c.args...)
	if err != nil {
		return dat.Change{}, nil, mapError(err)
	}
	change, err := pgx.CollectExactlyOneRow(rows, scanChange)
	if errors.Is(err, pgx.ErrNoRows) || isUnreadableText(err) {
		return dat.Change{}, nil, s.noVersion(ctx, t, id, version, scope)
	}
	if err != nil {
		return dat.Change{}, nil, mapError(err)
	}
	obj, err := s.imageAfter(ctx, t, change.ID)
	return change, obj, err
}

// noVersion returns ErrGone for a version past the retention, and
// DAT_INVALID_HANDLE for one that never was.
func (s *Store) noVersion(ctx context.Context, t dat.ObjectType, id dat.Handle, version int64, scope *access.Scope) error {
	newest, err := s.History(ctx, t, id, ChangeQuery{ChangeFilter: ChangeFilter{Scope: scope}, Limit: 1})
	if err != nil {
		return err
	}
	if scope == nil && version >= 1 && version < newest.Items[0].Version {
		return ErrGone
	}
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: t.InvalidHandle(),
		Detail: fmt.Sprintf("this %s has no version %d; its newest is %d", t, version, newest.Items[0].Version),
	}
}

// imageAfter returns the whole object after a change; nil if the change ended it.
func (s *Store) imageAfter(ctx context.Context, t dat.ObjectType, change int64) (dat.Object, error) {
	var o storedObject
	err := s.pool.QueryRow(ctx, `SELECT `+whole("image")+` FROM changes WHERE id = $1`, change).Scan(&o.Body, &o.Form)
	if err != nil || o.Body == nil {
		return nil, mapError(err)
	}
	o.Body = withoutSecrets(t, o.Body)
	return o.read(t)
}
