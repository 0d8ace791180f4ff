package api

import (
	"fmt"
	"testing"
)

// op returns an operation of a batch.
func op(method, path string, body any) members {
	m := members{"method": method, "path": path}
	if body != nil {
		m["body"] = body
	}
	return m
}

// results returns the results of a batch.
func (a reply) results() []members {
	a.t.Helper()
	var out []members
	for _, one := range a.is(200).at("results").([]any) {
		out = append(out, one.(members))
	}
	return out
}

func TestABatchGoesOnAfterARefusal(t *testing.T) {
	r := newRig(t)
	got := r.do("POST", "/batch", members{"operations": []members{
		op("POST", "/pzs", members{"ia": ia0, "name": "a"}),
		op("POST", "/pzs", members{"ia": ia0, "name": "a"}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id"}),
		op("PATCH", "/endpoints/$2.id", members{"attributes": members{"max_recv_dtos": 3}}),
		op("DELETE", "/pzs/$1.id", nil),
		op("GET", "/pzs", nil),
	}}, loose)
	got.refused(422) // GET is no write
	results := r.do("POST", "/batch", members{"operations": []members{
		op("POST", "/pzs", members{"ia": ia0, "name": "a"}),
		op("POST", "/pzs", members{"ia": ia0, "name": "a"}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id"}),
		op("PATCH", "/endpoints/$2.id", members{"attributes": members{"max_recv_dtos": 3}}),
		op("DELETE", "/pzs/$1.id", nil),
		op("PUT", "/endpoints/$2.id/watermarks", members{"soft_high": 1, "hard_high": nil}),
		op("DELETE", "/endpoints/$2.id", nil),
		op("POST", "/nosuch", members{}),
	}}).results()
	want := []float64{201, 409, 201, 200, 422, 200, 204, 404}
	for i, w := range want {
		if results[i]["status"] != w {
			t.Errorf("operation %d: %v, not %v: %v", i, results[i]["status"], w, results[i]["body"])
		}
	}
	if results[3]["etag"] != `"2"` || results[3]["body"].(members)["pz"] != results[0]["body"].(members)["id"] {
		t.Errorf("modified: %v", results[3])
	}
}

func TestAnAtomicBatchDoesAllOrNothing(t *testing.T) {
	r := newRig(t)
	operations := []members{
		op("POST", "/pzs", members{"ia": ia0, "name": "zone"}),
		op("POST", "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id", "recv_evd": "$1.id", "name": "ep"}),
		op("PUT", "/endpoints/$2.id/watermarks", members{"soft_high": 4, "hard_high": nil}),
	}
	bad := append(operations[:len(operations):len(operations)], op("PATCH", "/endpoints/$2.id", members{"attributes": members{"max_recv_dtos": -1}}))
	p := r.do("POST", "/batch", members{"atomic": true, "operations": bad}).refused(422, "DAT_INVALID_PARAMETER")
	if p.Errors[0].Location != "operations[4]" {
		t.Errorf("errors %v", p.Errors)
	}
	for _, path := range []string{"/pzs", "/endpoints"} {
		if items := r.do("GET", path, nil).at("items").([]any); len(items) != 0 {
			t.Errorf("%s after a refusal: %v", path, items)
		}
	}
	results := r.do("POST", "/batch", members{"atomic": true, "operations": operations}).results()
	if fmt.Sprint(results[0]["status"], results[2]["status"], results[3]["status"]) != "201 201 200" {
		t.Errorf("results %v", results)
	}
	ep := results[2]["body"].(members)["id"].(string)
	now := r.do("GET", "/endpoints/"+ep, nil).is(200)
	if now.at("watermarks", "soft_high") != 4.0 || now.at("name") != "ep" {
		t.Errorf("made: %s", now.body)
	}
	r.do("POST", "/batch", members{"atomic": true, "operations": []members{op("DELETE", "/endpoints/"+ep, nil)}}).is(200)
	r.do("GET", "/endpoints/"+ep, nil).refused(404)
}

func TestAnAtomicBatchTakesOnlyWhatCanBeUndone(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	for _, o := range []members{
		op("POST", "/endpoints/"+ep+"/connect", members{"remote_ia_address": "x", "remote_port_qual": 1}), op("POST", "/endpoints/"+ep+"/recvs", members{"size": 1}),
		op("POST", "/endpoints/"+ep+"/reset", nil), op("PUT", "/lmrs/"+ep+"/data", nil), op("POST", "/nosuch", nil),
	} {
		p := r.do("POST", "/batch", members{"atomic": true, "operations": []members{op("POST", "/pzs", members{"ia": ia0}), o}}).refused(422, "DAT_INVALID_PARAMETER")
		if p.Errors[0].Location != "operations[1]" {
			t.Errorf("%v: %v", o, p.Errors)
		}
	}
	active, _ := r.pair()
	for _, c := range []struct {
		status     int
		operations []members
	}{
		{422, []members{op("POST", "/pzs", members{"ia": ia0}), op("DELETE", "/endpoints/"+active, nil)}},
		{409, []members{op("POST", "/pzs", members{"ia": ia0, "name": "twice"}), op("POST", "/pzs", members{"ia": ia0, "name": "twice"})}},
		{422, []members{op("POST", "/pzs", members{"ia": ia0}), op("POST", "/evds", members{"ia": ia0, "qlen": "x", "streams": []string{"DTO"}})}},
	} {
		if p := r.do("POST", "/batch", members{"atomic": true, "operations": c.operations}).refused(c.status); p.Errors[0].Location != "operations[1]" {
			t.Errorf("%v: %v", c.operations, p.Errors)
		}
	}
	if p := r.do("POST", "/batch", members{"atomic": true, "operations": []members{op("DELETE", "/endpoints/00000000-0000-7000-8000-000000000000", nil)}}).refused(404, "DAT_INVALID_HANDLE"); p.Errors[0].Location != "operations[0]" {
		t.Errorf("errors %v", p.Errors)
	}
}

func TestABatchWithAMalformedOperationDoesNothing(t *testing.T) {
	r := newRig(t)
	for _, atomic := range []bool{false, true} {
		for _, bad := range [][]members{
			{},
			{op("POST", "pzs", nil)},
			{op("POST", "/pzs?dry_run=true", members{"ia": ia0})},
			{op("POST", "/batch", members{})},
			{op("DELETE", "/session", nil)},
			{op("POST", "/pzs", members{"ia": "$0.id"})},
			{op("POST", "/pzs", members{"ia": ia0}), op("DELETE", "/pzs/$2.id", nil)},
		} {
			r.do("POST", "/batch", members{"atomic": atomic, "operations": bad}, loose).refused(422, "DAT_INVALID_PARAMETER")
		}
	}
	if items := r.do("GET", "/pzs", nil).at("items").([]any); len(items) != 0 {
		t.Errorf("made %v", items)
	}
}

func TestADryRunOfABatchChangesNothing(t *testing.T) {
	r := newRig(t)
	for _, atomic := range []bool{false, true} {
		results := r.do("POST", "/batch?dry_run=true", members{"atomic": atomic, "operations": []members{op("POST", "/pzs", members{"ia": ia0}), op("POST", "/pzs", members{"ia": ia0, "name": "x"})}}).results()
		if results[1]["status"] != 201.0 || results[1]["etag"] != nil || results[1]["body"].(members)["id"] != "00000000-0000-0000-0000-000000000000" {
			t.Errorf("results %v", results)
		}
	}
	if items := r.do("GET", "/pzs", nil).at("items").([]any); len(items) != 0 {
		t.Errorf("made %v", items)
	}
}

func TestADryRunOfABatchResolvesReferences(t *testing.T) {
	r := newRig(t)
	operations := []members{
		op("POST", "/pzs", members{"ia": ia0, "name": "zone"}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id"}),
		op("PATCH", "/endpoints/$1.id", members{"attributes": members{"max_recv_dtos": 4}}),
		op("PATCH", "/endpoints/$1.id", members{"attributes": members{"max_recv_dtos": -1}}),
		op("DELETE", "/endpoints/$3.id", nil),
		op("POST", "/endpoints/$1.id/reset", nil),
	}
	for _, c := range []struct {
		atomic bool
		count  int
		want   string
	}{{true, 3, "[201 201 200]"}, {false, 6, "[201 201 200 422 422 422]"}} {
		var got []any
		for _, one := range r.do("POST", "/batch?dry_run=true", members{"atomic": c.atomic, "operations": operations[:c.count]}).results() {
			got = append(got, one["status"])
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("atomic %v: %v, not %s", c.atomic, got, c.want)
		}
	}
	if items := r.do("GET", "/pzs", nil).at("items").([]any); len(items) != 0 {
		t.Errorf("made %v", items)
	}
}

func TestARepeatedBatchGetsTheFirstAnswer(t *testing.T) {
	r := newRig(t)
	body := members{"atomic": true, "operations": []members{op("POST", "/pzs", members{"ia": ia0}), op("POST", "/pzs", members{"ia": ia0})}}
	first := r.do("POST", "/batch", body, with(idempotencyHeader, "b")).is(200)
	again := r.do("POST", "/batch", body, with(idempotencyHeader, "b")).is(200)
	if string(first.body) != string(again.body) || len(r.do("GET", "/pzs", nil).at("items").([]any)) != 2 {
		t.Errorf("first %s, again %s", first.body, again.body)
	}
}

func TestResultsOfABatchWithManyRefusalsAreInOrder(t *testing.T) {
	r := newRig(t)
	r.do("POST", "/pzs", members{"ia": ia0, "name": "taken"}).is(201)
	var operations []members
	for i := range 40 {
		switch i % 5 {
		case 0, 1:
			operations = append(operations, op("POST", "/endpoints", members{"ia": ia0, "name": fmt.Sprintf("ep-%d", i)}))
		case 2:
			operations = append(operations, op("PATCH", fmt.Sprintf("/endpoints/$%d.id", i-1), members{"attributes": members{"max_recv_dtos": -1}}))
		case 3:
			operations = append(operations, op("POST", "/pzs", members{"ia": ia0, "name": "taken"}))
		case 4:
			operations = append(operations, op("PATCH", fmt.Sprintf("/endpoints/$%d.id", i-3), members{"labels": members{"n": fmt.Sprint(i)}}))
		}
	}
	results := r.do("POST", "/batch", members{"operations": operations}).results()
	for i, want := range []float64{201, 201, 422, 409, 200} {
		for j := i; j < len(results); j += 5 {
			if results[j]["status"] != want {
				t.Errorf("operation %d: %v, not %v: %v", j, results[j]["status"], want, results[j]["body"])
			}
		}
	}
	items := r.do("GET", "/endpoints?fields=name", nil, loose).at("items").([]any)
	for i, item := range items {
		if name := fmt.Sprintf("ep-%d", i/2*5+i%2); item.(members)["name"] != name {
			t.Errorf("place %d has %v, not %s", i, item, name)
		}
	}
}

func TestRefusalsOfABatchAreRecordedOnce(t *testing.T) {
	r := newRig(t)
	active, _ := r.pair()
	r.do("POST", "/batch", members{"operations": []members{
		op("POST", "/pzs", members{"ia": ia0}), op("PATCH", "/endpoints/"+active, members{"pz": nil}), op("POST", "/pzs", members{"ia": ia0}),
	}}).is(200)
	r.do("POST", "/pzs", members{"ia": ia0}).is(201)
	if items := r.do("GET", "/changes?outcome=DAT_INVALID_STATE", nil).at("items").([]any); len(items) != 1 {
		t.Errorf("%d refusals are recorded", len(items))
	}
}
