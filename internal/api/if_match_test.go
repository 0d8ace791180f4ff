package api

import (
	"net/http"
	"testing"
)

func TestIfMatchAllowsWritesToTheNamedVersionsOnly(t *testing.T) {
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

func TestObjectsThatChangeWithoutAVersionAreNotCached(t *testing.T) {
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
