package api

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// liveMembers are the members that say what may be done now, and are not recorded.
var liveMembers = []string{"operations", "modifiable", "node_state", "known_at"}

// recordedOf returns the members of an endpoint's representation that are recorded.
func recordedOf(shown map[string]any) map[string]any {
	out := maps.Clone(shown)
	for _, name := range liveMembers {
		delete(out, name)
	}
	return out
}

// lifeOf lets two endpoints of two adapters live through all that is recorded, and ends
// the first. It returns their ids, and each representation that a GET gave on the way.
func lifeOf(t *testing.T, r *rig) (first, second string, seen []map[string]any) {
	t.Helper()
	first, second = r.endpoint(ia0), r.endpoint(ia1)
	look := func() {
		t.Helper()
		for _, id := range []string{first, second} {
			seen = append(seen, recordedOf(r.do("GET", "/endpoints/"+id, nil).is(200).object()))
		}
	}
	write := func(status int, method, path string, body any) {
		t.Helper()
		r.do(method, "/endpoints/"+first+path, body, with("Prefer", "wait=10")).is(status)
		look()
	}
	look()
	write(200, "PATCH", "", members{"name": "lived", "labels": members{"app": "x", "b": "y"}})
	write(200, "PATCH", "", members{"labels": members{"b": nil}, "attributes": members{"max_recv_dtos": 9, "ep_provider_specific": members{}}})
	write(200, "PUT", "/watermarks", members{"soft_high": 3, "hard_high": 7})
	write(422, "PATCH", "", members{"attributes": members{"max_recv_dtos": -2}})
	r.join(first, second)
	look()
	write(409, "PATCH", "", members{"pz": nil})
	write(200, "PATCH", "", members{"name": "renamed"})
	write(200, "POST", "/disconnect", members{"close": "ABRUPT"})
	eventually(t, "the peer hears of it", func() bool { return r.do("GET", "/endpoints/"+second, nil).at("state") == "DISCONNECTED" })
	look()
	write(200, "POST", "/reset", nil)
	write(200, "POST", "/revert", members{"version": 1})
	write(200, "PATCH", "", members{"pz": nil})
	r.do("DELETE", "/endpoints/"+first, nil).is(204)
	return first, second, seen
}

// changesOf returns all changes, oldest first.
func (r *rig) changesOf() (all []map[string]any) {
	r.t.Helper()
	var page struct{ Items []map[string]any }
	r.do("GET", "/changes?order=asc&limit=1000", nil).is(200).into(&page)
	return page.Items
}

// overlay returns a state with the partial object of a change laid over it, as a client
// does that follows the stream.
func overlay(state map[string]any, change map[string]any) map[string]any {
	after, is := change["after"].(map[string]any)
	if !is {
		return nil
	}
	if change["before"] == nil {
		return after
	}
	out := maps.Clone(state)
	for name, value := range after {
		inner, nested := value.(map[string]any)
		outer, there := out[name].(map[string]any)
		if nested && there && (name == "attributes" || name == "watermarks" || name == "transport") {
			merged := maps.Clone(outer)
			maps.Copy(merged, inner)
			value = merged
		}
		out[name] = value
	}
	out["version"], out["updated_at"] = change["version"], change["at"]
	return out
}

