package store

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// filter is an equality by which a list can be narrowed. Callers give the filter's
// name and never a column's. Exactly one of column, member, list and handles is set.
// SQL is made of it, and so is the list from memory; both look at the same members.
type filter struct {
	// column is a column of objects that has a member of the JSON, by its name.
	column string
	// member is a member of the JSON that holds a word or a number.
	member string
	// list is a member of the JSON that holds several words, of which one must be equal.
	list string
	// handles are members of the JSON that hold a handle, of which one must be equal.
	handles []string
	// check returns an error for a value that the member never has; nil allows any.
	check func(string) error
}

// filtersOfAll are the filters that the lists of every type have.
var filtersOfAll = map[string]filter{"ia": {column: "ia"}, "node": {column: "node"}}

// connQual is the filter of the types that have a connection qualifier.
var connQual = filter{member: "conn_qual", check: checkQualifier}

// handleIn returns the filter for a handle in one of these members.
func handleIn(members ...string) filter { return filter{handles: members} }

// checkWord checks a value of the enum E.
func checkWord[E any, P interface {
	*E
	encoding.TextUnmarshaler
}](value string) error {
	return P(new(E)).UnmarshalText([]byte(value))
}

// checkQualifier checks a connection qualifier.
func checkQualifier(value string) error {
	n, err := strconv.Atoi(value)
	if err == nil && (n < 1 || n > 65535) {
		err = fmt.Errorf("%s is not 1 to 65535", value)
	}
	return err
}

// checkProvider checks the name of an engine.
func checkProvider(value string) error {
	if value != "soft" && value != "verbs" {
		return errors.New("it is neither soft nor verbs")
	}
	return nil
}

// checkAll returns the refusal of a value that the member never has.
func (f filter) checkAll(name string, values []string) error {
	for _, v := range values {
		if f.check == nil {
			continue
		}
		if err := f.check(v); err != nil {
			return badQuery(name, "the filter "+name+" cannot be "+quoteShort(v)+": "+err.Error())
		}
	}
	return nil
}

// members returns the members of the JSON, of which one must be equal.
func (f filter) members() []string {
	switch {
	case f.column != "":
		return []string{f.column}
	case f.member != "":
		return []string{f.member}
	case f.list != "":
		return []string{f.list}
	}
	return f.handles
}

// condition returns the filter with these values as a part of a WHERE.
func (f filter) condition(c *conditions, values []string) string {
	wanted := c.arg(values) + "::text[]"
	switch {
	case f.column != "":
		return fmt.Sprintf("%s = ANY(%s)", f.column, wanted)
	case f.member != "":
		return fmt.Sprintf("body->>'%s' = ANY(%s)", f.member, wanted)
	case f.list != "":
		return fmt.Sprintf("body->'%s' ?| %s", f.list, wanted)
	}
	var parts []string
	for _, m := range f.handles {
		parts = append(parts, fmt.Sprintf("body->>'%s' = ANY(%s)", m, wanted))
	}
	// The index over refs, all handles of an object, finds the candidates.
	return fmt.Sprintf("refs && %s AND (%s)", wanted, strings.Join(parts, " OR "))
}

// order is a member by which a list can be sorted. Objects with equal members are
// in the order in which their creations were committed. created_at is that order
// itself, so no row can appear behind a reader.
type order struct {
	// expr is the SQL of the member, cast its type.
	expr, cast string
	// check returns an error for a cursor's key that the member never has.
	check func(string) error
	// key returns the member of an object in memory as PostgreSQL writes it.
	key func(image) string
	// sortable returns the text of a key by which keys are compared byte by byte.
	sortable func(key string) string
}

// postgresTime is the layout of a time as PostgreSQL writes it; times are in UTC.
const postgresTime = "2006-01-02 15:04:05.999999-07"

// sortsOfAll are the members by which the lists of every type can be sorted.
var sortsOfAll = map[string]order{
	"created_at": {
		expr: "objects.created_change", cast: "bigint", check: func(s string) error { _, err := strconv.ParseInt(s, 10, 64); return err },
		key:      func(img image) string { return strconv.FormatInt(img.createdChange, 10) },
		sortable: func(key string) string { return fmt.Sprintf("%20s", key) },
	},
	"updated_at": {
		expr: "updated_at", cast: "timestamptz", check: func(s string) error { _, err := time.Parse(postgresTime, s); return err },
		key:      func(img image) string { return img.obj.Head().UpdatedAt.UTC().Format(postgresTime) },
		sortable: sortableTime,
	},
	"name": {
		expr: `coalesce(name, '') COLLATE "C"`, cast: "text", check: checkText,
		key: func(img image) string { return string(img.obj.Head().Name) }, sortable: asItIs,
	},
}

// byState is the additional order of the types that have a state.
var byState = map[string]order{"state": {
	expr: `state COLLATE "C"`, cast: "text", check: checkText,
	key: func(img image) string { return strings.Join(wordsOf(img.obj, "state"), "") }, sortable: asItIs,
}}

func asItIs(key string) string { return key }

// sortableTime returns a time as PostgreSQL writes it with all of its microseconds.
func sortableTime(key string) string {
	t, err := time.Parse(postgresTime, key)
	if err != nil {
		return key // not possible: it was checked, or written with this layout
	}
	return t.UTC().Format("2006-01-02 15:04:05.000000")
}

// checkText refuses the one character that PostgreSQL cannot store.
func checkText(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("U+0000")
	}
	return nil
}
