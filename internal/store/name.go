package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// RefuseNamesElsewhere returns the refusal of the first of several objects, and which
// one that is, whose name a living object of another node has: a record of it would
// be refused. Names on this node are the Manager's to judge. Nil objects are passed
// over.
func (s *Store) RefuseNamesElsewhere(ctx context.Context, objects ...dat.Object) (n int, err error) {
	var types, names []string
	for _, o := range objects {
		if o != nil && o.Type() != dat.TypeIA && o.Head().Name != "" {
			types, names = append(types, o.Type().String()), append(names, string(o.Head().Name))
		}
	}
	if len(names) == 0 {
		return 0, nil
	}
	rows, err := s.pool.Query(ctx, `SELECT DISTINCT o.type, o.name FROM objects o
		JOIN unnest($1::text[], $2::text[]) AS asked(type, name) ON o.type = asked.type AND o.name = asked.name
		WHERE o.freed_at IS NULL AND o.node <> $3`, types, names, s.cfg.Node)
	if err != nil {
		return 0, mapError(err)
	}
	type named struct{ Type, Name string }
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[named])
	if isUnreadableText(err) {
		return 0, nil // such a name is refused elsewhere
	}
	if err != nil {
		return 0, mapError(err)
	}
	taken := map[named]bool{}
	for _, one := range found {
		taken[one] = true
	}
	for n, o := range objects {
		if o != nil && taken[named{o.Type().String(), string(o.Head().Name)}] {
			return n, refusal("objects_name_living")
		}
	}
	return 0, nil
}
