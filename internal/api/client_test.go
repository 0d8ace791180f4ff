package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/datapi/datapi/internal/api/document"
)

// documentRouter finds the call of a request in the document, for its validation.
var documentRouter = sync.OnceValues(func() (routers.Router, error) {
	spec, err := OpenAPI("3.1")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(spec)
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
})

// reply is an answer of the service.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// option changes a request before it is sent.
type option func(*http.Request)

// with sets a header.
func with(name, value string) option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// loose leaves out the comparison with the document: for answers that it does not describe (dry runs, items with some
// of their members) and requests that are wrong on purpose.
func loose(r *http.Request) { *r = *r.WithContext(context.WithValue(r.Context(), looseKey{}, true)) }

type looseKey struct{}

// do sends a call and validates the request and the answer by the document. A body that is no string or bytes is sent
// as JSON.
func (r *rig) do(method, path string, body any, options ...option) reply {
	r.t.Helper()
	data := encodedBody(r.t, body)
	request := httptest.NewRequest(method, "http://localhost"+basePath+path, bytes.NewReader(data)).WithContext(r.t.Context())
	if len(data) > 0 {
		request.Header.Set("Content-Type", document.MediaJSON)
	}
	if r.credential != nil {
		r.credential(request)
	}
	for _, o := range options {
		o(request)
	}
	recorder := httptest.NewRecorder()
	r.api.Handler.ServeHTTP(recorder, request)
	out := reply{t: r.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}
	if request.Context().Value(looseKey{}) == nil {
		out.validate(request, data)
	}
	if out.status >= http.StatusInternalServerError && out.status != http.StatusServiceUnavailable && out.status != http.StatusGatewayTimeout && out.status != http.StatusNotImplemented && out.status != http.StatusInsufficientStorage {
		r.t.Fatalf("%s %s answered %d: %s", method, path, out.status, out.body)
	}
	return out
}

// raw sends a call outside the API.
func (r *rig) raw(method, path string, options ...option) *httptest.ResponseRecorder {
	r.t.Helper()
	request := httptest.NewRequest(method, "http://localhost"+path, nil)
	for _, o := range options {
		o(request)
	}
	recorder := httptest.NewRecorder()
	r.api.Handler.ServeHTTP(recorder, request)
	return recorder
}

func encodedBody(t testing.TB, body any) []byte {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	data, err := json.Marshal(body)
	must(t, err)
	return data
}

// validate fails where the answer, or a request that was not refused, is not as the document describes it.
func (a reply) validate(request *http.Request, body []byte) {
	a.t.Helper()
	router, err := documentRouter()
	must(a.t, err)
	plain := request.Clone(request.Context())
	plain.URL.Scheme, plain.URL.Host = "", ""
	route, params, err := router.FindRoute(plain)
	if err != nil {
		a.t.Fatalf("%s %s is not in the document: %v", request.Method, request.URL, err)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, MultiError: true}
	in := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route, Options: options}
	if a.status < http.StatusBadRequest {
		if err := openapi3filter.ValidateRequest(request.Context(), in); err != nil {
			a.t.Errorf("%s %s: the service took what the document does not describe: %v", request.Method, request.URL, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: a.status, Header: a.header, Options: options}
	out.SetBodyBytes(a.body)
	if err := openapi3filter.ValidateResponse(request.Context(), out); err != nil {
		a.t.Errorf("%s %s: the answer is not what the document describes: %.600v\n%.600s", request.Method, request.URL, err, a.body)
	}
}

// is fails where the answer has another status.
func (a reply) is(status int) reply {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("the status is %d, not %d: %.600s", a.status, status, a.body)
	}
	return a
}

