package api

import (
	"strings"
	"testing"
)

func TestARefusedBodyNamesTheWrongMember(t *testing.T) {
	r := newRig(t)
	ep := "/endpoints/" + r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	for _, c := range []struct{ method, path, body, field, says string }{
		// a member that is twice: no value is ever ignored
		{"POST", "/pzs", `{"ia":"soft0@alpha","ia":"soft1@alpha"}`, "ia", "once"},
		{"PATCH", ep, `{"attributes":{"max_recv_dtos":1,"max_recv_dtos":2}}`, "attributes.max_recv_dtos", "once"},
		{"POST", "/batch", `{"operations":[{"method":"POST","path":"/pzs","body":{"ia":"soft0@alpha","labels":{"a":"1","a":"2"}}}]}`, "operations[0].body.labels.a", "once"},
		// an empty handle is neither an id nor null
		{"PATCH", ep, `{"pz":""}`, "pz", "null"},
		{"PATCH", ep, `{"recv_evd":""}`, "recv_evd", "null"},
		{"POST", "/endpoints", `{"ia":"soft0@alpha","pz":""}`, "pz", "null"},
		{"POST", "/endpoints", `{"ia":"soft0@alpha","request_evd":""}`, "request_evd", "null"},
		{"POST", "/endpoints", `{"ia":"soft0@alpha","connect_evd":""}`, "connect_evd", "null"},
		{"POST", "/endpoints", `{"ia":"soft0@alpha","srq":""}`, "srq", "null"},
		// what may also be null is judged as closely
		{"PATCH", ep, `{"probe":{"interval_s":0,"fail_after":2}}`, "probe.interval_s", "1"},
		{"PATCH", ep, `{"probe":{}}`, "probe", "required property fail_after"},
		{"PATCH", ep, `{"probe":{"interval_s":1}}`, "probe", "required property fail_after"},
		{"POST", "/crs/00000000-0000-7000-8000-000000000000/accept", `{"endpoint":null,"zz":1}`, "zz", "unexpected"},
	} {
		p := r.do(c.method, c.path, c.body, loose).refused(422, "DAT_INVALID_PARAMETER")
		if p.Field == nil || *p.Field != c.field && !strings.Contains(p.Detail, c.field) || !strings.Contains(p.Detail, c.says) {
			t.Errorf("%s %s %s: %v", c.method, c.path, c.body, p.Detail)
		}
	}
	if out := r.do("GET", ep, nil); out.at("version") != 1.0 {
		t.Errorf("after refusals: %s", out.body)
	}
}
