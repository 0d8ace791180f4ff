package api

import (
	"slices"
	"strings"
	"testing"
)

// movesOf returns the changes of a node as a node tells them, the oldest first.
func movesOf(r *rig, node string) (moves []members) {
	for _, item := range r.do("GET", "/changes?type=node&order=asc&node="+node, nil).is(200).at("items").([]any) {
		moves = append(moves, item.(members))
	}
	return moves
}

// nodeOf returns the row of a node in the list that another one gives.
func nodeOf(r *rig, node string) members {
	for _, item := range r.do("GET", "/nodes", nil).is(200).at("items").([]any) {
		if item.(members)["name"] == node {
			return item.(members)
		}
	}
	return nil
}

// isKilled makes a node that has stopped look as if it had been killed an hour ago.
func isKilled(t *testing.T, r *rig, node string) {
	t.Helper()
	must(t, administerOn(t.Context(), r.url, `UPDATE nodes SET left_at = NULL, last_seen = now() - interval '1 hour' WHERE name = '`+node+`'`))
}

func TestTheMovesOfANodeAreChangesOfTypeNode(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	beta.do("POST", "/pzs", members{"ia": "soft0@beta"}).is(201)
	row := nodeOf(alpha, "beta")
	beta.stop()
	left := movesOf(alpha, "beta")
	if len(left) != 2 || left[1]["cause"] != "node_left" {
		t.Fatalf("the moves are %v", left)
	}
	if o := left[0]["object"].(members); o["type"] != "node" || o["id"] != row["id"] || o["name"] != "beta" || left[0]["ia"] != nil || left[0]["actor"] != "engine" {
		t.Errorf("the first one is %v", left[0])
	}
	if left[0]["before"] != nil || left[0]["after"].(members)["state"] != "UP" || left[1]["before"].(members)["state"] != "UP" || left[1]["after"].(members)["state"] != "LEFT" {
		t.Errorf("the moves are %v", left)
	}
	isKilled(t, alpha, "beta") // the next heartbeats see it
	eventually(t, "it is recorded", func() bool { return len(movesOf(alpha, "beta")) == 3 })
	if down := movesOf(alpha, "beta")[2]; down["cause"] != "node_down" || down["version"] != 3.0 || !strings.Contains(down["reason"].(string), "alpha") {
		t.Errorf("the loss is %v", down)
	}
	if row = nodeOf(alpha, "beta"); row["state"] != "DOWN" || row["state_version"] != 3.0 || row["state_since"] == nil || row["heartbeat_age_ms"].(float64) < 3.6e6 || row["objects"].(float64) < 1 {
		t.Errorf("the list shows %v", row)
	}
	if out := alpha.do("GET", "/nodes/beta", nil).is(200); out.header.Get("ETag") != `"3"` || out.at("id") != row["id"] {
		t.Errorf("the node is %v %s", out.header, out.body)
	}
	alpha.do("GET", "/nodes/nobody", nil).refused(404)
	shown := alpha.raw("GET", "/metrics").Body.String()
	if line := `datapi_node_moves_total{state="DOWN"} 1`; !strings.Contains(shown, line) {
		t.Errorf("the metrics lack %s", line)
	}
}

