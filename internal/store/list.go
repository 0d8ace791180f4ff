package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// The bounds of a list.
const (
	limitDefault = 100
	limitMost    = 1000
	offsetMost   = 1_000_000
)

// Query asks for a list of the living objects of one type.
type Query struct {
	Type dat.ObjectType
	// Filters are equalities by wire name, several values are alternatives:
	// ia, node and what the type has beside (see FilterNames).
	Filters map[string][]string
	// Labels must all be there, each with one of its values (key → values).
	Labels map[string][]string
	// Names are patterns in which * stands for anything, of which one must fit;
	// none = any.
	Names []string
	// Sort is one of SortNames; empty = created_at.
	Sort string
	Desc bool
	// Limit is 1 … 1000; 0 = 100.
	Limit int
	// Cursor is Page.Next of the page before; Offset (≤ 1,000,000) skips
	// instead. Not both.
	Cursor string
	Offset int
	// Total asks for the count of all that fit.
	Total bool
}

// Page is a part of a list.
type Page struct {
	// Items are recorded images; never nil.
	Items []dat.Object
	// Next is the cursor of the next page, empty at the end.
	Next  string
	Total *int64
}

// conditions collects the parts of a WHERE and their arguments.
type conditions struct {
	parts []string
	args  []any
}

// arg adds an argument and gives its placeholder.
func (c *conditions) arg(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

func (c *conditions) add(part string) { c.parts = append(c.parts, part) }

func (c *conditions) where() string { return " WHERE " + strings.Join(c.parts, " AND ") }

// List is the living objects that fit. What it does not know (filter, sort,
// value, cursor) is DAT_INVALID_PARAMETER with Field set.
func (s *Store) List(ctx context.Context, q Query) (Page, error) {
	where, err := q.conditions()
	if err != nil {
		return Page{}, err
	}
	page := Page{Items: []dat.Object{}}
	if q.Total {
		page.Total = new(int64)
		err := s.pool.QueryRow(ctx, `SELECT count(*) FROM objects`+where.where(), where.args...).Scan(page.Total)
		if err != nil && !isText(err) {
			return Page{}, mapError(err)
		}
	}
	limit, err := limitOf(q.Limit)
	if err != nil {
		return Page{}, err
	}
	sql, err := q.statement(where, limit)
	if err != nil {
		return Page{}, err
	}
	rows, err := s.pool.Query(ctx, sql, where.args...)
	if err != nil {
		return Page{}, mapError(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[listRow])
	if isText(err) {
		return page, nil
	}
	if err != nil {
		return Page{}, mapError(err)
	}
	return page, q.fill(&page, found, limit)
}

type listRow struct {
	storedObject
	Key  string
	Made int64
}

// statement adds cursor, order and limit; one row more than the limit tells
// whether there is a next page.
func (q *Query) statement(where *conditions, limit int) (string, error) {
	by, known := sortsOf(q.Type)[q.sort()]
	if !known {
		return "", badQuery("sort", fmt.Sprintf("%s cannot be sorted by %s; it can be by %s", q.Type, quoteShort(q.Sort), strings.Join(SortNames(q.Type), ", ")))
	}
	direction, beyond := "ASC", ">"
	if q.Desc {
		direction, beyond = "DESC", "<"
	}
	if q.Cursor != "" {
		if q.Offset != 0 {
			return "", badQuery("offset", "give a cursor or an offset, not both")
		}
		at, err := readCursor(q.Cursor, q.signature(), by.check)
		if err != nil {
			return "", err
		}
		where.add(fmt.Sprintf("(%s, created_change) %s (%s::text::%s, %s::bigint)", by.expr, beyond, where.arg(at.Key), by.cast, where.arg(at.ID)))
	}
	if q.Offset < 0 || q.Offset > offsetMost {
		return "", badQuery("offset", fmt.Sprintf("an offset is 0 to %d; use the cursor to go further", offsetMost))
	}
	return fmt.Sprintf("SELECT %s, (%s)::text AS key, created_change AS made FROM objects%s ORDER BY %s %s, objects.created_change %s LIMIT %d OFFSET %d",
		whole("body"), by.expr, where.where(), by.expr, direction, direction, limit+1, q.Offset), nil
}

// fill reads the rows into the page and makes the next cursor.
func (q *Query) fill(page *Page, found []listRow, limit int) error {
	if len(found) > limit {
		found = found[:limit]
		page.Next = writeCursor(cursor{For: q.signature(), Key: found[limit-1].Key, ID: found[limit-1].Made})
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

func (q *Query) conditions() (*conditions, error) {
	c := &conditions{}
	c.add("type = " + c.arg(q.Type.String()))
	c.add("freed_at IS NULL")
	for _, name := range FilterNames(q.Type) {
		values, asked := q.Filters[name]
		if !asked {
			continue
		}
		part, err := filtersOf(q.Type)[name].condition(c, name, values)
		if err != nil {
			return nil, err
		}
		c.add(part)
	}
	for name := range q.Filters {
		if _, known := filtersOf(q.Type)[name]; !known {
			return nil, badQuery(name, fmt.Sprintf("a list of %s has no filter %s; it has %s", q.Type, quoteShort(name), strings.Join(FilterNames(q.Type), ", ")))
		}
	}
	if err := q.labels(c); err != nil {
		return nil, err
	}
	c.either(q.Names, func(name string) string { return "name LIKE " + c.arg(likeOf(name)) + ` ESCAPE '\'` })
	return c, nil
}

// labels adds the labels that must be there.
func (q *Query) labels(c *conditions) error {
	for _, key := range slices.Sorted(maps.Keys(q.Labels)) {
		var wanted []string
		for _, value := range q.Labels[key] {
			label, err := json.Marshal(map[string]string{key: value})
			if err != nil {
				return err
			}
			wanted = append(wanted, string(label))
		}
		c.either(wanted, func(label string) string { return "labels @> " + c.arg(label) + "::text::jsonb" })
	}
	return nil
}

// either adds that one of several alternatives holds; none is any.
func (c *conditions) either(values []string, part func(string) string) {
	var parts []string
	for _, v := range values {
		parts = append(parts, part(v))
	}
	if len(parts) > 0 {
		c.add("(" + strings.Join(parts, " OR ") + ")")
	}
}

// likeOf is a pattern of LIKE for one with *.
func likeOf(glob string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, `*`, `%`).Replace(glob)
}

func limitOf(limit int) (int, error) {
	if limit == 0 {
		return limitDefault, nil
	}
	if limit < 1 || limit > limitMost {
		return 0, badQuery("limit", fmt.Sprintf("a limit is 1 to %d", limitMost))
	}
	return limit, nil
}
