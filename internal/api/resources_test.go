package api

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/api/document"
)

func TestIAsAreListedAndChecked(t *testing.T) {
	r := newRig(t)
	r.pz(ia0)
	items := r.do("GET", "/ias?provider=soft&state=UP&node=alpha", nil).is(200).at("items").([]any)
	if len(items) != 2 || items[0].(members)["id"] != ia0 || items[0].(members)["usage"].(members)["pzs"] != 1.0 {
		t.Errorf("adapters %v", items)
	}
	if out := r.do("GET", "/ias?state=GONE", nil).is(200); len(out.at("items").([]any)) != 0 {
		t.Errorf("gone: %s", out.body)
	}
	if out := r.do("GET", "/ias/"+ia0+"/checks", nil).is(200); out.at("status") != "PASS" {
		t.Errorf("checks: %s", out.body)
	}
	if out := r.do("GET", "/ias/soft0%40alpha", nil).is(200); out.id() != ia0 {
		t.Errorf("escaped: %s", out.body)
	}
}

func TestAPZIsFreedOnlyWhenNothingUsesIt(t *testing.T) {
	r := newRig(t)
	pz := r.do("POST", "/pzs", members{"ia": ia0, "name": "zone", "labels": members{"a": "b"}}).is(201)
	if got := r.do("GET", "/pzs/"+pz.id(), nil).is(200); string(got.body) != string(pz.body) {
		t.Errorf("made %s, got %s", pz.body, got.body)
	}
	user := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz.id(), "name": "ost-7"}).is(201).id()
	inUse := r.do("DELETE", "/pzs/"+pz.id(), nil)
	inUse.refused(409, "DAT_INVALID_STATE", "DAT_INVALID_STATE_PZ_IN_USE")
	if detail := inUse.at("detail").(string); !strings.Contains(detail, "(endpoint "+user+" ost-7)") {
		t.Errorf("who uses it is not named: %s", detail)
	}
	for range 4 {
		r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz.id()}).is(201)
	}
	if detail := r.do("DELETE", "/pzs/"+pz.id(), nil).at("detail").(string); strings.Count(detail, "endpoint 0") != maxUsersNamed || !strings.Contains(detail, ", …)") {
		t.Errorf("of five users it says: %s", detail)
	}
	for _, e := range r.do("GET", "/endpoints", nil).is(200).at("items").([]any) {
		r.do("DELETE", "/endpoints/"+e.(members)["id"].(string), nil).is(204)
	}
	r.do("DELETE", "/pzs/"+pz.id(), nil).is(204)
	r.do("GET", "/pzs/"+pz.id(), nil).refused(404, "DAT_INVALID_HANDLE", "DAT_INVALID_HANDLE_PZ")
}

// maxUsersNamed is how many users of an object a refusal names.
const maxUsersNamed = 3

// A name that looks like an id would be taken for one wherever either may stand.
func TestANameHasNotTheFormOfAnID(t *testing.T) {
	r := newRig(t)
	id := "01936f5e-0000-7000-8000-000000000001"
	evd := r.do("POST", "/evds", members{"ia": ia0, "qlen": 2, "streams": []string{"DTO"}}).is(201).id()
	for name, out := range map[string]reply{
		"create":  r.do("POST", "/pzs", members{"ia": ia0, "name": id}),
		"dry run": r.do("POST", "/pzs?dry_run=true", members{"ia": ia0, "name": id}),
		"modify":  r.do("PATCH", "/evds/"+evd, members{"name": id}),
		"batch": r.do("POST", "/batch", members{"atomic": true, "operations": []members{
			{"method": "POST", "path": "/pzs", "body": members{"ia": ia0, "name": id}},
		}}),
	} {
		if out.status != 422 || !strings.Contains(string(out.body), "has the form of an id") {
			t.Errorf("%s: %d %s", name, out.status, out.body)
		}
	}
	r.do("PATCH", "/evds/"+evd, members{"name": "01936f5e-0000-7000-8000"}).is(200)
	if n := len(r.do("GET", "/pzs", nil).is(200).at("items").([]any)); n != 0 {
		t.Errorf("%d PZs were made", n)
	}
}

