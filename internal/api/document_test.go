package api

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

func TestOpenAPIFileIsWhatTheCodeMakes(t *testing.T) {
	made, err := OpenAPI("3.1")
	must(t, err)
	committed, err := os.ReadFile("../../openapi.yaml")
	must(t, err)
	if !bytes.Equal(made, committed) {
		t.Error("openapi.yaml is not what the code makes; run: make gen")
	}
}

func TestOpenAPIIsTheSameEachTime(t *testing.T) {
	for _, version := range []string{"3.0", "3.1"} {
		one, err := OpenAPI(version)
		must(t, err)
		two, err := OpenAPI(version)
		must(t, err)
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs from run to run", version)
		}
	}
	if _, err := OpenAPI("2.0"); err == nil {
		t.Error("there is a document of version 2.0")
	}
}

func TestDocumentsAreValid(t *testing.T) {
	for _, version := range []string{"3.0", "3.1"} {
		spec, err := OpenAPI(version)
		must(t, err)
		doc, err := openapi3.NewLoader().LoadFromData(spec)
		must(t, err)
		must(t, doc.Validate(t.Context()))
	}
}

func TestOpenAPI30HasNoStreamsAndNoKeywordsOf31(t *testing.T) {
	spec, err := OpenAPI("3.0")
	must(t, err)
	for _, unwanted := range []string{"/changes/stream", `"null"`, "contentEncoding", `"examples"`, `"type":[`} {
		if bytes.Contains(spec, []byte(unwanted)) {
			t.Errorf("the 3.0 document has %s", unwanted)
		}
	}
}

// operations calls do for every call of the document.
func (a *API) operations(do func(method, path string, op *huma.Operation)) {
	paths := a.huma.OpenAPI().Paths
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range methods {
			if op := a.documented(route{method: method, path: path}); op != nil {
				do(method, path, op)
			}
		}
	}
}

func TestEveryCallAndMemberIsDescribed(t *testing.T) {
	a := build(Config{})
	verbNoun := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	a.operations(func(method, path string, op *huma.Operation) {
		if !verbNoun.MatchString(op.OperationID) || op.Summary == "" || len(op.Tags) != 1 || strings.HasSuffix(op.Summary, ".") {
			t.Errorf("%s %s: id %q, summary %q, tags %v", method, path, op.OperationID, op.Summary, op.Tags)
		}
		for _, p := range op.Parameters {
			if p.Description == "" {
				t.Errorf("%s %s: parameter %s has no description", method, path, p.Name)
			}
		}
	})
	for name, schema := range a.schemas.Map() {
		for member, property := range schema.Properties {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
}

// TestEveryObjectTypeHasARow holds the table of kinds against the types of dat and against the calls that there are.
func TestEveryObjectTypeHasARow(t *testing.T) {
	if types := len(dat.ObjectTypes()); types != len(objectKinds) {
		t.Fatalf("dat has %d types of objects, the table %d rows", types, len(objectKinds))
	}
	a := build(Config{})
	paths, schemas, subtypes := map[string]bool{}, map[string]bool{}, map[dat.Subtype]bool{}
	for i, kind := range objectKinds {
		typ := dat.ObjectType(i)
		list, one := a.huma.OpenAPI().Paths[kind.path], false
		for path, item := range a.huma.OpenAPI().Paths {
			one = one || item.Get != nil && regexp.MustCompile(`^`+kind.path+`/\{\w+\}$`).MatchString(path)
		}
		if list == nil || list.Get == nil || !one {
			t.Errorf("%s: no list at %q, or no object below it", typ, kind.path)
		}
		if len(a.schemas.Members(kind.schema)) == 0 {
			t.Errorf("%s: the document has no component %q", typ, kind.schema)
		}
		if kind.isID == nil || kind.isID("") {
			t.Errorf("%s: an empty text is taken as an id", typ)
		}
		if none := kind.subtype == dat.SubNone; none != (typ == dat.TypeEVD) {
			t.Errorf("%s: subtype %s", typ, kind.subtype)
		}
		if paths[kind.path] || schemas[kind.schema] || subtypes[kind.subtype] {
			t.Errorf("%s: path %q, component %q or subtype %s is another type's", typ, kind.path, kind.schema, kind.subtype)
		}
		paths[kind.path], schemas[kind.schema], subtypes[kind.subtype] = true, true, true
		if (kind.use != nil) != slices.Contains(limitOrder, typ) {
			t.Errorf("%s: it has a limit and no check, or a check and no limit", typ)
		}
	}
}

func TestListsHaveTheFiltersOfTheStore(t *testing.T) {
	a := build(Config{})
	everyList := []string{"cursor", "fields", "label", "limit", "name", "offset", "sort", "total"}
	for i, kind := range objectKinds {
		known := a.queries[a.documented(route{path: kind.path, method: http.MethodGet}).OperationID].names
		filters := slices.DeleteFunc(slices.Clone(known), func(n string) bool { return slices.Contains(everyList, n) })
		if want := store.FilterNames(dat.ObjectType(i)); !slices.Equal(filters, want) {
			t.Errorf("%s: the API has the filters %v, the store %v", kind.path, filters, want)
		}
	}
}
