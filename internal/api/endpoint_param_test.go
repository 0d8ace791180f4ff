package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// property finds a parameter in the schema of a body.
func property(a *API, schema, param string) *huma.Schema {
	if name, ok := strings.CutPrefix(param, attributePrefix); ok {
		return a.schemas.Map()[schema+"Attributes"].Properties[name]
	}
	return a.schemas.Map()[schema].Properties[param]
}

func TestEveryParameterIsInTheBodiesThatTakeIt(t *testing.T) {
	a := build(Config{})
	for _, p := range dat.Params() {
		if p == dat.ParamComm {
			continue // no member of this service's endpoints
		}
		if property(a, "EndpointPatch", p.String()) == nil {
			t.Errorf("%s is not in the body of PATCH, where it is taken or refused as never modifiable", p)
		}
		if p.SetAtCreate() && property(a, "EndpointCreate", p.String()) == nil {
			t.Errorf("%s is not in the body of POST", p)
		}
	}
}

// body is a parameter with a value as a body has it.
func body(p dat.Param, value any) members {
	if name, ok := strings.CutPrefix(p.String(), attributePrefix); ok {
		return members{"attributes": members{name: value}}
	}
	return members{p.String(): value}
}

// otherValue is a value that an endpoint does not have which was created with
// none, nil where every endpoint has the same.
func (r *rig) otherValue(p dat.Param) any {
	switch p.Kind() {
	case dat.ValueHandle:
		if p == dat.ParamPZ {
			return r.pz(ia0)
		}
		return r.evd(ia0, "DTO", "CONNECTION")
	case dat.ValueChoice:
		words, supported := p.Choices()
		for _, word := range words {
			if supported == "" && word != p.Default() {
				return word
			}
		}
		return nil
	case dat.ValueNamed:
		return members{map[dat.Param]string{dat.ParamEPTransportSpecific: "tos", dat.ParamEPProviderSpecific: "max_inline_data"}[p]: "1"}
	default:
		return 1.0
	}
}

// TestEveryParameterIsRevertable modifies each parameter alone and goes back.
func TestEveryParameterIsRevertable(t *testing.T) {
	r := newRig(t)
	for _, p := range dat.Params() {
		value := r.otherValue(p)
		if p.Group() == dat.GroupNever || value == nil {
			continue
		}
		made := r.do("POST", "/endpoints", members{"ia": ia0}).is(201)
		path := strings.Split(p.String(), ".")
		modified := r.do("PATCH", "/endpoints/"+made.id(), body(p, value)).is(200)
		if got := modified.at(path...); !reflect.DeepEqual(got, value) {
			t.Errorf("%s is %v after %v was asked for", p, got, value)
		}
		back := r.do("POST", "/endpoints/"+made.id()+"/revert", members{"version": 1}).is(200)
		if got, want := back.at(path...), made.at(path...); !reflect.DeepEqual(got, want) || back.at("version") != 3.0 {
			t.Errorf("%s is %v in version %v, want %v", p, got, back.at("version"), want)
		}
	}
}

// TestAnEndpointCanBeCreatedLikeAnother posts what an endpoint shows of each parameter.
func TestAnEndpointCanBeCreatedLikeAnother(t *testing.T) {
	r := newRig(t)
	first := r.do("POST", "/endpoints", members{"ia": ia0, "pz": r.pz(ia0), "recv_evd": r.evd(ia0, "DTO")}).is(201)
	like := members{"ia": ia0, "attributes": first.at("attributes")}
	for _, p := range dat.Params() {
		if p.SetAtCreate() && p.Kind() == dat.ValueHandle {
			like[p.String()] = first.at(p.String())
		}
	}
	second := r.do("POST", "/endpoints", like).is(201)
	for _, p := range dat.Params() {
		path := strings.Split(p.String(), ".")
		if p.SetAtCreate() && !reflect.DeepEqual(first.at(path...), second.at(path...)) {
			t.Errorf("%s is %v, want %v", p, second.at(path...), first.at(path...))
		}
	}
}

func TestAttributesAreDescribedByTheirOwnSentences(t *testing.T) {
	a := build(Config{})
	for _, p := range dat.Params() {
		if p.Doc() == "" {
			continue
		}
		shown := a.schemas.Map()["EPAttributes"].Properties[strings.TrimPrefix(p.String(), attributePrefix)]
		if shown == nil || shown.Description != p.Doc() {
			text, _ := json.Marshal(shown)
			t.Errorf("%s is described as %s, want %q", p, text, p.Doc())
		}
	}
}
