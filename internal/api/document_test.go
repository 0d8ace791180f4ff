package api

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

func TestOpenAPIFileIsWhatTheCodeMakes(t *testing.T) {
	made, err := OpenAPI("3.1")
	must(t, err)
	kept, err := os.ReadFile("../../openapi.yaml")
	must(t, err)
	if !bytes.Equal(made, kept) {
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

func TestTheOlderDocumentHasNoStreamsAndNoNullType(t *testing.T) {
	spec, err := OpenAPI("3.0")
	must(t, err)
	for _, unwanted := range []string{"/changes/stream", `"null"`, "contentEncoding", `"examples"`, `"type":[`} {
		if bytes.Contains(spec, []byte(unwanted)) {
			t.Errorf("the 3.0 document has %s", unwanted)
		}
	}
}

func TestEveryCallAndMemberIsDescribed(t *testing.T) {
	a := build(Config{})
	verbNoun := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	for path, item := range a.huma.OpenAPI().Paths {
		for method, op := range map[string]any{"get": item.Get, "post": item.Post, "put": item.Put, "patch": item.Patch, "delete": item.Delete} {
			raw, err := json.Marshal(op)
			must(t, err)
			if string(raw) == "null" {
				continue
			}
			var c specCall
			must(t, json.Unmarshal(raw, &c))
			if !verbNoun.MatchString(c.ID) || c.Summary == "" || len(c.Tags) != 1 || strings.HasSuffix(c.Summary, ".") {
				t.Errorf("%s %s: id %q, summary %q, tags %v", method, path, c.ID, c.Summary, c.Tags)
			}
			for _, p := range c.Parameters {
				if p.Description == "" {
					t.Errorf("%s %s: parameter %s has no description", method, path, p.Name)
				}
			}
		}
	}
	for name, schema := range a.schemas.schemas {
		for member, property := range schema.Properties {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
}

func TestEveryRouteAndListNameIsKnown(t *testing.T) {
	for typ, name := range schemaOf {
		if collections[typ] == "" || build(Config{}).schemas.schemas[name] == nil {
			t.Errorf("%s: path %q, schema %q", typ, collections[typ], name)
		}
	}
}

func TestListsKnowTheFiltersAndOrdersOfTheStore(t *testing.T) {
	a := build(Config{})
	everyList := []string{"cursor", "fields", "label", "limit", "name", "offset", "sort", "total"}
	for typ, path := range collections {
		known := a.queries[a.documented(route{path: path, method: "GET"}).OperationID].names
		filters := slices.DeleteFunc(slices.Clone(known), func(n string) bool { return slices.Contains(everyList, n) })
		if want := store.FilterNames(typ); !slices.Equal(filters, want) {
			t.Errorf("%s: the API has the filters %v, the store %v", path, filters, want)
		}
	}
}

// TestRegisterIsTheOnlyDoor finds any other call of huma.Register.
func TestRegisterIsTheOnlyDoor(t *testing.T) {
	doors := 0
	must(t, filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "huma" && regexp.MustCompile(`^(Register|Get|Post|Put|Patch|Delete|Head|AutoRegister)$`).MatchString(s.Sel.Name) {
					doors++
					if filepath.Base(path) != "register.go" {
						t.Errorf("%s registers a call past register", path)
					}
				}
			}
			return true
		})
		return nil
	}))
	if doors != 1 {
		t.Errorf("huma.Register is called %d times", doors)
	}
}

// TestReturnsMapToTheStatusesOfTheContract lays the table beside the contract's.
func TestReturnsMapToTheStatusesOfTheContract(t *testing.T) {
	want := map[dat.Return]int{
		dat.RetInvalidHandle: 404, dat.RetProviderNotFound: 404,
		dat.RetInvalidParameter: 422, dat.RetInvalidAddress: 422, dat.RetLengthError: 422,
		dat.RetInvalidState: 409, dat.RetConnQualInUse: 409, dat.RetPortInUse: 409, dat.RetProviderInUse: 409,
		dat.RetPrivilegesViolation: 403, dat.RetProtectionViolation: 403,
		dat.RetModelNotSupported: 501, dat.RetNotImplemented: 501,
		dat.RetInsufficientResources: 507,
		dat.RetQueueFull:             503, dat.RetConnQualUnavailable: 503, dat.RetInterruptedCall: 503,
		dat.RetTimeoutExpired: 504, dat.RetAbort: 410,
	}
	for i := range returns {
		ret := dat.Return(i)
		status, ok := want[ret]
		if !ok {
			status = 500
		}
		p := problemOf(&dat.Error{Return: ret, Detail: "x"})
		if p.Status != status || p.Title == "" || (p.Status == 503) != (p.header.Get("Retry-After") != "") {
			t.Errorf("%s: %d %q, Retry-After %q", ret, p.Status, p.Title, p.header.Get("Retry-After"))
		}
	}
	if got := len(enums[reflect.TypeFor[dat.Return]()].words); got != len(returns) {
		t.Errorf("%d returns, %d rows", got, len(returns))
	}
	if p := problemOf(&dat.Error{Return: dat.RetInvalidHandle, Field: "pz"}); p.Status != 422 {
		t.Errorf("an invalid handle in the body is %d", p.Status)
	}
}

func TestUnknownErrorsSayNothingOfTheirCause(t *testing.T) {
	p := problemOf(os.ErrPermission)
	if p.Status != 500 || strings.Contains(p.Detail, "permission") {
		t.Errorf("problem %+v", p)
	}
}
