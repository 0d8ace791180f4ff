package api

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// shareParameters moves parameters that several calls have into the components,
// once, so that clients get one type for each.
func (a *API) shareParameters() {
	doc := a.huma.OpenAPI()
	if doc.Components.Parameters == nil {
		doc.Components.Parameters = map[string]*huma.Param{}
	}
	a.eachParameter(func(p *huma.Param) {
		if p.Schema != nil && p.Schema.Ref == "" {
			schema := *p.Schema
			schema.Description = "" // the parameter's own says it
			p.Schema = &schema
		}
	})
	seen := map[string]int{}
	a.eachParameter(func(p *huma.Param) { seen[parameterKey(p)]++ })
	a.eachParameter(func(p *huma.Param) {
		key, name := parameterKey(p), parameterName(p)
		if seen[key] < 2 {
			return
		}
		if known := doc.Components.Parameters[name]; known != nil && parameterKey(known) != key {
			return // another parameter of this name came first
		}
		shared := *p
		doc.Components.Parameters[name] = &shared
		*p = huma.Param{Ref: "#/components/parameters/" + name}
	})
}

func (a *API) eachParameter(do func(*huma.Param)) {
	for _, r := range sortedKeys(a.huma.OpenAPI().Paths) {
		item := a.huma.OpenAPI().Paths[r]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			for _, p := range op.Parameters {
				do(p)
			}
		}
	}
}

func parameterKey(p *huma.Param) string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // parameters are part of the program
	}
	return string(b)
}

// parameterName is the component's name: DryRunQuery, IfMatchHeader.
func parameterName(p *huma.Param) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(p.Name+"-"+p.In, func(r rune) bool { return r == '-' || r == '_' }) {
		runes := []rune(part)
		runes[0] = unicode.ToUpper(runes[0])
		b.WriteString(string(runes))
	}
	return b.String()
}

// downgrade makes OpenAPI 3.0 of a 3.1 document: null as `nullable`, one example,
// and without the streams, which 3.0 cannot say.
func downgrade(tree map[string]any) map[string]any {
	tree["openapi"] = "3.0.3"
	if paths, ok := tree["paths"].(map[string]any); ok {
		for path := range paths {
			if strings.HasSuffix(path, "/stream") {
				delete(paths, path)
			}
		}
	}
	if info, ok := tree["info"].(map[string]any); ok {
		if license, ok := info["license"].(map[string]any); ok {
			delete(license, "identifier")
		}
	}
	older(tree)
	return tree
}

// older rewrites a node and all below it.
func older(node any) {
	switch n := node.(type) {
	case []any:
		for _, one := range n {
			older(one)
		}
	case map[string]any:
		olderType(n)
		olderUnion(n)
		if examples, ok := n["examples"].([]any); ok && len(examples) > 0 {
			n["example"] = examples[0]
			delete(n, "examples")
		}
		if n["contentEncoding"] == "base64" {
			n["format"] = "byte"
			delete(n, "contentEncoding")
		}
		delete(n, "contentMediaType")
		for _, one := range n {
			older(one)
		}
	}
}

// olderType turns `type: [string, "null"]` into a nullable string.
func olderType(n map[string]any) {
	types, ok := n["type"].([]any)
	if !ok {
		return
	}
	for _, t := range types {
		if t == "null" {
			n["nullable"] = true
		} else {
			n["type"] = t
		}
	}
}

// olderUnion turns `anyOf: [X, null]` into a nullable X.
func olderUnion(n map[string]any) {
	union, ok := n["anyOf"].([]any)
	if !ok {
		return
	}
	kept := []any{}
	for _, one := range union {
		if m, ok := one.(map[string]any); ok && m["type"] == "null" {
			n["nullable"] = true
			continue
		}
		kept = append(kept, one)
	}
	delete(n, "anyOf")
	n["allOf"] = kept
	if len(kept) > 1 {
		delete(n, "allOf")
		n["anyOf"] = kept
	}
}
