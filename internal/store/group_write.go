package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/faultpoint"
)

// refusedUnits are the units of a group that the database refused one by one, with
// the reasons. The transaction is still open.
type refusedUnits map[*unit]error

// Error implements error.
func (r refusedUnits) Error() string { return fmt.Sprintf("%d units were refused", len(r)) }

// write sends, in one round trip, what can be written of a group without the end of the
// log, for which all nodes wait for each other. The transaction stays open for
// groupEnd.commit or a ROLLBACK. acknowledged is the id that the log's end must have
// reached. Units that the database refused one by one are the error refusedUnits.
func (s *session) write(ctx context.Context, g *group, id uuid.UUID, node string, epoch, acknowledged int64) (*groupEnd, error) {
	rs, err := rowsOf(g)
	if err != nil {
		return nil, err
	}
	end, err := newGroupEnd(rs, id, node, acknowledged)
	if err != nil {
		return nil, err
	}
	if err := faultpoint.Hit("store.before-write"); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, roundTrip+time.Duration(len(rs.changes))*perChange)
	defer cancel()
	refused := refusedUnits{}
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	if s.previousGroup != uuid.Nil {
		b.Queue(sqlDeleteGroup, s.previousGroup)
	}
	b.Queue(sqlInsertGroup, id, node, epoch)
	if err := queueRows(b, g, rs, refused); err != nil {
		return nil, err
	}
	if err := s.conn.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		return nil, refused
	}
	return end, nil
}

// queueRows adds the statements that write the rows of a group which need no change id,
// and those that look whether the others can be written. Units whose rows the statements
// do not return are added to the refused ones.
func queueRows(b *pgx.Batch, g *group, rs rows, refused refusedUnits) error {
	updated, err := encode(rs.updated)
	if err != nil {
		return err
	}
	renamed, err := encode(rs.renamed)
	if err != nil {
		return err
	}
	answers, err := encode(rs.answers)
	if err != nil {
		return err
	}
	if len(rs.updated) > 0 {
		b.Queue(sqlUpdateObjects, updated, rowIDs(rs.updated)).Query(refuseUnwrittenObjects(g, rs.updated, refused, errMismatched))
	}
	if len(rs.createdIAs) > 0 {
		b.Queue(sqlDeleteFormerIAs, rs.createdIAs)
	}
	if len(rs.renamed) > 0 {
		b.Queue(sqlLockObjects, renamed, rowIDs(rs.renamed)).Query(refuseUnwrittenObjects(g, rs.renamed, refused, errMismatched))
	}
	if named := rs.named(); len(named) > 0 {
		refuseDoubleNames(g, named, refused)
		w := wantedNames(named)
		b.Queue(sqlFindFreeNames, w.ids, w.types, w.names, rowIDs(rs.renamed)).
			Query(refuseUnwrittenObjects(g, named, refused, errNameTaken))
	}
	if len(rs.answers) > 0 {
		b.Queue(sqlInsertAnswers, answers).Query(refuseUnstoredAnswers(rs.answers, refused))
	}
	return nil
}

// named returns the rows of living objects that get a name: new ones, and those that get
// another one.
func (r *rows) named() []objectRow {
	return slices.DeleteFunc(slices.Concat(r.created, r.renamed), func(row objectRow) bool {
		return row.Name == "" || row.FreedAt != nil || row.Type == dat.TypeIA // nodes may have IAs of one name
	})
}

// wanted are the names that objects of a group get, one array for each column.
type wanted struct{ ids, types, names []string }

// wantedNames returns the names that rows have.
func wantedNames(named []objectRow) wanted {
	var w wanted
	for _, row := range named {
		w.ids, w.types, w.names = append(w.ids, string(row.ID)), append(w.types, row.Type.String()), append(w.names, string(row.Name))
	}
	return w
}

