package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// iaPatch is what can be changed of an adapter.
type iaPatch struct {
	Labels           labelPatch                               `json:"labels,omitempty" doc:"Labels to set; null removes one, others stay; null for all removes all."`
	EndpointDefaults document.Nullable[endpointDefaultsPatch] `json:"endpoint_defaults,omitempty" doc:"Attributes that new endpoints of the adapter start with; those that are there stay as they are. Null takes all defaults away."`
}

// endpointDefaultsPatch are named attributes that new endpoints start with.
type endpointDefaultsPatch struct {
	EPTransportSpecific namedValues `json:"ep_transport_specific,omitempty" doc:"Attributes of the transport to set; null removes one, others stay."`
	EPProviderSpecific  namedValues `json:"ep_provider_specific,omitempty" doc:"Attributes of the provider to set; null removes one, others stay."`
}

// namedValues are named attributes in a patch; null removes one.
type namedValues map[string]*string

// Schema returns the schema of an object of strings or nulls (huma.SchemaProvider).
func (namedValues) Schema(huma.Registry) *huma.Schema {
	value := &huma.Schema{Type: huma.TypeString, Nullable: true}
	value.PrecomputeMessages()
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: value}
}

type modifyIA struct {
	Write
	IAPath
	Body iaPatch
}

func (a *API) registerModifyIA() {
	register(a, route{
		id: "modify-ia", method: http.MethodPatch, path: "/ias/{ia}", tag: document.TagIA,
		summary: "Change the labels of an interface adapter, or what its endpoints start with",
		about:   "All or nothing. Which attributes there are, and their values, each adapter says by refusing others.",
		answer:  reflect.TypeFor[dat.IA](), versioned: true, bodyTypes: []string{document.MediaMergePatch},
	}, a.modifyIA)
}

func (b iaPatch) input() manager.IAModify {
	in := manager.IAModify{NoDefaults: b.EndpointDefaults.Present && b.EndpointDefaults.Value == nil}
	if d := b.EndpointDefaults.Value; d != nil {
		in.TransportDefaults, in.ProviderDefaults = d.EPTransportSpecific, d.EPProviderSpecific
	}
	return in
}

func (a *API) modifyIA(ctx context.Context, in *modifyIA) (*answer, error) {
	return change(ctx, a, in.Write, dat.TypeIA, in.IA, func(c manager.Call) (*dat.IA, error) {
		return relabelled(a, c, dat.TypeIA, dat.Handle(in.IA), in.Body.Labels, func(c manager.Call, labels *map[string]string) (*dat.IA, error) {
			input := in.Body.input()
			input.Labels = labels
			return a.manager.ModifyIA(ctx, c, dat.Handle(in.IA), input)
		})
	})
}
