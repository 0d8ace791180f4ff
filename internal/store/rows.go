package store

import (
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
)

// The rows of a group travel as one JSON array per table: one parameter, one
// prepared statement, whatever their number.

type objectRow struct {
	ID        dat.Handle      `json:"id"`
	Type      dat.ObjectType  `json:"type"`
	Node      string          `json:"node"`
	IA        dat.Handle      `json:"ia"`
	Name      dat.Name        `json:"name"`
	Version   int64           `json:"version"`
	Was       int64           `json:"was"`
	Ord       int             `json:"ord"`
	CreatedAt dat.Time        `json:"created_at"`
	UpdatedAt dat.Time        `json:"updated_at"`
	FreedAt   *dat.Time       `json:"freed_at"`
	Refs      []dat.Handle    `json:"refs"`
	Body      json.RawMessage `json:"body"`
}

type changeRow struct {
	Ord        int             `json:"ord"`
	At         dat.Time        `json:"at"`
	Node       string          `json:"node"`
	IA         string          `json:"ia"`
	ObjectType dat.ObjectType  `json:"object_type"`
	ObjectID   string          `json:"object_id"`
	ObjectName dat.Name        `json:"object_name"`
	Cause      string          `json:"cause"`
	Actor      string          `json:"actor"`
	RequestID  *string         `json:"request_id"`
	Reason     *string         `json:"reason"`
	Outcome    dat.Return      `json:"outcome"`
	Fields     []string        `json:"fields"`
	Before     json.RawMessage `json:"before,omitempty"`
	After      json.RawMessage `json:"after,omitempty"`
	Image      json.RawMessage `json:"image,omitempty"`
	Version    int64           `json:"version"`
	RevertedTo *int64          `json:"reverted_to"`
}

type keptRow struct {
	Principal string            `json:"principal"`
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Key       string            `json:"key"`
	BodyHash  []byte            `json:"body_hash"`
	Status    int               `json:"status"`
	Header    map[string]string `json:"header"`
	Body      []byte            `json:"body"`
	unit      *unit
}

// rows are the rows of a group, sorted by what is done with them.
type rows struct {
	made, changed []objectRow
	renamed       []string
	changes       []changeRow
	kept          []keptRow
}

// rowsOf works a group's rows out.
func rowsOf(g *group) (rows, error) {
	var out rows
	for _, id := range g.order {
		t := g.touched[id]
		row, err := objectRowOf(t)
		if err != nil {
			return out, notWritten(err)
		}
		if t.made > 0 {
			out.made = append(out.made, row)
			continue
		}
		out.changed = append(out.changed, row)
		if t.renamed {
			out.renamed = append(out.renamed, string(id))
		}
	}
	for i := range g.steps {
		s := &g.steps[i]
		row, err := changeRowOf(s, i+1)
		if err != nil {
			return out, notWritten(err)
		}
		out.changes = append(out.changes, row)
		if s.entry.Keep != nil {
			if row, keep := keptRowOf(s); keep {
				out.kept = append(out.kept, row)
			}
		}
	}
	return out, nil
}

func objectRowOf(t *touched) (objectRow, error) {
	body, err := t.now.stored()
	h := t.now.obj.Head()
	row := objectRow{
		ID: h.ID, Type: t.now.obj.Type(), Node: h.Node, IA: h.IA, Name: h.Name, Version: h.Version, Was: t.was, Ord: t.made,
		CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt, Refs: t.now.obj.Refs(), Body: body,
	}
	if row.Refs == nil {
		row.Refs = []dat.Handle{}
	}
	if !t.freed.IsZero() {
		row.FreedAt = &t.freed
	}
	return row, err
}

func changeRowOf(s *step, ord int) (changeRow, error) {
	c := &s.change
	row := changeRow{
		Ord: ord, At: c.At, Node: c.Node, IA: string(c.IA), ObjectType: c.Object.Type, ObjectID: string(c.Object.ID),
		ObjectName: c.Object.Name, Cause: c.Cause, Actor: c.Actor, RequestID: c.RequestID, Reason: c.Reason,
		Outcome: c.Outcome, Fields: c.Fields, Before: c.Before, After: c.After,
		Version: c.Version, RevertedTo: c.RevertedTo,
	}
	var err error
	switch {
	case s.after.obj != nil:
		row.Image, err = s.after.stored()
		if s.before.obj == nil {
			row.After = nil // a creation: its image says it
		}
	case s.before.obj != nil:
		row.Before, err = s.before.stored()
	}
	return row, err
}

