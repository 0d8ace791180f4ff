package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
)

// rehearsal is a write of the document, by the call's id: what makes it possible, and the call itself.
type rehearsal struct {
	// prepare returns the path, below the base path, and the body of the call.
	prepare func(r *rig) (path string, body any)
	// connects reports that the engine has events to tell after the call, so that the row has a service of its own.
	connects bool
	// signedIn reports that the call is of a service that asks who calls.
	signedIn bool
	// volatile are members of the answer that events of the engine may have changed when the real call answers.
	volatile []string
}

// moving are the members of an endpoint that the engine changes as soon as it is asked to connect.
var moving = []string{"state", "version", "last_event", "peer", "transport", "operations", "modifiable", "updated_at"}

// rehearsals has a row for every write of the document.
var rehearsals = map[string]rehearsal{
	"run-batch": {volatile: []string{"pz"}, prepare: func(r *rig) (string, any) {
		return "/batch", members{"atomic": true, "operations": []members{
			op("POST", "/pzs", members{"ia": ia0, "name": "in-batch"}), op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id"}),
			op("PATCH", "/endpoints/$1.id", members{"attributes": members{"max_recv_dtos": 3}}), op("PATCH", "/endpoints/$1.id", members{}),
			op("PATCH", "/endpoints/"+r.endpoint(ia0), members{"labels": members{"a": "b"}}), op("DELETE", "/pzs/"+r.pz(ia0), nil),
			op("POST", "/psps", members{"ia": ia0, "evd": r.evd(ia0, "CR")}),
			op("POST", "/lmrs", members{"ia": ia0, "pz": "$0.id", "length": 64, "privileges": []string{"LOCAL_READ"}}),
		}}
	}},
	"accept-cr": {connects: true, volatile: moving, prepare: func(r *rig) (string, any) {
		return "/crs/" + r.waitingRequest() + "/accept", members{"endpoint": r.endpoint(ia1)}
	}},
	"reject-cr": {connects: true, prepare: func(r *rig) (string, any) { return "/crs/" + r.waitingRequest() + "/reject", nil }},
	"handoff-cr": {connects: true, prepare: func(r *rig) (string, any) {
		return "/crs/" + r.waitingRequest() + "/handoff", members{"conn_qual": 4999}
	}},
	"set-retention": {volatile: []string{"set_at"}, prepare: func(*rig) (string, any) { return "/retention", members{"age": "36h"} }},
	"retire-node": {connects: true, prepare: func(r *rig) (string, any) {
		newRigOn(r.t, r.url, "left").stop()
		return "/nodes/left", nil
	}},
	"create-endpoint": {prepare: func(r *rig) (string, any) {
		return "/endpoints", members{"ia": ia0, "pz": r.pz(ia0), "name": "rehearsed", "labels": members{"a": "b"}}
	}},
	"free-endpoint":   {prepare: func(r *rig) (string, any) { return "/endpoints/" + r.endpoint(ia0), nil }},
	"modify-endpoint": {prepare: func(r *rig) (string, any) { return "/endpoints/" + r.endpoint(ia0), members{"name": "modified"} }},
	"connect-endpoint": {connects: true, prepare: func(r *rig) (string, any) {
		path, body := r.connectTo(r.endpoint(ia0))
		return path, body
	}},
	"dup-connect-endpoint": {connects: true, prepare: func(r *rig) (string, any) {
		active, _ := r.pair()
		return "/endpoints/" + r.endpoint(ia0) + "/dup-connect", members{"endpoint": active}
	}},
	"disconnect-endpoint": {connects: true, prepare: func(r *rig) (string, any) {
		active, _ := r.pair()
		return "/endpoints/" + active + "/disconnect", members{"close": "ABRUPT"}
	}},
	"reset-endpoint": {connects: true, prepare: func(r *rig) (string, any) {
		active, passive := r.pair()
		r.do("POST", "/endpoints/"+active+"/disconnect", nil, with("Prefer", "wait=10")).is(200)
		eventually(r.t, "the other end is disconnected", func() bool {
			return r.do("GET", "/endpoints/"+passive, nil).at("state") == "DISCONNECTED"
		})
		return "/endpoints/" + active + "/reset", nil
	}},
	"revert-endpoint": {prepare: func(r *rig) (string, any) {
		ep := r.endpoint(ia0)
		r.do("PATCH", "/endpoints/"+ep, members{"attributes": members{"max_recv_dtos": 3}}).is(200)
		return "/endpoints/" + ep + "/revert", members{"version": 1}
	}},
	"set-endpoint-watermarks": {prepare: func(r *rig) (string, any) {
		ep := r.endpoint(ia0)
		r.do("POST", "/endpoints/"+ep+"/recvs", members{"count": 4, "size": 8}).is(202)
		return "/endpoints/" + ep + "/watermarks", members{"soft_high": 2, "hard_high": nil}
	}},
	"post-endpoint-recvs": {prepare: func(r *rig) (string, any) {
		return "/endpoints/" + r.endpoint(ia0) + "/recvs", members{"count": 2, "size": 8}
	}},
	"post-endpoint-sends": {connects: true, prepare: func(r *rig) (string, any) {
		active, _ := r.pair()
		return "/endpoints/" + active + "/sends", members{"size": 8}
	}},
	"post-endpoint-rdma-writes": {connects: true, prepare: func(r *rig) (string, any) { return r.rdma("rdma-writes") }},
	"post-endpoint-rdma-reads":  {connects: true, prepare: func(r *rig) (string, any) { return r.rdma("rdma-reads") }},
	"bind-endpoint-rmr": {connects: true, prepare: func(r *rig) (string, any) {
		active, _ := r.pair()
		pz := r.do("GET", "/endpoints/"+active, nil).at("pz").(string)
		rmr := r.do("POST", "/rmrs", members{"ia": ia0, "pz": pz}).is(201).id()
		return "/endpoints/" + active + "/rmr-binds", members{"rmr": rmr, "lmr": r.lmr(ia0, pz), "length": 64, "privileges": []string{"REMOTE_READ"}}
	}},
	"create-evd": {prepare: func(r *rig) (string, any) {
		return "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}, "name": "rehearsed"}
	}},
	"free-evd":   {prepare: func(r *rig) (string, any) { return "/evds/" + r.evd(ia0, "DTO"), nil }},
	"modify-ia":  {prepare: func(*rig) (string, any) { return "/ias/" + ia0, members{"labels": members{"rack": "7"}} }},
	"modify-evd": {prepare: func(r *rig) (string, any) { return "/evds/" + r.evd(ia0, "DTO"), members{"qlen": 99} }},
	"dequeue-evd": {prepare: func(r *rig) (string, any) {
		evd := r.evd(ia0, "SOFTWARE")
		r.do("POST", "/evds/"+evd+"/events", members{"data": 1}).is(201)
		return "/evds/" + evd + "/dequeue", members{"max": 8}
	}},
	"post-evd-event": {prepare: func(r *rig) (string, any) { return "/evds/" + r.evd(ia0, "SOFTWARE") + "/events", members{"data": "x"} }},
	"create-lmr": {prepare: func(r *rig) (string, any) {
		return "/lmrs", members{"ia": ia0, "pz": r.pz(ia0), "length": 64, "privileges": []string{"LOCAL_READ", "REMOTE_READ"}}
	}},
	"free-lmr": {prepare: func(r *rig) (string, any) { return "/lmrs/" + r.lmr(ia0, r.pz(ia0)), nil }},
	"write-lmr-data": {prepare: func(r *rig) (string, any) {
		return "/lmrs/" + r.lmr(ia0, r.pz(ia0)) + "/data", []byte("written")
	}},
	"create-psp": {prepare: func(r *rig) (string, any) { return "/psps", members{"ia": ia0, "evd": r.evd(ia0, "CR")} }},
	"free-psp": {prepare: func(r *rig) (string, any) {
		return "/psps/" + r.do("POST", "/psps", members{"ia": ia0, "evd": r.evd(ia0, "CR")}).is(201).id(), nil
	}},
	"create-pz":  {prepare: func(r *rig) (string, any) { return "/pzs", members{"ia": ia0, "name": "rehearsed"} }},
	"free-pz":    {prepare: func(r *rig) (string, any) { return "/pzs/" + r.pz(ia0), nil }},
	"create-rmr": {prepare: func(r *rig) (string, any) { return "/rmrs", members{"ia": ia0, "pz": r.pz(ia0)} }},
	"free-rmr": {prepare: func(r *rig) (string, any) {
		return "/rmrs/" + r.do("POST", "/rmrs", members{"ia": ia0, "pz": r.pz(ia0)}).is(201).id(), nil
	}},
	"create-rsp": {prepare: func(r *rig) (string, any) {
		return "/rsps", members{"ia": ia0, "conn_qual": 4801, "endpoint": r.endpoint(ia0), "evd": r.evd(ia0, "CR")}
	}},
	"free-rsp": {prepare: func(r *rig) (string, any) {
		body := members{"ia": ia0, "conn_qual": 4802, "endpoint": r.endpoint(ia0), "evd": r.evd(ia0, "CR")}
		return "/rsps/" + r.do("POST", "/rsps", body).is(201).id(), nil
	}},
	"start-session": {prepare: func(*rig) (string, any) { return "/session", nil }, volatile: []string{"expires_at"}},
	"end-one-session": {signedIn: true, prepare: func(r *rig) (string, any) {
		r.session()
		return "/sessions/" + r.do("GET", "/sessions", nil).is(200).at("items").([]any)[0].(members)["id"].(string), nil
	}},
	"create-signin-link": {signedIn: true, prepare: func(*rig) (string, any) { return "/signin-links", nil }, volatile: []string{"link", "url", "expires_at"}},
	"create-token": {signedIn: true, volatile: []string{"token"}, prepare: func(*rig) (string, any) {
		return "/tokens", members{"name": "rehearsed", "role": "viewer"}
	}},
	"modify-token": {signedIn: true, prepare: func(r *rig) (string, any) {
		id, _ := r.token("rehearsed", "viewer")
		return "/tokens/" + id, members{"role": "operator"}
	}},
	"delete-token": {signedIn: true, prepare: func(r *rig) (string, any) {
		id, _ := r.token("rehearsed", "viewer")
		return "/tokens/" + id, nil
	}},
	"create-user": {signedIn: true, volatile: []string{"signin"}, prepare: func(*rig) (string, any) {
		return "/users", members{"name": "rehearsed", "role": "viewer"}
	}},
	"modify-user": {signedIn: true, prepare: func(r *rig) (string, any) { return "/users/" + r.user("rehearsed"), members{"role": "operator"} }},
	"delete-user": {signedIn: true, prepare: func(r *rig) (string, any) { return "/users/" + r.user("rehearsed"), nil }},
	"end-session": {prepare: func(*rig) (string, any) { return "/session", nil }},
	"create-srq": {prepare: func(r *rig) (string, any) {
		return "/srqs", members{"ia": ia0, "pz": r.pz(ia0), "max_recv_dtos": 8, "max_recv_iov": 1}
	}},
	"free-srq":              {prepare: func(r *rig) (string, any) { return "/srqs/" + r.srq(), nil }},
	"modify-srq":            {prepare: func(r *rig) (string, any) { return "/srqs/" + r.srq(), members{"max_recv_dtos": 16} }},
	"set-srq-low-watermark": {prepare: func(r *rig) (string, any) { return "/srqs/" + r.srq() + "/low-watermark", members{"low": 2} }},
	"post-srq-recvs":        {prepare: func(r *rig) (string, any) { return "/srqs/" + r.srq() + "/recvs", members{"count": 2, "size": 8} }},
}

