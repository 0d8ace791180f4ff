package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Scope: the log shows what lay in it then
func TestOfTheLogACallerSeesTheScope(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	caller := r.scoped("caller", "viewer", nil, inTeam("a"))
	_, lines, end := r.stream("?after=0&type=pz&type=endpoint", caller)
	defer end()
	make := func(kind, value string) string {
		return r.do("POST", kind, members{"ia": ia0, "labels": inTeam(value)}).is(201).id()
	}
	theirs, mine, moving := make("/pzs", "b"), make("/pzs", "a"), make("/endpoints", "a")
	r.do("DELETE", "/pzs/"+theirs, nil).is(204)
	r.do("DELETE", "/pzs/"+mine, nil).is(204)
	r.do("PATCH", "/endpoints/"+moving, members{"labels": inTeam("b")}).is(200)
	r.do("PATCH", "/endpoints/"+moving, members{"name": "elsewhere"}).is(200)
	r.do("GET", "/endpoints/"+moving+"/history", nil, caller).refused(404)
	r.do("PATCH", "/endpoints/"+moving, members{"labels": inTeam("a")}).is(200)
	r.do("POST", "/endpoints/"+moving+"/disconnect", nil).refused(409)

	if ids := r.do("GET", "/changes?type=pz&order=asc&total=true", nil, caller); len(ids.is(200).at("items").([]any)) != 2 || ids.at("total") != 2.0 || strings.Contains(string(ids.body), theirs) {
		t.Errorf("changes of zones: %s", ids.body)
	}
	eventually(t, "the refusal is in the history, and what was outside is not", func() bool {
		var versions []any
		for _, c := range r.do("GET", "/endpoints/"+moving+"/history", nil, caller).is(200).at("items").([]any) {
			versions = append(versions, c.(members)["version"], c.(members)["outcome"])
		}
		return slices.Equal(versions, []any{4.0, "DAT_INVALID_STATE", 4.0, "DAT_SUCCESS", 1.0, "DAT_SUCCESS"})
	})
	r.do("GET", "/endpoints/"+moving+"/history/1", nil, caller).is(200)
	r.do("GET", "/endpoints/"+moving+"/history/3", nil, caller).refused(404)
	second := r.do("GET", "/endpoints/"+moving+"/history/2", nil).is(200).at("id").(float64)
	r.do("GET", fmt.Sprintf("/endpoints/%s?as_of=%.0f", moving, second), nil, caller).refused(404)
	r.do("GET", fmt.Sprintf("/endpoints/%s?as_of=%.0f", moving, second-1), nil, caller).is(200)

	var seen []string
	for line := range lines {
		data, is := strings.CutPrefix(line, "data: ")
		if !is {
			continue
		}
		var c struct {
			Object  struct{ ID string }
			Version int
			Outcome string
		}
		must(t, json.Unmarshal([]byte(data), &c))
		if c.Object.ID == theirs {
			t.Errorf("the stream shows %s", data)
		}
		seen = append(seen, fmt.Sprint(c.Version))
		if c.Outcome != "DAT_SUCCESS" {
			break
		}
	}
	if got := strings.Join(seen, " "); got != "1 1 2 4 4" {
		t.Errorf("the stream shows the versions %s", got)
	}
}

func TestAStreamEndsWhenItsScopeChanges(t *testing.T) {
	r := newRig(t, withToken)
	_, secret := r.token("watcher", "viewer", members{"scope": members{"labels": inTeam("a")}})
	_, lines, end := r.stream("", bring(secret))
	defer end()
	<-lines
	r.do("PATCH", "/tokens/watcher", members{"scope": members{"labels": inTeam("b")}}, bearer).is(200)
	ends(t, lines)
}

// Scope: what a service point brings lies where the service point does
func TestARequestHasTheLabelsOfItsServicePoint(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	mine, theirs := r.scoped("mine", "operator", nil, inTeam("a")), r.scoped("theirs", "operator", nil, inTeam("b"))
	r.do("PATCH", "/ias/"+ia1, members{"labels": inTeam("a")}).is(200)
	evd := r.do("POST", "/evds", members{"ia": ia1, "qlen": 64, "streams": []string{"CR"}, "labels": inTeam("a")}, mine).is(201).id()
	psp := r.do("POST", "/psps", members{"ia": ia1, "evd": evd, "ep_creator": "PROVIDER", "labels": inTeam("a")}, mine).is(201)
	address := r.do("GET", "/ias/"+ia1, nil).is(200).at("ia_attributes", "ia_address")
	active := r.endpoint(ia0)
	r.do("PATCH", "/endpoints/"+active, members{"labels": inTeam("b"), "name": "theirs"}).is(200)
	r.do("POST", "/endpoints/"+active+"/connect", members{"remote_ia_address": address, "remote_port_qual": psp.at("conn_qual")}, theirs).is(202)
	var request string
	eventually(t, "the request is listed", func() bool {
		ids := r.do("GET", "/crs", nil, mine).itemIDs()
		request = strings.Join(ids, "")
		return len(ids) == 1
	})
	if ids := r.do("GET", "/crs", nil, theirs).itemIDs(); len(ids) != 0 {
		t.Errorf("another team sees the requests %q", ids)
	}
	r.do("GET", "/crs/"+request, nil, theirs).refused(404)
	r.do("POST", "/crs/"+request+"/reject", nil, theirs).refused(404)
	passive := r.do("GET", "/crs/"+request, nil, mine).is(200).at("endpoint").(string)
	zone := r.do("POST", "/pzs", members{"ia": ia1, "labels": inTeam("a")}, mine).is(201).id()
	queue := r.do("POST", "/evds", members{"ia": ia1, "qlen": 64, "streams": []string{"DTO", "CONNECTION"}, "labels": inTeam("a")}, mine).is(201).id()
	r.do("PATCH", "/endpoints/"+passive, members{"pz": zone, "recv_evd": queue, "request_evd": queue, "connect_evd": queue}, mine).is(200)
	r.do("POST", "/crs/"+request+"/accept", nil, mine, with("Prefer", "wait=10")).is(200)

	eventually(t, "the peer is known", func() bool {
		return r.do("GET", "/endpoints/"+passive, nil).is(200).at("peer", "name") == "theirs"
	})
	for what, body := range map[string][]byte{
		"the endpoint":    r.do("GET", "/endpoints/"+passive, nil, mine).is(200).body,
		"its list":        r.do("GET", "/endpoints", nil, mine).is(200).body,
		"its history":     r.do("GET", "/endpoints/"+passive+"/history", nil, mine).is(200).body,
		"the log":         r.do("GET", "/changes", nil, mine).is(200).body,
		"a write":         r.do("PATCH", "/endpoints/"+passive, members{"name": "mine"}, mine).is(200).body,
		"a write's group": r.do("POST", "/batch", members{"operations": []members{op("PATCH", "/endpoints/"+passive, members{"name": "mine-2"})}}, mine).is(200).body,
	} {
		if strings.Contains(string(body), active) || strings.Contains(string(body), `"theirs"`) || !strings.Contains(string(body), passive) {
			t.Errorf("%s names the peer: %s", what, body)
		}
	}
	r.do("PATCH", "/endpoints/"+active, members{"labels": inTeam("a")}).is(200)
	if out := r.do("GET", "/endpoints/"+passive, nil, mine).is(200); out.at("peer", "endpoint") != active {
		t.Errorf("a peer in the scope: %s", out.body)
	}
}

