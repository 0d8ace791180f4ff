package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

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

// endpointVersion is a change of an endpoint and the whole parameter set after it.
type endpointVersion struct {
	dat.Change
	Endpoint *Endpoint `json:"endpoint" doc:"The endpoint as it was after this change; null where the change freed it."`
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

func (a *API) listHistory(ctx context.Context, in *listHistory) (*answer, error) {
	if !isID(dat.TypeEndpoint, in.ID) {
		return nil, noSuch(dat.TypeEndpoint)
	}
	q, err := in.changeQuery()
	if err != nil {
		return nil, err
	}
	q.Scope = callerScope(ctx)
	page, err := a.store.History(ctx, dat.TypeEndpoint, dat.Handle(in.ID), q)
	return a.changePage(ctx, page, err, in.Fields)
}

func (a *API) getVersion(ctx context.Context, in *getVersion) (*answer, error) {
	version, ok := positive(in.Version)
	if !ok || !isID(dat.TypeEndpoint, in.ID) {
		return nil, noSuch(dat.TypeEndpoint)
	}
	change, whole, err := a.store.HistoryVersion(ctx, dat.TypeEndpoint, dat.Handle(in.ID), version, callerScope(ctx))
	if err != nil {
		return nil, err
	}
	v := struct {
		dat.Change
		Endpoint json.RawMessage `json:"endpoint"`
	}{Change: changeFor(callerScope(ctx), change)}
	if e, ok := withoutPeer(callerScope(ctx), whole).(*dat.Endpoint); ok {
		// Its node was UP: it has recorded the change.
		v.Endpoint = ownMembers.appendTo(encode(Endpoint{Endpoint: e, Operations: emptyIfNil(dat.Operations(e))}))
	}
	ans := a.ok(v)
	ans.ETag, ans.CacheControl = etag(version), "private, max-age=86400, immutable"
	return ans, nil
}
