package store

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// filter is an equality by which a list can be narrowed. Callers name a filter and
// never a column. One of its first four members is set.
type filter struct {
	// column is a column of objects.
	column string
	// member is a member of the JSON with one word or number.
	member string
	// list is a member of the JSON with several words, of which one is enough.
	list string
	// handles are members of the JSON that hold a handle, of which one is enough.
	handles []string
	// check refuses a value that the member cannot have; nil allows any.
	check func(string) error
}

// word checks a value by the enum that reads it.
func word[E any, P interface {
	*E
	encoding.TextUnmarshaler
}](value string) error {
	return P(new(E)).UnmarshalText([]byte(value))
}

func qualifier(value string) error {
	n, err := strconv.Atoi(value)
	if err == nil && (n < 1 || n > 65535) {
		err = fmt.Errorf("%s is not 1 to 65535", value)
	}
	return err
}

// provider checks the name of an engine.
func provider(value string) error {
	if value != "soft" && value != "verbs" {
		return fmt.Errorf("it is neither soft nor verbs")
	}
	return nil
}

// handleIn returns the filter for a handle in one of the members.
func handleIn(members ...string) filter { return filter{handles: members} }

// filtersOfAll are the filters that the lists of every type have.
var filtersOfAll = map[string]filter{"ia": {column: "ia"}, "node": {column: "node"}}

// connQual is the filter of the types that have a connection qualifier.
var connQual = filter{member: "conn_qual", check: qualifier}

// condition is the filter as a part of a WHERE.
func (f filter) condition(c *conditions, name string, values []string) (string, error) {
	for _, v := range values {
		if f.check == nil {
			continue
		}
		if err := f.check(v); err != nil {
			return "", badQuery(name, "the filter "+name+" cannot be "+quoteShort(v)+": "+err.Error())
		}
	}
	wanted := c.arg(values) + "::text[]"
	switch {
	case f.column != "":
		return fmt.Sprintf("%s = ANY(%s)", f.column, wanted), nil
	case f.member != "":
		return fmt.Sprintf("body->>'%s' = ANY(%s)", f.member, wanted), nil
	case f.list != "":
		return fmt.Sprintf("body->'%s' ?| %s", f.list, wanted), nil
	}
	var parts []string
	for _, m := range f.handles {
		parts = append(parts, fmt.Sprintf("body->>'%s' = ANY(%s)", m, wanted))
	}
	// The index over all handles of an object finds the candidates.
	return fmt.Sprintf("refs && %s AND (%s)", wanted, strings.Join(parts, " OR ")), nil
}

// order is a member by which a list can be sorted. Ties are broken by the order
// of creation as it was committed, and created_at is that order itself: no row
// can appear behind a reader.
type order struct {
	expr, cast string
	// check refuses a cursor's key that cannot be.
	check func(string) error
}

// sortsOfAll are the members by which the lists of every type can be sorted.
var sortsOfAll = map[string]order{
	"created_at": {expr: "objects.created_change", cast: "bigint", check: func(s string) error { _, err := strconv.ParseInt(s, 10, 64); return err }},
	"updated_at": {expr: "updated_at", cast: "timestamptz", check: func(s string) error { _, err := time.Parse("2006-01-02 15:04:05.999999-07", s); return err }},
	"name":       {expr: `coalesce(name, '') COLLATE "C"`, cast: "text", check: plainText},
}

// byState is what the lists of types that have a state can be sorted by beside.
var byState = map[string]order{"state": {expr: "state", cast: "text", check: plainText}}

func plainText(s string) error {
	if strings.ContainsRune(s, 0) {
		return fmt.Errorf("U+0000")
	}
	return nil
}

func (q *Query) sort() string {
	if q.Sort == "" {
		return "created_at"
	}
	return q.Sort
}

// signature names the list that a cursor belongs to.
func (q *Query) signature() string {
	if q.Desc {
		return q.Type.String() + " -" + q.sort()
	}
	return q.Type.String() + " " + q.sort()
}