func TestTheOwnerOfAnObjectHoldsItsCallersToTheirScopes(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newNode(t, database, "alpha", false, withToken), newNode(t, database, "beta", false, withToken)
	alpha.credential, beta.credential = bearer, bearer
	caller := alpha.scoped("caller", "operator", []string{"soft0@beta"}, inTeam("a"))
	there := "soft0@beta"
	beta.do("PATCH", "/ias/"+there, members{"labels": inTeam("a")}).is(200)
	eventually(t, "the node is known", func() bool { return alpha.do("GET", "/ias/"+there, nil, caller).status == 200 })
	theirs := beta.do("POST", "/endpoints", members{"ia": there, "labels": inTeam("b")}).is(201).id()
	mine := alpha.do("POST", "/endpoints", members{"ia": there, "labels": inTeam("a")}, caller).is(201)
	if mine.header.Get("Datapi-Node") != "beta" {
		t.Errorf("it was made by %q", mine.header.Get("Datapi-Node"))
	}
	alpha.do("POST", "/endpoints", members{"ia": there, "labels": inTeam("b")}, caller).refused(403)
	alpha.do("PATCH", "/endpoints/"+mine.id(), members{"labels": nil}, caller).refused(403)
	alpha.do("DELETE", "/endpoints/"+theirs, nil, caller).refused(404)
	if out := alpha.do("GET", "/endpoints/status?id="+theirs+"&id="+mine.id(), nil, caller); len(out.is(200).at("items").([]any)) != 1 {
		t.Errorf("the status of many: %s", out.body)
	}
	results := alpha.do("POST", "/batch", members{"operations": []members{
		op("POST", "/pzs", members{"ia": there, "labels": inTeam("b")}), op("DELETE", "/endpoints/"+theirs, nil), op("DELETE", "/endpoints/"+mine.id(), nil),
	}}, caller).is(200).at("results").([]any)
	for i, want := range []float64{403, 404, 204} {
		if results[i].(members)["status"] != want {
			t.Errorf("operation %d: %v", i, results[i])
		}
	}
}

// Scope: a queue in it shows of what lies outside neither who it is nor what came
func TestAQueueNamesNobodyOutsideOfTheScope(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	caller := r.scoped("caller", "operator", nil, inTeam("a"))
	evd := r.do("POST", "/evds", members{"ia": ia1, "qlen": 64, "streams": []string{"CR"}, "labels": inTeam("a")}).is(201).id()
	address := r.do("GET", "/ias/"+ia1, nil).is(200).at("ia_attributes", "ia_address")
	for _, labels := range []members{inTeam("a"), inTeam("b")} {
		psp := r.do("POST", "/psps", members{"ia": ia1, "evd": evd, "labels": labels}).is(201)
		r.do("POST", "/endpoints/"+r.endpoint(ia0)+"/connect", members{"remote_ia_address": address, "remote_port_qual": psp.at("conn_qual"), "private_data": "aGk="}).is(202)
	}
	eventually(t, "both requests wait", func() bool { return len(r.do("GET", "/crs", nil).itemIDs()) == 2 })
	mine := r.do("GET", "/crs", nil, caller).itemIDs()
	if len(mine) != 1 {
		t.Fatalf("the caller sees the requests %q", mine)
	}
	for what, out := range map[string]reply{
		"a look": r.do("GET", "/evds/"+evd+"/events", nil, caller), "a dequeue": r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 8}, caller),
	} {
		var named []any
		for _, e := range out.is(200).at("events").([]any) {
			data := e.(members)["data"].(members)
			if (data["cr"] == nil) != (data["private_data"] == nil) || (data["cr"] == nil) != (e.(members)["object"] == nil) {
				t.Errorf("%s: %v", what, e)
			}
			named = append(named, data["cr"])
		}
		if len(named) != 2 || !slices.Contains(named, any(mine[0])) || !slices.Contains(named, nil) {
			t.Errorf("%s names %v", what, named)
		}
	}
}