func TestANodeThatWillNotComeBackIsRetired(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	const why = "the host burnt"
	reason := with("X-Change-Reason", why)
	zone := beta.do("POST", "/pzs", members{"ia": "soft0@beta", "name": "zone"}).is(201).id()
	ep := beta.do("POST", "/endpoints", members{"ia": "soft0@beta", "name": "ost-1", "pz": zone}).is(201).id()
	for _, name := range []string{"alpha", "beta"} {
		if p := alpha.do("DELETE", "/nodes/"+name, nil, reason).refused(409); p.Type != "/problems/node-alive" {
			t.Errorf("%s is refused with %s: %s", name, p.Type, p.Detail)
		}
	}
	beta.stop()
	alpha.do("DELETE", "/nodes/beta", nil).refused(400)
	alpha.do("DELETE", "/nodes/nobody", nil, reason).refused(404)
	if p := alpha.do("DELETE", "/nodes/beta", nil, reason, with("If-Match", `"1"`)).refused(412); p.CurrentVersion == nil || *p.CurrentVersion != 2 {
		t.Errorf("the version is %v", p.CurrentVersion)
	}
	alpha.do("DELETE", "/nodes/beta?dry_run=true", nil, reason).is(204)
	if nodeOf(alpha, "beta") == nil {
		t.Error("a dry run retired it")
	}
	alpha.do("POST", "/batch", members{"atomic": true, "operations": []members{op("DELETE", "/nodes/beta", nil)}}, reason).refused(422)

	key := with("Idempotency-Key", "burnt")
	for _, replayed := range []string{"", "true"} {
		out := alpha.do("DELETE", "/nodes/beta", nil, reason, key, with("If-Match", `"2"`), with("X-Request-ID", "r-7")).is(204)
		if got := out.header.Get("Idempotency-Replayed"); got != replayed {
			t.Errorf("replayed: %q, want %q", got, replayed)
		}
	}
	alpha.do("DELETE", "/nodes/beta", nil, reason).refused(404)
	if nodeOf(alpha, "beta") != nil {
		t.Error("it is still listed")
	}
	for path, status := range map[string]int{"/endpoints/" + ep: 404, "/pzs/" + zone: 404, "/ias/soft0@beta": 404, "/nodes/beta": 404, "/endpoints/" + ep + "/history": 200} {
		if got := alpha.do("GET", path, nil).status; got != status {
			t.Errorf("GET %s: %d, want %d", path, got, status)
		}
	}
	alpha.do("PATCH", "/endpoints/"+ep, members{"name": "back"}).refused(404)
	items := alpha.do("GET", "/changes?cause=node_retired&order=asc", nil).is(200).at("items").([]any)
	var order []string
	for _, item := range items {
		c := item.(members)
		if c["actor"] != "anonymous" || c["reason"] != why || c["request_id"] != "r-7" || c["node"] != "beta" || c["after"] != nil {
			t.Errorf("a change is %v", c)
		}
		order = append(order, c["object"].(members)["type"].(string))
	}
	if want := []string{"endpoint", "evd", "evd", "pz", "ia", "ia", "node"}; !slices.Equal(order, want) {
		t.Errorf("they end in the order %v, want %v", order, want)
	}
	alpha.do("POST", "/pzs", members{"ia": ia0, "name": "zone"}).is(201)

	again := newNode(t, alpha.url, "beta", false)
	if items := again.do("GET", "/endpoints?node=beta", nil).is(200).at("items").([]any); len(items) != 0 {
		t.Errorf("it begins with %v", items)
	}
	alpha.do("POST", "/endpoints", members{"ia": "soft0@beta", "name": "ost-1"}).is(201).by("beta")
	if moves := movesOf(alpha, "beta"); len(moves) != 4 || moves[3]["version"] != 1.0 || moves[3]["object"].(members)["id"] == moves[0]["object"].(members)["id"] {
		t.Errorf("the moves are %v", moves)
	}
}

func TestANodeCanBeRetiredInABatchThatGoesOn(t *testing.T) {
	alpha, beta := twoNodes(t, false)
	beta.stop()
	reason, key := with("X-Change-Reason", "moved"), with("Idempotency-Key", "moved")
	batch := members{"operations": []members{op("DELETE", "/nodes/beta", nil), op("POST", "/pzs", members{"ia": ia0})}}
	for range 2 {
		if results := alpha.do("POST", "/batch", batch, reason, key).is(200).results(); results[0]["status"] != 204.0 || results[1]["status"] != 201.0 {
			t.Errorf("results %v", results)
		}
	}
}
