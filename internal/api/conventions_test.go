package api

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/datapi/datapi/internal/api/document"
)

func TestDocumentsAreServedAtTheirPaths(t *testing.T) {
	r := newRig(t)
	for path, start := range map[string]string{"/openapi.json": "{", "/openapi.yaml": "# Made", "/openapi-3.0.json": "{", "/docs": "<!doctype html>", "/docs.css": ":root"} {
		out := r.raw("GET", path)
		if out.Code != 200 || !strings.HasPrefix(out.Body.String(), start) || out.Header().Get("ETag") == "" {
			t.Errorf("%s: %d %.40q", path, out.Code, out.Body)
		}
		again := r.raw("GET", path, with("If-None-Match", out.Header().Get("ETag")))
		if again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") == "" {
			t.Errorf("%s is not 304 for who has it: %d", path, again.Code)
		}
	}
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

func TestReferencePageLoadsNothingFromOutside(t *testing.T) {
	r := newRig(t)
	out := r.raw("GET", "/docs")
	page := out.Body.String()
	if found := regexp.MustCompile(`(?i)(src|href)="(https?:)?//`).FindString(page); found != "" {
		t.Errorf("the page refers to %s", found)
	}
	for _, unwanted := range []string{"<script", "style=", "onclick"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page has %s, which its policy forbids", unwanted)
		}
	}
	if policy := out.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	if !strings.Contains(page, `id="create-endpoint"`) || !strings.Contains(page, `id="schema-Endpoint"`) {
		t.Error("the page lacks calls or schemas")
	}
}

func TestEveryProblemHasItsPage(t *testing.T) {
	r := newRig(t)
	for _, kind := range document.ProblemKinds() {
		out := r.raw("GET", "/problems/"+kind)
		explanation := document.ExplainProblem(kind)
		if out.Code != 200 || explanation == "" || !strings.Contains(html.UnescapeString(out.Body.String()), explanation) {
			t.Errorf("%s: %d", kind, out.Code)
		}
	}
	if out := r.raw("GET", "/problems/nosuch"); out.Code != 404 {
		t.Errorf("an unknown problem is %d", out.Code)
	}
	if out := r.raw("GET", "/problems"); out.Code != 200 || !strings.Contains(out.Body.String(), "/problems/invalid-state") {
		t.Errorf("the list: %d", out.Code)
	}
}

func TestMinusOneIsNotNull(t *testing.T) {
	r := newRig(t)
	pz := r.pz(ia0)
	ep := r.endpoint(ia0)
	for _, call := range []struct{ method, path, body string }{
		{"PUT", "/endpoints/" + ep + "/watermarks", `{"soft_high":-1,"hard_high":null}`},
		{"POST", "/endpoints", `{"ia":"soft0@alpha","attributes":{"max_recv_dtos":-1}}`},
		{"POST", "/evds", `{"ia":"soft0@alpha","qlen":-1,"streams":["DTO"]}`},
		{"POST", "/srqs", `{"ia":"soft0@alpha","pz":"` + pz + `","max_recv_dtos":-1,"max_recv_iov":1}`},
		{"POST", "/endpoints/" + ep + "/connect", `{"remote_ia_address":"10.0.0.1","remote_port_qual":1,"timeout_us":-1}`},
	} {
		r.do(call.method, call.path, call.body).refused(422, "DAT_INVALID_PARAMETER")
	}
}

func TestAnIDThatIsNoIDIs404(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/pzs/x", "/evds/00000000-0000-7000-8000-000000000000", "/endpoints/%00", "/ias/nosuch", "/crs/..%2f", "/endpoints/x/history", "/endpoints/x/history/1"} {
		r.do("GET", path, nil, loose).refused(404, "DAT_INVALID_HANDLE")
	}
}

func TestNamesAreUniquePerTypeAmongTheLiving(t *testing.T) {
	r := newRig(t)
	first := r.do("POST", "/pzs", members{"ia": ia0, "name": "z"}).is(201)
	p := r.do("POST", "/pzs", members{"ia": ia0, "name": "z"}).refused(409)
	if p.Type != "/problems/name-taken" || p.Return != nil {
		t.Errorf("problem %+v", p)
	}
	r.do("POST", "/endpoints", members{"ia": ia0, "name": "z"}).is(201)
	r.do("DELETE", "/pzs/"+first.id(), nil).is(204)
	r.do("POST", "/pzs", members{"ia": ia0, "name": "z"}).is(201)
	for _, name := range []string{"", "A", "ä", "a b", strings.Repeat("x", 64)} {
		r.do("POST", "/pzs", members{"ia": ia0, "name": name}).refused(422, "DAT_INVALID_PARAMETER")
	}
}

