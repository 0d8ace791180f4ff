package api

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// resources returns the items of a list of resources, and its cursor.
func (r *rig) resources(query string, options ...option) (items []members, next any) {
	r.t.Helper()
	out := r.do("GET", "/ias/"+ia0+"/resources"+query, nil, options...).is(200)
	for _, item := range out.at("items").([]any) {
		items = append(items, item.(members))
	}
	return items, out.object()["next_cursor"]
}

func TestEverythingOnAnAdapterIsListed(t *testing.T) {
	r := newRig(t)
	active, passive := r.pair()
	kinds := map[string]int{}
	all, _ := r.resources("?limit=1000")
	for _, item := range all {
		kinds[item["kind"].(string)]++
		if item["owner"] != "datapi" || item["pid"] == nil || item["comm"] == nil {
			t.Errorf("an object of the adapter is %v", item)
		}
	}
	for _, kind := range []string{"qp", "cm_id", "cq", "pd", "ctx"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s is listed: %v", kind, kinds)
		}
	}
	qps, _ := r.resources("?kind=qp")
	if len(qps) != 1 || qps[0]["endpoint"] != active || qps[0]["state"] != "RTS" || qps[0]["type"] != "RC" {
		t.Fatalf("the queue pairs are %v", qps)
	}
	peer := r.do("GET", "/endpoints/"+passive, nil).object()["transport"].(members)["qp_num"].(float64)
	if qps[0]["remote_number"] != peer {
		t.Errorf("the peer of the queue pair is %v, want %v", qps[0]["remote_number"], peer)
	}
	for query, want := range map[string]int{
		"?kind=qp&remote=" + strconv.Itoa(int(peer)): 1, "?kind=cm_id&remote=10.77.0.2": 1, "?kind=cm_id&remote=10.77.0.9": 0,
		"?owner=orphan": 0, "?pid=1": 0, "?kind=qp&kind=ctx": 2, "?owner=datapi&owner=kernel": len(all),
		"?pid=" + fmt.Sprint(all[0]["pid"]): len(all), "?offset=1&limit=1000": len(all) - 1,
	} {
		if got, _ := r.resources(query); len(got) != want {
			t.Errorf("%s lists %d, want %d", query, len(got), want)
		}
	}
	r.do("DELETE", "/endpoints/"+active, nil).is(204)
	if qps, _ := r.resources("?kind=qp"); len(qps) != 0 {
		t.Errorf("after the end of its endpoint there is %v", qps)
	}
}

func TestALongListOfResourcesComesInPages(t *testing.T) {
	r := newRig(t)
	for range 5 {
		r.pz(ia0)
	}
	all, _ := r.resources("?limit=1000&fields=kind,number", loose)
	if len(all[0]) != 2 {
		t.Errorf("two members of an item are %v", all[0])
	}
	var paged []string
	query := "?limit=2&fields=kind,number"
	for range len(all) {
		items, next := r.resources(query, loose)
		for _, item := range items {
			paged = append(paged, fmt.Sprint(item))
		}
		if next == nil {
			break
		}
		query = "?limit=2&fields=kind,number&cursor=" + next.(string)
	}
	var whole []string
	for _, item := range all {
		whole = append(whole, fmt.Sprint(item))
	}
	if !slices.Equal(paged, whole) {
		t.Errorf("the pages list %v, the whole is %v", paged, whole)
	}
	if total := r.do("GET", "/ias/"+ia0+"/resources?limit=1&total=true", nil).is(200).at("total"); total != float64(len(all)) {
		t.Errorf("the total is %v, want %d", total, len(all))
	}
	for _, query := range []string{"?kind=x", "?owner=me", "?pid=x", "?cursor=x", "?fields=x", "?cursor=e30&offset=1", "?state=RTS"} {
		r.do("GET", "/ias/"+ia0+"/resources"+query, nil, loose).refused(400, "DAT_INVALID_PARAMETER")
	}
	r.do("GET", "/ias/none@alpha/resources", nil).refused(404, "DAT_INVALID_HANDLE")
}

func TestCountersAreDecimalStrings(t *testing.T) {
	r := newRig(t)
	active, passive := r.pair()
	r.do("POST", "/endpoints/"+passive+"/recvs", members{"size": 64}).is(202)
	r.do("POST", "/endpoints/"+active+"/sends", members{"size": 5}).is(202)
	out := r.do("GET", "/ias/"+ia0+"/counters", nil).is(200)
	if _, err := time.Parse("2006-01-02T15:04:05.000000Z", out.at("at").(string)); err != nil {
		t.Error(err)
	}
	counters := out.at("counters").(members)
	if counters["sent_messages"] != "1" || counters["sent_bytes"] != "5" || counters["received_bytes"] != "0" {
		t.Errorf("the counters are %v", counters)
	}
	r.do("GET", "/ias/none@alpha/counters", nil).refused(404, "DAT_INVALID_HANDLE")
}

