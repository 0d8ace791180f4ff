package api

import (
	"strings"
	"testing"
)

// named returns the transport-specific attributes of an answer's member.
func named(of any, member string) members {
	return of.(members)[member].(members)
}

func TestNewEndpointsStartWithTheDefaultsOfTheirAdapter(t *testing.T) {
	r := newRig(t)
	path := "/ias/" + ia0
	old := r.endpoint(ia0)
	before := r.do("GET", path, nil).is(200)
	if d := before.at("endpoint_defaults").(members); len(named(d, "ep_transport_specific")) != 0 || len(named(d, "ep_provider_specific")) != 0 {
		t.Errorf("a new adapter has the defaults %v", d)
	}
	out := r.do("PATCH", path, `{"labels":{"rack":"7"},"endpoint_defaults":{"ep_transport_specific":{"retry_count":"3","tos":"106"},"ep_provider_specific":{"max_inline_data":"64"}}}`).is(200)
	if out.at("version") != before.at("version").(float64)+1 || out.at("labels").(members)["rack"] != "7" {
		t.Errorf("changed: %s", out.body)
	}
	r.do("PATCH", path, `{"endpoint_defaults":{"ep_transport_specific":{"tos":null,"retry_count":"4"}}}`).is(200)
	body := members{"ia": ia0, "attributes": members{"ep_transport_specific": members{"rnr_retry_count": "2"}}}
	a := r.do("POST", "/endpoints", body).is(201).at("attributes").(members)
	got := named(a, "ep_transport_specific")
	if len(got) != 2 || got["retry_count"] != "4" || got["rnr_retry_count"] != "2" || named(a, "ep_provider_specific")["max_inline_data"] != "64" {
		t.Errorf("a new endpoint starts with %v", a)
	}
	body["attributes"] = members{"ep_transport_specific": members{"retry_count": nil}, "ep_provider_specific": members{"max_inline_data": "0"}}
	a = r.do("POST", "/endpoints", body).is(201).at("attributes").(members)
	if len(named(a, "ep_transport_specific")) != 0 || named(a, "ep_provider_specific")["max_inline_data"] != "0" {
		t.Errorf("an endpoint that was asked for otherwise starts with %v", a)
	}
	if a := r.do("GET", "/endpoints/"+old, nil).at("attributes"); len(named(a, "ep_transport_specific")) != 0 {
		t.Errorf("the endpoint that was there has %v", a)
	}
	if out := r.do("PATCH", path, `{"endpoint_defaults":null}`).is(200); len(named(out.at("endpoint_defaults"), "ep_transport_specific")) != 0 {
		t.Errorf("without defaults: %s", out.body)
	}
	change := r.do("GET", "/changes?type=ia&cause=ia_modify&limit=1", nil).is(200).at("items").([]any)[0].(members)
	if change["outcome"] != "DAT_SUCCESS" || change["object"].(members)["id"] != ia0 {
		t.Errorf("the change is %v", change)
	}
}

func TestDefaultsThatAnAdapterDoesNotKnowAreRefused(t *testing.T) {
	r := newRig(t)
	path := "/ias/" + ia0
	version := r.do("GET", path, nil).at("version")
	for _, body := range []string{
		`{"endpoint_defaults":{"ep_transport_specific":{"no_such":"1"}}}`,
		`{"endpoint_defaults":{"ep_transport_specific":{"retry_count":"8"}}}`,
		`{"labels":{"a":"b"},"endpoint_defaults":{"ep_provider_specific":{"max_inline_data":"-1"}}}`,
		`{"endpoint_defaults":{"ep_transport_specific":{"retry_count":3}}}`,
		`{"endpoint_defaults":{"max_recv_dtos":3}}`, `{"state":"DOWN"}`, `{"labels":{"":"x"}}`,
	} {
		r.do("PATCH", path, body, loose).refused(422, "DAT_INVALID_PARAMETER")
	}
	p := r.do("PATCH", path, `{"endpoint_defaults":{"ep_transport_specific":{"no_such":"1"}}}`).refused(422, "DAT_INVALID_PARAMETER")
	if p.Field == nil || *p.Field != "endpoint_defaults.ep_transport_specific" || !strings.Contains(p.Detail, "retry_count") {
		t.Errorf("the refusal is %+v", p)
	}
	for _, body := range []string{`{}`, `{"endpoint_defaults":{}}`, `{"endpoint_defaults":{"ep_transport_specific":{"tos":null}}}`, `{"labels":{}}`} {
		r.do("PATCH", path, body).is(200)
	}
	r.do("PATCH", path+"?dry_run=true", `{"labels":{"a":"b"}}`).is(200)
	if got := r.do("GET", path, nil).at("version"); got != version {
		t.Errorf("what changes nothing made version %v of %v", got, version)
	}
	r.do("PATCH", path, `{"labels":{"a":"b"}}`, with("If-Match", `"999"`)).refused(412)
	r.do("PATCH", "/ias/none@alpha", `{}`).refused(404, "DAT_INVALID_HANDLE")
}

func TestDefaultsOfAnAdapterHoldInABatchAndAfterARestart(t *testing.T) {
	database := newDatabase(t)
	r := newRigOn(t, database, "alpha")
	out := r.do("POST", "/batch", members{"atomic": true, "operations": []members{
		op("PATCH", "/ias/"+ia0, members{"endpoint_defaults": members{"ep_transport_specific": members{"tos": "8"}}}),
		op("POST", "/endpoints", members{"ia": ia0}),
	}}).is(200)
	made := out.results()[1]["body"].(members)
	if got := named(made["attributes"], "ep_transport_specific")["tos"]; got != "8" {
		t.Errorf("an endpoint of the same batch starts with %v", got)
	}
	r.stop()
	again := newRigOn(t, database, "alpha")
	a := again.do("POST", "/endpoints", members{"ia": ia0}).is(201).at("attributes")
	if got := named(a, "ep_transport_specific")["tos"]; got != "8" {
		t.Errorf("an endpoint after the restart starts with %v", got)
	}
}
