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

// ChangesOf are the filters of changes.
type ChangesOf struct {
	Object  []string               `query:"object,explode" doc:"The object's id; repeat for OR."`
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

type listHistory struct {
	Read
	Paging
	ObjectPath
}

type getVersion struct {
	Read
	ObjectPath
	Version string `path:"version" maxLength:"20" example:"3" doc:"The version."`
}

// endpointVersion is one change of an endpoint with the whole parameter set.
type endpointVersion struct {
	dat.Change
	Endpoint *Endpoint `json:"endpoint" doc:"The endpoint as it was after this change; null where the change freed it."`
}

func (a *API) registerChanges() {
	register(a, route{
		id: "list-changes", method: http.MethodGet, path: "/changes", tag: document.TagChange, summary: "List changes",
		about:  "The log of everything that changed and of what was refused by state or resources, newest first.",
		answer: reflect.TypeFor[PageOf[dat.Change]](),
	}, a.listChanges)
	a.registerStream()
}

func (a *API) registerHistory() {
	register(a, route{
		id: "list-endpoint-history", method: http.MethodGet, path: "/endpoints/{id}/history", tag: document.TagEndpoint, summary: "List an endpoint's changes",
		about:  "Newest first; also after the endpoint was freed.",
		answer: reflect.TypeFor[PageOf[dat.Change]](),
	}, a.listHistory)
	register(a, route{
		id: "get-endpoint-version", method: http.MethodGet, path: "/endpoints/{id}/history/{version}", tag: document.TagEndpoint, summary: "Get one version of an endpoint",
		about:  "The change that made the version, with the whole parameter set.",
		answer: reflect.TypeFor[endpointVersion](), versioned: true, refusals: []int{304, 410},
	}, a.getVersion)
}

func (a *API) listChanges(ctx context.Context, in *listChanges) (*answer, error) {
	q, err := in.changeQuery()
	if err != nil {
		return nil, err
	}
	q.Asc = in.Order == "asc"
	if q.ChangeFilter, err = in.filter(); err != nil {
		return nil, err
	}
	if q.Since, err = timeOf("since", in.Since); err != nil {
		return nil, err
	}
	if q.Until, err = timeOf("until", in.Until); err != nil {
		return nil, err
	}
	page, err := a.store.Changes(ctx, q)
	return a.changePage(page, err, in.Fields)
}

// changeQuery is the part of the log that a page asks for.
func (p Paging) changeQuery() (store.ChangeQuery, error) {
	return store.ChangeQuery{Limit: p.Limit, Cursor: p.Cursor, Offset: p.Offset, Total: p.Total}, cursorOrOffset(p.Cursor, p.Offset)
}

// changePage shows a part of the log, or why there is none.
func (a *API) changePage(found store.ChangePage, err error, asked []string) (*answer, error) {
	if err != nil {
		return nil, inQuery(err)
	}
	fields, err := a.fields("Change", asked)
	if err != nil {
		return nil, err
	}
	out := page{items: make([]json.RawMessage, len(found.Items)), next: nullIfEmpty(found.Next), total: found.Total}
	for i := range found.Items {
		out.items[i] = encode(&found.Items[i])
		if len(fields) > 0 {
			out.items[i] = pickMembers(out.items[i], fields)
		}
	}
	return out.answer(), nil
}

// filter is the store's filter of the same name.
func (f ChangesOf) filter() (store.ChangeFilter, error) {
	out := store.ChangeFilter{Objects: handlesOf(f.Object), Nodes: f.Node, IAs: handlesOf(f.IA), Causes: f.Cause, Actors: f.Actor}
	out.Types = make([]dat.ObjectType, len(f.Type))
	for i, w := range f.Type {
		if err := out.Types[i].UnmarshalText([]byte(w)); err != nil {
			return out, wrongQuery("type", "must be the type of an object")
		}
	}
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

func (a *API) listHistory(ctx context.Context, in *listHistory) (*answer, error) {
	if !isID(dat.TypeEndpoint, in.ID) {
		return nil, noSuch(dat.TypeEndpoint)
	}
	q, err := in.changeQuery()
	if err != nil {
		return nil, err
	}
	page, err := a.store.History(ctx, dat.TypeEndpoint, dat.Handle(in.ID), q)
	return a.changePage(page, err, in.Fields)
}

func (a *API) getVersion(ctx context.Context, in *getVersion) (*answer, error) {
	version, ok := positive(in.Version)
	if !ok || !isID(dat.TypeEndpoint, in.ID) {
		return nil, noSuch(dat.TypeEndpoint)
	}
	change, whole, err := a.store.HistoryVersion(ctx, dat.TypeEndpoint, dat.Handle(in.ID), version)
	if err != nil {
		return nil, err
	}
	v := endpointVersion{Change: change}
	if e, ok := whole.(*dat.Endpoint); ok {
		v.Endpoint = &Endpoint{Endpoint: e, Operations: emptyIfNil(dat.Operations(e))}
	}
	ans := a.ok(v)
	ans.ETag, ans.CacheControl = etag(version), "private, max-age=86400, immutable"
	return ans, nil
}
