package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// endpointStatus is the status of one endpoint among many.
type endpointStatus struct {
	ID string `json:"id" doc:"The endpoint's id."`
	dat.EPStatus
}

// statusList is the status of many endpoints.
type statusList struct {
	Items []endpointStatus `json:"items" doc:"In the order asked for, each once."`
}

type getStatuses struct {
	Read
	ID []string `query:"id,explode" required:"true" minItems:"1" maxItems:"200" doc:"The endpoints' ids; repeated, at most 200."`
}

func (a *API) registerEndpointStatus() {
	register(a, route{
		id: "get-endpoints-status", method: http.MethodGet, path: "/endpoints/status", tag: document.TagEndpoint, summary: "Get the status of many endpoints",
		about:  "dat_ep_get_status of many. Never touches the database. An endpoint that is freed, or that another node runs, has no item.",
		answer: reflect.TypeFor[statusList](),
	}, a.getStatuses)
	register(a, route{
		id: "get-endpoint-status", method: http.MethodGet, live: whollyLive, path: "/endpoints/{id}/status", tag: document.TagEndpoint, summary: "Get the status of an endpoint",
		about:  "dat_ep_get_status: one snapshot, which may be ahead of the recorded state. Never touches the database.",
		answer: reflect.TypeFor[dat.EPStatus](),
	}, a.getStatus)
	register(a, route{
		id: "query-endpoint-recvs", method: http.MethodGet, live: whollyLive, path: "/endpoints/{id}/recvs", tag: document.TagEndpoint, summary: "Query the receives of an endpoint",
		about:  "dat_ep_recv_query.",
		answer: reflect.TypeFor[dat.RecvQuery](),
	}, a.queryRecvs)
}

func (a *API) getStatuses(_ context.Context, in *getStatuses) (*answer, error) {
	all := statusList{Items: make([]endpointStatus, 0, len(in.ID))}
	seen := map[string]bool{}
	for _, id := range in.ID {
		if seen[id] {
			continue
		}
		seen[id] = true
		if s, err := a.manager.EPStatus(dat.Handle(id)); err == nil {
			all.Items = append(all.Items, endpointStatus{ID: id, EPStatus: s})
		}
	}
	return a.ok(all), nil
}

func (a *API) getStatus(ctx context.Context, in *getObject) (*answer, error) {
	s, err := a.manager.EPStatus(dat.Handle(in.ID))
	if err != nil {
		return nil, a.refuseLive(ctx, in.ID, err)
	}
	return a.ok(s), nil
}

func (a *API) queryRecvs(ctx context.Context, in *getObject) (*answer, error) {
	q, err := a.manager.RecvQuery(dat.Handle(in.ID))
	if err != nil {
		return nil, a.refuseLive(ctx, in.ID, err)
	}
	return a.ok(q), nil
}

// refuseLive returns the refusal of a live read of an endpoint that this node does
// not run: the node that does, if there is one, else the Manager's refusal.
func (a *API) refuseLive(ctx context.Context, id string, refusal error) error {
	if !isID(dat.TypeEndpoint, id) {
		return noSuch(dat.TypeEndpoint)
	}
	o, err := a.store.Get(ctx, dat.TypeEndpoint, dat.Handle(id))
	if err != nil || o.Head().Node == a.node {
		return refusal
	}
	return a.refuseForeign(ctx, o.Head().Node)
}