func (r *rig) srq() string {
	r.t.Helper()
	return r.do("POST", "/srqs", members{"ia": ia0, "pz": r.pz(ia0), "max_recv_dtos": 8, "max_recv_iov": 1}).is(201).id()
}

func (r *rig) lmr(ia, pz string) string {
	r.t.Helper()
	return r.do("POST", "/lmrs", members{"ia": ia, "pz": pz, "length": 64, "privileges": []string{"LOCAL_READ", "LOCAL_WRITE", "REMOTE_READ", "REMOTE_WRITE"}}).is(201).id()
}

// connectTo returns the call that connects an endpoint to a new service point of the second adapter.
func (r *rig) connectTo(ep string) (path string, body members) {
	r.t.Helper()
	psp := r.do("POST", "/psps", members{"ia": ia1, "evd": r.evd(ia1, "CR")}).is(201)
	address := r.do("GET", "/ias/"+ia1, nil).is(200).at("ia_attributes", "ia_address")
	return "/endpoints/" + ep + "/connect", members{"remote_ia_address": address, "remote_port_qual": psp.at("conn_qual")}
}

// waitingRequest returns the id of a connection request that waits for its answer.
func (r *rig) waitingRequest() string {
	r.t.Helper()
	path, body := r.connectTo(r.endpoint(ia0))
	r.do("POST", path, body).is(202)
	var id string
	eventually(r.t, "a connection request waits", func() bool {
		items := r.do("GET", "/crs?sort=-created_at&limit=1", nil).is(200).at("items").([]any)
		if len(items) == 0 {
			return false
		}
		id = items[0].(members)["id"].(string)
		return items[0].(members)["psp"] == r.do("GET", "/psps?sort=-created_at&limit=1", nil).at("items").([]any)[0].(members)["id"]
	})
	return id
}

