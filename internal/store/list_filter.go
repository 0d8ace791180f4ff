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
type filter struct {
	// column is a column of objects.
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

// condition returns the filter with these values as a part of a WHERE.
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
	// The index over refs, all handles of an object, finds the candidates.
	return fmt.Sprintf("refs && %s AND (%s)", wanted, strings.Join(parts, " OR ")), nil
}

// order is a member by which a list can be sorted. Objects with equal members are
// in the order in which their creations were committed. created_at is that order
// itself, so no row can appear behind a reader.
type order struct {
	// expr is the SQL of the member, cast its type.
	expr, cast string
	// check returns an error for a cursor's key that the member never has.
	check func(string) error
}

// sortsOfAll are the members by which the lists of every type can be sorted.
var sortsOfAll = map[string]order{
	"created_at": {expr: "objects.created_change", cast: "bigint", check: func(s string) error { _, err := strconv.ParseInt(s, 10, 64); return err }},
	"updated_at": {expr: "updated_at", cast: "timestamptz", check: func(s string) error { _, err := time.Parse("2006-01-02 15:04:05.999999-07", s); return err }},
	"name":       {expr: `coalesce(name, '') COLLATE "C"`, cast: "text", check: checkText},
}

// byState is the additional order of the types that have a state.
var byState = map[string]order{"state": {expr: "state", cast: "text", check: checkText}}

// checkText refuses the one character that PostgreSQL cannot store.
func checkText(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("U+0000")
	}
	return nil
}
