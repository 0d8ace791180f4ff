package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// conditions are the parts of a WHERE and their arguments.
type conditions struct {
	parts []string
	args  []any
}

// arg adds an argument and returns its placeholder.
func (c *conditions) arg(v any) string {
	c.args = append(c.args, v)
	return fmt.Sprintf("$%d", len(c.args))
}

// add adds a part that must hold.
func (c *conditions) add(part string) { c.parts = append(c.parts, part) }

// addAny adds that one of several parts must hold; no values add nothing.
func (c *conditions) addAny(values []string, part func(string) string) {
	var parts []string
	for _, v := range values {
		parts = append(parts, part(v))
	}
	if len(parts) > 0 {
		c.add("(" + strings.Join(parts, " OR ") + ")")
	}
}

// addEqual adds that a column has one of several values; no values add nothing.
func addEqual[T any](c *conditions, column string, values []T, text func(T) string) {
	if len(values) == 0 {
		return
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = text(v)
	}
	c.add(column + " = ANY(" + c.arg(words) + ")")
}

// where returns the WHERE; there is at least one part.
func (c *conditions) where() string { return " WHERE " + strings.Join(c.parts, " AND ") }

// askedFilter is a filter with the values that a query asks for.
type askedFilter struct {
	filter
	values []string
}

// filters returns the filters that the query asks for, in the order of their names.
func (q *Query) filters() ([]askedFilter, error) {
	var asked []askedFilter
	known := filtersOf(q.Type)
	for _, name := range slices.Sorted(maps.Keys(q.Filters)) {
		f, ok := known[name]
		if !ok {
			return nil, badQuery(name, fmt.Sprintf("a list of %s has no filter %s; it has %s", q.Type, quoteShort(name), strings.Join(FilterNames(q.Type), ", ")))
		}
		if err := f.checkAll(name, q.Filters[name]); err != nil {
			return nil, err
		}
		asked = append(asked, askedFilter{f, q.Filters[name]})
	}
	return asked, nil
}

// conditions returns what a living object must fulfil to be in the list.
func (q *Query) conditions(filters []askedFilter) (*conditions, error) {
	c := &conditions{}
	c.add("type = " + c.arg(q.Type.String()))
	c.add("freed_at IS NULL")
	addScope(c, q.Scope, "labels")
	for _, f := range filters {
		c.add(f.condition(c, f.values))
	}
	if err := q.addLabels(c); err != nil {
		return nil, err
	}
	c.addAny(q.Names, func(name string) string { return "name LIKE " + c.arg(likePattern(name)) + ` ESCAPE '\'` })
	return c, nil
}

// addLabels adds that each label must be there, those of Labels with one of their values.
func (q *Query) addLabels(c *conditions) error {
	if len(q.HasLabels) > 0 {
		c.add("labels ?& " + c.arg(q.HasLabels) + "::text[]")
	}
	for _, key := range slices.Sorted(maps.Keys(q.Labels)) {
		var wanted []string
		for _, value := range q.Labels[key] {
			label, err := json.Marshal(map[string]string{key: value})
			if err != nil {
				return err
			}
			wanted = append(wanted, string(label))
		}
		c.addAny(wanted, func(label string) string { return "labels @> " + c.arg(label) + "::text::jsonb" })
	}
	return nil
}

// likePattern returns the pattern of LIKE for one in which * stands for any text.
func likePattern(glob string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, `*`, `%`).Replace(glob)
}