func TestAnEVDQueuesEventsAndIsResized(t *testing.T) {
	r := newRig(t)
	evd := r.do("POST", "/evds", members{"ia": ia0, "qlen": 2, "streams": []string{"SOFTWARE", "DTO"}}).is(201)
	path := "/evds/" + evd.id()
	if evd.at("depth") != 0.0 || evd.at("mode") != nil || evd.at("waitable") != true {
		t.Errorf("made %s", evd.body)
	}
	r.do("POST", path+"/events", members{"data": members{"n": 1}}).is(201)
	r.do("POST", path+"/events", nil).is(201)
	r.do("POST", path+"/events", members{"data": []int{3}}).refused(503, "DAT_QUEUE_FULL")
	for range 2 {
		if events := r.do("GET", path+"/events", nil).is(200).at("events").([]any); len(events) != 2 {
			t.Errorf("looked at %v", events)
		}
	}
	r.do("PATCH", path, `{"qlen":1}`).refused(409, "DAT_INVALID_STATE")
	if out := r.do("PATCH", path, `{"qlen":8,"name":"q"}`).is(200); out.at("qlen") != 8.0 || out.at("depth") != 2.0 || out.at("name") != "q" {
		t.Errorf("resized %s", out.body)
	}
	events := r.do("POST", path+"/dequeue", members{"max": 5}).is(200).at("events").([]any)
	if len(events) != 2 || events[0].(members)["event"] != "DAT_SOFTWARE_EVENT" || events[0].(members)["stream"] != "SOFTWARE" {
		t.Errorf("took %v", events)
	}
	if out := r.do("POST", path+"/dequeue", members{"max": 5}).is(200); string(out.body) != `{"events":[]}` {
		t.Errorf("empty: %s", out.body)
	}
	r.do("PATCH", path, `{"waitable":false}`).is(200)
	r.do("POST", path+"/dequeue", members{"max": 5}, with("Prefer", "wait=1")).refused(409, "DAT_INVALID_STATE")
	r.do("DELETE", path, nil).is(204)
	async := r.do("GET", "/ias/"+ia0, nil).at("async_evd").(string)
	if out := r.do("GET", "/evds/"+async, nil).is(200); out.at("qlen").(float64) < 1024 || fmt.Sprint(out.at("streams")) != "[ASYNC]" {
		t.Errorf("async: %s", out.body)
	}
	r.do("DELETE", "/evds/"+async, nil).is(409)
}

func TestDequeueWaitsForTheThreshold(t *testing.T) {
	r := newRig(t)
	evd := r.evd(ia0, "SOFTWARE")
	done := make(chan reply)
	go func() {
		done <- r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 9, "threshold": 2}, with("Prefer", "wait=20"))
	}()
	for range 2 {
		r.do("POST", "/evds/"+evd+"/events", nil).is(201)
	}
	if out := <-done; len(out.at("events").([]any)) != 2 || out.header.Get("Preference-Applied") != "wait=20" {
		t.Errorf("waited for %s", out.body)
	}
	if out := r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 9}, with("Prefer", "wait=1")).is(200); len(out.at("events").([]any)) != 0 {
		t.Errorf("waited in vain for %s", out.body)
	}
}

func TestAnSRQIsSharedResizedAndFreed(t *testing.T) {
	r := newRig(t)
	pz := r.pz(ia0)
	srq := r.do("POST", "/srqs", members{"ia": ia0, "pz": pz, "max_recv_dtos": 8, "max_recv_iov": 1}).is(201)
	path := "/srqs/" + srq.id()
	if out := r.do("POST", path+"/recvs", members{"count": 3, "size": 64, "cookie": "c"}).is(202); out.at("posted") != 3.0 || len(out.at("cookies").([]any)) != 3 {
		t.Errorf("posted %s", out.body)
	}
	if out := r.do("PUT", path+"/low-watermark", members{"low": 2}).is(200); out.at("low_watermark") != 2.0 || out.at("available_dto_count") != 3.0 {
		t.Errorf("mark %s", out.body)
	}
	if out := r.do("PATCH", path, `{"max_recv_dtos":16}`).is(200); out.at("max_recv_dtos") != 16.0 {
		t.Errorf("resized %s", out.body)
	}
	ep := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz, "srq": srq.id()}).is(201)
	if ep.at("srq") != srq.id() {
		t.Errorf("endpoint %s", ep.body)
	}
	if items := r.do("GET", "/endpoints?srq="+srq.id(), nil).is(200).at("items").([]any); len(items) != 1 {
		t.Errorf("filtered %v", items)
	}
	r.do("DELETE", path, nil).refused(409, "DAT_INVALID_STATE", "DAT_INVALID_STATE_SRQ_IN_USE")
	r.do("DELETE", "/endpoints/"+ep.id(), nil).is(204)
	r.do("DELETE", path, nil).is(204)
}

