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

// ErrGone says that a position or a moment is before what the retention has kept.
var ErrGone = errors.New("this position is no longer kept")

// ErrBeyond says that a position is beyond the end of the log.
var ErrBeyond = errors.New("this position lies beyond the end of the log")

// ErrRewound says that a position is from before the log went back, because a fail-over
// lost commits or an older backup was put back.
var ErrRewound = errors.New("the log of changes went back after this position")

// ChangeFilter selects changes by equality. Several values are alternatives, no
// values allow any.
type ChangeFilter struct {
	Objects  []dat.Handle
	Types    []dat.ObjectType
	Nodes    []string
	IAs      []dat.Handle
	Causes   []string
	Actors   []string
	Outcomes []dat.Return
	// Scope restricts the changes to those of nodes, and of objects that lay in it then; nil does not.
	Scope *access.Scope
}

// ChangeQuery asks for a page of the log.
type ChangeQuery struct {
	ChangeFilter
	// Since and Until bound the time, both inclusive; zero does not.
	Since, Until time.Time
	// Asc lists the oldest first, otherwise the newest is first.
	Asc bool
	// Limit is the number of changes of a page, 1 to 1000; 0 means 100.
	Limit int
	// Cursor is ChangePage.Next of the page before; empty begins at the first change.
	Cursor string
	// Offset skips changes, 0 to 1,000,000. It cannot be given together with a cursor.
	Offset int
	// Total asks for ChangePage.Total.
	Total bool
}

// ChangePage is a part of the log.
type ChangePage struct {
	// Items are the changes; never nil.
	Items []dat.Change
	// Next is the cursor of the next page, empty at the end.
	Next string
	// Total is the number of changes on all pages; nil unless the query asks for it.
	Total *int64
	// Position is a place in the log: all changes up to it that fit are in the list.
	Position Position
}

// Changes returns a page of the changes that fit. A limit, offset or cursor that
// cannot be is DAT_INVALID_PARAMETER.
func (s *Store) Changes(ctx context.Context, q ChangeQuery) (ChangePage, error) {
	var page ChangePage
	position := s.log.Position() // before the changes are read: what is later is in the log
	away, err := s.readUnlessAway(ctx, refusalPatience, func(ctx context.Context) (err error) {
		page, err = s.changes(ctx, q)
		return err
	})
	if away {
		return ChangePage{}, s.errAway()
	}
	page.Position = position
	return page, err
}

// changes is Changes without the position, and waits for a database that is away.
func (s *Store) changes(ctx context.Context, q ChangeQuery) (ChangePage, error) {
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
	if err != nil && !isUnreadableText(err) {
		return ChangePage{}, mapError(err)
	}
	if len(changes) > limit {
		changes = changes[:limit]
		page.Next = writeCursor(cursor{For: q.signature(), ID: changes[limit-1].ID})
	}
	page.Items = append(page.Items, changes...)
	return page, nil
}

// countChanges returns the number of changes that fit; nil unless the query asks
// for it.
func (s *Store) countChanges(ctx context.Context, q ChangeQuery) (*int64, error) {
	if !q.Total {
		return nil, nil
	}
	c, total := q.conditions(), new(int64)
	err := s.pool.QueryRow(ctx, `SELECT count(*) FROM changes`+c.where(), c.args...).Scan(total)
	if err != nil && !isUnreadableText(err) {
		return nil, mapError(err)
	}
	return total, nil
}

// statement returns the SELECT of a page and its arguments. It asks for one row
// more than the limit, which shows whether there is a next page.
func (q *ChangeQuery) statement(limit int) (string, []any, error) {
	c := q.conditions()
	direction, beyond := "DESC", "<"
	if q.Asc {
		direction, beyond = "ASC", ">"
	}
	if err := checkOffset(q.Offset, q.Cursor); err != nil {
		return "", nil, err
	}
	if q.Cursor != "" {
		at, err := readCursor(q.Cursor, q.signature(), nil)
		if err != nil {
			return "", nil, err
		}
		c.add("id " + beyond + " " + c.arg(at.ID))
	}
	return fmt.Sprintf("%s%s ORDER BY id %s LIMIT %d OFFSET %d", selectChange, c.where(), direction, limit+1, q.Offset), c.args, nil
}

// conditions returns what a change must fulfil to be in the list.
func (q *ChangeQuery) conditions() *conditions {
	c := &conditions{}
	c.add("true")
	addChangeScope(c, q.Scope)
	addEqual(c, "object_id", q.Objects, func(h dat.Handle) string { return string(h) })
	addEqual(c, "object_type", q.Types, dat.ObjectType.String)
	addEqual(c, "node", q.Nodes, func(s string) string { return s })
	addEqual(c, "ia", q.IAs, func(h dat.Handle) string { return string(h) })
	addEqual(c, "cause", q.Causes, func(s string) string { return s })
	addEqual(c, "actor", q.Actors, func(s string) string { return s })
	addEqual(c, "outcome", q.Outcomes, dat.Return.String)
	if !q.Since.IsZero() {
		c.add("at >= " + c.arg(q.Since))
	}
	if !q.Until.IsZero() {
		c.add("at <= " + c.arg(q.Until))
	}
	return c
}

// signature names the order of the list, to which a cursor belongs.
func (q *ChangeQuery) signature() string {
	if q.Asc {
		return "changes"
	}
	return "-changes"
}

// selectChange selects the columns that scanChange reads. The last but one is the form
// of the whole object that a creation has as its after (it lies in image only) and
// an end as its before.
const selectChange = `SELECT id, at, node, ia, object_type, object_id, object_name, cause, actor, actor_kind, request_id, reason,
	outcome, fields, before - '` + formMember + `', CASE WHEN before IS NULL THEN image - '` + formMember + `' ELSE after END,
	version, reverted_to, coalesce((coalesce(image, before) ->> '` + formMember + `')::integer, 1), ` + changeLabels + ` FROM changes`

// scanChange reads a change; whole objects in it are in the present form.
func scanChange(row pgx.CollectableRow) (dat.Change, error) {
	var c dat.Change
	var at time.Time
	var ia, objectType, id, outcome string
	var name *string
	var form int
	err := row.Scan(&c.ID, &at, &c.Node, &ia, &objectType, &id, &name, &c.Cause, &c.Actor, &c.ActorKind, &c.RequestID, &c.Reason,
		&outcome, &c.Fields, &c.Before, &c.After, &c.Version, &c.RevertedTo, &form, &c.Labels)
	if err != nil {
		return c, err
	}
	c.At, c.IA, c.Object.ID = dat.At(at), dat.Handle(ia), dat.Handle(id)
	if name != nil {
		c.Object.Name = dat.Name(*name)
	}
	if err := errors.Join(c.Object.Type.UnmarshalText([]byte(objectType)), c.Outcome.UnmarshalText([]byte(outcome))); err != nil {
		return c, err
	}
	switch {
	case c.Object.Type == dat.TypeNode: // its members have one form
	case c.Before == nil: // a creation or a refusal
		c.After, err = storedObject{c.After, form}.present(c.Object.Type)
	case c.After == nil: // an end
		c.Before, err = storedObject{c.Before, form}.present(c.Object.Type)
	}
	redact(&c) // it may have been recorded by a program that recorded more
	return c, err
}
