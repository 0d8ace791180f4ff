package api

import (
	"fmt"
	"testing"
	"time"
)

func TestHistoryHasTheWholeEndpointOfEveryVersion(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0, "name": "one"}).is(201).id()
	r.do("PATCH", "/endpoints/"+id, `{"attributes":{"max_recv_dtos":9}}`).is(200)
	r.do("PATCH", "/endpoints/"+id, `{"name":"two"}`).is(200)
	r.do("POST", "/endpoints/"+id+"/disconnect", nil).is(409)
	var items []any
	eventually(t, "the refusal is recorded", func() bool {
		items = r.do("GET", "/endpoints/"+id+"/history", nil).is(200).at("items").([]any)
		return len(items) == 4
	})
	refusal := items[0].(members)
	if refusal["outcome"] != "DAT_INVALID_STATE" || refusal["version"] != 3.0 || refusal["before"] != nil || len(refusal["fields"].([]any)) != 0 {
		t.Errorf("refusal %v", refusal)
	}
	modify := items[2].(members)
	if fmt.Sprint(modify["fields"]) != "[attributes.max_recv_dtos]" || modify["after"].(members)["attributes"].(members)["max_recv_dtos"] != 9.0 {
		t.Errorf("modify %v", modify)
	}
	v2 := r.do("GET", "/endpoints/"+id+"/history/2", nil).is(200)
	if v2.at("endpoint", "name") != "one" || v2.at("endpoint", "attributes", "max_recv_dtos") != 9.0 || v2.at("cause") != "dat_ep_modify" {
		t.Errorf("version 2: %s", v2.body)
	}
	for _, none := range []string{"0", "9", "x", "-1"} {
		r.do("GET", "/endpoints/"+id+"/history/"+none, nil, loose).refused(404, "DAT_INVALID_HANDLE")
	}
	page := r.do("GET", "/endpoints/"+id+"/history?limit=3", nil).is(200)
	rest := r.do("GET", "/endpoints/"+id+"/history?limit=3&cursor="+page.at("next_cursor").(string), nil).is(200)
	if len(rest.at("items").([]any)) != 1 || rest.at("next_cursor") != nil {
		t.Errorf("second page %s", rest.body)
	}
}

func TestAsOfShowsAnEndpointAsItWas(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0, "name": "one"}).is(201).id()
	first := r.do("GET", "/changes?object="+id, nil).at("items").([]any)[0].(members)
	between := time.Now().UTC().Format(time.RFC3339Nano)
	eventually(t, "the clock went on", func() bool { return time.Now().UTC().Format(time.RFC3339Nano) > between })
	r.do("PATCH", "/endpoints/"+id, `{"name":"two"}`).is(200)
	for _, moment := range []string{between, fmt.Sprint(int(first["id"].(float64)))} {
		if out := r.do("GET", "/endpoints/"+id+"?as_of="+moment, nil).is(200); out.at("name") != "one" {
			t.Errorf("as of %s: %s", moment, out.body)
		}
	}
	r.do("GET", "/endpoints/"+id+"?as_of=2000-01-01T00:00:00Z", nil).refused(404, "DAT_INVALID_HANDLE")
	for _, wrong := range []string{"yesterday", "2999-01-01T00:00:00Z", "999999999"} {
		r.do("GET", "/endpoints/"+id+"?as_of="+wrong, nil).refused(400, "DAT_INVALID_PARAMETER")
	}
	r.do("DELETE", "/endpoints/"+id, nil).is(204)
	if out := r.do("GET", "/endpoints/"+id+"?as_of="+between, nil).is(200); out.at("name") != "one" {
		t.Errorf("after its end: %s", out.body)
	}
	r.do("GET", "/endpoints/"+id+"?as_of="+time.Now().UTC().Format(time.RFC3339Nano), nil).refused(404, "DAT_INVALID_HANDLE")
}

func TestRevertGoesBackAsANewVersion(t *testing.T) {
	r := newRig(t)
	pz := r.pz(ia0)
	id := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz, "name": "one"}).is(201).id()
	r.do("PATCH", "/endpoints/"+id, `{"pz":null,"attributes":{"max_recv_dtos":9,"ep_transport_specific":{"tos":"9"}}}`).is(200)
	out := r.do("POST", "/endpoints/"+id+"/revert", members{"version": 1}).is(200)
	if out.at("pz") != pz || out.at("attributes", "max_recv_dtos") == 9.0 || out.at("version") != 3.0 {
		t.Errorf("reverted: %s", out.body)
	}
	change := r.do("GET", "/changes?object="+id, nil).at("items").([]any)[0].(members)
	if change["reverted_to"] != 1.0 || change["cause"] != "revert" {
		t.Errorf("change %v", change)
	}
	r.do("POST", "/endpoints/"+id+"/revert", members{"version": 9}).refused(422, "DAT_INVALID_PARAMETER")
	if out := r.do("POST", "/endpoints/"+id+"/revert", members{"version": 1}).is(200); out.at("version") != 3.0 {
		t.Errorf("nothing to revert: %s", out.body)
	}
}

func TestChangesAreFilteredAndPaged(t *testing.T) {
	r := newRig(t)
	pz := r.do("POST", "/pzs", members{"ia": ia0}).is(201).id()
	ep := r.do("POST", "/endpoints", members{"ia": ia1, "pz": nil}).is(201).id()
	r.do("PATCH", "/endpoints/"+ep, `{"name":"n"}`).is(200)
	for query, want := range map[string]int{
		"object=" + ep: 2, "object=" + ep + "&object=" + pz: 3, "type=pz": 1, "cause=dat_ep_create": 1, "actor=anonymous": 3, "actor=nobody": 0,
		"outcome=DAT_SUCCESS&actor=anonymous": 3, "ia=" + ia1 + "&type=endpoint": 2, "node=beta": 0, "since=2999-01-01T00:00:00Z": 0, "until=2000-01-01T00:00:00Z": 0,
	} {
		if out := r.do("GET", "/changes?"+query, nil).is(200); len(out.at("items").([]any)) != want {
			t.Errorf("%s: %d, not %d", query, len(out.at("items").([]any)), want)
		}
	}
	items := r.do("GET", "/changes?order=asc&object="+ep, nil).is(200).at("items").([]any)
	if items[0].(members)["cause"] != "dat_ep_create" || items[0].(members)["before"] != nil || items[0].(members)["after"].(members)["state"] != "UNCONNECTED" {
		t.Errorf("first %v", items[0])
	}
	for _, path := range []string{"/changes?object=" + ep + "&", "/endpoints/" + ep + "/history?"} {
		out := r.do("GET", path+"total=true&offset=1&fields=id,cause", nil, loose).is(200)
		items := out.at("items").([]any)
		if len(items) != 1 || out.at("total") != 2.0 || len(items[0].(members)) != 2 || items[0].(members)["cause"] != "dat_ep_create" {
			t.Errorf("%s: %s", path, out.body)
		}
		if out := r.do("GET", path+"offset=5", nil).is(200); len(out.at("items").([]any)) != 0 || out.at("next_cursor") != nil {
			t.Errorf("%s past the end: %s", path, out.body)
		}
	}
	for _, query := range []string{"type=x", "outcome=x", "since=x", "order=x", "cursor=x", "limit=0"} {
		r.do("GET", "/changes?"+query, nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	}
}
