package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// team is the label of the scopes in these tests, and its value in them.
const team = "team"

func inTeam(value string) members { return members{team: value} }

// scoped makes a token of a role that is restricted to the given adapters and labels.
func (r *rig) scoped(name, role string, ias []string, labels members) option {
	r.t.Helper()
	if ias == nil {
		ias = []string{}
	}
	_, secret := r.token(name, role, members{"scope": members{"ias": ias, "labels": labels}})
	return bring(secret)
}

// itemIDs returns the ids of a list's items.
func (a reply) itemIDs() []string {
	a.t.Helper()
	ids := []string{}
	for _, item := range a.is(200).at("items").([]any) {
		ids = append(ids, fmt.Sprint(item.(members)["id"]))
	}
	return ids
}

func TestAScopeIsShownAndKept(t *testing.T) {
	r := newRig(t, withToken)
	made := r.do("POST", "/tokens", members{"name": "narrow", "role": "operator", "scope": members{"ias": []string{ia0, "soft1"}, "labels": inTeam("a")}}, bearer).is(201)
	want := `{"ias":["soft0@alpha","soft1"],"labels":{"team":"a"}}`
	for where, got := range map[string]any{
		"the answer": made.at("scope"),
		"the token":  r.do("GET", "/tokens/narrow", nil, bearer).is(200).at("scope"),
		"whoami":     r.do("GET", "/whoami", nil, bring(made.at("token").(string))).is(200).at("scope"),
	} {
		if text, _ := json.Marshal(got); string(text) != want {
			t.Errorf("%s has the scope %s", where, text)
		}
	}
	cookie := r.signIn(members{"token": made.at("token")})
	if me := r.do("GET", "/whoami", nil, cookie).is(200); me.at("scope", "labels", "team") != "a" {
		t.Errorf("a session of it: %s", me.body)
	}
	r.do("PATCH", "/tokens/narrow", members{"role": "viewer"}, bearer).is(200)
	if me := r.do("GET", "/whoami", nil, cookie).is(200); me.at("scope", "labels", "team") != "a" || me.at("role") != "viewer" {
		t.Errorf("with another role: %s", me.body)
	}
	r.do("PATCH", "/tokens/narrow", members{"scope": nil}, bearer).is(200)
	if me := r.do("GET", "/whoami", nil, cookie).is(200); me.at("scope") != nil {
		t.Errorf("without a scope: %s", me.body)
	}
	for _, wrong := range []members{
		{"ias": []string{""}}, {"ias": []string{"a@b@c"}}, {"labels": members{"ä": "x"}}, {"labels": members{"x": strings.Repeat("x", 256)}}, {"unknown": 1},
	} {
		r.do("POST", "/tokens", members{"name": "wrong", "role": "viewer", "scope": wrong}, bearer).refused(422, "DAT_INVALID_PARAMETER")
	}
	empty := r.do("POST", "/tokens", members{"name": "wide", "role": "viewer", "scope": members{}}, bearer).is(201)
	if empty.at("scope") != nil {
		t.Errorf("a scope that restricts nothing: %s", empty.body)
	}
	line := r.do("GET", "/audit?action=create-token&limit=1000", nil, bearer).is(200)
	if !strings.Contains(string(line.body), `operator in {\"ias\":[\"soft0@alpha\",\"soft1\"],\"labels\":{\"team\":\"a\"}}`) {
		t.Errorf("the audit: %s", line.body)
	}
}

func TestAUsersScopeHoldsForItsSessions(t *testing.T) {
	r := newRig(t, withToken)
	made := r.do("POST", "/users", members{"name": "kim", "role": "operator", "scope": members{"ias": []string{"soft0"}}}, bearer).is(201)
	cookie := r.signIn(members{"link": made.at("signin", "link")})
	if ids := r.do("GET", "/ias", nil, cookie).itemIDs(); !slices.Equal(ids, []string{ia0}) {
		t.Errorf("kim sees %q", ids)
	}
	r.do("PATCH", "/users/kim", members{"scope": nil}, cookie, with("Origin", "http://localhost")).refused(403)
	r.do("PATCH", "/users/kim", members{"scope": members{"ias": []string{"soft1"}}}, bearer).is(200)
	if ids := r.do("GET", "/ias", nil, cookie).itemIDs(); !slices.Equal(ids, []string{ia1}) {
		t.Errorf("then kim sees %q", ids)
	}
	r.do("PATCH", "/users/kim", members{"password": "correct horse battery"}, bearer).is(200)
	password := r.signIn(members{"name": "kim", "password": "correct horse battery"})
	if ids := r.do("GET", "/ias", nil, password).itemIDs(); !slices.Equal(ids, []string{ia1}) {
		t.Errorf("with the password kim sees %q", ids)
	}
}

