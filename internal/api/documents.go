package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/api/document"
)

// OpenAPI returns the document of the API: version is "3.1" (YAML) or "3.0" (JSON without the streams, for tools that
// know no later version).
func OpenAPI(version string) ([]byte, error) {
	path, ok := map[string]string{"3.1": document.PathYAML, "3.0": document.PathJSON30}[version]
	if !ok {
		return nil, fmt.Errorf("there is no document of OpenAPI %q, only 3.0 and 3.1", version)
	}
	docs, err := build(Config{}).documents()
	return docs[path].body, err
}

// documents returns all forms of the API's document by path. It completes the document and may be called once.
func (a *API) documents() (map[string]servedDocument, error) {
	files, err := document.Render(a.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	docs := make(map[string]servedDocument, len(files))
	for path, f := range files {
		docs[path] = newDocument(f.Body, f.ContentType)
	}
	return docs, nil
}

// pagePolicy lets the reference page, the guides and the problems' pages load this service's style and pictures and
// nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// servedDocument is bytes that do not change while the process runs, with their entity tag.
type servedDocument struct {
	body        []byte
	etag        string
	contentType string
}

func newDocument(body []byte, contentType string) servedDocument {
	sum := sha256.Sum256(body)
	return servedDocument{body: body, etag: strconv.Quote(hex.EncodeToString(sum[:12])), contentType: contentType}
}

// serve sends the document, or 304 where the client has it already.
func (d servedDocument) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", d.etag)
	h.Set("Cache-Control", revalidate)
	h.Set("X-Content-Type-Options", "nosniff")
	if strings.HasPrefix(d.contentType, "text/html") {
		h.Set("Content-Security-Policy", pagePolicy)
	}
	if notModified(r.Header.Get("If-None-Match"), d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.contentType)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(d.body) // the client may be gone
	}
}

// problemPage serves the page that explains one kind of problem, or lists all.
func (a *API) problemPage(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	page, ok := document.ProblemPage(name)
	if !ok {
		writeProblem(w, r, document.NewProblem(document.KindNoRoute, "There is no problem "+strconv.Quote(name)+". /problems lists all."))
		return
	}
	newDocument(page, "text/html; charset=utf-8").serve(w, r)
}