// Promise 4
func TestEveryStateOfAnEndpointIsReadAsItWasAndRebuiltFromTheLog(t *testing.T) {
	r := newRig(t)
	first, second, seen := lifeOf(t, r)
	shown := map[string]map[string]any{} // by id and version
	for _, s := range seen {
		shown[fmt.Sprint(s["id"], s["version"])] = s
	}
	changes := r.changesOf()
	states, compared := map[string]map[string]any{}, 0
	for i, c := range changes {
		if c["id"] != float64(i+1) {
			t.Fatalf("change %v is the %dth", c["id"], i+1)
		}
		of := c["object"].(map[string]any)
		if of["type"] == "endpoint" && c["outcome"] == "DAT_SUCCESS" {
			states[of["id"].(string)] = overlay(states[of["id"].(string)], c)
		}
		for _, id := range []string{first, second} {
			for _, moment := range []any{c["id"], c["at"]} {
				out := r.do("GET", fmt.Sprintf("/endpoints/%s?as_of=%v", id, moment), nil)
				want := states[id]
				if want == nil {
					out.refused(404, "DAT_INVALID_HANDLE")
					continue
				}
				got := recordedOf(out.is(200).object())
				for name, value := range want {
					if d := cmp.Diff(value, got[name]); d != "" {
						t.Errorf("as of %v member %s of version %v (-log +as_of):\n%s", moment, name, want["version"], d)
					}
				}
				if s := shown[fmt.Sprint(id, got["version"])]; s != nil {
					compared++
					if d := cmp.Diff(s, got); d != "" {
						t.Errorf("as of %v (-GET +as_of):\n%s", moment, d)
					}
				}
				version := recordedOf(r.do("GET", fmt.Sprintf("/endpoints/%s/history/%v", id, got["version"]), nil).is(200).at("endpoint").(map[string]any))
				if d := cmp.Diff(got, version); d != "" {
					t.Errorf("version %v (-as_of +history):\n%s", got["version"], d)
				}
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d states were compared with a GET", compared)
	}
	last := changes[len(changes)-1]
	at, err := time.Parse(time.RFC3339Nano, last["at"].(string))
	must(t, err)
	r.do("GET", "/endpoints/"+first+"?as_of="+url.QueryEscape(at.Add(-time.Microsecond).Format(time.RFC3339Nano)), nil).is(200)
	r.do("GET", "/endpoints/"+first+"?as_of="+url.QueryEscape(at.In(time.FixedZone("", 5*3600+1800)).Format(time.RFC3339Nano)), nil).refused(404)
	for _, wrong := range []string{"0", "-1", "1.5", "x", "99999999", "99999999999999999999", "9999-12-31T23:59:59Z", "2026-01-31", "2026-02-30T00:00:00Z", ""} {
		r.do("GET", "/endpoints/"+second+"?as_of="+wrong, nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	}
	r.do("GET", "/endpoints/"+second+"?as_of=0000-01-01T00:00:00Z", nil).refused(404)
}

// Promise 4
func TestRevertGoesToEveryVersionThatHistoryHas(t *testing.T) {
	r := newRig(t)
	pz, other, evd := r.pz(ia0), r.pz(ia0), r.evd(ia0, "DTO", "CONNECTION")
	ep := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz, "recv_evd": evd, "request_evd": evd, "connect_evd": evd}).is(201).id()
	for _, body := range []members{
		{"attributes": members{"max_recv_dtos": 3}},
		{"pz": other, "attributes": members{"max_request_iov": 2}},
		{"recv_evd": nil, "request_evd": nil, "connect_evd": nil, "pz": nil},
		{"name": "named", "labels": members{"a": "b"}},
	} {
		r.do("PATCH", "/endpoints/"+ep, body).is(200)
	}
	r.do("PUT", "/endpoints/"+ep+"/watermarks", members{"soft_high": 2, "hard_high": nil}).is(200)
	params := func(out map[string]any) map[string]any {
		all := map[string]any{}
		for _, name := range []string{"pz", "recv_evd", "request_evd", "connect_evd", "attributes"} {
			all[name] = out[name]
		}
		attributes := maps.Clone(out["attributes"].(map[string]any))
		delete(attributes, "srq_soft_hw") // a watermark: dat_ep_modify never sets it
		all["attributes"] = attributes
		return all
	}
	newest := int(r.do("GET", "/endpoints/"+ep, nil).at("version").(float64))
	for _, version := range []int{1, 2, 3, 4, 5, 6, 2, 7, 8, 1} {
		was := r.do("GET", fmt.Sprintf("/endpoints/%s/history/%d", ep, version), nil).is(200).at("endpoint").(map[string]any)
		before := r.do("GET", "/endpoints/"+ep, nil).object()
		dry := r.do("POST", "/endpoints/"+ep+"/revert?dry_run=true", members{"version": version}, loose).is(200).object()
		now := r.do("POST", "/endpoints/"+ep+"/revert", members{"version": version}).is(200).object()
		for _, out := range []map[string]any{dry, now} {
			if d := cmp.Diff(params(was), params(out)); d != "" {
				t.Errorf("reverted to %d (-then +now):\n%s", version, d)
			}
		}
		for _, name := range []string{"name", "labels", "watermarks", "state", "id", "created_at"} {
			if d := cmp.Diff(before[name], now[name]); d != "" {
				t.Errorf("reverted to %d, %s is another (-before +now):\n%s", version, name, d)
			}
		}
		if cmp.Equal(params(before), params(was)) {
			if now["version"] != before["version"] {
				t.Errorf("a revert to %d that changes nothing made version %v", version, now["version"])
			}
			continue
		}
		newest++
		change := r.do("GET", fmt.Sprintf("/endpoints/%s/history/%d", ep, newest), nil).is(200).object()
		if now["version"] != float64(newest) || change["reverted_to"] != float64(version) || change["cause"] != "revert" {
			t.Errorf("reverted to %d as version %v, with the change %v", version, now["version"], change)
		}
	}

	// What a version used was freed: nothing happens, and the refusal says what it is.
	r.do("POST", "/endpoints/"+ep+"/revert", members{"version": 4}).is(200)
	r.do("DELETE", "/pzs/"+pz, nil).is(204)
	r.do("DELETE", "/evds/"+evd, nil).is(204)
	before := recordedOf(r.do("GET", "/endpoints/"+ep, nil).object())
	for version, field := range map[int][]string{1: {"pz", "recv_evd", "request_evd", "connect_evd"}, 3: {"recv_evd", "request_evd", "connect_evd"}} {
		for _, query := range []string{"", "?dry_run=true"} {
			p := r.do("POST", "/endpoints/"+ep+"/revert"+query, members{"version": version}, loose).refused(422, "DAT_INVALID_PARAMETER", "DAT_INVALID_ARG3")
			if p.Field == nil || !slices.Contains(field, *p.Field) || !strings.Contains(p.Detail, fmt.Sprintf("version %d", version)) || !strings.Contains(p.Detail, "freed") {
				t.Errorf("reverting to %d blames %v: %s", version, p.Field, p.Detail)
			}
		}
	}
	if d := cmp.Diff(before, recordedOf(r.do("GET", "/endpoints/"+ep, nil).object())); d != "" {
		t.Errorf("a refused revert changed something:\n%s", d)
	}
	for version, status := range map[any]int{0: 422, -1: 422, 999: 422, "1": 422, 1.5: 422, nil: 422} {
		r.do("POST", "/endpoints/"+ep+"/revert", members{"version": version}, loose).refused(status)
	}
	r.do("POST", "/endpoints/"+ep+"/revert", members{}, loose).refused(422)
	r.do("DELETE", "/endpoints/"+ep, nil).is(204)
	r.do("POST", "/endpoints/"+ep+"/revert", members{"version": 1}).refused(404)
}

// Promise 4
func TestAReasonIsKeptToTheLetterUpTo500Characters(t *testing.T) {
	r := newRig(t)
	ep := r.endpoint(ia0)
	newest := func() any {
		return r.do("GET", "/endpoints/"+ep+"/history?limit=1", nil).is(200).at("items").([]any)[0].(map[string]any)["reason"]
	}
	n := 0
	patch := func(reason string) reply {
		n++
		return r.do("PATCH", "/endpoints/"+ep, members{"labels": members{"n": fmt.Sprint(n)}}, with("X-Change-Reason", reason), loose)
	}
	for reason, want := range map[string]any{
		strings.Repeat("x", 500):          strings.Repeat("x", 500),
		strings.Repeat("ä", 500):          strings.Repeat("ä", 500),
		strings.Repeat("\U0001f980", 500): strings.Repeat("\U0001f980", 500),
		"caf\xe9":                         "café", // Latin-1, as old clients send it
		"a\tb":                            "a\tb",
		"\u0085 \u202e \ufeff":            "\u0085 \u202e \ufeff",
		`"; DROP TABLE changes; --`:       `"; DROP TABLE changes; --`,
		`\u0000 \x00 \N`:                  `\u0000 \x00 \N`,
		"":                                nil,
	} {
		patch(reason).is(200)
		if got := newest(); got != want {
			t.Errorf("the reason %q is kept as %q", reason, got)
		}
	}
	version := r.do("GET", "/endpoints/"+ep, nil).at("version")
	for _, reason := range []string{strings.Repeat("x", 501), strings.Repeat("ä", 501), strings.Repeat("\xe9", 501)} {
		p := patch(reason).refused(400, "DAT_INVALID_PARAMETER")
		if !strings.Contains(p.Detail+fmt.Sprint(p.Errors), "500") {
			t.Errorf("a reason of 501 characters: %s", p.Detail)
		}
	}
	if now := r.do("GET", "/endpoints/"+ep, nil).at("version"); now != version {
		t.Errorf("a refused reason made version %v of %v", now, version)
	}
	// Every write takes it, refusals are recorded with it.
	r.do("POST", "/pzs", members{"ia": ia0}, with("X-Change-Reason", "new")).is(201)
	r.do("POST", "/endpoints/"+ep+"/disconnect", members{}, with("X-Change-Reason", "refused"), loose).is(409)
	eventually(t, "the refusal is recorded", func() bool { return newest() == "refused" })
	r.do("POST", "/batch", members{"atomic": true, "operations": []members{{"method": "POST", "path": "/pzs", "body": members{"ia": ia0}}}}, with("X-Change-Reason", "batch"), loose).is(200)
	all := r.changesOf()
	if last := all[len(all)-1]; last["reason"] != "batch" {
		t.Errorf("the reason of a batch: %v", last)
	}
}

// Promise 4
func TestEveryChangeSaysWhoMadeIt(t *testing.T) {
	r := newRig(t, withToken)
	asAdmin, request := with("Authorization", "Bearer "+adminToken), with(document.RequestIDHeader, "request-of-the-client")
	do := func(method, path string, body any) reply {
		return r.do(method, path, body, asAdmin, request, with("Prefer", "wait=10"), loose)
	}
	evd := func(ia string, streams ...string) string {
		return do("POST", "/evds", members{"ia": ia, "qlen": 64, "streams": streams}).is(201).id()
	}
	endpoint := func(ia string) string {
		queue := evd(ia, "DTO", "CONNECTION")
		pz := do("POST", "/pzs", members{"ia": ia}).is(201).id()
		return do("POST", "/endpoints", members{"ia": ia, "pz": pz, "recv_evd": queue, "request_evd": queue, "connect_evd": queue}).is(201).id()
	}
	first, second, requests := endpoint(ia0), endpoint(ia1), evd(ia1, "CR")
	psp := do("POST", "/psps", members{"ia": ia1, "evd": requests}).is(201)
	address := do("GET", "/ias/"+ia1, nil).at("ia_attributes", "ia_address")
	r.do("POST", "/endpoints/"+first+"/connect", members{"remote_ia_address": address, "remote_port_qual": psp.at("conn_qual")}, asAdmin, request, loose).is(202)
	var taken struct {
		Events []struct{ Data struct{ CR string } }
	}
	do("POST", "/evds/"+requests+"/dequeue", members{"max": 1}).is(200).into(&taken)
	do("POST", "/crs/"+taken.Events[0].Data.CR+"/accept", members{"endpoint": second}).is(200)
	state := func(id string) any { return r.do("GET", "/endpoints/"+id, nil, asAdmin).at("state") }
	eventually(t, "both are connected", func() bool { return state(first) == "CONNECTED" && state(second) == "CONNECTED" })
	do("PATCH", "/endpoints/"+first, members{"pz": nil}).is(409)
	do("POST", "/endpoints/"+first+"/disconnect", members{"close": "ABRUPT"}).is(200)
	eventually(t, "the peer hears of it", func() bool { return state(second) == "DISCONNECTED" })
	do("POST", "/endpoints/"+first+"/reset", nil).is(200)
	do("POST", "/endpoints/"+first+"/revert", members{"version": 1})
	do("DELETE", "/endpoints/"+first, nil).is(204)

	var page struct{ Items []dat.Change }
	r.do("GET", "/changes?order=asc&limit=1000", nil, asAdmin).is(200).into(&page)
	count := map[string]int{}
	for _, c := range page.Items {
		count[c.Actor]++
		isRequest := c.RequestID != nil && *c.RequestID == "request-of-the-client"
		switch {
		case c.Actor == "admin" && isRequest && !strings.HasPrefix(c.Cause, "DAT_"):
		case c.Actor == dat.ActorEngine && c.RequestID == nil && !strings.HasPrefix(c.Cause, "dat_ep_"):
		default:
			t.Errorf("change %d, %s, was made by %q at the request %v", c.ID, c.Cause, c.Actor, c.RequestID)
		}
	}
	for _, actor := range []string{"admin", "engine"} {
		var found struct{ Items []dat.Change }
		r.do("GET", "/changes?limit=1000&actor="+actor, nil, asAdmin).is(200).into(&found)
		if len(found.Items) != count[actor] || count[actor] < 4 {
			t.Errorf("%d changes are by %s, the filter finds %d", count[actor], actor, len(found.Items))
		}
	}
}
