package document

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

func TestSchemasAreNamedAsTheDocumentWritesThem(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		hint string
		want string
	}{
		{reflect.TypeFor[body](), "", "Body"},
		{reflect.TypeFor[pzCreate](), "", "PZCreate"},
		{reflect.TypeFor[pageOf[dat.Endpoint]](), "", "EndpointPage"},
		{reflect.TypeFor[struct{ A int }](), "create-pz", "Create-pz"},
	} {
		if got := componentName(c.typ, c.hint); got != c.want {
			t.Errorf("%s is named %s, not %s", c.typ, got, c.want)
		}
	}
}

type pzCreate struct{}

type pageOf[T any] struct{ Items []T }

func TestTwoTypesOfOneNameAreRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the second type took the first one's schema")
		}
	}()
	type PZ struct{ Other int }
	s := NewSchemas()
	s.Schema(reflect.TypeFor[dat.PZ](), true, "")
	s.Schema(reflect.TypeFor[PZ](), true, "")
}

func TestWhatPackageDatMayLeaveEmptyMayBeNull(t *testing.T) {
	s := NewSchemas()
	for typ, null := range map[reflect.Type]bool{
		reflect.TypeFor[dat.Handle](): true, reflect.TypeFor[dat.Name](): true, reflect.TypeFor[dat.Watermark](): true,
		reflect.TypeFor[dat.Subtype](): true, reflect.TypeFor[*dat.EPState](): true, reflect.TypeFor[*dat.PZ](): true,
		reflect.TypeFor[Nullable[string]](): true, reflect.TypeFor[AnyJSON](): true,
		reflect.TypeFor[dat.EPState](): false, reflect.TypeFor[dat.Time](): false, reflect.TypeFor[dat.PZ](): false, reflect.TypeFor[uint32](): false,
	} {
		if got := isNullable(s.Schema(typ, true, "")); got != null {
			t.Errorf("%s takes null: %v", typ, got)
		}
	}
}

func TestOpenAPI30SaysNullAndExamplesInItsOwnWords(t *testing.T) {
	spec := `{"openapi":"3.1.0","info":{"license":{"name":"x","identifier":"x"}},"paths":{"/a":{},"/a/stream":{}},
		"a":{"type":["string","null"],"examples":["one","two"]},
		"b":{"anyOf":[{"$ref":"#/x"},{"type":"null"}]},
		"c":[{"anyOf":[{"$ref":"#/x"},{"$ref":"#/y"},{"type":"null"}]}],
		"d":{"type":"string","contentEncoding":"base64","contentMediaType":"x"}}`
	older, err := openAPI30([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":{"example":"one","nullable":true,"type":"string"},"b":{"allOf":[{"$ref":"#/x"}],"nullable":true},` +
		`"c":[{"anyOf":[{"$ref":"#/x"},{"$ref":"#/y"}],"nullable":true}],"d":{"format":"byte","type":"string"},` +
		`"info":{"license":{"name":"x"}},"openapi":"3.0.3","paths":{"/a":{}}}`
	if string(older) != want {
		t.Errorf("made %s\nnot  %s", older, want)
	}
}

func TestParametersOfSeveralCallsAreShared(t *testing.T) {
	limit := func(description string) *huma.Param {
		return &huma.Param{Name: "limit", In: "query", Description: description, Schema: &huma.Schema{Type: huma.TypeInteger, Description: description}}
	}
	alone := &huma.Param{Name: "dry_run", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean}}
	doc := New("/api", "cookie", NewSchemas())
	doc.Paths = map[string]*huma.PathItem{
		"/a": {Get: &huma.Operation{Parameters: []*huma.Param{limit("How many.")}}, Post: &huma.Operation{Parameters: []*huma.Param{alone}}},
		"/b": {Get: &huma.Operation{Parameters: []*huma.Param{limit("How many.")}}},
		"/c": {Get: &huma.Operation{Parameters: []*huma.Param{limit("Otherwise.")}}},
		"/d": {Get: &huma.Operation{Parameters: []*huma.Param{limit("Otherwise.")}}},
	}
	shareParameters(doc)
	shared := doc.Components.Parameters
	if len(shared) != 1 || shared["LimitQuery"].Description != "How many." || shared["LimitQuery"].Schema.Description != "" {
		t.Errorf("shared: %+v", shared)
	}
	for path, ref := range map[string]string{"/a": "#/components/parameters/LimitQuery", "/b": "#/components/parameters/LimitQuery", "/c": "", "/d": ""} {
		if got := doc.Paths[path].Get.Parameters[0].Ref; got != ref {
			t.Errorf("%s refers to %q, not %q", path, got, ref)
		}
	}
	if alone.Ref != "" {
		t.Errorf("the parameter of one call is shared: %+v", alone)
	}
}

func TestTheReferencePageShowsCallsInTheOrderOfTheirUse(t *testing.T) {
	call := func(id string) *huma.Operation { return &huma.Operation{OperationID: id, Tags: []string{TagPZ}} }
	doc := New("/api", "cookie", NewSchemas())
	doc.Paths = map[string]*huma.PathItem{
		"/pzs":      {Get: call("list-pzs"), Post: call("create-pz")},
		"/pzs/{id}": {Get: call("get-pz"), Delete: call("free-pz"), Patch: call("modify-pz")},
	}
	spec, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	page, err := referencePage(spec)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, id := range []string{"create-pz", "list-pzs", "get-pz", "modify-pz", "free-pz"} {
		at := strings.Index(string(page), `id="`+id+`"`)
		if at < last {
			t.Errorf("%s is at %d, before the call that comes first", id, at)
		}
		last = at
	}
}
