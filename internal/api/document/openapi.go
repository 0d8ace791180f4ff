package document

import (
	"bytes"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
	humayaml "github.com/danielgtaylor/huma/v2/yaml"
)

// Version is the version of the contract, not of the program.
const Version = "1.0.0"

// The paths at which the forms of the document are served.
const (
	// PathJSON is the document, OpenAPI 3.1, as JSON.
	PathJSON = "/openapi.json"
	// PathYAML is the same as YAML.
	PathYAML = "/openapi.yaml"
	// PathJSON30 is OpenAPI 3.0 as JSON, without the streams, for tools that know no later version.
	PathJSON30 = "/openapi-3.0.json"
	// PathReference is the reference page.
	PathReference = "/docs"
	// PathStyle is the style of the reference page and of the problems' pages.
	PathStyle = "/docs.css"
)

// File is one form of the document.
type File struct {
	Body        []byte
	ContentType string
}

// New returns a document without calls: base is the path that all calls begin with, cookie the name of the session's
// cookie, schemas the registry of the components.
func New(base, cookie string, schemas *Schemas) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "datapi", Version: Version,
			Description: "RDMA endpoints of DAT (uDAPL 1.2) as a service. The words are DAT's: states, attributes and returns are its constants without their type prefix.",
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers:  []*huma.Server{{URL: base, Description: "This service."}},
		Tags:     tags,
		Security: []map[string][]string{{"bearer": {}}, {"session": {}}, {}},
		Components: &huma.Components{Schemas: schemas, Headers: sharedHeaders(), SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer":  {Type: "http", Scheme: "bearer", Description: "The token that the service was started with."},
			"session": {Type: "apiKey", In: "cookie", Name: cookie, Description: "The cookie of a session (POST /session), for browsers."},
		}},
	}
}

// Render makes all forms of a document whose calls are all registered, by the paths at which they are served. It
// moves the parameters that several calls share into the document's components.
func Render(doc *huma.OpenAPI) (map[string]File, error) {
	shareParameters(doc)
	spec, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var yaml bytes.Buffer
	yaml.WriteString("# Made by `make gen` from internal/api; a test holds the two equal.\n")
	if err := humayaml.Convert(&yaml, bytes.NewReader(spec)); err != nil {
		return nil, err
	}
	older, err := openAPI30(spec)
	if err != nil {
		return nil, err
	}
	page, err := referencePage(spec)
	if err != nil {
		return nil, err
	}
	style, err := pageFiles.ReadFile("pages/docs.css")
	return map[string]File{
		PathJSON:      {spec, "application/vnd.oai.openapi+json; charset=utf-8"},
		PathYAML:      {yaml.Bytes(), "application/vnd.oai.openapi; charset=utf-8"},
		PathJSON30:    {older, "application/vnd.oai.openapi+json; charset=utf-8"},
		PathReference: {page, "text/html; charset=utf-8"},
		PathStyle:     {style, "text/css; charset=utf-8"},
	}, err
}