// refuseDoubleNames refuses the units whose objects get a name that an object of a unit
// before them gets.
func refuseDoubleNames(g *group, named []objectRow, refused refusedUnits) {
	type name struct {
		of   dat.ObjectType
		name dat.Name
	}
	taken := map[name]bool{}
	for _, row := range named {
		n := name{row.Type, row.Name}
		if taken[n] {
			refuseObject(g, row.ID, refused, errNameTaken)
		}
		taken[n] = true
	}
}

// rowIDs returns the ids of rows.
func rowIDs(all []objectRow) []string {
	ids := make([]string, len(all))
	for i, row := range all {
		ids[i] = string(row.ID)
	}
	return ids
}

var (
	// errMismatched refuses the change of an object that the database does not have as it
	// was recorded last.
	errMismatched = refusal("")
	// errNameTaken refuses a name that another living object has.
	errNameTaken = refusal("objects_name_living")
)

// refuseUnwrittenObjects refuses the units whose objects a statement did not return.
func refuseUnwrittenObjects(g *group, sent []objectRow, refused refusedUnits, reason error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(ids) == len(sent) {
			return err
		}
		written := map[string]bool{}
		for _, id := range ids {
			written[id] = true
		}
		for _, row := range sent {
			if !written[string(row.ID)] {
				refuseObject(g, row.ID, refused, reason)
			}
		}
		return nil
	}
}

// refuseObject refuses the units that change an object.
func refuseObject(g *group, id dat.Handle, refused refusedUnits, reason error) {
	for i := range g.steps {
		if g.steps[i].changesObject() && g.steps[i].change.Object.ID == id {
			refused[g.steps[i].unit] = reason
		}
	}
}

// refuseUnstoredAnswers refuses the units whose keys already have an answer.
func refuseUnstoredAnswers(sent []answerRow, refused refusedUnits) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		type part struct {
			key  AnswerKey
			from int
		}
		stored := map[part]bool{}
		for rows.Next() {
			var p part
			if err := rows.Scan(&p.key.Principal, &p.key.Method, &p.key.Path, &p.key.Key, &p.from); err != nil {
				return err
			}
			stored[p] = true
		}
		for _, row := range sent {
			if !stored[part{AnswerKey{row.Principal, row.Method, row.Path, row.Key}, row.From}] {
				refused[row.unit] = refusal("kept_key")
			}
		}
		return rows.Err()
	}
}

// objectColumns are the members of an objectRow.
const objectColumns = `r(id text, type text, node text, ia text, name text, version bigint, version_before bigint,
	created_by bigint, created_at timestamptz, updated_at timestamptz, freed_at timestamptz, refs text[], body jsonb)`

// wantedColumns are the arrays of wanted.
const wantedColumns = `unnest($1::text[], $2::text[], $3::text[]) AS r(id, type, name)`

