package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// twoNodes starts two nodes on one database, each reached by the other.
func twoNodes(t *testing.T, secure bool) (alpha, beta *rig) {
	t.Helper()
	database := newDatabase(t)
	return newNode(t, database, "alpha", secure), newNode(t, database, "beta", secure)
}

// by demands that an answer is another node's.
func (a reply) by(node string) reply {
	a.t.Helper()
	if got := a.header.Get("Datapi-Node"); got != node {
		a.t.Errorf("answered by %q, want %q: %d %s", got, node, a.status, a.body)
	}
	return a
}

func TestAnotherNodesObjectsAreWrittenAsIfTheirOwnerWereAsked(t *testing.T) {
	for _, secure := range []bool{false, true} {
		alpha, beta := twoNodes(t, secure)
		zone := beta.do("POST", "/pzs", members{"ia": ia0}).is(201).id()
		made := beta.do("POST", "/endpoints", members{"ia": ia0, "name": "mine", "pz": zone}, with("X-Change-Reason", "new host"), with("X-Request-ID", "r-1")).is(201).by("alpha")
		if made.header.Get("Location") == "" || made.header.Get("ETag") != `"1"` || made.header.Get("X-Request-ID") != "r-1" {
			t.Errorf("headers %v", made.header)
		}
		ep := "/endpoints/" + made.id()
		change := alpha.do("GET", "/changes?type=endpoint", nil).is(200).at("items").([]any)[0].(members)
		if change["request_id"] != "r-1" || change["reason"] != "new host" || change["actor"] != "anonymous" || change["node"] != "alpha" {
			t.Errorf("the change is %v", change)
		}
		beta.do("PATCH", ep, members{"name": "yours"}, with("If-Match", `"7"`)).by("alpha").refused(412)
		beta.do("PATCH", ep, members{"name": "yours"}, with("If-Match", `"1"`)).is(200).by("alpha")
		if out := beta.do("GET", ep+"/status", nil).is(200).by("alpha"); out.at("state") != "UNCONNECTED" {
			t.Errorf("status %s", out.body)
		}
		if items := beta.do("GET", "/endpoints/status?id="+made.id(), nil).is(200).at("items").([]any); len(items) != 1 || items[0].(members)["state"] != "UNCONNECTED" {
			t.Errorf("statuses %v", items)
		}
		beta.do("POST", ep+"/recvs", members{"size": 16}).is(202).by("alpha")
		beta.do("PATCH", ep, `{"state":"CONNECTED"}`, loose).by("alpha").refused(422)
		beta.do("PATCH", ep+"?dry_run=true", `{"name":"other"}`, loose).is(200).by("alpha")
		if p := beta.do("PATCH", ep+"?forward=false", `{"name":"other"}`).refused(421); p.Address == nil || *p.Address != alpha.server.URL {
			t.Errorf("address %v", p.Address)
		}
		if out := alpha.do("GET", ep, nil).is(200); out.at("name") != "yours" || out.at("version") != 2.0 || out.header.Get("Datapi-Node") != "" {
			t.Errorf("in the end %v %s", out.header, out.body)
		}
		beta.do("DELETE", ep, nil).is(204).by("alpha")
		beta.do("DELETE", ep, nil).refused(404)
	}
}

func TestAKeyIsKeptByTheOwnerAlone(t *testing.T) { // promise 3
	alpha, beta := twoNodes(t, false)
	key := with("Idempotency-Key", "once")
	first := beta.do("POST", "/pzs", members{"ia": ia0}, key).is(201)
	for _, asked := range []*rig{beta, alpha} {
		if again := asked.do("POST", "/pzs", members{"ia": ia0}, key).is(201); again.id() != first.id() || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the repetition: %v %s", again.header, again.body)
		}
	}
	beta.do("POST", "/pzs", members{"ia": ia0, "name": "other"}, key).refused(422)
	beta.do("DELETE", "/pzs/"+first.id(), nil, with("Idempotency-Key", "gone")).is(204)
	beta.do("DELETE", "/pzs/"+first.id(), nil, with("Idempotency-Key", "gone")).is(204)
}

func TestLiveMembersOfAnotherNodesObjectComeFromItsOwner(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	alpha.do("POST", "/pzs", members{"ia": ia0}).is(201)
	if usage := beta.do("GET", "/ias/"+ia0, nil).is(200).by("alpha").at("usage").(members); usage["pzs"] != 1.0 {
		t.Errorf("usage %v", usage)
	}
	for _, path := range []string{"/ias/" + ia0 + "/resources", "/ias/" + ia0 + "/counters", "/ias/" + ia0 + "/checks"} {
		beta.do("GET", path, nil).is(200).by("alpha")
	}
}

