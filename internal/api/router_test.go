package api

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/datapi/datapi/internal/api/document"
)

func TestEveryPathRefusesOtherMethodsAndMediaTypes(t *testing.T) {
	r := newRig(t)
	for path, item := range r.api.huma.OpenAPI().Paths {
		known := map[string]bool{"GET": item.Get != nil, "POST": item.Post != nil, "PUT": item.Put != nil, "PATCH": item.Patch != nil, "DELETE": item.Delete != nil}
		concrete := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "00000000-0000-7000-8000-000000000000")
		for method, is := range known {
			if !is && r.api.v1.Match(chi.NewRouteContext(), method, concrete) {
				continue // another path takes it as an id
			}
			if !is {
				out := r.do(method, concrete, nil, loose)
				out.refused(405)
				if allow := out.header.Get("Allow"); allow == "" || strings.Contains(allow, method+",") {
					t.Errorf("%s %s: Allow %q", method, path, allow)
				}
				continue
			}
			if out := r.do(method, concrete, nil, with("Accept", "image/png"), loose); path != "/changes/stream" {
				out.refused(406)
			}
			op := r.api.documented(route{path: path, method: method})
			if op.RequestBody != nil {
				out := r.do(method, concrete, "x", with("Content-Type", "text/plain"), loose)
				if p := out.refused(415); !strings.Contains(p.Detail, "application/") {
					t.Errorf("%s %s: %s", method, path, p.Detail)
				}
				if op.RequestBody.Content[document.MediaJSON] != nil {
					r.do(method, concrete, `{"`, loose).refused(400, "DAT_INVALID_PARAMETER")
					r.do(method, concrete, `{} {}`, loose).refused(400, "DAT_INVALID_PARAMETER")
				}
			}
		}
	}
	r.do("GET", "/nosuch", nil, loose).refused(404)
	r.do("GET", "/", nil, loose).refused(404)
	if out := r.raw("GET", "/api"); out.Code != 404 || out.Header().Get("Content-Type") != document.MediaProblem {
		t.Errorf("/api: %d %s", out.Code, out.Body)
	}
	if out := r.raw("HEAD", basePath+"/pzs"); out.Code != 200 {
		t.Errorf("HEAD: %d", out.Code)
	}
}

func TestHealthAndMetricsAreServedOutsideTheAPI(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]string{"/livez": "ok", "/readyz": "ok", "/readyz?verbose": "[+] database ok since ", "/metrics": "datapi_ia_up"} {
		if out := r.raw("GET", path); out.Code != 200 || !strings.Contains(out.Body.String(), want) {
			t.Errorf("%s: %d %.200s", path, out.Code, out.Body)
		}
	}
	r.do("GET", "/pzs", nil).is(200)
	if out := r.raw("GET", "/metrics"); !strings.Contains(out.Body.String(), `route="/api/v1/pzs"`) {
		t.Errorf("the metrics do not name the route: %s", out.Body)
	}
}

func TestPanicsAreProblems(t *testing.T) {
	r := newRig(t)
	handler := withRequestInfo(r.api.recoverPanic(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret words") })))
	out := httptest.NewRecorder()
	handler.ServeHTTP(out, httptest.NewRequest("GET", "/api/v1/x", nil))
	if out.Code != 500 || out.Header().Get("Content-Type") != document.MediaProblem || strings.Contains(out.Body.String(), "secret") {
		t.Errorf("%d %s", out.Code, out.Body)
	}
}
