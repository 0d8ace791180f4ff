package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// The bounds of a page of a list, of history and of the log.
const (
	limitDefault = 100
	limitMax     = 1000
	offsetMax    = 1_000_000
)

// Query asks for a list of the living objects of one type.
type Query struct {
	Type dat.ObjectType
	// Filters narrow the list by equality: filter name (see FilterNames) → values, of
	// which one must be equal.
	Filters map[string][]string
	// Labels must all be there, each with one of its values (key → values).
	Labels map[string][]string
	// HasLabels are keys of labels that must all be there, whatever their values.
	HasLabels []string
	// Names are patterns in which * stands for any text; one of them must match, if
	// there are any.
	Names []string
	// Scope restricts the list to the objects in it; nil does not.
	Scope *access.Scope
	// Sort is one of SortNames; empty means created_at.
	Sort string
	// Desc lists the greatest first.
	Desc bool
	// Limit is the number of items of a page, 1 to 1000; 0 means 100.
	Limit int
	// Cursor is Page.Next of the page before; empty begins at the first item.
	Cursor string
	// Offset skips items, 0 to 1,000,000. It cannot be given together with a cursor.
	Offset int
	// Total asks for Page.Total.
	Total bool
}

// Page is a part of a list.
type Page struct {
	// Items are the objects as recorded, without live members; never nil.
	Items []dat.Object
	// Next is the cursor of the next page, empty at the end.
	Next string
	// Total is the number of objects on all pages; nil unless the query asks for it.
	Total *int64
	// Position is a place in the log of changes: all changes up to it are in the page.
	// There may be later ones in it too.
	Position Position
	// Partial reports that the database is away, and that the page has the living
	// objects of this node alone, as they were recorded last.
	Partial bool
}

// List returns a page of the living objects that fit. A filter, sort, value or
// cursor that is unknown is DAT_INVALID_PARAMETER with Field set. While the database
// is away the page is of this node's objects in memory.
func (s *Store) List(ctx context.Context, q Query) (Page, error) {
	plan, err := q.plan()
	if err != nil {
		return Page{}, err
	}
	var page Page
	position := s.log.Position() // before the objects are read: what is later is in the log
	away, err := s.readUnlessAway(ctx, memoryPatience, func(ctx context.Context) (err error) {
		page, err = s.listFromDatabase(ctx, q, plan)
		return err
	})
	if away {
		page = q.listFromMemory(s.recorder.living(q.Type), plan)
	}
	page.Position = position
	return page, err
}

// listPlan is a query that was checked.
type listPlan struct {
	filters []askedFilter
	order   order
	limit   int
	// after is the place of the last row that was read, nil for the first page.
	after *cursor
}

// plan checks a query.
func (q *Query) plan() (p listPlan, err error) {
	if p.filters, err = q.filters(); err != nil {
		return p, err
	}
	if p.limit, err = limitOf(q.Limit); err != nil {
		return p, err
	}
	known := false
	if p.order, known = sortsOf(q.Type)[q.sort()]; !known {
		return p, badQuery("sort", fmt.Sprintf("%s cannot be sorted by %s; it can be by %s", q.Type, quoteShort(q.Sort), strings.Join(SortNames(q.Type), ", ")))
	}
	if err := checkOffset(q.Offset, q.Cursor); err != nil || q.Cursor == "" {
		return p, err
	}
	at, err := readCursor(q.Cursor, q.signature(), p.order.check)
	p.after = &at
	return p, err
}

// listFromDatabase returns the page of the recorded objects of all nodes.
func (s *Store) listFromDatabase(ctx context.Context, q Query, plan listPlan) (Page, error) {
	where, err := q.conditions(plan.filters)
	if err != nil {
		return Page{}, err
	}
	page := Page{Items: []dat.Object{}}
	if q.Total {
		page.Total = new(int64)
		err := s.pool.QueryRow(ctx, `SELECT count(*) FROM objects`+where.where(), where.args...).Scan(page.Total)
		if err != nil && !isUnreadableText(err) {
			return Page{}, mapError(err)
		}
	}
	rows, err := s.pool.Query(ctx, q.statement(where, plan), where.args...)
	if err != nil {
		return Page{}, mapError(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[listRow])
	if isUnreadableText(err) {
		return page, nil
	}
	if err != nil {
		return Page{}, mapError(err)
	}
	return page, q.fillPage(&page, found, plan.limit)
}

// listRow is a row of a list: the object, and its place in the order.
type listRow struct {
	storedObject
	SortKey       string
	CreatedChange int64
}

// statement returns the SELECT of a page. It asks for one row more than the limit,
// which shows whether there is a next page.
func (q *Query) statement(where *conditions, plan listPlan) string {
	by := plan.order
	direction, beyond := "ASC", ">"
	if q.Desc {
		direction, beyond = "DESC", "<"
	}
	if at := plan.after; at != nil {
		where.add(fmt.Sprintf("(%s, created_change) %s (%s::text::%s, %s::bigint)", by.expr, beyond, where.arg(at.Key), by.cast, where.arg(at.ID)))
	}
	return fmt.Sprintf("SELECT %s, (%s)::text AS sort_key, created_change AS made_by FROM objects%s ORDER BY %s %s, objects.created_change %s LIMIT %d OFFSET %d",
		whole("body"), by.expr, where.where(), by.expr, direction, direction, plan.limit+1, q.Offset)
}

// fillPage reads the rows into the page and sets the next cursor.
func (q *Query) fillPage(page *Page, found []listRow, limit int) error {
	if len(found) > limit {
		found = found[:limit]
		last := found[limit-1]
		page.Next = writeCursor(cursor{For: q.signature(), Key: last.SortKey, ID: last.CreatedChange})
	}
	for _, row := range found {
		obj, err := row.read(q.Type)
		if err != nil {
			return err
		}
		page.Items = append(page.Items, obj)
	}
	return nil
}

// sort returns the name of the member that the list is sorted by.
func (q *Query) sort() string {
	if q.Sort == "" {
		return "created_at"
	}
	return q.Sort
}

// signature names the list and its order, to which a cursor belongs.
func (q *Query) signature() string {
	if q.Desc {
		return q.Type.String() + " -" + q.sort()
	}
	return q.Type.String() + " " + q.sort()
}

// limitOf returns the number of items that a page has.
func limitOf(limit int) (int, error) {
	if limit == 0 {
		return limitDefault, nil
	}
	if limit < 1 || limit > limitMax {
		return 0, badQuery("limit", fmt.Sprintf("a limit is 1 to %d", limitMax))
	}
	return limit, nil
}

// checkOffset refuses an offset beside a cursor, and one that is out of range.
func checkOffset(offset int, cursor string) error {
	if cursor != "" && offset != 0 {
		return badQuery("offset", "give a cursor or an offset, not both")
	}
	if offset < 0 || offset > offsetMax {
		return badQuery("offset", fmt.Sprintf("an offset is 0 to %d; use the cursor to go further", offsetMax))
	}
	return nil
}
