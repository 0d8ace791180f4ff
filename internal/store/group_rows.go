package store

import (
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
)

// The rows of a group are sent as one JSON array for each table, so that a statement
// has one parameter and is prepared once, whatever the number of rows.

// objectRow is a row of objects.
type objectRow struct {
	ID            dat.Handle      `json:"id"`
	Type          dat.ObjectType  `json:"type"`
	Node          string          `json:"node"`
	IA            dat.Handle      `json:"ia"`
	Name          dat.Name        `json:"name"`
	Version       int64           `json:"version"`
	VersionBefore int64           `json:"version_before"`
	CreatedBy     int             `json:"created_by"`
	CreatedAt     dat.Time        `json:"created_at"`
	UpdatedAt     dat.Time        `json:"updated_at"`
	FreedAt       *dat.Time       `json:"freed_at"`
	Refs          []dat.Handle    `json:"refs"`
	Body          json.RawMessage `json:"body"`
}

// changeRow is a row of changes; Ord is its number in the group, counted from 1.
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
	ActorKind  *string         `json:"actor_kind"`
	RequestID  *string         `json:"request_id"`
	Reason     *string         `json:"reason"`
	Outcome    dat.Return      `json:"outcome"`
	Fields     []string        `json:"fields"`
	Before     json.RawMessage `json:"before,omitempty"`
	After      json.RawMessage `json:"after,omitempty"`
	Image      json.RawMessage `json:"image,omitempty"`
	Version    int64           `json:"version"`
	RevertedTo *int64          `json:"reverted_to"`
	// Labels are those of the object of a refusal; of other changes the images have them.
	Labels map[string]string `json:"labels,omitempty"`
}

// answerRow is a row of the table kept, an answer that is stored with its change.
type answerRow struct {
	Principal string            `json:"principal"`
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Key       string            `json:"key"`
	BodyHash  []byte            `json:"body_hash"`
	Status    int               `json:"status"`
	Header    map[string]string `json:"header"`
	Body      []byte            `json:"body"`
	From      int               `json:"from_operation"`
	To        int               `json:"to_operation"`
	unit      *unit
}

// rows are the rows of a group.
type rows struct {
	// created, updated and renamed are the objects: new ones, those that keep their name,
	// and those that get another one.
	created, updated, renamed []objectRow
	// createdIAs are the ids of the IAs among the created objects.
	createdIAs []string

	changes []changeRow
	answers []answerRow
}

// rowsOf returns a group's rows.
func rowsOf(g *group) (rows, error) {
	var out rows
	for _, id := range g.objectOrder {
		o := g.objects[id]
		row, err := objectRowOf(o)
		if err != nil {
			return out, unwritable(err)
		}
		switch {
		case o.createdBy > 0:
			out.created = append(out.created, row)
			if row.Type == dat.TypeIA {
				out.createdIAs = append(out.createdIAs, string(id))
			}
		case o.renamed:
			out.renamed = append(out.renamed, row)
		default:
			out.updated = append(out.updated, row)
		}
	}
	for i := range g.steps {
		s := &g.steps[i]
		row, err := changeRowOf(s, i+1)
		if err != nil {
			return out, unwritable(err)
		}
		out.changes = append(out.changes, row)
		if s.entry.Answer != nil {
			if row, stored := answerRowOf(s); stored {
				out.answers = append(out.answers, row)
			}
		}
	}
	return out, nil
}

func objectRowOf(o *groupObject) (objectRow, error) {
	body, err := o.image.stored()
	h := o.image.obj.Head()
	row := objectRow{
		ID: h.ID, Type: o.image.obj.Type(), Node: h.Node, IA: h.IA, Name: h.Name,
		Version: h.Version, VersionBefore: o.versionBefore, CreatedBy: o.createdBy,
		CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt, Refs: o.image.obj.Refs(), Body: body,
	}
	if row.Refs == nil {
		row.Refs = []dat.Handle{}
	}
	if !o.freedAt.IsZero() {
		row.FreedAt = &o.freedAt
	}
	return row, err
}

func changeRowOf(s *step, ord int) (changeRow, error) {
	c := &s.change
	row := changeRow{
		Ord: ord, At: c.At, Node: c.Node, IA: string(c.IA), ObjectType: c.Object.Type, ObjectID: string(c.Object.ID),
		ObjectName: c.Object.Name, Cause: c.Cause, Actor: c.Actor, ActorKind: c.ActorKind, RequestID: c.RequestID, Reason: c.Reason,
		Outcome: c.Outcome, Fields: c.Fields, Before: c.Before, After: c.After,
		Version: c.Version, RevertedTo: c.RevertedTo,
	}
	var err error
	switch {
	case s.after.obj != nil:
		row.Image, err = s.after.stored()
		if s.before.obj == nil {
			row.After = nil // the after of a creation is its image
		}
	case s.before.obj != nil:
		row.Before, err = s.before.stored()
	default:
		row.Labels = c.Labels
	}
	return row, err
}

// answerRowOf returns the answer to store with a change, and whether there is one:
// an answer without a status is not to be stored.
func answerRowOf(s *step) (answerRow, bool) {
	k := s.entry.Answer
	status, header, body := k.Make(s.after.obj)
	if header == nil {
		header = map[string]string{}
	}
	if body == nil {
		body = []byte{}
	}
	return answerRow{
		Principal: k.Principal, Method: k.Method, Path: k.Path, Key: k.Key, BodyHash: k.BodyHash,
		Status: status, Header: header, Body: body, From: k.From, To: k.To, unit: s.unit,
	}, status != 0
}

// encode returns rows as the parameter of their statement.
func encode[T any](rows []T) ([]byte, error) {
	b, err := json.Marshal(rows)
	return b, unwritable(err)
}

// unwritable returns the refusal of a change whose JSON cannot be made; nil for nil.
func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return &dat.Error{
		Return: dat.RetInternalError, Cause: err,
		Detail: "the change cannot be written down; this is a fault of the service",
	}
}