// keptRowOf is the answer to keep; an answer without a status is not to be kept.
func keptRowOf(s *step) (keptRow, bool) {
	k := s.entry.Keep
	status, header, body := k.Answer(s.after.obj)
	if header == nil {
		header = map[string]string{}
	}
	if body == nil {
		body = []byte{}
	}
	return keptRow{
		Principal: k.Principal, Method: k.Method, Path: k.Path, Key: k.Key, BodyHash: k.BodyHash,
		Status: status, Header: header, Body: body, unit: s.unit,
	}, status != 0
}

// encode writes rows as the parameter of their statement.
func encode[T any](rows []T) ([]byte, error) {
	b, err := json.Marshal(rows)
	return b, notWritten(err)
}

// notWritten is the refusal of a change whose JSON cannot be made; nil for no error.
func notWritten(err error) error {
	if err == nil {
		return nil
	}
	return &dat.Error{
		Return: dat.RetInternalError, Cause: err,
		Detail: "the change cannot be written down; this is a fault of the service",
	}
}

const objectColumns = `r(id text, type text, node text, ia text, name text, version bigint, was bigint,
	ord bigint, created_at timestamptz, updated_at timestamptz, freed_at timestamptz, refs text[], body jsonb)`

const (
	sqlGroup       = `INSERT INTO groups (id, node, epoch) VALUES ($1, $2, $3)`
	sqlForget      = `DELETE FROM groups WHERE id = $1`
	sqlTakeIDs     = `UPDATE change_head SET last = last + $1 RETURNING last`
	sqlDropNames   = `UPDATE objects SET name = NULL, body = jsonb_set(body, '{name}', 'null') WHERE id = ANY($1)`
	sqlLastOfGroup = `UPDATE groups SET last = (SELECT last FROM change_head) WHERE id = $1`
	// Whoever else is there is woken; a lone process needs no bell.
	sqlBell = `SELECT pg_notify('datapi_changes', '') FROM nodes
		WHERE name <> $1 AND last_seen > now() - interval '1 minute' LIMIT 1`

	sqlChange = `UPDATE objects o SET name = r.name, version = r.version, updated_at = r.updated_at,
			freed_at = r.freed_at, refs = r.refs, body = r.body
		FROM json_to_recordset($1) AS ` + objectColumns + `
		WHERE o.id = r.id AND o.version = r.was AND o.freed_at IS NULL RETURNING o.id`

	sqlMake = `INSERT INTO objects (id, type, node, ia, name, version, created_change, created_at, updated_at, freed_at, refs, body)
		SELECT r.id, r.type, r.node, r.ia, r.name, r.version, (SELECT last FROM change_head) - $2::bigint + r.ord,
			r.created_at, r.updated_at, r.freed_at, r.refs, r.body
		FROM json_to_recordset($1) AS ` + objectColumns + `
		ON CONFLICT (type, name) WHERE freed_at IS NULL AND type <> 'ia' DO NOTHING RETURNING id`

	sqlChanges = `INSERT INTO changes (id, at, node, ia, object_type, object_id, object_name, cause, actor, request_id,
			reason, outcome, fields, before, after, image, version, reverted_to)
		SELECT (SELECT last FROM change_head) - $2::bigint + r.ord, r.at, r.node, r.ia, r.object_type, r.object_id, r.object_name,
			r.cause, r.actor, r.request_id, r.reason, r.outcome, r.fields, r.before, r.after, r.image, r.version, r.reverted_to
		FROM json_to_recordset($1) AS r(ord bigint, at timestamptz, node text, ia text, object_type text, object_id text,
			object_name text, cause text, actor text, request_id text, reason text, outcome text, fields text[],
			before jsonb, after jsonb, image jsonb, version bigint, reverted_to bigint)`

	sqlKeep = `INSERT INTO kept AS k (principal, method, path, key, body_hash, status, header, body)
		SELECT r.principal, r.method, r.path, r.key, decode(r.body_hash, 'base64'), r.status, r.header, decode(r.body, 'base64')
		FROM json_to_recordset($1) AS r(principal text, method text, path text, key text, body_hash text,
			status integer, header jsonb, body text)
		ON CONFLICT ON CONSTRAINT kept_key DO UPDATE SET body_hash = excluded.body_hash, status = excluded.status,
			header = excluded.header, body = excluded.body, at = now()
			WHERE k.at < now() - interval '24 hours'
		RETURNING k.principal, k.method, k.path, k.key`
)