func TestNumbersThatDoNotFitJSONAreStrings(t *testing.T) {
	r := newRig(t)
	ia := r.do("GET", "/ias/"+ia0, nil).is(200)
	for _, name := range []string{"max_lmr_block_size", "max_lmr_virtual_address", "max_rmr_target_address"} {
		if s, ok := ia.at("ia_attributes", name).(string); !ok || !regexp.MustCompile(`^\d+$`).MatchString(s) {
			t.Errorf("%s is %v", name, ia.at("ia_attributes", name))
		}
	}
	lmr := r.do("POST", "/lmrs", members{"ia": ia0, "pz": r.pz(ia0), "length": 64, "privileges": []string{"LOCAL_READ"}}).is(201)
	if !regexp.MustCompile(`^0x[0-9a-f]+$`).MatchString(lmr.at("rmr_context").(string)) || !regexp.MustCompile(`^\d+$`).MatchString(lmr.at("target_address").(string)) {
		t.Errorf("keys of %s", lmr.body)
	}
}

func TestTimesAreUTCWithMicroseconds(t *testing.T) {
	r := newRig(t)
	out := r.do("POST", "/pzs", members{"ia": ia0}).is(201)
	if s := out.at("created_at").(string); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`).MatchString(s) {
		t.Errorf("created_at %s", s)
	}
}

func TestTimeoutOfZeroIsRefused(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	r.do("POST", "/endpoints/"+ep+"/connect", members{"remote_ia_address": "10.77.0.2", "remote_port_qual": 1, "timeout_us": 0}).refused(422, "DAT_INVALID_PARAMETER")
}

func TestErrorsAreCompleteProblems(t *testing.T) {
	r := newRig(t)
	out := r.do("POST", "/evds", `{"qlen":"x","streams":["NOPE"],"more":1}`, with(document.RequestIDHeader, "my-id"))
	p := out.refused(422, "DAT_INVALID_PARAMETER")
	if p.RequestID != "my-id" || p.Instance != basePath+"/evds" || len(p.Errors) < 3 {
		t.Errorf("problem %s", out.body)
	}
	for _, member := range []string{"type", "title", "status", "detail", "instance", "dat_return", "dat_subtype", "field", "state", "request_id", "errors"} {
		if _, ok := out.object()[member]; !ok {
			t.Errorf("a problem lacks %s", member)
		}
	}
	for _, internal := range []string{"goroutine", "SQL", ".go:", "json:", "main."} {
		if strings.Contains(string(out.body), internal) {
			t.Errorf("the problem shows %s: %s", internal, out.body)
		}
	}
}

func TestUnknownInputIsRefused(t *testing.T) {
	r := newRig(t)
	r.do("POST", "/pzs", `{"ia":"soft0@alpha","IA":"x"}`).refused(422, "DAT_INVALID_PARAMETER")
	r.do("POST", "/pzs", `{"Ia":"soft0@alpha"}`).refused(422, "DAT_INVALID_PARAMETER")
	for _, query := range []string{
		"nosuch=1", "state=NOPE", "limit=x", "limit=0", "limit=1001", "offset=-1", "total=perhaps", "sort=nosuch", "fields=nosuch", "cursor=x",
		"label=x", "limit=1&limit=2", "ia=", "name=%ff", "name=%00", "%zz", "offset=1000001", "cursor=abc&offset=1",
	} {
		r.do("GET", "/endpoints?"+query, nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	}
	r.do("GET", "/ias?provider=zzz", nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	r.do("GET", "/changes?fields=nosuch", nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	r.do("GET", "/pzs/x?a=1", nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	r.do("POST", "/pzs?dry_run=maybe", `{"ia":"soft0@alpha"}`, loose).refused(400, "DAT_INVALID_PARAMETER")
	r.do("POST", "/pzs?dry_run=", `{"ia":"soft0@alpha"}`, loose).refused(400, "DAT_INVALID_PARAMETER")
	r.do("GET", "/ias/"+ia0+"?ia_attributes=nosuch", nil).refused(422, "DAT_INVALID_PARAMETER")
	r.do("GET", "/ias/nosuch?provider_attributes=nosuch", nil).refused(422, "DAT_INVALID_PARAMETER")
	for _, header := range [][2]string{{"If-Match", "3"}, {"If-Match", ""}, {"If-Match", " "}, {"If-Match", `"3`}, {"Idempotency-Key", "a b"}, {"Idempotency-Key", ""}, {"X-Change-Reason", strings.Repeat("x", 501)}, {"Prefer", "wait=x"}} {
		ep := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
		r.do("POST", "/endpoints/"+ep+"/disconnect", `{}`, with(header[0], header[1]), loose).refused(400, "DAT_INVALID_PARAMETER")
	}
}

