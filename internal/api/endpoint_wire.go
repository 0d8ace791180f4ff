package api

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// Endpoint is an endpoint as the API shows it: all its parameters, and what may
// be done with it now.
type Endpoint struct {
	*dat.Endpoint
	// Modifiable is left out of lists unless asked for.
	Modifiable []string `json:"modifiable,omitzero" doc:"The parameters that dat_ep_modify would take now; lists leave it out unless asked for (fields)."`
	Operations []string `json:"operations" doc:"The operations that would not be refused for state or readiness, those without effect included."`
}

// TransformSchema adds the words of the operations.
func (Endpoint) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, word := range dat.OperationWords() {
		s.Properties["operations"].Items.Enum = append(s.Properties["operations"].Items.Enum, word)
	}
	return s
}

// endpointCreate is what dat_ep_create and dat_ep_create_with_srq take beside
// the parameters that the table of package dat adds.
type endpointCreate struct {
	IA     string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	SRQ    dat.Handle        `json:"srq,omitempty" doc:"The shared receive queue that it receives from (dat_ep_create_with_srq); null where left out."`
	Name   dat.Name          `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Probe  *probeRequest     `json:"probe,omitempty" doc:"The liveness probe; none where left out or null."`
}

// probeRequest asks for a liveness probe.
type probeRequest struct {
	IntervalS int64 `json:"interval_s" minimum:"1" maximum:"86400" example:"5" doc:"Seconds between two zero-length RDMA writes."`
	FailAfter int64 `json:"fail_after" minimum:"1" maximum:"1000" example:"3" doc:"Probes in a row without proof of life that break the connection."`
}

// endpointPatch is what dat_ep_modify takes beside the parameters that the table
// of package dat adds. The members that are present are ep_param_mask; those
// that no call sets are listed so that they are refused as such.
type endpointPatch struct {
	Name            dat.Name      `json:"name,omitempty" doc:"The new name; null takes it away. May be changed in every state."`
	Labels          labelPatch    `json:"labels,omitempty" doc:"Labels to set; null removes one, others stay; null for all removes all. May be changed in every state."`
	Probe           *probeRequest `json:"probe,omitempty" doc:"The liveness probe; null takes it away. May be changed in every state."`
	IA              *string       `json:"ia,omitempty" nullable:"true" doc:"Never modifiable."`
	State           *string       `json:"state,omitempty" nullable:"true" doc:"Never modifiable."`
	LocalIAAddress  *string       `json:"local_ia_address,omitempty" nullable:"true" doc:"Never modifiable."`
	LocalPortQual   *int64        `json:"local_port_qual,omitempty" nullable:"true" doc:"Never modifiable."`
	RemoteIAAddress *string       `json:"remote_ia_address,omitempty" nullable:"true" doc:"Never modifiable."`
	RemotePortQual  *int64        `json:"remote_port_qual,omitempty" nullable:"true" doc:"Never modifiable."`
	SRQ             dat.Handle    `json:"srq,omitempty" doc:"Never modifiable."`
}

// paramBody is a body that is documented as T, which adds parameters of package
// dat to its own members. The members that are present are a parameter mask.
type paramBody[T any] struct {
	members map[string]json.RawMessage
}

// Schema implements huma.SchemaProvider: it is the schema of T.
func (paramBody[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// UnmarshalJSON stores the members as they are.
func (b *paramBody[T]) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &b.members) }

// into decodes the members that T itself has.
func (b *paramBody[T]) into(v *T) {
	for i, t := 0, reflect.TypeFor[T](); i < t.NumField(); i++ {
		if raw, ok := b.members[jsonName(t.Field(i))]; ok {
			decode(raw, reflect.ValueOf(v).Elem().Field(i).Addr().Interface())
		}
	}
}

// createValues returns the parameters of dat_ep_create among the members; null is
// the same as left out.
func (b *paramBody[T]) createValues() dat.Values {
	return b.values(func(p dat.Param, null bool) bool { return p.SetAtCreate() && !null })
}

// modifyValues returns all parameters among the members, those too that no call
// sets: they are in the mask.
func (b *paramBody[T]) modifyValues() dat.Values {
	return b.values(func(dat.Param, bool) bool { return true })
}

func (b *paramBody[T]) values(takes func(p dat.Param, null bool) bool) dat.Values {
	var attributes map[string]json.RawMessage
	if raw, ok := b.members["attributes"]; ok {
		decode(raw, &attributes)
	}
	values := dat.Values{}
	for _, p := range dat.Params() {
		members, name := b.members, p.String()
		if attribute, ok := strings.CutPrefix(name, attributePrefix); ok {
			members, name = attributes, attribute
		}
		raw, present := members[name]
		if !present || !takes(p, string(raw) == "null") {
			continue
		}
		value, err := p.ReadValue(raw)
		if err != nil {
			panic(err) // the schema has let it through
		}
		values[p] = value
	}
	return values
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// decode reads what the schema has let through; that cannot fail.
func decode(raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic(err)
	}
}
