package api

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

//go:embed pages
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"anchor": anchor}).ParseFS(pageFiles, "pages/*.html"))

// pagePolicy lets the reference, the guides and the problems' pages load their own
// style and pictures and nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// spec is what the reference page shows of the document.
type spec struct {
	Info struct {
		Title, Version, Description string
	}
	Tags []struct {
		Name, Description string
	}
	Paths      map[string]map[string]specCall
	Components struct {
		Parameters map[string]specParameter
		Schemas    map[string]specSchema
	}
}

type specCall struct {
	ID          string `json:"operationId"`
	Summary     string
	Description string
	Tags        []string
	Parameters  []specParameter
	RequestBody struct {
		Content map[string]struct{ Schema specSchema }
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct{ Schema specSchema }
	}
	Method, Path string `json:"-"`
}

type specParameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
}

type specSchema struct {
	Ref         string `json:"$ref"`
	Type        any
	Format      string
	Pattern     string
	Description string
	Enum        []any
	Items       *specSchema
	AnyOf       []specSchema
	Properties  map[string]specSchema
	Required    []string
}

// section is one part of the reference page.
type section struct {
	Name, Description string
	Calls             []specCall
}

// referencePage renders the document as a page that loads nothing from outside
// and runs no script.
func referencePage(document []byte) ([]byte, error) {
	var s spec
	if err := json.Unmarshal(document, &s); err != nil {
		return nil, err
	}
	sections := make([]section, len(s.Tags))
	for i, tag := range s.Tags {
		sections[i] = section{Name: tag.Name, Description: tag.Description, Calls: s.calls(tag.Name)}
	}
	var page bytes.Buffer
	err := pages.ExecuteTemplate(&page, "reference.html", map[string]any{
		"Info": s.Info, "Base": basePath, "Sections": sections, "Schemas": s.Components.Schemas,
	})
	return page.Bytes(), err
}

// calls are the calls of a tag by path, and as one creates, reads and frees.
func (s spec) calls(tag string) []specCall {
	var all []specCall
	for path, item := range s.Paths {
		for method, c := range item {
			if !slices.Contains(c.Tags, tag) {
				continue
			}
			c.Method, c.Path = strings.ToUpper(method), path
			for i, p := range c.Parameters {
				if p.Ref != "" {
					c.Parameters[i] = s.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
				}
			}
			all = append(all, c)
		}
	}
	order := map[string]string{"POST": "1", "GET": "2", "PATCH": "3", "PUT": "4", "DELETE": "5"}
	slices.SortFunc(all, func(a, b specCall) int { return strings.Compare(a.Path+order[a.Method], b.Path+order[b.Method]) })
	return all
}

// Kind says what a schema is, in a few words.
func (s specSchema) Kind() string {
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

// Link is the component that a schema refers to, directly, in a list or beside null.
func (s specSchema) Link() string {
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

// Needs tells whether a member is required.
func (s specSchema) Needs(member string) bool { return slices.Contains(s.Required, member) }

// anchor is a name as the id of an element.
func anchor(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

// problemPage explains one kind of problem, or lists all.
func (a *API) problemPage(w http.ResponseWriter, r *http.Request) {
	all := problemKinds()
	name := r.PathValue("name")
	k, known := all[name]
	if name != "" && !known {
		writeProblem(w, r, problemOfKind(kindNoRoute, "There is no problem "+quoted(name)+". /problems lists all."))
		return
	}
	data := map[string]any{"All": sortedKeys(all), "Kinds": all, "Name": name}
	if known {
		data["Title"], data["About"], data["Status"] = k.title, k.about, k.status
		data["StatusText"] = http.StatusText(k.status)
	}
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, "problem.html", data); err != nil {
		panic(err) // the template is part of the program
	}
	newDocument(page.Bytes(), "text/html; charset=utf-8").serve(w, r)
}

// problemKinds are all problems by the name in their type.
func problemKinds() map[string]kind {
	all := map[string]kind{}
	for _, k := range returns {
		all[k.name] = k
	}
	for name, k := range kinds {
		all[name] = k
	}
	return all
}

// Title is the problem's title, for its page.
func (k kind) Title() string { return k.title }

// reason is an error for an operator's eye on /readyz, without what lies below it.
func reason(err error) string {
	p := problemOf(err)
	if p.Status != http.StatusInternalServerError {
		return p.Detail
	}
	return err.Error()
}