func TestANodeThatCannotBeReachedIsSaidSo(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	ep := alpha.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	alpha.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	p := beta.do("PATCH", "/endpoints/"+ep, members{"name": "x"}, with("X-Request-ID", "r-9"), with("Idempotency-Key", "k-9")).refused(504)
	for _, word := range []string{"alpha", "r-9", "k-9"} {
		if p.Type != "/problems/outcome-unknown" || !strings.Contains(p.Detail, word) {
			t.Errorf("%s: %s, want %s in it", p.Type, p.Detail, word)
		}
	}
	beta.do("GET", "/endpoints/"+ep+"/status", nil).refused(503)
	alpha.server.Close()
	p = beta.do("PATCH", "/endpoints/"+ep, members{"name": "x"}).refused(503)
	if p.Type != "/problems/node-away" || !strings.Contains(p.Detail, "alpha") {
		t.Errorf("%s: %s", p.Type, p.Detail)
	}
	if out := beta.do("GET", "/endpoints/"+ep, nil).is(200); out.at("version") != 1.0 {
		t.Errorf("as recorded: %s", out.body)
	}
	shown := beta.raw("GET", "/metrics").Body.String()
	for _, line := range []string{`datapi_forwarded_calls_total{outcome="unknown"} 1`, `datapi_nodes{state="UP"} 2`} {
		if !strings.Contains(shown, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

func TestOnlyNodesPassCallsOn(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	const uri = basePath + "/pzs"
	body, err := json.Marshal(members{"ia": ia0})
	must(t, err)
	good := forwarded{From: "beta", To: "alpha", Principal: "eve", At: time.Now().Unix(), Call: callDigest("POST", uri, body)}
	other, late, stranger := good, good, good
	other.Call, late.At, stranger.To = callDigest("DELETE", uri, body), good.At-3600, "beta"
	for name, header := range map[string]string{
		"another call": other.sign(alpha.store.Secret()), "an hour ago": late.sign(alpha.store.Secret()), "another node": stranger.sign(alpha.store.Secret()),
		"another secret": good.sign(beta.store.Secret()), "no secret": good.sign(nil), "rubbish": "x.y",
	} {
		t.Run(name, func(t *testing.T) {
			alpha.do("POST", "/pzs", body, with("Datapi-Forwarded", header)).refused(401)
		})
	}
	alpha.do("POST", "/pzs", body, with("Datapi-Forwarded", good.sign(alpha.store.Secret()))).is(201)
	if change := alpha.do("GET", "/changes?actor=eve", nil).is(200).at("items").([]any); len(change) != 1 {
		t.Errorf("changes of the principal: %v", change)
	}
	// What was passed on once is not passed on again.
	twice := forwarded{From: "alpha", To: "beta", Principal: "eve", At: time.Now().Unix(), Call: callDigest("POST", uri, body)}
	beta.do("POST", "/pzs", body, with("Datapi-Forwarded", twice.sign(beta.store.Secret()))).refused(421)
}

func TestALooseBatchIsSplitByOwner(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	const ofBeta = "soft0@beta"
	batch := members{"operations": []members{
		op("POST", "/pzs", members{"ia": ia0}),
		op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id", "name": "first"}),
		op("POST", "/pzs", members{"ia": ofBeta, "name": "here"}),
		op("PATCH", "/endpoints/$1.id", members{"name": "renamed"}),
		op("POST", "/endpoints/$1.id/recvs", members{"size": 16}),
		op("POST", "/pzs", members{"ia": ia0, "name": "Wrong"}),
		op("DELETE", "/pzs/$5.id", nil),
		op("DELETE", "/pzs/$2.id", nil),
		op("POST", "/pzs", members{"ia": "soft9@gamma"}),
	}}
	key := with("Idempotency-Key", "split")
	want := []float64{201, 201, 201, 200, 202, 422, 422, 204, 422}
	for i, r := range beta.do("POST", "/batch?dry_run=true", batch, loose).is(200).results() {
		if i < 4 && r["status"] != want[i] {
			t.Errorf("dry run of operation %d: %v", i, r)
		}
	}
	var ids []any
	for _, asked := range []*rig{beta, beta} {
		results := asked.do("POST", "/batch", batch, key).is(200).results()
		for i, r := range results {
			if r["status"] != want[i] {
				t.Errorf("operation %d: %v", i, r)
			}
		}
		if detail := results[6]["body"].(members)["detail"].(string); !strings.Contains(detail, "Operation 5") {
			t.Errorf("the detail is %q", detail)
		}
		ids = append(ids, results[1]["body"].(members)["id"])
	}
	if ids[0] != ids[1] {
		t.Errorf("the repetition made %v", ids)
	}
	if out := alpha.do("GET", "/endpoints", nil).is(200); len(out.at("items").([]any)) != 1 {
		t.Errorf("endpoints: %s", out.body)
	}
}

func TestAnAtomicBatchIsOneNodes(t *testing.T) { // promise 11
	alpha, beta := twoNodes(t, false)
	batch := members{"atomic": true, "operations": []members{op("POST", "/pzs", members{"ia": ia0}), op("POST", "/endpoints", members{"ia": ia0, "pz": "$0.id"})}}
	key := with("Idempotency-Key", "atomic")
	first := beta.do("POST", "/batch", batch, key).is(200).by("alpha")
	again := alpha.do("POST", "/batch", batch, key).is(200)
	if string(first.body) != string(again.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repetition at the owner: %v %s", again.header, again.body)
	}
	p := beta.do("POST", "/batch", members{"atomic": true, "operations": []members{op("POST", "/pzs", members{"ia": ia0}), op("POST", "/pzs", members{"ia": "soft0@beta"})}}).refused(422)
	if p.Type != "/problems/not-atomic" || p.Errors[0].Location != "operations[1]" || !strings.Contains(p.Detail, "alpha") {
		t.Errorf("%s: %s", p.Type, p.Detail)
	}
}

func TestADeadNodesObjectsLookDead(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	ep := "/endpoints/" + alpha.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	evd := "/evds/" + alpha.do("POST", "/evds", members{"ia": ia0, "qlen": 4, "streams": []string{"DTO"}}).is(201).id()
	if out := alpha.do("GET", ep, nil).is(200); out.at("node_state") != "UP" || out.at("known_at") != nil || len(out.at("operations").([]any)) == 0 {
		t.Errorf("at its node: %s", out.body)
	}
	item := func(path string) members { return beta.do("GET", path, nil).is(200).at("items").([]any)[0].(members) }
	for _, m := range []string{"depth", "dropped", "mode", "in_use_by"} {
		if v, there := item("/evds?node=alpha")[m]; v != nil || !there {
			t.Errorf("%s of another node's EVD is %v in a list", m, v)
		}
	}
	if item("/ias?node=alpha")["usage"] != nil {
		t.Errorf("the usage is %v", item("/ias?node=alpha")["usage"])
	}
	if out := beta.do("GET", evd, nil).is(200); out.at("depth") != 0.0 || out.at("in_use_by") == nil {
		t.Errorf("asked from its node: %s", out.body)
	}
	if out := beta.do("GET", evd+"?forward=false", nil).is(200); out.at("depth") != nil {
		t.Errorf("not asked from its node: %s", out.body)
	}
	alpha.stop()
	eventually(t, "its node has left", func() bool { return beta.do("GET", ep, nil).is(200).at("node_state") == "LEFT" })
	must(t, administerOn(t.Context(), alpha.url, `UPDATE nodes SET left_at = NULL, last_seen = now() - interval '1 hour' WHERE name = 'alpha'`))
	eventually(t, "its node is down", func() bool { return beta.do("GET", ep, nil).is(200).at("node_state") == "DOWN" })
	for _, got := range []members{beta.do("GET", ep, nil).is(200).object(), item("/endpoints?node=alpha")} {
		if got["node_state"] != "DOWN" || got["known_at"] == nil || len(got["operations"].([]any)) != 0 || got["state"] != "UNCONNECTED" {
			t.Errorf("an endpoint of a dead node: %v", got)
		}
	}
	beta.do("DELETE", ep, nil).refused(503)
}

// Promise 3: what an owner did and could not say is told, and not done twice, when the batch is repeated with its key.
func TestARepeatedBatchLearnsWhatAnOwnerDidAndCouldNotSay(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	old := alpha.do("POST", "/pzs", members{"ia": ia0}).is(201).id()
	batch := members{"operations": []members{
		op("DELETE", "/pzs/"+old, nil),
		op("POST", "/pzs", members{"ia": "soft0@beta"}),
		op("POST", "/endpoints", members{"ia": ia0, "name": "once"}),
		op("PATCH", "/endpoints/$2.id", members{"labels": members{"a": "b"}}),
		op("POST", "/pzs", members{"ia": "soft1@beta"}),
	}}
	whole, calls := alpha.server.Config.Handler, 0
	alpha.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls != 2 {
			whole.ServeHTTP(w, r)
			return
		}
		whole.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	key := with("Idempotency-Key", "told")
	first := beta.do("POST", "/batch", batch, key).is(200).results()
	for i, want := range []float64{204, 201, 504, 504, 503} {
		if first[i]["status"] != want {
			t.Errorf("operation %d: %v", i, first[i])
		}
	}
	again := beta.do("POST", "/batch", batch, key).is(200).results()
	for i, want := range []float64{204, 201, 201, 200, 201} {
		if again[i]["status"] != want {
			t.Errorf("operation %d of the repetition: %v", i, again[i])
		}
	}
	if n := len(beta.do("GET", "/endpoints?name=once", nil).is(200).at("items").([]any)); n != 1 {
		t.Errorf("%d endpoints were made", n)
	}
	if n := len(beta.do("GET", "/pzs", nil).is(200).at("items").([]any)); n != 2 {
		t.Errorf("%d protection zones are there, want 2", n)
	}
}
