package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// ErrGone says that a position or a moment lies before what the retention kept.
var ErrGone = errors.New("this position is no longer kept")

// ErrBeyond says that a position lies beyond the end of the log.
var ErrBeyond = errors.New("this position lies beyond the end of the log")

// ChangePage is a part of the log.
type ChangePage struct {
	// Items is never nil.
	Items []dat.Change
	// Next is the cursor of the next page, empty at the end.
	Next string
	// Total is how many fit, nil where that was not asked for.
	Total *int64
}

// ChangeFilter picks changes by equality; several values are alternatives, an
// empty list is any.
type ChangeFilter struct {
	Objects  []dat.Handle
	Types    []dat.ObjectType
	Nodes    []string
	IAs      []dat.Handle
	Causes   []string
	Actors   []string
	Outcomes []dat.Return
}

// ChangeQuery asks for a part of the log, newest first unless Asc.
type ChangeQuery struct {
	ChangeFilter
	// Since and Until bound the time (both inclusive); zero = open.
	Since, Until time.Time
	Asc          bool
	// Limit is 1 … 1000; 0 = 100.
	Limit  int
	Cursor string
	// Offset is 0 … 1,000,000; not with a cursor.
	Offset int
	// Total asks for the count of all that fit.
	Total bool
}

// selectChange and scanChange read a change. The after of a creation is its image,
// and the before of an end is a whole object too.
const selectChange = `SELECT id, at, node, ia, object_type, object_id, object_name, cause, actor, request_id, reason,
	outcome, fields, before - '` + formMember + `', CASE WHEN before IS NULL THEN image - '` + formMember + `' ELSE after END,
	version, reverted_to, coalesce((coalesce(image, before) ->> '` + formMember + `')::integer, 1) FROM changes`

func scanChange(row pgx.CollectableRow) (dat.Change, error) {
	var c dat.Change
	var at time.Time
	var ia, kind, id, outcome string
	var name *string
	var form int
	err := row.Scan(&c.ID, &at, &c.Node, &ia, &kind, &id, &name, &c.Cause, &c.Actor, &c.RequestID, &c.Reason,
		&outcome, &c.Fields, &c.Before, &c.After, &c.Version, &c.RevertedTo, &form)
	if err != nil {
		return c, err
	}
	c.At, c.IA, c.Object.ID = dat.At(at), dat.Handle(ia), dat.Handle(id)
	if name != nil {
		c.Object.Name = dat.Name(*name)
	}
	if err := errors.Join(c.Object.Type.UnmarshalText([]byte(kind)), c.Outcome.UnmarshalText([]byte(outcome))); err != nil {
		return c, err
	}
	switch { // the whole objects among them are brought to the present form
	case c.Before == nil:
		c.After, err = storedObject{c.After, form}.present(c.Object.Type)
	case c.After == nil:
		c.Before, err = storedObject{c.Before, form}.present(c.Object.Type)
	}
	return c, err
}

// Changes is the part of the log that fits.
func (s *Store) Changes(ctx context.Context, q ChangeQuery) (ChangePage, error) {
	limit, err := limitOf(q.Limit)
	if err != nil {
		return ChangePage{}, err
	}
	sql, args, err := q.statement(limit)
	if err != nil {
		return ChangePage{}, err
	}
	page := ChangePage{Items: []dat.Change{}}
	if page.Total, err = s.countChanges(ctx, q); err != nil {
		return ChangePage{}, err
	}
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return ChangePage{}, mapError(err)
	}
	changes, err := pgx.CollectRows(rows, scanChange)
	if err != nil && !isText(err) {
		return ChangePage{}, mapError(err)
	}
	if len(changes) > limit {
		changes = changes[:limit]
		page.Next = writeCursor(cursor{For: q.signature(), ID: changes[limit-1].ID})
	}
	page.Items = append(page.Items, changes...)
	return page, nil
}

// countChanges is how many changes fit, nil where that is not asked for.
func (s *Store) countChanges(ctx context.Context, q ChangeQuery) (*int64, error) {
	if !q.Total {
		return nil, nil
	}
	c, total := &conditions{}, new(int64)
	c.add("true")
	q.filters(c)
	err := s.pool.QueryRow(ctx, `SELECT count(*) FROM changes`+c.where(), c.args...).Scan(total)
	if err != nil && !isText(err) {
		return nil, mapError(err)
	}
	return total, nil
}

func (q *ChangeQuery) signature() string {
	if q.Asc {
		return "changes"
	}
	return "-changes"
}