func TestLMRDataIsOctets(t *testing.T) {
	r := newRig(t)
	lmr := r.do("POST", "/lmrs", members{"ia": ia0, "pz": r.pz(ia0), "length": 16, "privileges": []string{"LOCAL_READ", "LOCAL_WRITE"}}).is(201)
	path := "/lmrs/" + lmr.id()
	octets := with("Content-Type", document.MediaOctets)
	r.do("PUT", path+"/data?offset=4", []byte("hello"), octets).is(204)
	if out := r.do("GET", path+"/data?offset=3&length=7", nil).is(200); !bytes.Equal(out.body, []byte("\x00hello\x00")) || out.header.Get("Content-Type") != document.MediaOctets {
		t.Errorf("read %q", out.body)
	}
	if out := r.do("GET", path+"/data", nil).is(200); len(out.body) != 16 {
		t.Errorf("read %q", out.body)
	}
	r.do("PUT", path+"/data?offset=14", []byte("hello"), octets).is(422)
	r.do("PUT", path+"/data?length=4", []byte("hello"), octets, loose).refused(400)
	r.do("GET", path+"/data?offset=17", nil).is(422)
	r.do("PUT", path+"/data", "{}").refused(415)
	again := r.do("POST", "/lmrs", members{"ia": ia0, "pz": lmr.at("pz"), "mem_type": "LMR", "lmr": lmr.id(), "offset": 4, "length": 5, "privileges": []string{"LOCAL_READ"}}).is(201)
	if out := r.do("GET", "/lmrs/"+again.id()+"/data", nil).is(200); string(out.body) != "hello" {
		t.Errorf("the same memory again: %q", out.body)
	}
}

func TestEndpointsConnectTransferDisconnectAndConnectAgain(t *testing.T) {
	r := newRig(t)
	active, passive := r.pair()
	peer := r.do("GET", "/endpoints/"+active, nil).is(200)
	if peer.at("peer", "endpoint") != passive || peer.at("last_event", "event") != "DAT_CONNECTION_EVENT_ESTABLISHED" {
		t.Errorf("connected: %s", peer.body)
	}
	r.do("POST", "/endpoints/"+passive+"/recvs", members{"size": 64, "cookie": "r"}).is(202)
	r.do("POST", "/endpoints/"+active+"/sends", members{"data": base64.StdEncoding.EncodeToString([]byte("hi"))}).is(202)
	evd := r.do("GET", "/endpoints/"+passive, nil).at("recv_evd").(string)
	var got members
	eventually(t, "the message came", func() bool {
		for _, e := range r.do("POST", "/evds/"+evd+"/dequeue", members{"max": 9}).at("events").([]any) {
			if e.(members)["event"] == "DAT_DTO_COMPLETION_EVENT" {
				got = e.(members)["data"].(members)
			}
		}
		return got != nil
	})
	if got["payload"] != "aGk=" || got["status"] != "DAT_DTO_SUCCESS" || got["cookie"] != "r" {
		t.Errorf("completion %v", got)
	}
	r.do("POST", "/endpoints/"+active+"/disconnect", members{"close": "GRACEFUL"}, with("Prefer", "wait=10")).is(200)
	eventually(t, "the peer knows", func() bool { return r.do("GET", "/endpoints/"+passive, nil).at("state") == "DISCONNECTED" })
	for _, ep := range []string{active, passive} {
		if out := r.do("POST", "/endpoints/"+ep+"/reset", nil).is(200); out.at("state") != "UNCONNECTED" {
			t.Errorf("reset: %s", out.body)
		}
	}
	r.join(active, passive)
	r.do("POST", "/endpoints/"+active+"/disconnect", nil, with("Prefer", "wait=10")).is(200)
}

