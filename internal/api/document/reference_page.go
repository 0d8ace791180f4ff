package document

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// The reference page is rendered from the JSON of the document, not from huma's types: these types are the part of
// OpenAPI that it shows.
type (
	pageDocument struct {
		Info struct {
			Title, Version, Description string
		}
		Servers []struct{ URL string }
		Tags    []struct {
			Name, Description string
		}
		Paths      map[string]map[string]pageCall
		Components struct {
			Parameters map[string]pageParameter
			Schemas    map[string]pageSchema
		}
	}

	pageCall struct {
		ID          string `json:"operationId"`
		Summary     string
		Description string
		Tags        []string
		Parameters  []pageParameter
		RequestBody struct {
			Content map[string]struct{ Schema pageSchema }
		}
		Responses map[string]struct {
			Description string
			Content     map[string]struct{ Schema pageSchema }
		}
		Method, Path string `json:"-"`
	}

	pageParameter struct {
		Ref         string `json:"$ref"`
		Name, In    string
		Description string
		Required    bool
	}

	pageSchema struct {
		Ref         string `json:"$ref"`
		Type        any
		Format      string
		Pattern     string
		Description string
		Enum        []any
		Items       *pageSchema
		AnyOf       []pageSchema
		Properties  map[string]pageSchema
		Required    []string
	}

	// pageSection is the part of the page that shows the calls of one tag.
	pageSection struct {
		Name, Description string
		Calls             []pageCall
	}
)

// referencePage renders a document, given as JSON, as a page that loads nothing from other sites and runs no script.
func referencePage(document []byte) ([]byte, error) {
	var d pageDocument
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	sections := make([]pageSection, len(d.Tags))
	for i, tag := range d.Tags {
		sections[i] = pageSection{Name: tag.Name, Description: tag.Description, Calls: d.calls(tag.Name)}
	}
	return mustExecute("reference.html", map[string]any{
		"Info": d.Info, "Base": d.Servers[0].URL, "Sections": sections, "Schemas": d.Components.Schemas,
	}), nil
}

// methodOrder is the order of one path's calls on the page: create, read, change, free.
var methodOrder = map[string]int{"POST": 1, "GET": 2, "PATCH": 3, "PUT": 4, "DELETE": 5}

// calls returns the calls of a tag, ordered by path and method.
func (d pageDocument) calls(tag string) []pageCall {
	var all []pageCall
	for path, item := range d.Paths {
		for method, c := range item {
			if !slices.Contains(c.Tags, tag) {
				continue
			}
			c.Method, c.Path = strings.ToUpper(method), path
			for i, p := range c.Parameters {
				if p.Ref != "" {
					c.Parameters[i] = d.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
				}
			}
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b pageCall) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(methodOrder[a.Method], methodOrder[b.Method]))
	})
	return all
}

// Kind returns what a schema is in a few words, such as "array of string" or "integer (int64) or null".
func (s pageSchema) Kind() string {
	switch {
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].Kind() + " or null"
	case s.Items != nil:
		return "array of " + s.Items.Kind()
	}
	kind, _ := s.Type.(string)
	if several, ok := s.Type.([]any); ok && len(several) == 2 {
		kind, _ = several[0].(string)
		kind += " or null"
	}
	if s.Format != "" {
		kind += " (" + s.Format + ")"
	}
	return kind
}

// Link returns the component that a schema refers to, directly, as the items of an array or beside null; "" if none.
func (s pageSchema) Link() string {
	switch {
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, schemaPrefix)
	case s.Items != nil:
		return s.Items.Link()
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].Link()
	}
	return ""
}

// Needs reports whether a member is required.
func (s pageSchema) Needs(member string) bool { return slices.Contains(s.Required, member) }

// anchor returns the id of the element that shows what bears the name.
func anchor(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
