package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// ChangesOf holds the filters of the log and of its stream.
type ChangesOf struct {
	Object  []string               `query:"object,explode" doc:"The object's id, or beside one type its name; repeat for OR."`
	Type    []word[dat.ObjectType] `query:"type,explode" doc:"The object's type; repeat for OR."`
	Node    []string               `query:"node,explode" doc:"The node's name; repeat for OR."`
	IA      []string               `query:"ia,explode" doc:"The adapter's id; repeat for OR."`
	Cause   []string               `query:"cause,explode" example:"dat_ep_modify" doc:"The operation or event; repeat for OR."`
	Actor   []string               `query:"actor,explode" doc:"Who did it; repeat for OR."`
	Outcome []word[dat.Return]     `query:"outcome,explode" doc:"The DAT_RETURN; repeat for OR."`
}

type listChanges struct {
	Read
	Paging
	ChangesOf
	Since string `query:"since" maxLength:"64" example:"2026-01-31T12:00:00Z" doc:"Not before this time (RFC 3339)."`
	Until string `query:"until" maxLength:"64" example:"2026-01-31T13:00:00Z" doc:"Not after this time (RFC 3339)."`
	Order string `query:"order" enum:"asc,desc" default:"desc" doc:"desc is newest first."`
}

func (a *API) registerChanges() {
	register(a, route{
		id: "list-changes", method: http.MethodGet, path: "/changes", tag: document.TagChange, summary: "List changes",
		about:  "The log of everything that changed and of what was refused by state or resources, newest first.",
		answer: reflect.TypeFor[PageOf[dat.Change]](),
	}, a.listChanges)
	a.registerStream()
}

func (a *API) listChanges(ctx context.Context, in *listChanges) (*answer, error) {
	q, err := in.changeQuery()
	if err != nil {
		return nil, err
	}
	q.Asc = in.Order == "asc"
	if q.ChangeFilter, err = a.changeFilter(ctx, in.ChangesOf); err != nil {
		return nil, err
	}
	if q.Since, err = timeOf("since", in.Since); err != nil {
		return nil, err
	}
	if q.Until, err = timeOf("until", in.Until); err != nil {
		return nil, err
	}
	page, err := a.store.Changes(ctx, q)
	return a.changePage(ctx, page, err, in.Fields)
}

// changeQuery returns the store's query of a page of the log.
func (p Paging) changeQuery() (store.ChangeQuery, error) {
	return store.ChangeQuery{Limit: p.Limit, Cursor: p.Cursor, Offset: p.Offset, Total: p.Total}, cursorOrOffset(p.Cursor, p.Offset)
}

// changePage answers with a page of the log, or with the refusal of its query. asked are the members of ?fields=.
func (a *API) changePage(ctx context.Context, found store.ChangePage, err error, asked []string) (*answer, error) {
	if err != nil {
		return nil, inQuery(err)
	}
	fields, err := a.fields("Change", asked)
	if err != nil {
		return nil, err
	}
	out := page{items: make([]json.RawMessage, len(found.Items)), next: nullIfEmpty(found.Next), total: found.Total, position: found.Position}
	for i := range found.Items {
		out.items[i] = encode(changeFor(callerScope(ctx), found.Items[i]))
		if len(fields) > 0 {
			out.items[i] = pickMembers(out.items[i], fields)
		}
	}
	return out.answer(), nil
}

// changeFilter returns the store's filter, with the caller's scope.
func (a *API) changeFilter(ctx context.Context, f ChangesOf) (store.ChangeFilter, error) {
	out := store.ChangeFilter{Scope: callerScope(ctx), Nodes: f.Node, IAs: handlesOf(f.IA), Causes: f.Cause, Actors: f.Actor}
	out.Types = make([]dat.ObjectType, len(f.Type))
	for i, w := range f.Type {
		if err := out.Types[i].UnmarshalText([]byte(w)); err != nil {
			return out, wrongQuery("type", "must be the type of an object")
		}
	}
	objects, err := a.resolveObjects(ctx, f.Object, out.Types)
	if err != nil {
		return out, err
	}
	out.Objects = handlesOf(objects)
	out.Outcomes = make([]dat.Return, len(f.Outcome))
	for i, w := range f.Outcome {
		if err := out.Outcomes[i].UnmarshalText([]byte(w)); err != nil {
			return out, wrongQuery("outcome", "must be a DAT_RETURN")
		}
	}
	return out, nil
}

func handlesOf(ids []string) []dat.Handle {
	all := make([]dat.Handle, len(ids))
	for i, id := range ids {
		all[i] = dat.Handle(id)
	}
	return all
}

// timeOf returns the time in a query parameter, which is s and has the given name; the zero time where s is empty.
func timeOf(name, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, wrongQuery(name, "must be a time as in RFC 3339, such as 2026-01-31T12:00:00Z")
	}
	return t, nil
}
