package api

import "testing"

func TestAWriteToAnotherNodesObjectNamesItsOwner(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newRigOn(t, database, "alpha"), newRigOn(t, database, "beta")
	ep := alpha.do("POST", "/endpoints", members{"ia": ia0, "name": "mine"}).is(201).id()
	if out := beta.do("GET", "/endpoints/"+ep, nil).is(200); out.at("name") != "mine" || out.at("node") != "alpha" {
		t.Errorf("read on the other node: %s", out.body)
	}
	if items := beta.do("GET", "/endpoints?node=alpha", nil).is(200).at("items").([]any); len(items) != 1 {
		t.Errorf("listed on the other node: %v", items)
	}
	for _, call := range []struct{ method, path, body string }{
		{"PATCH", "/endpoints/" + ep, `{"name":"yours"}`},
		{"DELETE", "/endpoints/" + ep, ""},
		{"POST", "/endpoints/" + ep + "/reset", ""},
		{"PUT", "/endpoints/" + ep + "/watermarks", `{"soft_high":1,"hard_high":1}`},
		{"POST", "/endpoints/" + ep + "/recvs", `{"size":1}`},
		{"GET", "/endpoints/" + ep + "/status", ""},
		{"POST", "/pzs", `{"ia":"soft0@alpha"}`},
	} {
		p := beta.do(call.method, call.path+"?forward=false", call.body).refused(421)
		if p.Address == nil || *p.Address != "http://alpha:8480" {
			t.Errorf("%s %s: address %v", call.method, call.path, p.Address)
		}
	}
	if items := beta.do("GET", "/endpoints/status?id="+ep, nil).is(200).at("items").([]any); len(items) != 0 {
		t.Errorf("statuses on the other node: %v", items)
	}
	p := beta.do("POST", "/batch?forward=false", members{"atomic": true, "operations": []members{op("DELETE", "/endpoints/"+ep, nil)}}).refused(421)
	if p.Errors[0].Location != "operations[0]" {
		t.Errorf("errors %v", p.Errors)
	}
	for _, atomic := range []bool{true, false} {
		body := members{"atomic": atomic, "operations": []members{op("POST", "/evds", members{"ia": ia0, "qlen": 1, "streams": []string{"DTO"}}), op("POST", "/pzs", members{"ia": ia0})}}
		if out := beta.do("POST", "/batch?forward=false", body); atomic {
			out.refused(421)
		} else if results := out.results(); results[1]["status"] != 421.0 {
			t.Errorf("results %v", results)
		}
	}
	answer := beta.do("GET", "/nodes", nil).is(200)
	if next, there := answer.object()["next_cursor"]; next != nil || !there {
		t.Errorf("nodes: %s", answer.body)
	}
	nodes := answer.at("items").([]any)
	if len(nodes) != 2 || nodes[0].(members)["name"] != "alpha" || nodes[0].(members)["state"] != "UP" {
		t.Errorf("nodes %v", nodes)
	}
	if out := alpha.do("PATCH", "/endpoints/"+ep, `{"name":"still-mine"}`).is(200); out.at("version") != 2.0 {
		t.Errorf("after: %s", out.body)
	}
}