func TestRDMAAndBindReachThePeersMemory(t *testing.T) {
	r := newRig(t)
	active, passive := r.pair()
	local := r.do("POST", "/lmrs", members{"ia": ia0, "pz": r.do("GET", "/endpoints/"+active, nil).at("pz"), "length": 8, "privileges": []string{"LOCAL_READ", "LOCAL_WRITE"}}).is(201)
	remote := r.do("POST", "/lmrs", members{
		"ia": ia1, "pz": r.do("GET", "/endpoints/"+passive, nil).at("pz"), "length": 8,
		"privileges": []string{"LOCAL_READ", "LOCAL_WRITE", "REMOTE_READ", "REMOTE_WRITE"},
	}).is(201)
	r.do("PUT", "/lmrs/"+local.id()+"/data", []byte("12345678"), with("Content-Type", document.MediaOctets)).is(204)
	to := members{"rmr_context": remote.at("rmr_context"), "target_address": remote.at("target_address")}
	r.do("POST", "/endpoints/"+active+"/rdma-writes", members{"lmr": local.id(), "length": 8, "remote": to}).is(202)
	eventually(t, "the write arrived", func() bool {
		return string(r.do("GET", "/lmrs/"+remote.id()+"/data", nil).body) == "12345678"
	})
	r.do("POST", "/endpoints/"+active+"/rdma-reads", members{"lmr": local.id(), "offset": 4, "length": 4, "remote": to, "completion_flags": []string{"SUPPRESS"}}).is(202)
	eventually(t, "the read arrived", func() bool {
		return string(r.do("GET", "/lmrs/"+local.id()+"/data", nil).body) == "12341234"
	})
	rmr := r.do("POST", "/rmrs", members{"ia": ia1, "pz": remote.at("pz")}).is(201)
	r.do("POST", "/endpoints/"+passive+"/rmr-binds", members{"rmr": rmr.id(), "lmr": remote.id(), "offset": 0, "length": 4, "privileges": []string{"REMOTE_READ"}}).is(202)
	eventually(t, "the window is bound", func() bool { return r.do("GET", "/rmrs/"+rmr.id(), nil).at("rmr_context") != nil })
}

