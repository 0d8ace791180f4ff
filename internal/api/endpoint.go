package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

type createEndpoint struct {
	Write
	Body paramBody[endpointCreate]
}

type listEndpoints struct {
	Listing
	ByIA
	State           []word[dat.EPState] `query:"state,explode" doc:"The state; repeat for OR."`
	PZ              []string            `query:"pz,explode" doc:"The protection zone's id or name; repeat for OR."`
	EVD             []string            `query:"evd,explode" doc:"The id or name of an EVD that it uses for anything; repeat for OR."`
	SRQ             []string            `query:"srq,explode" doc:"The shared receive queue's id or name; repeat for OR."`
	RemoteIAAddress []string            `query:"remote_ia_address,explode" doc:"The peer's address; repeat for OR."`
}

type getEndpoint struct {
	Read
	ObjectPath
	AsOf string `query:"as_of" maxLength:"64" example:"2026-01-31T12:00:00Z" doc:"As it was at this time (RFC 3339) or right after this change (its id)."`
}

type modifyEndpoint struct {
	Write
	ObjectPath
	Body paramBody[endpointPatch]
}

// watermarksBody is what dat_ep_set_watermark takes.
type watermarksBody struct {
	SoftHigh *int64 `json:"soft_high" example:"12" doc:"The soft high watermark: reports once when more receives are posted. Null is infinite."`
	HardHigh *int64 `json:"hard_high" example:"16" doc:"The hard high watermark: breaks the connection when more receives are posted. Null is infinite."`
}

type setWatermarks struct {
	Write
	ObjectPath
	Body watermarksBody
}

type revertBody struct {
	Version int64 `json:"version" minimum:"1" example:"3" doc:"The version whose parameters are to be set again."`
}

type revertEndpoint struct {
	Write
	ObjectPath
	Body revertBody
}

func (a *API) registerEndpoints() {
	ep := reflect.TypeFor[Endpoint]()
	register(a, route{
		id: "create-endpoint", method: http.MethodPost, path: "/endpoints", tag: document.TagEndpoint, summary: "Create an endpoint",
		about:  "dat_ep_create, and with srq dat_ep_create_with_srq. Only ia is required; the answer holds the whole effective set.",
		status: http.StatusCreated, answer: ep, versioned: true, makes: true,
	}, a.createEndpoint)
	register(a, route{
		id: "list-endpoints", method: http.MethodGet, path: "/endpoints", tag: document.TagEndpoint, summary: "List endpoints",
		about:  "Recorded states. Sort by created_at, name, state or updated_at.",
		answer: reflect.TypeFor[PageOf[Endpoint]](),
	}, a.listEndpoints)
	register(a, route{
		id: "get-endpoint", method: http.MethodGet, live: partlyLive, path: "/endpoints/{id}", tag: document.TagEndpoint, summary: "Query an endpoint",
		about:  "dat_ep_query: the recorded state and all parameters.",
		answer: ep, versioned: true, refusals: []int{410, 422},
	}, a.getEndpoint)
	register(a, route{
		id: "modify-endpoint", method: http.MethodPatch, path: "/endpoints/{id}", tag: document.TagEndpoint, summary: "Modify an endpoint",
		about:  "dat_ep_modify: the members present are ep_param_mask. All or nothing; {} is an empty mask and succeeds.",
		answer: ep, versioned: true, bodyTypes: []string{document.MediaMergePatch},
	}, a.modifyEndpoint)
	register(a, route{
		id: "free-endpoint", method: http.MethodDelete, path: "/endpoints/{id}", tag: document.TagEndpoint, summary: "Free an endpoint",
		about:  "dat_ep_free. Its history stays readable.",
		status: http.StatusNoContent,
	}, a.freeEndpoint)
	register(a, route{
		id: "set-endpoint-watermarks", method: http.MethodPut, path: "/endpoints/{id}/watermarks", tag: document.TagEndpoint, summary: "Set the watermarks of an endpoint",
		about:  "dat_ep_set_watermark, in every state. A mark counts posted, uncompleted receives.",
		answer: ep, versioned: true,
	}, a.setWatermarks)
	register(a, route{
		id: "revert-endpoint", method: http.MethodPost, path: "/endpoints/{id}/revert", tag: document.TagEndpoint, summary: "Go back to the parameters of a version",
		about:  "dat_ep_modify with what differs, as a new version that names the old one.",
		answer: ep, versioned: true, refusals: []int{410},
	}, a.revertEndpoint)
	a.registerEndpointStatus()
	a.registerHistory()
}