func TestOfListsACallerSeesTheScope(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	var inA []string
	for i := range 5 {
		labels := inTeam([]string{"a", "b"}[i%2])
		id := r.do("POST", "/pzs", members{"ia": []string{ia0, ia1}[i%2], "labels": labels, "name": fmt.Sprintf("zone-%d", i)}).is(201).id()
		if i%2 == 0 {
			inA = append(inA, id)
		}
	}
	for what, caller := range map[string]option{
		"a label": r.scoped("by-label", "viewer", nil, inTeam("a")), "an adapter": r.scoped("by-ia", "viewer", []string{ia0}, members{}),
		"both": r.scoped("by-both", "viewer", []string{"soft0"}, inTeam("a")),
	} {
		first := r.do("GET", "/pzs?limit=2&total=true", nil, caller)
		rest := r.do("GET", "/pzs?limit=2&cursor="+fmt.Sprint(first.is(200).at("next_cursor")), nil, caller)
		if got := append(first.itemIDs(), rest.itemIDs()...); !slices.Equal(got, inA) || first.at("total") != 3.0 || rest.at("next_cursor") != nil {
			t.Errorf("by %s: %q, total %v", what, got, first.at("total"))
		}
		if ids := r.do("GET", "/pzs?name=zone-1", nil, caller).itemIDs(); len(ids) != 0 {
			t.Errorf("by %s a name outside finds %q", what, ids)
		}
	}
	both := r.scoped("by-neither", "viewer", []string{ia1}, inTeam("a"))
	if ids := r.do("GET", "/pzs", nil, both).itemIDs(); len(ids) != 0 {
		t.Errorf("where only one member holds: %q", ids)
	}
}

// Scope: outside of it reads and writes are 404, as for an id that is not there
func TestOutsideOfTheScopeThereIsNothing(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	caller := r.scoped("caller", "operator", nil, inTeam("a"))
	r.do("PATCH", "/ias/"+ia0, members{"labels": inTeam("a")}).is(200)
	evd := r.do("POST", "/evds", members{"ia": ia0, "qlen": 64, "streams": []string{"DTO", "CONNECTION"}, "labels": inTeam("b")}).is(201).id()
	outside := r.do("POST", "/endpoints", members{"ia": ia0, "name": "theirs", "labels": inTeam("b"), "recv_evd": evd}).is(201).id()
	inside := r.do("POST", "/endpoints", members{"ia": ia0, "labels": inTeam("a")}).is(201).id()

	nobody := "0193ffff-0000-7000-8000-000000000000"
	spelled := "%" + fmt.Sprintf("%02x", outside[0]) + outside[1:]
	for _, path := range []string{"/endpoints/" + spelled, "/endpoints/" + spelled + "/status", "/endpoints/" + spelled + "/history"} {
		if out := r.do("GET", path, nil, caller, loose); out.status != 404 {
			t.Errorf("%s: %d %s", path, out.status, out.body)
		}
	}
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/endpoints/%s", nil},
		{"GET", "/endpoints/%s/status", nil},
		{"GET", "/endpoints/%s/recvs", nil},
		{"GET", "/endpoints/%s/history", nil},
		{"GET", "/endpoints/%s/history/1", nil},
		{"GET", "/endpoints/%s?as_of=1", nil},
		{"PATCH", "/endpoints/%s", members{"name": "mine"}},
		{"PUT", "/endpoints/%s/watermarks", members{"soft_high": 1, "hard_high": nil}},
		{"POST", "/endpoints/%s/reset", nil},
		{"POST", "/endpoints/%s/recvs", members{"count": 1, "size": 1}},
		{"POST", "/endpoints/%s/revert", members{"version": 1}},
		{"DELETE", "/endpoints/%s", nil},
		{"DELETE", "/endpoints/%s?dry_run=true", nil},
	} {
		there := r.do(call.method, fmt.Sprintf(call.path, outside), call.body, caller, loose)
		none := r.do(call.method, fmt.Sprintf(call.path, nobody), call.body, caller, loose)
		if there.is(404); none.status != 404 || there.at("detail") != none.at("detail") || there.at("dat_return") != none.at("dat_return") {
			t.Errorf("%s %s: %s, and of nobody %s", call.method, call.path, there.body, none.body)
		}
	}
	if out := r.do("GET", "/endpoints/status?id="+outside+"&id="+inside, nil, caller); len(out.is(200).at("items").([]any)) != 1 {
		t.Errorf("the status of many: %s", out.body)
	}
	// what a write refers to
	r.do("PATCH", "/endpoints/"+inside, members{"recv_evd": evd}, caller).refused(422, "DAT_INVALID_PARAMETER")
	r.do("POST", "/endpoints", members{"ia": ia0, "labels": inTeam("a"), "recv_evd": evd}, caller).refused(422, "DAT_INVALID_HANDLE")
	r.do("POST", "/pzs", members{"ia": ia1, "labels": inTeam("a")}, caller).refused(422, "DAT_INVALID_HANDLE")
	zone := r.do("POST", "/pzs", members{"ia": ia0, "labels": inTeam("a")}).is(201).id()
	shared := members{"ia": ia0, "pz": zone, "labels": inTeam("a"), "length": 64, "mem_type": "SHARED_VIRTUAL", "shared_id": "theirs", "privileges": []string{"LOCAL_READ"}}
	r.do("POST", "/lmrs", shared, caller).refused(403)
	for _, path := range []string{"/metrics", "/readyz?verbose"} {
		if out := r.raw("GET", path, caller); out.Code != 403 {
			t.Errorf("%s answers with %d", path, out.Code)
		}
	}
	// what others have is not named
	taken := r.do("POST", "/endpoints", members{"ia": ia0, "labels": inTeam("a"), "name": "theirs"}, caller).refused(409)
	if strings.Contains(taken.Detail, outside) {
		t.Errorf("the refusal names who has the name: %s", taken.Detail)
	}
	if r.do("GET", "/endpoints/"+outside, nil).is(200).at("version") != 1.0 {
		t.Error("the endpoint outside was changed")
	}
}

