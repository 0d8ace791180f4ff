package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	humayaml "github.com/danielgtaylor/huma/v2/yaml"
)

// apiVersion is the version of the contract, not of the program.
const apiVersion = "1.0.0"

var humaSettings sync.Once

// humaConfig switches off what huma does on its own: its documents (built lazily
// without a lock), its reference page (loaded from outside), links in bodies.
func (a *API) humaConfig() huma.Config {
	humaSettings.Do(func() {
		huma.ValidateStrictCasing = true
		huma.DefaultArrayNullable = false
		huma.NewError = newError
		huma.NewErrorWithContext = newErrorWithContext
	})
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "datapi", Version: apiVersion,
				Description: "RDMA endpoints of DAT (uDAPL 1.2) as a service. The words are DAT's: states, attributes and returns are its constants without their type prefix.",
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers:    []*huma.Server{{URL: basePath, Description: "This service."}},
			Tags:       tags,
			Security:   []map[string][]string{{"bearer": {}}, {"session": {}}, {}},
			Components: &huma.Components{Schemas: a.schemas, SecuritySchemes: securitySchemes},
		},
		Formats: map[string]huma.Format{
			jsonType: {Marshal: writeJSON, Unmarshal: json.Unmarshal},
			"json":   {Marshal: writeJSON, Unmarshal: json.Unmarshal},
			octetsType: {Marshal: writeJSON, Unmarshal: func([]byte, any) error {
				return nil // raw bodies are taken as they are
			}},
		},
		DefaultFormat: jsonType,
	}
}

var securitySchemes = map[string]*huma.SecurityScheme{
	"bearer":  {Type: "http", Scheme: "bearer", Description: "The token that the service was started with."},
	"session": {Type: "apiKey", In: "cookie", Name: sessionCookie, Description: "The cookie of a session (POST /session), for browsers."},
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	return encoder.Encode(v)
}

// OpenAPI is the document of the API: version is "3.1" (YAML) or "3.0" (JSON
// without the streams, for tools that know no later one).
func OpenAPI(version string) ([]byte, error) {
	names := map[string]string{"3.1": "/openapi.yaml", "3.0": "/openapi-3.0.json"}
	name, ok := names[version]
	if !ok {
		return nil, fmt.Errorf("there is no document of OpenAPI %q, only 3.0 and 3.1", version)
	}
	documents, err := build(Config{}).documents()
	return documents[name].body, err
}

// documents builds all forms of the document once.
func (a *API) documents() (map[string]document, error) {
	a.shareParameters()
	spec, err := json.Marshal(a.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(spec, &tree); err != nil {
		return nil, err
	}
	var yaml bytes.Buffer
	yaml.WriteString("# Made by `make gen` from internal/api; a test holds the two equal.\n")
	if err := humayaml.Convert(&yaml, bytes.NewReader(spec)); err != nil {
		return nil, err
	}
	older, err := json.Marshal(downgrade(tree))
	if err != nil {
		return nil, err
	}
	page, err := referencePage(spec)
	if err != nil {
		return nil, err
	}
	style, err := pageFiles.ReadFile("pages/docs.css")
	return map[string]document{
		"/openapi.json":     newDocument(spec, "application/vnd.oai.openapi+json; charset=utf-8"),
		"/openapi.yaml":     newDocument(yaml.Bytes(), "application/vnd.oai.openapi; charset=utf-8"),
		"/openapi-3.0.json": newDocument(older, "application/vnd.oai.openapi+json; charset=utf-8"),
		"/docs":             newDocument(page, "text/html; charset=utf-8"),
		"/docs.css":         newDocument(style, "text/css; charset=utf-8"),
	}, err
}