func (a *API) createEndpoint(ctx context.Context, in *createEndpoint) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.Endpoint, error) {
		input, err := endpointInput(&in.Body)
		if err != nil {
			return nil, err
		}
		return a.manager.CreateEP(ctx, c, input)
	})
}

// endpointInput returns what the Manager needs to create the endpoint of a body.
func endpointInput(m *paramBody[endpointCreate]) (manager.EPCreate, error) {
	var b endpointCreate
	m.into(&b)
	return manager.EPCreate{
		IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, Values: m.createValues(), SRQ: b.SRQ, Probe: b.Probe.input(),
	}, nil
}

// input returns the probe as the Manager takes it, nil for none.
func (p *probeRequest) input() *dat.Probe {
	if p == nil {
		return nil
	}
	return &dat.Probe{IntervalS: int32(p.IntervalS), FailAfter: int32(p.FailAfter)}
}

func (a *API) listEndpoints(ctx context.Context, in *listEndpoints) (*answer, error) {
	return a.list(ctx, dat.TypeEndpoint, in.Listing, in)
}

func (a *API) getEndpoint(ctx context.Context, in *getEndpoint) (*answer, error) {
	if in.AsOf == "" {
		return a.get(ctx, dat.TypeEndpoint, in.ID)
	}
	moment, err := momentOf(in.AsOf)
	if err != nil {
		return nil, err
	}
	if !isID(dat.TypeEndpoint, in.ID) {
		return nil, noSuch(dat.TypeEndpoint)
	}
	o, err := a.store.AsOf(ctx, dat.TypeEndpoint, dat.Handle(in.ID), moment, callerScope(ctx))
	if err != nil {
		return nil, inQuery(err)
	}
	ans := a.shown(http.StatusOK, withoutPeer(callerScope(ctx), o), false, true)
	ans.ETag = "" // the object may have another version now
	return ans, nil
}

// momentOf reads as_of: the id of a change, or a time.
func momentOf(s string) (store.Moment, error) {
	if id, ok := positive(s); ok {
		return store.Moment{Change: id}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return store.Moment{}, wrongQuery("as_of", "must be a time as in RFC 3339 (2026-01-31T12:00:00Z) or the id of a change")
	}
	return store.Moment{At: at}, nil
}

func (a *API) modifyEndpoint(ctx context.Context, in *modifyEndpoint) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		input, patch := modifyInput(&in.Body)
		return relabelled(a, c, dat.TypeEndpoint, dat.Handle(in.ID), patch, func(c manager.Call, labels *map[string]string) (*dat.Endpoint, error) {
			input.Labels = labels
			return a.manager.ModifyEP(ctx, c, dat.Handle(in.ID), input)
		})
	})
}

// modifyInput returns the patch without its labels, and the labels, which are merged
// with those of the endpoint.
func modifyInput(m *paramBody[endpointPatch]) (manager.EPModify, labelPatch) {
	var b endpointPatch
	m.into(&b)
	input := manager.EPModify{Values: m.modifyValues()}
	if _, ok := m.members["name"]; ok {
		input.Name = &b.Name
	}
	if _, ok := m.members["probe"]; ok {
		input.Probe, input.NoProbe = b.Probe.input(), b.Probe == nil
	}
	return input, b.Labels
}

func (a *API) freeEndpoint(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeEndpoint, in.ID, a.manager.FreeEP)
}

func (a *API) setWatermarks(ctx context.Context, in *setWatermarks) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (*dat.Endpoint, error) {
		return a.manager.SetWatermark(ctx, c, dat.Handle(in.ID), in.Body.SoftHigh, in.Body.HardHigh)
	})
}