// rdma returns the call that reads or writes a peer's memory.
func (r *rig) rdma(kind string) (path string, body any) {
	r.t.Helper()
	active, passive := r.pair()
	here := r.lmr(ia0, r.do("GET", "/endpoints/"+active, nil).at("pz").(string))
	there := r.do("GET", "/lmrs/"+r.lmr(ia1, r.do("GET", "/endpoints/"+passive, nil).at("pz").(string)), nil).is(200)
	return "/endpoints/" + active + "/" + kind, members{
		"lmr": here, "length": 8, "remote": members{"rmr_context": there.at("rmr_context"), "target_address": there.at("target_address")},
	}
}

// everything returns all that a dry run must leave as it is: what is recorded and stored, and what lives in queues,
// endpoints, memory and sessions.
func (r *rig) everything() map[string]any {
	r.t.Helper()
	all := map[string]any{}
	for _, table := range []string{"objects", "changes", "kept", "tokens", "users", "sessions", "signin_links", "audit"} {
		all[table] = r.number("SELECT count(*) FROM " + table)
	}
	all["nodes"] = r.number("SELECT count(*) FROM nodes WHERE retirement IS NULL")
	all["retention"] = r.do("GET", "/retention", nil).is(200).object()
	for _, kind := range objectKinds {
		for _, item := range r.do("GET", kind.path+"?limit=1000", nil).is(200).at("items").([]any) {
			id := item.(members)["id"].(string)
			all[kind.path+"/"+id] = item
			switch kind.path {
			case "/endpoints":
				status := r.do("GET", "/endpoints/"+id+"/status", nil).is(200).object()
				delete(status, "observed_at")
				all["status of "+id] = status
			case "/lmrs":
				all["data of "+id] = string(r.do("GET", "/lmrs/"+id+"/data", nil).is(200).body)
			}
		}
	}
	return all
}

