package api

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/api/document"
)

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

func TestAnInvalidIDInThePathIs404(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/pzs/x", "/evds/00000000-0000-7000-8000-000000000000", "/endpoints/%00", "/ias/nosuch", "/crs/..%2f", "/endpoints/x/history", "/endpoints/x/history/1"} {
		r.do("GET", path, nil, loose).refused(404, "DAT_INVALID_HANDLE")
	}
}

func TestNamesAreUniqueAmongTheLivingObjectsOfAType(t *testing.T) {
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
		"label==x", "srq=nosuch", "limit=1&limit=2", strings.Repeat("name=*a*&", maxRepeated) + "name=b", "ia=", "name=%ff", "name=%00", "%zz", "offset=1000001", "cursor=abc&offset=1",
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

func TestIAMasksChooseTheAttributes(t *testing.T) {
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

func TestADryRunChangesNothing(t *testing.T) {
	r := newRig(t)
	out := r.do("POST", "/endpoints?dry_run=true", members{"ia": ia0, "name": "dry"}, loose).is(201)
	if out.id() != "00000000-0000-0000-0000-000000000000" || out.at("version") != 1.0 || out.at("created_at") != out.at("updated_at") {
		t.Errorf("a dry run shows %s", out.body)
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

// Promise 14: JSON is at most 32 levels deep, wherever it is and whatever it is for.
func TestJSONIsAtMost32LevelsDeep(t *testing.T) {
	r := newRig(t)
	evd, ep := r.evd(ia0, "SOFTWARE"), r.endpoint(ia0)
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	r.do("POST", "/evds/"+evd+"/events", `{"data":`+deep(31)+`}`).is(201)
	for _, call := range []struct{ method, path, body string }{
		{"POST", "/evds/" + evd + "/events", `{"data":` + deep(32) + `}`},
		{"POST", "/evds/" + evd + "/events", `{"data":` + deep(100_000) + `}`},
		{"POST", "/pzs", deep(200_000)},
		{"POST", "/pzs", strings.Repeat("[", 200_000)},
		{"PATCH", "/endpoints/" + ep, `{"labels":` + strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000) + `}`},
		{"POST", "/batch", `{"operations":[{"method":"POST","path":"/pzs","body":` + deep(2_700_000) + `}]}`},
		{"POST", "/batch", `{"atomic":true,"operations":[{"method":"POST","path":"/pzs","body":` + deep(30) + `}]}`},
	} {
		if p := r.do(call.method, call.path, call.body, loose).refused(422, "DAT_INVALID_PARAMETER"); !strings.Contains(p.Detail, "32 levels") {
			t.Errorf("%s %s: %s", call.method, call.path, p.Detail)
		}
	}
}

func TestABodyHasALimit(t *testing.T) {
	r := newRig(t)
	big := `{"ia":"soft0@alpha","labels":{"x":"` + strings.Repeat("x", maxBody) + `"}}`
	r.do("POST", "/pzs", big).refused(413)
	r.do("POST", "/batch", `{"operations":[{"method":"POST","path":"/pzs","body":`+big+`}]}`).is(200)
}
