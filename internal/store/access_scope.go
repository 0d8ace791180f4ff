package store

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// scopedRole is what the role of a restricted token or user begins with, as its column has it: a program that knows no
// scopes knows no such role, and refuses the credential.
const scopedRole = "scoped "

// roleWord returns a role as its column has it.
func roleWord(r access.Role, scope *access.Scope) string {
	if scope != nil {
		return scopedRole + r.String()
	}
	return r.String()
}

// readRole returns the role in a column.
func readRole(word string) (access.Role, error) {
	return access.ParseRole(strings.TrimPrefix(word, scopedRole))
}

// addScope adds that a row must lie in a scope. labels is the SQL of the labels that count.
func addScope(c *conditions, scope *access.Scope, labels string) {
	if scope == nil {
		return
	}
	if len(scope.IAs) > 0 {
		ias := c.arg(scope.IAs)
		c.add("(ia = ANY(" + ias + ") OR split_part(ia, '@', 1) = ANY(" + ias + "))")
	}
	if len(scope.Labels) > 0 {
		wanted, err := json.Marshal(scope.Labels)
		if err != nil {
			panic(err) // not possible: they are texts
		}
		c.add(labels + " @> " + c.arg(string(wanted)) + "::text::jsonb")
	}
}

// InScope returns which of the living objects of a type lie in a scope, by their ids.
func (s *Store) InScope(ctx context.Context, t dat.ObjectType, ids []string, scope *access.Scope) (map[string]bool, error) {
	c := &conditions{args: []any{ids, t.String()}}
	c.add("id = ANY ($1) AND type = $2 AND freed_at IS NULL")
	addScope(c, scope, "labels")
	rows, err := s.pool.Query(ctx, `SELECT id FROM objects`+c.where(), c.args...)
	if err != nil {
		return nil, mapError(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	all := make(map[string]bool, len(found))
	for _, id := range found {
		all[id] = true
	}
	return all, mapError(err)
}

// changeLabels is the SQL of the labels that an object had after a change, or before the one that ended it.
const changeLabels = `coalesce(labels, image -> 'labels', before -> 'labels')`

// addChangeScope adds that a change must be of a node, or of an object that lay in a scope.
func addChangeScope(c *conditions, scope *access.Scope) {
	if scope == nil {
		return
	}
	of := &conditions{args: c.args}
	of.add("true")
	addScope(of, scope, changeLabels)
	c.args = of.args
	c.add("(object_type = 'node' OR " + strings.Join(of.parts, " AND ") + ")")
}
