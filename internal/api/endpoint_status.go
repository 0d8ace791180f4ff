package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"sync"

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
	Forwarding
	ID []string `query:"id,explode" required:"true" minItems:"1" maxItems:"200" doc:"The endpoints' ids; repeated, at most 200."`
}

func (a *API) registerEndpointStatus() {
	register(a, route{
		id: "get-endpoints-status", method: http.MethodGet, path: "/endpoints/status", tag: document.TagEndpoint, summary: "Get the status of many endpoints",
		about:  "dat_ep_get_status of many. Those of this node never touch the database; of others each node that has some is asked once. An endpoint that is freed, or whose node does not answer within 2 s, has no item.",
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

func (a *API) getStatuses(ctx context.Context, in *getStatuses) (*answer, error) {
	found := map[string]endpointStatus{}
	var others []string
	scope := callerScope(ctx)
	for _, id := range in.ID {
		if s, err := a.manager.EPStatus(dat.Handle(id)); err == nil {
			if o, ok := a.manager.Get(dat.TypeEndpoint, dat.Handle(id)); scope != nil && (!ok || !holds(scope, o)) {
				continue
			}
			found[id] = endpointStatus{ID: id, EPStatus: s}
		} else if isID(dat.TypeEndpoint, id) {
			others = append(others, id)
		}
	}
	if len(others) > 0 && requestOf(ctx).mayPassOn() {
		a.askStatuses(ctx, others, found)
	}
	all := statusList{Items: make([]endpointStatus, 0, len(in.ID))}
	for _, id := range in.ID {
		if s, ok := found[id]; ok {
			all.Items = append(all.Items, s)
			delete(found, id) // each once
		}
	}
	return a.ok(all), nil
}

// askStatuses adds the statuses of endpoints that other nodes run, as far as those answer within liveLimit. Each node is
// asked once.
func (a *API) askStatuses(ctx context.Context, ids []string, found map[string]endpointStatus) {
	ctx, cancel := context.WithTimeout(ctx, liveLimit)
	defer cancel()
	byNode, err := a.store.NodesOf(ctx, dat.TypeEndpoint, ids)
	if err != nil {
		return // the database is away: nobody knows whom to ask
	}
	var mu sync.Mutex
	var asked sync.WaitGroup
	for node, ids := range byNode {
		if node == a.node {
			continue
		}
		asked.Go(func() {
			query := url.Values{"id": ids}
			got, p := a.forward(ctx, node, outgoing{method: http.MethodGet, uri: basePath + "/endpoints/status?" + query.Encode(), limit: liveLimit})
			if p != nil || got.status != http.StatusOK {
				return
			}
			var sent statusList
			if json.Unmarshal(got.body, &sent) != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, s := range sent.Items {
				found[s.ID] = s
			}
		})
	}
	asked.Wait()
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
