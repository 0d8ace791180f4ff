package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/datapi/datapi/internal/api"
)

// withoutVerb are the calls that the client has no command for: they are for the page, or are what --watch uses.
var withoutVerb = []string{
	"GET /changes/stream", "POST /batch", "GET /matrix", "GET /whoami", "POST /session", "DELETE /session", "POST /signin-links",
	"GET /endpoints/status",
}

// document is the API's own description.
type document struct{ root map[string]any }

func readDocument(t *testing.T) document {
	t.Helper()
	data, err := api.OpenAPI("3.1")
	if err != nil {
		t.Fatal(err)
	}
	d := document{map[string]any{}}
	if err := yaml.Unmarshal(data, &d.root); err != nil {
		t.Fatal(err)
	}
	return d
}

// resolve follows references.
func (d document) resolve(v any) map[string]any {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	ref, ok := object["$ref"].(string)
	if !ok {
		return object
	}
	target := d.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		target, _ = target[part].(map[string]any)
	}
	return d.resolve(target)
}

// parameter is what stands in a path for an argument.
var parameter = regexp.MustCompile(`\{\w+\}`)

// operations are all calls below /api/v1 as `GET /endpoints/{}`.
func (d document) operations() map[string]map[string]any {
	all := map[string]map[string]any{}
	for path, item := range d.root["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			if operation, ok := op.(map[string]any); ok && operation["responses"] != nil {
				path := strings.TrimPrefix(path, "/api/v1")
				all[strings.ToUpper(method)+" "+parameter.ReplaceAllString(path, "{}")] = operation
			}
		}
	}
	return all
}

// has tells whether a schema has the member at a dotted path. A schema that lists no members has any.
func (d document) has(schema any, path string) bool {
	s := d.resolve(schema)
	for _, kind := range []string{"oneOf", "anyOf", "allOf"} {
		choices, _ := s[kind].([]any)
		for _, c := range choices {
			if d.has(c, path) {
				return true
			}
		}
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return false
	}
	name, rest, deeper := strings.Cut(path, ".")
	member, ok := properties[name]
	return ok && (!deeper || d.has(member, rest))
}

// query are the names of an operation's query parameters.
func (d document) query(operation map[string]any) []string {
	var names []string
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		if p := d.resolve(p); p["in"] == "query" {
			names = append(names, p["name"].(string))
		}
	}
	return names
}

// bodySchema is the schema of an operation's JSON body.
func (d document) bodySchema(operation map[string]any) any {
	content, _ := d.resolve(operation["requestBody"])["content"].(map[string]any)
	for _, media := range []string{"application/json", "application/merge-patch+json"} {
		if m, ok := content[media].(map[string]any); ok {
			return m["schema"]
		}
	}
	return nil
}

func TestEveryVerbIsACallOfTheDocument(t *testing.T) {
	d := readDocument(t)
	operations := d.operations()
	for _, n := range nouns() {
		for _, v := range n.verbs {
			key := v.method + " " + placeholder.ReplaceAllString(n.path+v.path, "{}")
			operation, ok := operations[key]
			if !ok {
				t.Errorf("%s %s: the document has no %s", n.name, v.name, key)
				continue
			}
			for _, m := range v.query {
				if !slices.Contains(d.query(operation), m.wire) {
					t.Errorf("%s %s: %s has no parameter %s; it has %v", n.name, v.name, key, m.wire, d.query(operation))
				}
			}
			for _, m := range v.body {
				if !d.has(d.bodySchema(operation), m.wire) {
					t.Errorf("%s %s: the body of %s has no member %s", n.name, v.name, key, m.wire)
				}
			}
		}
	}
}

// withoutFlag are the query parameters that no flag sets: what the client does itself, or has an option for.
var withoutFlag = []string{"forward", "dry_run"}

func TestEveryParameterOfACallIsAFlag(t *testing.T) {
	d := readDocument(t)
	operations := d.operations()
	for _, n := range nouns() {
		for _, v := range n.verbs {
			key := v.method + " " + placeholder.ReplaceAllString(n.path+v.path, "{}")
			for _, name := range d.query(operations[key]) {
				has := func(m member) bool { return m.wire == name }
				if !slices.ContainsFunc(v.query, has) && !slices.Contains(withoutFlag, name) {
					t.Errorf("%s %s has no flag for the parameter %s of %s", n.name, v.name, name, key)
				}
			}
			for _, name := range d.required(d.bodySchema(operations[key])) {
				has := func(m member) bool { return m.wire == name && m.need }
				if !slices.ContainsFunc(v.body, has) && !slices.ContainsFunc(v.body, func(m member) bool { return strings.HasPrefix(m.wire, name+".") && m.need }) {
					t.Errorf("%s %s: no flag that is required sets %s, which %s must have", n.name, v.name, name, key)
				}
			}
		}
	}
}

// required are the members that a body must have.
func (d document) required(schema any) []string {
	var names []string
	list, _ := d.resolve(schema)["required"].([]any)
	for _, name := range list {
		names = append(names, name.(string))
	}
	return names
}

// enum are the words of a schema, or of the items of a list; nil where it has any.
func (d document) enum(schema any) []string {
	s := d.resolve(schema)
	for _, kind := range []string{"oneOf", "anyOf"} {
		choices, _ := s[kind].([]any)
		for _, c := range choices {
			if found := d.enum(c); found != nil {
				return found
			}
		}
	}
	if s["items"] != nil {
		return d.enum(s["items"])
	}
	var words []string
	list, _ := s["enum"].([]any)
	for _, word := range list {
		if word != nil { // null is no word
			words = append(words, word.(string))
		}
	}
	return words
}

func TestHelpNamesTheWordsThatAParameterTakes(t *testing.T) {
	d := readDocument(t)
	operations := d.operations()
	for _, n := range nouns() {
		for _, v := range n.verbs {
			operation := operations[v.method+" "+placeholder.ReplaceAllString(n.path+v.path, "{}")]
			properties, _ := d.resolve(d.bodySchema(operation))["properties"].(map[string]any)
			schemas := maps.Clone(properties)
			if schemas == nil {
				schemas = map[string]any{}
			}
			parameters, _ := operation["parameters"].([]any)
			for _, p := range parameters {
				p := d.resolve(p)
				schemas[p["name"].(string)] = p["schema"]
			}
			for _, m := range slices.Concat(v.query, v.body) {
				words := d.enum(schemas[m.wire])
				if words != nil && !slices.Equal(slices.Sorted(slices.Values(words)), slices.Sorted(slices.Values(m.choices))) {
					t.Errorf("%s %s: --%s takes %v, and the document says %v", n.name, v.name, m.flag(), m.choices, words)
				}
			}
		}
	}
}

func TestEveryCallOfTheDocumentHasAVerb(t *testing.T) {
	verbs := slices.Clone(withoutVerb)
	for _, n := range nouns() {
		for _, v := range n.verbs {
			verbs = append(verbs, v.method+" "+placeholder.ReplaceAllString(n.path+v.path, "{}"))
		}
	}
	operations := readDocument(t).operations()
	for call := range operations {
		if !slices.Contains(verbs, call) {
			t.Errorf("%s has no command", call)
		}
	}
	for _, call := range withoutVerb {
		if operations[call] == nil {
			t.Errorf("%s is named as a call without a command, and is no call", call)
		}
	}
}