func TestConnectionRequestsArriveAtServicePoints(t *testing.T) {
	r := newRig(t)
	evd := r.evd(ia1, "CR")
	psp := r.do("POST", "/psps", members{"ia": ia1, "evd": evd, "conn_qual": 4711, "ep_creator": "PROVIDER"}).is(201)
	r.do("POST", "/psps", members{"ia": ia1, "evd": evd, "conn_qual": 4711}).refused(409, "DAT_CONN_QUAL_IN_USE")
	r.do("POST", "/psps", members{"ia": ia1, "evd": evd, "conn_qual": 0}).refused(422, "DAT_INVALID_PARAMETER")
	r.do("POST", "/psps", members{"ia": ia1, "evd": evd, "conn_qual": 65536}).refused(422, "DAT_INVALID_PARAMETER")
	if items := r.do("GET", "/psps?conn_qual=4711&evd="+evd, nil).is(200).at("items").([]any); len(items) != 1 {
		t.Errorf("filtered %v", items)
	}
	reserved := r.endpoint(ia1)
	rsp := r.do("POST", "/rsps", members{"ia": ia1, "evd": evd, "conn_qual": 4712, "endpoint": reserved}).is(201)
	p := r.do("DELETE", "/endpoints/"+reserved, nil).refused(409, "DAT_INVALID_STATE", "DAT_INVALID_STATE_EP_RESERVED")
	if p.State == nil || p.State.String() != "RESERVED" {
		t.Errorf("state %v", p.State)
	}
	address := r.do("GET", "/ias/"+ia1, nil).at("ia_attributes", "ia_address")
	caller := r.endpoint(ia0)
	r.do("POST", "/endpoints/"+caller+"/connect", members{"remote_ia_address": address, "remote_port_qual": 4711, "private_data": "aGk="}).is(202)
	cr := r.request(evd)
	got := r.do("GET", "/crs/"+cr, nil).is(200)
	if got.at("psp") != psp.id() || got.at("private_data") != "aGk=" || got.at("private_data_size") != 2.0 || got.at("endpoint") == nil {
		t.Errorf("request %s", got.body)
	}
	eventually(t, "the request is listed", func() bool {
		return len(r.do("GET", "/crs?psp="+psp.id(), nil).is(200).at("items").([]any)) == 1
	})
	tentative := got.at("endpoint").(string)
	if out := r.do("PATCH", "/endpoints/"+tentative, members{"pz": r.pz(ia1)}).is(200); out.at("state") != "TENTATIVE_CONNECTION_PENDING" {
		t.Errorf("tentative %s", out.body)
	}
	if out := r.do("POST", "/crs/"+cr+"/accept", nil, with("Prefer", "wait=10")).is(200); out.at("state") != "CONNECTED" || out.id() != tentative {
		t.Errorf("accepted %s", out.body)
	}
	other := r.endpoint(ia0)
	r.do("POST", "/endpoints/"+other+"/connect", members{"remote_ia_address": address, "remote_port_qual": 4712}).is(202)
	r.do("POST", "/crs/"+r.request(evd)+"/reject", nil).is(204)
	eventually(t, "the caller knows", func() bool {
		return r.do("GET", "/endpoints/"+other, nil).at("state") == "DISCONNECTED"
	})
	if out := r.do("GET", "/endpoints/"+other, nil); out.at("last_event", "event") != "DAT_CONNECTION_EVENT_PEER_REJECTED" {
		t.Errorf("rejected: %s", out.body)
	}
	r.do("DELETE", "/rsps/"+rsp.id(), nil).is(204)
	r.do("DELETE", "/psps/"+psp.id(), nil).is(204)
}

func TestStatusOfManyEndpointsIsInTheOrderAskedFor(t *testing.T) {
	r := newRig(t)
	a, b := r.endpoint(ia0), r.endpoint(ia1)
	r.do("POST", "/endpoints/"+b+"/recvs", members{"count": 3, "size": 8}).is(202)
	items := r.do("GET", "/endpoints/status?id="+b+"&id="+a+"&id="+b, nil).is(200).at("items").([]any)
	if len(items) != 2 || items[0].(members)["id"] != b || items[0].(members)["recvs"] != 3.0 || items[1].(members)["recv_idle"] != true {
		t.Errorf("statuses %v", items)
	}
	r.do("GET", "/endpoints/status", nil, loose).refused(400)
	for _, id := range []string{"nosuch", "00000000-0000-7000-8000-000000000000"} {
		if left := r.do("GET", "/endpoints/status?id="+a+"&id="+id, nil).is(200).at("items").([]any); len(left) != 1 {
			t.Errorf("statuses with %s: %v", id, left)
		}
	}
	many := "/endpoints/status?id=x"
	for range 200 {
		many += "&id=x"
	}
	r.do("GET", many, nil, loose).refused(400)
	one := r.do("GET", "/endpoints/"+b+"/status", nil).is(200)
	if one.at("state") != "UNCONNECTED" || one.at("recv_idle") != false || one.at("request_idle") != true {
		t.Errorf("status %s", one.body)
	}
	if out := r.do("GET", "/endpoints/"+b+"/recvs", nil).is(200); out.at("nbufs_allocated") != 3.0 {
		t.Errorf("recvs %s", out.body)
	}
}

func TestLimitsExhaustedAre507(t *testing.T) {
	r := newRig(t)
	r.do("POST", "/lmrs", members{"ia": ia0, "pz": r.pz(ia0), "length": 64 << 20, "privileges": []string{"LOCAL_READ"}}).refused(507, "DAT_INSUFFICIENT_RESOURCES", "DAT_RESOURCE_MEMORY")
}