func TestWhatIsOnTheAdapterOfAnotherNodeOnlyThatNodeTells(t *testing.T) {
	database := newDatabase(t)
	newRigOn(t, database, "alpha")
	beta := newRigOn(t, database, "beta")
	for _, call := range []string{"/resources", "/counters", "/checks"} {
		beta.do("GET", "/ias/"+ia0+call, nil).refused(503)
		beta.do("GET", "/ias/"+ia0+call+"?forward=false", nil).refused(421)
	}
}

func TestADeviceThatIsGoneListsNothing(t *testing.T) {
	r := newRig(t)
	r.soft.Fabric().Remove("soft0")
	eventually(t, "the adapter is gone", func() bool { return r.do("GET", "/ias/"+ia0, nil).at("state") == "GONE" })
	for _, call := range []string{"/resources", "/counters"} {
		r.do("GET", "/ias/"+ia0+call, nil).refused(409, "DAT_INVALID_STATE")
	}
	if out := r.do("GET", "/ias/"+ia0+"/checks", nil).is(200); out.at("status") != "FAIL" {
		t.Errorf("checks: %s", out.body)
	}
}

// checkOf returns one of the checks of an adapter.
func (r *rig) checkOf(ia, name string) members {
	r.t.Helper()
	for _, c := range r.do("GET", "/ias/"+ia+"/checks", nil).is(200).at("checks").([]any) {
		if c.(members)["name"] == name {
			return c.(members)
		}
	}
	r.t.Fatalf("there is no check %s", name)
	return nil
}

func TestTheChecksCountConnectionsThatLostTheirOtherEnd(t *testing.T) {
	r := newRig(t)
	active, passive := r.pair()
	if c := r.checkOf(ia0, "half_open"); c["status"] != "PASS" || c["detail"] != "1 connections have both ends." {
		t.Errorf("a whole connection: %v", c)
	}
	if c := r.checkOf(ia0, "orphans"); c["status"] != "PASS" {
		t.Errorf("without orphans: %v", c)
	}
	if c := r.checkOf(ia0, "registered_memory"); c["status"] != "PASS" || !strings.Contains(c["detail"].(string), "bytes are in use") {
		t.Errorf("the limit: %v", c)
	}
	r.soft.Fabric().Cut("soft0", "soft1")
	r.do("POST", "/endpoints/"+passive+"/disconnect", members{}).is(202)
	if state := r.do("GET", "/endpoints/"+active, nil).at("state"); state != "CONNECTED" {
		t.Fatalf("the end that was not told is %v", state)
	}
	c := r.checkOf(ia0, "half_open")
	if c["status"] != "WARN" || c["remedy"] == nil || !strings.Contains(c["detail"].(string), active) {
		t.Errorf("half a connection: %v", c)
	}
	if out := r.do("GET", "/ias/"+ia0+"/checks", nil); out.at("status") != "WARN" {
		t.Errorf("the worst of the checks: %s", out.body)
	}
}

func TestTheOtherEndOnAnotherNodeIsFoundByItsQueuePair(t *testing.T) {
	r := newRig(t)
	r.pair()
	ends := &otherEnds{api: r.api, local: map[dat.Handle]*localEnds{}, remote: map[dat.Handle]map[uint32]uint32{}}
	ends.adapters = r.api.adaptersByAddress(t.Context())
	connected := r.manager.Connected(ia0)
	if len(connected) != 1 || len(ends.adapters) < 4 {
		t.Fatalf("%d endpoints are connected, of the adapters %d addresses are known", len(connected), len(ends.adapters))
	}
	e := connected[0]
	peer := ends.adapters[netip.MustParseAddr(*e.RemoteIAAddress)]
	if got := ends.lookOnNode(t.Context(), peer.ID, e); got != endThere {
		t.Errorf("the other end is %v, want there", got)
	}
	other := e.Copy()
	*other.Transport.QPNum += 100
	if got := ends.lookOnNode(t.Context(), peer.ID, other); got != endGone {
		t.Errorf("an end whose peer has another peer is %v, want gone", got)
	}
	*other.Peer.QPNum += 100
	if got := ends.lookOnNode(t.Context(), peer.ID, other); got != endUnknown {
		t.Errorf("an end that no endpoint has is %v, want unknown", got)
	}
}
