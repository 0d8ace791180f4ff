package api

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// attributePrefix begins the names of the parameters that lie in `attributes`.
const attributePrefix = "attributes."

// paramForm is how the body of a call shows the parameters of package dat.
type paramForm struct {
	// takes reports whether the body has the parameter.
	takes func(dat.Param) bool
	// nullable tells that numbers and words may be null.
	nullable bool
	// phrases are the descriptions that are not those of the parameter itself.
	phrases map[dat.Param]string
}

// createForm is the form of the parameters at dat_ep_create: null is the default.
var createForm = paramForm{
	takes: dat.Param.SetAtCreate, nullable: true,
	phrases: map[dat.Param]string{
		dat.ParamPZ:                  "The protection zone; null where left out.",
		dat.ParamRecvEVD:             "The EVD for completions of receives; null where left out: not interested.",
		dat.ParamRequestEVD:          "The EVD for completions of requests; null where left out.",
		dat.ParamConnectEVD:          "The EVD for connection events; null where left out.",
		dat.ParamEPTransportSpecific: "retry_count, rnr_retry_count, ack_timeout, tos: whole numbers as strings.",
		dat.ParamEPProviderSpecific:  "max_inline_data, and where the adapter has them comp_vector and min_rnr_timer: whole numbers as strings.",
	},
}

const namedPatch = "Named attributes to set; null removes one, others stay. Present, even {}, it sets its mask bit."

// patchForm is the form of the parameters at dat_ep_modify. What is set by another
// call only is there to be refused as such.
var patchForm = paramForm{
	takes: func(p dat.Param) bool { return p.Kind() != dat.ValueOther },
	phrases: map[dat.Param]string{
		dat.ParamPZ:                  "The protection zone, or null.",
		dat.ParamRecvEVD:             "The EVD for completions of receives, or null.",
		dat.ParamRequestEVD:          "The EVD for completions of requests, or null.",
		dat.ParamConnectEVD:          "The EVD for connection events, or null.",
		dat.ParamSRQSoftHW:           "Never modifiable.",
		dat.ParamEPTransportSpecific: namedPatch,
		dat.ParamEPProviderSpecific:  namedPatch,
	},
}

// endpointCreateAttributes is DAT_EP_ATTR at creation, endpointPatchAttributes
// at modify.
type (
	endpointCreateAttributes struct{}
	endpointPatchAttributes  struct{}
)

// TransformSchema adds the parameters that dat_ep_create takes.
func (endpointCreate) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	attributes := r.Schema(reflect.TypeFor[*endpointCreateAttributes](), true, "")
	attributes.Description = "The attributes; the provider's defaults where left out or null, the whole or any member."
	s.Properties["attributes"] = attributes
	return createForm.addTo(r, s, false)
}

// TransformSchema adds the parameters that dat_ep_modify takes.
func (endpointPatch) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	attributes := r.Schema(reflect.TypeFor[endpointPatchAttributes](), true, "")
	attributes.Description = "The attributes to change."
	s.Properties["attributes"] = attributes
	return patchForm.addTo(r, s, false)
}

// TransformSchema adds the attributes that dat_ep_create takes.
func (endpointCreateAttributes) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return createForm.addTo(r, s, true)
}

// TransformSchema adds the attributes that dat_ep_modify takes.
func (endpointPatchAttributes) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	return patchForm.addTo(r, s, true)
}

// addTo adds parameters to a schema: those that lie in `attributes`, or those
// that do not.
func (f *paramForm) addTo(r huma.Registry, s *huma.Schema, attributes bool) *huma.Schema {
	for _, p := range dat.Params() {
		name, isAttribute := strings.CutPrefix(p.String(), attributePrefix)
		if isAttribute != attributes || !f.takes(p) {
			continue
		}
		property := valueSchemas[p.Kind()](r, p)
		property.Nullable = property.Nullable || f.nullable && property.Type != huma.TypeObject
		property.Description = f.describe(p)
		s.Properties[name] = property
	}
	return s
}

// describe returns the description of a parameter: that of the form, the words
// that it takes, or the attribute's own.
func (f *paramForm) describe(p dat.Param) string {
	if phrase, ok := f.phrases[p]; ok {
		return phrase
	}
	words, supported := p.Choices()
	switch last := len(words) - 1; {
	case supported != "":
		return "One of the adapter's " + supported + "."
	case last < 0:
		return p.Doc()
	case slices.Contains(words, dat.ChoiceDefault):
		return strings.Join(words[:last], ", ") + " or " + words[last] + ", which is " + p.Default() + "."
	default:
		return strings.Join(words, " or ") + "."
	}
}

// valueSchemas make the schema of a parameter of each kind.
var valueSchemas = map[dat.ValueKind]func(huma.Registry, dat.Param) *huma.Schema{
	dat.ValueHandle: func(r huma.Registry, _ dat.Param) *huma.Schema {
		return r.Schema(reflect.TypeFor[dat.Handle](), true, "")
	},
	dat.ValueCount: wholeNumber,
	dat.ValueSize:  wholeNumber,
	dat.ValueChoice: func(_ huma.Registry, p dat.Param) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Examples: []any{p.Default()}}
	},
	dat.ValueNamed: func(huma.Registry, dat.Param) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString, Nullable: true}}
	},
	dat.ValueWatermark: func(r huma.Registry, p dat.Param) *huma.Schema {
		s := wholeNumber(r, p)
		s.Nullable = true
		return s
	},
}

func wholeNumber(huma.Registry, dat.Param) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
}