func (q *ChangeQuery) statement(limit int) (string, []any, error) {
	c := &conditions{}
	c.add("true")
	q.filters(c)
	direction, beyond := "DESC", "<"
	if q.Asc {
		direction, beyond = "ASC", ">"
	}
	if q.Cursor != "" {
		if q.Offset != 0 {
			return "", nil, badQuery("offset", "give a cursor or an offset, not both")
		}
		at, err := readCursor(q.Cursor, q.signature(), nil)
		if err != nil {
			return "", nil, err
		}
		c.add("id " + beyond + " " + c.arg(at.ID))
	}
	if q.Offset < 0 || q.Offset > offsetMost {
		return "", nil, badQuery("offset", fmt.Sprintf("an offset is 0 to %d; use the cursor to go further", offsetMost))
	}
	return fmt.Sprintf("%s%s ORDER BY id %s LIMIT %d OFFSET %d", selectChange, c.where(), direction, limit+1, q.Offset), c.args, nil
}

// filters adds the equalities and the bounds of time.
func (q *ChangeQuery) filters(c *conditions) {
	in(c, "object_id", q.Objects, func(h dat.Handle) string { return string(h) })
	in(c, "object_type", q.Types, dat.ObjectType.String)
	in(c, "node", q.Nodes, func(s string) string { return s })
	in(c, "ia", q.IAs, func(h dat.Handle) string { return string(h) })
	in(c, "cause", q.Causes, func(s string) string { return s })
	in(c, "actor", q.Actors, func(s string) string { return s })
	in(c, "outcome", q.Outcomes, dat.Return.String)
	if !q.Since.IsZero() {
		c.add("at >= " + c.arg(q.Since))
	}
	if !q.Until.IsZero() {
		c.add("at <= " + c.arg(q.Until))
	}
}

// in adds an equality with one of several values; none is any.
func in[T any](c *conditions, column string, values []T, text func(T) string) {
	if len(values) == 0 {
		return
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = text(v)
	}
	c.add(column + " = ANY(" + c.arg(words) + ")")
}

// History is an object's changes, newest first, also after it was freed. Of the
// query limit, cursor, offset and total count. An id that never was is
// DAT_INVALID_HANDLE.
func (s *Store) History(ctx context.Context, t dat.ObjectType, id dat.Handle, q ChangeQuery) (ChangePage, error) {
	if id == dat.HandleNull {
		return ChangePage{}, notThere(t, id)
	}
	q = ChangeQuery{Limit: q.Limit, Cursor: q.Cursor, Offset: q.Offset, Total: q.Total}
	q.Objects, q.Types = []dat.Handle{id}, []dat.ObjectType{t}
	page, err := s.Changes(ctx, q)
	if err != nil || len(page.Items) > 0 || q.Cursor != "" {
		return page, err
	}
	if q.Offset > 0 {
		_, err = s.History(ctx, t, id, ChangeQuery{Limit: 1})
		return page, err
	}
	return ChangePage{}, notThere(t, id)
}

// HistoryVersion is the change that made a version, and the whole object as it
// was then; the object is nil for the change that ended it. A version that never
// was is DAT_INVALID_HANDLE; one past the retention ErrGone.
func (s *Store) HistoryVersion(ctx context.Context, t dat.ObjectType, id dat.Handle, version int64) (dat.Change, dat.Object, error) {
	rows, err := s.pool.Query(ctx, selectChange+` WHERE object_id = $1 AND object_type = $2 AND version = $3
		AND (before IS NOT NULL OR image IS NOT NULL)`, string(id), t.String(), version)
	if err != nil {
		return dat.Change{}, nil, mapError(err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, scanChange)
	if errors.Is(err, pgx.ErrNoRows) || isText(err) {
		return dat.Change{}, nil, s.noVersion(ctx, t, id, version)
	}
	if err != nil {
		return dat.Change{}, nil, mapError(err)
	}
	obj, err := s.imageAt(ctx, t, c.ID)
	return c, obj, err
}

// noVersion tells a version that was pruned from one that never was.
func (s *Store) noVersion(ctx context.Context, t dat.ObjectType, id dat.Handle, version int64) error {
	newest, err := s.History(ctx, t, id, ChangeQuery{Limit: 1})
	if err != nil {
		return err
	}
	if version >= 1 && version < newest.Items[0].Version {
		return ErrGone
	}
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: kinds[t].invalidHandle,
		Detail: fmt.Sprintf("this %s has no version %d; its newest is %d", t, version, newest.Items[0].Version),
	}
}

// imageAt is the whole object after a change, nil where it was gone then.
func (s *Store) imageAt(ctx context.Context, t dat.ObjectType, change int64) (dat.Object, error) {
	var o storedObject
	err := s.pool.QueryRow(ctx, `SELECT `+whole("image")+` FROM changes WHERE id = $1`, change).Scan(&o.Body, &o.Form)
	if err != nil || o.Body == nil {
		return nil, mapError(err)
	}
	return o.read(t)
}