// refused fails where the answer is no complete problem of a status and, where given, of a DAT_RETURN and subtype.
func (a reply) refused(status int, words ...string) document.Problem {
	a.t.Helper()
	a.is(status)
	if got := a.header.Get("Content-Type"); got != document.MediaProblem {
		a.t.Errorf("a problem of type %q", got)
	}
	var p document.Problem
	a.into(&p)
	if p.Detail == "" || p.Title == "" || p.RequestID == "" || p.Status != status || !strings.HasPrefix(p.Type, "/problems/") {
		a.t.Errorf("an incomplete problem: %s", a.body)
	}
	if len(words) > 0 && (p.Return == nil || p.Return.String() != words[0]) {
		a.t.Errorf("dat_return is not %s: %s", words[0], a.body)
	}
	if len(words) > 1 && p.Subtype.String() != words[1] {
		a.t.Errorf("dat_subtype is not %s: %s", words[1], a.body)
	}
	return p
}

// into decodes the answer.
func (a reply) into(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		a.t.Fatalf("%v: %s", err, a.body)
	}
}

// object returns the members of the answer.
func (a reply) object() map[string]any {
	a.t.Helper()
	var m map[string]any
	a.into(&m)
	return m
}

// id returns the id of the object that the answer shows.
func (a reply) id() string {
	a.t.Helper()
	id, ok := a.object()["id"].(string)
	if !ok {
		a.t.Fatalf("no id: %s", a.body)
	}
	return id
}

// at returns the member at a path of names.
func (a reply) at(path ...string) any {
	a.t.Helper()
	var v any = a.object()
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			a.t.Fatalf("no %v in %s", path, a.body)
		}
		v = m[name]
	}
	return v
}

type members = map[string]any

const ia0, ia1 = "soft0@alpha", "soft1@alpha"

// pz makes a protection zone.
func (r *rig) pz(ia string) string {
	r.t.Helper()
	return r.do("POST", "/pzs", members{"ia": ia}).is(201).id()
}

// evd makes an event dispatcher of 64 events.
func (r *rig) evd(ia string, streams ...string) string {
	r.t.Helper()
	return r.do("POST", "/evds", members{"ia": ia, "qlen": 64, "streams": streams}).is(201).id()
}

// endpoint makes an endpoint that can connect, with the objects that it needs.
func (r *rig) endpoint(ia string) string {
	r.t.Helper()
	evd := r.evd(ia, "DTO", "CONNECTION")
	return r.do("POST", "/endpoints", members{"ia": ia, "pz": r.pz(ia), "recv_evd": evd, "request_evd": evd, "connect_evd": evd}).is(201).id()
}

// pair connects an endpoint of the first adapter with one of the second.
func (r *rig) pair() (active, passive string) {
	r.t.Helper()
	active, passive = r.endpoint(ia0), r.endpoint(ia1)
	r.join(active, passive)
	return active, passive
}

// join connects two endpoints, which may have been connected before.
func (r *rig) join(active, passive string) {
	r.t.Helper()
	crs := r.evd(ia1, "CR")
	psp := r.do("POST", "/psps", members{"ia": ia1, "evd": crs}).is(201)
	address := r.do("GET", "/ias/"+ia1, nil).is(200).at("ia_attributes", "ia_address")
	r.do("POST", "/endpoints/"+active+"/connect", members{"remote_ia_address": address, "remote_port_qual": psp.at("conn_qual")}).is(202)
	cr := r.request(crs)
	r.do("POST", "/crs/"+cr+"/accept", members{"endpoint": passive}, with("Prefer", "wait=10")).is(200)
	eventually(r.t, "both ends connected", func() bool {
		return r.do("GET", "/endpoints/"+active, nil).at("state") == "CONNECTED" && r.do("GET", "/endpoints/"+passive, nil).at("state") == "CONNECTED"
	})
}

// request returns the id of the next connection request on an EVD, for which it waits.
func (r *rig) request(evd string) string {
	r.t.Helper()
	var taken struct {
		Events []struct{ Data struct{ CR string } }
	}
	r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 1}, with("Prefer", "wait=10")).is(200).into(&taken)
	if len(taken.Events) != 1 {
		r.t.Fatal("no connection request came")
	}
	return taken.Events[0].Data.CR
}