func TestIAMasks(t *testing.T) {
	r := newRig(t)
	for query, want := range map[string][2]int{
		"": {38, 31}, "?ia_attributes=": {0, 31}, "?ia_attributes=max_eps,max_evds&provider_attributes=ep_creator": {2, 1}, "?provider_attributes=": {38, 0},
	} {
		out := r.do("GET", "/ias/"+ia0+query, nil, loose).is(200)
		ia, provider := out.at("ia_attributes").(members), out.at("provider_attributes").(members)
		if len(ia) != want[0] || len(provider) != want[1] {
			t.Errorf("%q gives %d and %d attributes, not %v", query, len(ia), len(provider), want)
		}
	}
}

func TestIfMatch(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	path := "/endpoints/" + id
	for _, header := range []string{`"2"`, `W/"1"`, `"x"`, `"2", "3"`} {
		p := r.do("PATCH", path, `{"name":"a"}`, with("If-Match", header)).refused(412)
		if p.CurrentVersion == nil || *p.CurrentVersion != 1 {
			t.Errorf("%s: current_version %v", header, p.CurrentVersion)
		}
	}
	r.do("PATCH", path, `{"name":"a"}`, with("If-Match", `"7", "1"`)).is(200)
	r.do("PATCH", path, `{"name":"b"}`, with("If-Match", "*")).is(200)
	r.do("PUT", path+"/watermarks", `{"soft_high":1,"hard_high":null}`, with("If-Match", `"1"`)).refused(412)
	r.do("DELETE", path, nil, with("If-Match", `"1"`)).refused(412)
	r.do("PATCH", path, `{"state":"CONNECTED"}`, with("If-Match", `"1"`)).refused(412) // 412 comes before the judge
	r.do("DELETE", "/endpoints/00000000-0000-7000-8000-000000000000", nil, with("If-Match", `"1"`)).refused(404)
	r.do("POST", path+"/recvs", members{"size": 1}, with("If-Match", `"1"`)).refused(412)
	r.do("PATCH", path, `{"name":"c"}`, with("If-Match", `"1"`), func(r *http.Request) { r.Header.Add("If-Match", `"3"`) }).is(200)
	r.do("POST", "/pzs", members{"ia": ia0}, with("If-Match", `"1"`)).refused(412)
}

func TestLiveObjectsAreNeverKeptByCaches(t *testing.T) {
	r := newRig(t)
	ep := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	for _, path := range []string{"/endpoints/" + ep, "/ias/" + ia0, "/evds/" + r.evd(ia0, "DTO"), "/endpoints/" + ep + "/status"} {
		out := r.do("GET", path, nil).is(200)
		if out.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %q", path, out.header.Get("Cache-Control"))
		}
		r.do("GET", path, nil, with("If-None-Match", out.header.Get("ETag"))).is(200)
	}
	for _, path := range []string{"/matrix", "/endpoints/" + ep + "/history/1", "/pzs/" + r.pz(ia0)} {
		out := r.do("GET", path, nil).is(200)
		if again := r.do("GET", path, nil, with("If-None-Match", out.header.Get("ETag")), loose).is(304); len(again.body) != 0 || again.header.Get("ETag") == "" {
			t.Errorf("%s: 304 with %q", path, again.body)
		}
	}
}