// comparable returns an answer's body without what a rehearsal cannot know: ids of what was not made, times, what the
// device gives, and other volatile members.
func comparable(t *testing.T, body []byte, volatile []string) any {
	t.Helper()
	if len(body) == 0 {
		return nil
	}
	var v any
	must(t, json.Unmarshal(body, &v))
	unknown := append([]string{"id", "created_at", "updated_at", "rmr_context", "target_address", "conn_qual", "at", "etag", "request_id"}, volatile...)
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				strip(one)
			}
		case members:
			for _, name := range unknown {
				delete(v, name)
			}
			for _, one := range v {
				strip(one)
			}
		}
	}
	strip(v)
	return v
}

// Promise 10: a dry run has no effect anywhere, on keys neither, and gives the answer of the real call's synchronous
// part: its status, and its body by the same schema.
func TestADryRunOfEveryWriteAnswersAsTheCallAndChangesNothing(t *testing.T) {
	methods := map[string]string{}
	build(Config{}).operations(func(method, _ string, op *huma.Operation) {
		if method != http.MethodGet {
			methods[op.OperationID] = method
		}
	})
	for id := range methods {
		if _, there := rehearsals[id]; !there {
			t.Errorf("%s has no row", id)
		}
	}
	shared := newRig(t)
	for id, row := range rehearsals {
		t.Run(id, func(t *testing.T) {
			method, there := methods[id]
			if !there {
				t.Fatal("there is no such write")
			}
			r := shared
			if row.connects {
				r = newRig(t)
			}
			if row.signedIn {
				r = newRig(t, withToken)
				r.credential = bearer
			}
			path, body := row.prepare(r)
			r.pz(ia0) // what the engine told before is recorded with it
			var media option = func(*http.Request) {}
			if _, octets := body.([]byte); octets {
				media = with("Content-Type", "application/octet-stream")
			}
			key, reason := with(idempotencyHeader, id), with("X-Change-Reason", "rehearsed")
			before := r.everything()
			dry := r.do(method, path+"?dry_run=true", body, media, reason)
			for _, spelling := range []string{"True", "TRUE", "1", "t"} {
				if again := r.do(method, path+"?dry_run="+spelling, body, media, reason, key, loose); again.status != dry.status {
					t.Errorf("%s: %d %s", spelling, again.status, again.body)
				}
			}
			if d := cmp.Diff(before, r.everything()); d != "" {
				t.Errorf("a dry run has changed something:\n%s", d)
			}
			for _, header := range []string{"Location", "ETag", "Set-Cookie", replayedHeader} {
				if v := dry.header.Get(header); v != "" {
					t.Errorf("a dry run answers %s: %s", header, v)
				}
			}
			did := r.do(method, path, body, media, reason, key)
			if did.status >= 400 || did.status != dry.status || did.header.Get(replayedHeader) != "" {
				t.Fatalf("the call answers %d %s, its dry run %d %s", did.status, did.body, dry.status, dry.body)
			}
			if d := cmp.Diff(comparable(t, dry.body, row.volatile), comparable(t, did.body, row.volatile)); d != "" {
				t.Errorf("the dry run (-) answers what the call (+) does not:\n%s", d)
			}
			if made := did.header.Get("Location"); made != "" && strings.Contains(string(dry.body), `"id":`) && !strings.Contains(string(dry.body), `"id":"00000000-0000-0000-0000-000000000000"`) {
				t.Errorf("a dry run shows an id: %s", dry.body)
			}
		})
	}
}