// Scope: creating or relabelling out of it is 403
func TestNothingIsMadeOrMovedOutOfTheScope(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	caller := r.scoped("caller", "operator", []string{"soft0"}, inTeam("a"))
	r.do("PATCH", "/ias/"+ia0, members{"labels": inTeam("a")}).is(200)
	mine := r.do("POST", "/pzs", members{"ia": ia0, "labels": inTeam("a")}, caller).is(201).id()
	endpoint := r.do("POST", "/endpoints", members{"ia": ia0, "labels": inTeam("a")}, caller).is(201).id()
	changes := r.number("SELECT count(*) FROM changes")
	for _, call := range []struct {
		method, path string
		body         members
	}{
		{"POST", "/pzs", members{"ia": ia0}},
		{"POST", "/pzs", members{"ia": ia0, "labels": inTeam("b")}},
		{"POST", "/pzs?dry_run=true", members{"ia": ia0, "labels": inTeam("b")}},
		{"POST", "/pzs", members{"ia": ia1, "labels": inTeam("a")}},
		{"POST", "/pzs", members{"ia": "nobody@nowhere", "labels": inTeam("a")}},
		{"POST", "/endpoints", members{"ia": ia0, "labels": inTeam("b"), "pz": mine}},
		{"PATCH", "/endpoints/" + endpoint, members{"labels": inTeam("b")}},
		{"PATCH", "/endpoints/" + endpoint, members{"labels": nil}},
		{"PATCH", "/endpoints/" + endpoint + "?dry_run=true", members{"labels": nil}},
		{"PATCH", "/ias/" + ia0, members{"labels": members{team: nil}}},
	} {
		if p := r.do(call.method, call.path, call.body, caller, loose).refused(403); p.Type != "/problems/no-right" || p.Return != nil {
			t.Errorf("%s %s: %+v", call.method, call.path, p)
		}
	}
	for _, atomic := range []bool{true, false} {
		out := r.do("POST", "/batch", members{"atomic": atomic, "operations": []members{
			op("POST", "/pzs", members{"ia": ia0, "labels": inTeam("b")}),
			op("POST", "/pzs", members{"ia": ia1, "labels": inTeam("a")}),
			op("PATCH", "/endpoints/"+endpoint, members{"labels": inTeam("b")}),
		}}, caller)
		if atomic {
			out.refused(403)
			continue
		}
		for _, result := range out.is(200).at("results").([]any) {
			if result.(members)["status"] != 403.0 {
				t.Errorf("a batch: %v", result)
			}
		}
	}
	if n := r.number("SELECT count(*) FROM changes"); n != changes {
		t.Errorf("%d changes were recorded", n-changes)
	}
	for _, action := range []string{"create-pz", "modify-endpoint", "run-batch"} {
		eventually(t, "the refusal is in the audit: "+action, func() bool {
			return len(r.do("GET", "/audit?outcome=refused&actor=caller&action="+action, nil).is(200).at("items").([]any)) > 0
		})
	}
	r.do("PATCH", "/endpoints/"+endpoint, members{"labels": members{"more": "x"}}, caller).is(200)
	reserved := r.endpoint(ia0)
	rsp := r.do("POST", "/rsps", members{"ia": ia0, "conn_qual": 4803, "endpoint": reserved, "evd": r.evd(ia0, "CR"), "labels": inTeam("a")}).is(201).id()
	r.do("DELETE", "/rsps/"+rsp, nil, caller).refused(403)
	if state := r.do("GET", "/endpoints/"+reserved, nil).is(200).at("state"); state != "RESERVED" {
		t.Errorf("the endpoint of a service point in the scope is %v", state)
	}
	r.do("POST", "/batch", members{"atomic": true, "operations": []members{op("DELETE", "/endpoints/"+endpoint, nil), op("DELETE", "/pzs/"+mine, nil)}}, caller).is(200)
}