func TestDryRunHappensNowhere(t *testing.T) {
	r := newRig(t)
	out := r.do("POST", "/endpoints?dry_run=true", members{"ia": ia0, "name": "dry"}, loose).is(201)
	for _, member := range []string{"id", "version", "created_at", "updated_at"} {
		if _, ok := out.object()[member]; ok {
			t.Errorf("a dry run shows %s", member)
		}
	}
	if out.header.Get("Location") != "" || out.header.Get("ETag") != "" || out.at("name") != "dry" {
		t.Errorf("a dry run: %v %s", out.header, out.body)
	}
	r.do("POST", "/endpoints?dry_run=true", members{"ia": "nosuch"}).refused(422, "DAT_INVALID_HANDLE")
	id := r.do("POST", "/endpoints", members{"ia": ia0, "name": "dry", "pz": r.pz(ia0)}).is(201).id()
	if out := r.do("PATCH", "/endpoints/"+id+"?dry_run=true", `{"name":"other"}`, loose).is(200); out.at("name") != "other" {
		t.Errorf("a dry run shows %s", out.body)
	}
	r.do("DELETE", "/endpoints/"+id+"?dry_run=true", nil, loose).is(204)
	r.do("POST", "/endpoints/"+id+"/recvs?dry_run=true", members{"size": 8}, loose).is(202)
	r.do("PUT", "/endpoints/"+id+"/watermarks?dry_run=true", `{"soft_high":1,"hard_high":2}`, loose).is(200)
	lmr := r.do("POST", "/lmrs?dry_run=true", members{"ia": ia0, "pz": r.pz(ia0), "length": 64, "privileges": []string{"LOCAL_READ"}}, loose).is(201)
	psp := r.do("POST", "/psps?dry_run=true", members{"ia": ia0, "evd": r.evd(ia0, "CR")}, loose).is(201)
	for _, unknown := range []any{lmr.at("rmr_context"), lmr.at("target_address"), psp.at("conn_qual")} {
		if unknown != nil {
			t.Errorf("a dry run shows %v for what only the device gives", unknown)
		}
	}
	now := r.do("GET", "/endpoints/"+id, nil).is(200)
	if now.at("name") != "dry" || now.at("version") != 1.0 {
		t.Errorf("after dry runs: %s", now.body)
	}
	if s := r.do("GET", "/endpoints/"+id+"/status", nil).is(200); s.at("recvs") != 0.0 {
		t.Errorf("after dry runs: %s", s.body)
	}
}

func TestReasonAndRequestIDAreKeptWithTheChange(t *testing.T) {
	r := newRig(t)
	out := r.do("POST", "/pzs", members{"ia": ia0}, with("X-Change-Reason", "Größe prüfen"), with(document.RequestIDHeader, "req-1")).is(201)
	if out.header.Get(document.RequestIDHeader) != "req-1" {
		t.Errorf("X-Request-ID %q", out.header.Get(document.RequestIDHeader))
	}
	change := r.do("GET", "/changes?object="+out.id(), nil).is(200).at("items").([]any)[0].(members)
	if change["reason"] != "Größe prüfen" || change["request_id"] != "req-1" || change["actor"] != "anonymous" || change["cause"] != "dat_pz_create" {
		t.Errorf("change %v", change)
	}
	if out := r.do("GET", "/pzs", nil, with(document.RequestIDHeader, "bad id")).is(200); out.header.Get(document.RequestIDHeader) == "bad id" || out.header.Get(document.RequestIDHeader) == "" {
		t.Errorf("X-Request-ID %q", out.header.Get(document.RequestIDHeader))
	}
}

func TestPreferWaitHoldsTheAnswerUntilTheOutcome(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	address := r.do("GET", "/ias/"+ia1, nil).is(200).at("ia_attributes", "ia_address")
	body := members{"remote_ia_address": address, "remote_port_qual": 9}
	out := r.do("POST", "/endpoints/"+ep+"/connect", body, with("Prefer", "wait=10")).is(200)
	if out.at("state") != "DISCONNECTED" || out.header.Get("Preference-Applied") != "wait=10" || out.at("last_event", "event") == nil {
		t.Errorf("outcome: %v %s", out.header, out.body)
	}
	r.do("POST", "/endpoints/"+ep+"/reset", nil).is(200)
	body["remote_port_qual"] = r.do("POST", "/psps", members{"ia": ia1, "evd": r.evd(ia1, "CR")}).is(201).at("conn_qual")
	start := time.Now()
	out = r.do("POST", "/endpoints/"+ep+"/connect", body, with("Prefer", "respond-async, wait=1")).is(202)
	if out.at("state") != "ACTIVE_CONNECTION_PENDING" || time.Since(start) < time.Second {
		t.Errorf("after %v: %s", time.Since(start), out.body)
	}
}

func TestLimitsOfBodies(t *testing.T) {
	r := newRig(t)
	big := `{"ia":"soft0@alpha","labels":{"x":"` + strings.Repeat("x", maxBody) + `"}}`
	r.do("POST", "/pzs", big).refused(413)
	r.do("POST", "/batch", `{"operations":[{"method":"POST","path":"/pzs","body":`+big+`}]}`).is(200)
}

func TestMethodsAndTypesOfEveryPath(t *testing.T) {
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

func TestHealth(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]string{"/livez": "ok", "/readyz": "ok", "/readyz?verbose": "[+] store ok", "/metrics": "datapi_ia_up"} {
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