// Promise 10: names that objects of other nodes have are seen.
func TestADryRunSeesTheNamesOfOtherNodes(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newRigOn(t, database, "alpha"), newRigOn(t, database, "beta")
	alpha.do("POST", "/pzs", members{"ia": ia0, "name": "taken"}).is(201)
	zone := members{"ia": "soft0@beta", "name": "taken"}
	if p := beta.do("POST", "/pzs?dry_run=true", zone).refused(409); p.Type != "/problems/name-taken" {
		t.Errorf("%+v", p)
	}
	evd := beta.do("POST", "/evds", members{"ia": "soft0@beta", "qlen": 8, "streams": []string{"DTO"}}).is(201).id()
	alpha.do("POST", "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}, "name": "queue"}).is(201)
	beta.do("PATCH", "/evds/"+evd+"?dry_run=true", members{"name": "queue"}).refused(409)
	operations := []members{op("POST", "/pzs", members{"ia": "soft0@beta"}), op("POST", "/pzs", zone)}
	if p := beta.do("POST", "/batch?dry_run=true", members{"atomic": true, "operations": operations}).refused(409); p.Errors[0].Location != "operations[1]" {
		t.Errorf("%+v", p.Errors)
	}
	if got := beta.do("POST", "/batch?dry_run=true", members{"operations": operations}).statuses(); got != "[201 409]" {
		t.Errorf("results %s", got)
	}
}

// Promise 10: a dry run that is refused leaves no record of the refusal.
func TestARefusedDryRunIsNotRecorded(t *testing.T) {
	r := newRig(t)
	active, _ := r.pair()
	before := r.number(`SELECT count(*) FROM changes`)
	refused := members{"atomic": true, "operations": []members{op("PATCH", "/endpoints/"+active, members{"pz": nil})}}
	r.do("POST", "/batch?dry_run=true", refused).refused(409)
	r.do("PATCH", "/endpoints/"+active+"?dry_run=true", members{"pz": nil}).refused(409)
	r.pz(ia0) // what was handed over to the recorder before is recorded with it
	if now := r.number(`SELECT count(*) FROM changes`); now != before+1 {
		t.Errorf("%d changes were recorded, want 1", now-before)
	}
}
