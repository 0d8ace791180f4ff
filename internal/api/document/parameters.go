package document

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// shareParameters moves each parameter that several calls have into the components, so that a generated client has
// one type for it. Of different parameters that share a name, the first is moved.
func shareParameters(doc *huma.OpenAPI) {
	if doc.Components.Parameters == nil {
		doc.Components.Parameters = map[string]*huma.Param{}
	}
	all := parametersOf(doc)
	uses := map[string]int{}
	for _, p := range all {
		if p.Schema != nil && p.Schema.Ref == "" {
			schema := *p.Schema
			schema.Description = "" // the same as the parameter's own
			p.Schema = &schema
		}
		uses[parameterText(p)]++
	}
	for _, p := range all {
		text, name := parameterText(p), parameterName(p)
		if uses[text] < 2 {
			continue
		}
		if known := doc.Components.Parameters[name]; known != nil && parameterText(known) != text {
			continue
		}
		shared := *p
		doc.Components.Parameters[name] = &shared
		*p = huma.Param{Ref: "#/components/parameters/" + name}
	}
}

// parametersOf returns the parameters of all calls, in the order of their paths.
func parametersOf(doc *huma.OpenAPI) []*huma.Param {
	var all []*huma.Param
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op.Parameters...)
			}
		}
	}
	return all
}

// parameterText returns the parameter as JSON: equal parameters have equal text.
func parameterText(p *huma.Param) string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // parameters are part of the program
	}
	return string(b)
}

// parameterName returns the name of a parameter's component, such as DryRunQuery and IfMatchHeader.
func parameterName(p *huma.Param) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(p.Name+"-"+p.In, func(r rune) bool { return r == '-' || r == '_' }) {
		runes := []rune(part)
		runes[0] = unicode.ToUpper(runes[0])
		b.WriteString(string(runes))
	}
	return b.String()
}