// The statements of a group.
const (
	// Whoever waits for the end of the log waits here, in turn and once.
	sqlAwaitHead   = `SELECT pg_advisory_xact_lock($1)`
	sqlDeleteGroup = `DELETE FROM groups WHERE id = $1`
	sqlInsertGroup = `INSERT INTO groups (id, node, epoch) VALUES ($1, $2, $3)`
	// It fails where the log ends before what was acknowledged: last is not null.
	sqlTakeChangeIDs = `UPDATE change_head SET last = CASE WHEN last >= $2 THEN last + $1 END RETURNING last`
	sqlClearNames    = `UPDATE objects SET name = NULL, body = jsonb_set(body, '{name}', 'null') WHERE id = ANY($1)`
	// An IA of a node that was retired bore the same id as one of a later node of that name.
	sqlDeleteFormerIAs = `DELETE FROM objects WHERE id = ANY($1) AND type = 'ia' AND freed_at IS NOT NULL`
	sqlSetLastOfGroup  = `UPDATE groups SET last = (SELECT last FROM change_head) WHERE id = $1`
	// Only where there are other nodes: a single process wakes its watchers itself.
	sqlNotifyOthers = `SELECT pg_notify('datapi_changes', '') FROM nodes
		WHERE name <> $1 AND last_seen > now() - interval '1 minute' LIMIT 1`

	// The planner takes the rows of a JSON text for many, and few objects for living as long as
	// it has no statistics: it would rather read all living objects than look for each by its
	// id. So the ids stand there a second time, and that an object lives in a form for which no
	// index was made.
	sqlUpdateObjects = `UPDATE objects o SET name = r.name, version = r.version, updated_at = r.updated_at,
			freed_at = r.freed_at, refs = r.refs, body = r.body
		FROM json_to_recordset($1) AS ` + objectColumns + `
		WHERE o.id = r.id AND o.id = ANY ($2) AND o.version = r.version_before AND num_nulls(o.freed_at) = 1 RETURNING o.id`

	sqlLockObjects = `SELECT o.id FROM objects o JOIN json_to_recordset($1) AS ` + objectColumns + `
		ON o.id = r.id AND o.id = ANY ($2) AND o.version = r.version_before AND num_nulls(o.freed_at) = 1 FOR UPDATE OF o`

	sqlFindFreeNames = `SELECT r.id FROM ` + wantedColumns + ` WHERE NOT EXISTS (
		SELECT FROM objects o WHERE o.type = r.type AND o.name = r.name AND o.freed_at IS NULL AND o.id <> ALL ($4))`

	// It fails, without waiting for anybody, where another living object has one of the names:
	// id is not null. Whoever has taken the ids of changes sees all names, as they are given to
	// objects after that only.
	sqlCheckNames = `UPDATE groups SET id = NULL WHERE id = $4 AND EXISTS (SELECT FROM ` + wantedColumns + `
		JOIN objects o ON o.type = r.type AND o.name = r.name AND o.freed_at IS NULL AND o.id <> r.id)`

	sqlInsertObjects = `INSERT INTO objects (id, type, node, ia, name, version, created_change, created_at, updated_at, freed_at, refs, body)
		SELECT r.id, r.type, r.node, r.ia, r.name, r.version, (SELECT last FROM change_head) - $2::bigint + r.created_by,
			r.created_at, r.updated_at, r.freed_at, r.refs, r.body
		FROM json_to_recordset($1) AS ` + objectColumns

	sqlInsertChanges = `INSERT INTO changes (id, at, node, ia, object_type, object_id, object_name, cause, actor, actor_kind, request_id,
			reason, outcome, fields, before, after, image, version, reverted_to, labels)
		SELECT (SELECT last FROM change_head) - $2::bigint + r.ord, r.at, r.node, r.ia, r.object_type, r.object_id, r.object_name,
			r.cause, r.actor, r.actor_kind, r.request_id, r.reason, r.outcome, r.fields, r.before, r.after, r.image, r.version, r.reverted_to, r.labels
		FROM json_to_recordset($1) AS r(ord bigint, at timestamptz, node text, ia text, object_type text, object_id text,
			object_name text, cause text, actor text, actor_kind text, request_id text, reason text, outcome text, fields text[],
			before jsonb, after jsonb, image jsonb, version bigint, reverted_to bigint, labels jsonb)`

	sqlInsertAnswers = `INSERT INTO kept AS k (principal, method, path, key, body_hash, status, header, body, from_operation, to_operation)
		SELECT r.principal, r.method, r.path, r.key, decode(r.body_hash, 'base64'), r.status, r.header, decode(r.body, 'base64'),
			r.from_operation, r.to_operation
		FROM json_to_recordset($1) AS r(principal text, method text, path text, key text, body_hash text,
			status integer, header jsonb, body text, from_operation integer, to_operation integer)
		ORDER BY r.principal, r.method, r.path, r.key, r.from_operation -- all nodes in one order, so that none waits in a circle
		ON CONFLICT ON CONSTRAINT kept_key DO UPDATE SET body_hash = excluded.body_hash, status = excluded.status,
			header = excluded.header, body = excluded.body, to_operation = excluded.to_operation, at = now()
			WHERE k.at < now() - interval '24 hours'
		RETURNING k.principal, k.method, k.path, k.key, k.from_operation`
)
