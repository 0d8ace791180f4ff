package api

import (
	"reflect"
	"slices"
	"testing"

	"github.com/datapi/datapi/internal/dat"

	"github.com/datapi/datapi/internal/api/document"
)

func TestCreateEndpointAnswersWithTheWholeEffectiveSet(t *testing.T) {
	r := newRig(t)
	made := r.do("POST", "/endpoints", members{"ia": ia0}).is(201)
	if made.header.Get("Location") != basePath+"/endpoints/"+made.id() || made.header.Get("ETag") != `"1"` {
		t.Errorf("headers %v", made.header)
	}
	for _, member := range []string{"pz", "recv_evd", "request_evd", "connect_evd", "srq", "peer", "last_event", "name", "local_port_qual"} {
		if v, ok := made.object()[member]; !ok || v != nil {
			t.Errorf("%s is %v, not null", member, v)
		}
	}
	attributes := made.at("attributes").(members)
	if len(attributes) != reflect.TypeFor[dat.EPAttributes]().NumField() || attributes["qos"] != "BEST_EFFORT" || attributes["max_recv_dtos"].(float64) < 1 {
		t.Errorf("attributes %v", attributes)
	}
	if made.at("state") != "UNCONNECTED" {
		t.Errorf("state %v", made.at("state"))
	}
}

func TestCreateEndpointRefusalsHaveTheSubtypeOfTheirHandle(t *testing.T) {
	r := newRig(t)
	foreign := r.pz(ia1)
	for member, subtype := range map[string]string{
		"pz": "DAT_INVALID_HANDLE_PZ", "recv_evd": "DAT_INVALID_HANDLE_EVD_RECV", "request_evd": "DAT_INVALID_HANDLE_EVD_REQUEST",
		"connect_evd": "DAT_INVALID_HANDLE_EVD_CONN", "srq": "DAT_INVALID_HANDLE_SRQ",
	} {
		p := r.do("POST", "/endpoints", members{"ia": ia0, member: foreign}).refused(422, "DAT_INVALID_HANDLE", subtype)
		if p.Field == nil || *p.Field != member || len(p.Errors) == 0 || p.Errors[0].Location != "body."+member {
			t.Errorf("%s: field %v, errors %v", member, p.Field, p.Errors)
		}
	}
	r.do("POST", "/endpoints", members{"ia": "nosuch@alpha"}).refused(422, "DAT_INVALID_HANDLE", "DAT_INVALID_HANDLE_IA")
}

func TestModifyTakesThePresentMembersAsItsMask(t *testing.T) {
	r := newRig(t)
	pz := r.pz(ia0)
	id := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz}).is(201).id()
	out := r.do("PATCH", "/endpoints/"+id, `{"attributes":{"max_recv_dtos":7}}`, with("Content-Type", document.MediaMergePatch)).is(200)
	if out.at("attributes", "max_recv_dtos") != 7.0 || out.at("pz") != pz || out.at("version") != 2.0 {
		t.Errorf("after: %s", out.body)
	}
	out = r.do("PATCH", "/endpoints/"+id, `{"pz":null}`).is(200)
	if out.at("pz") != nil || out.at("version") != 3.0 {
		t.Errorf("null is DAT_HANDLE_NULL: %s", out.body)
	}
}

func TestModifyWithAnEmptyMaskSucceedsAndRecordsNothing(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	for _, body := range []string{`{}`, `{"attributes":{}}`, `{"attributes":{"ep_transport_specific":{}}}`, `{"pz":null}`} {
		if out := r.do("PATCH", "/endpoints/"+id, body).is(200); out.at("version") != 1.0 || out.header.Get("ETag") != `"1"` {
			t.Errorf("%s made version %v", body, out.at("version"))
		}
	}
}

func TestModifyNeverModifiableMembersAreRefusedByTheJudge(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	for member, value := range map[string]any{
		"ia": ia1, "state": "CONNECTED", "local_ia_address": "1.2.3.4", "local_port_qual": 1, "remote_ia_address": "1.2.3.4",
		"remote_port_qual": 1, "srq": nil,
	} {
		p := r.do("PATCH", "/endpoints/"+id, members{member: value}).refused(422, "DAT_INVALID_PARAMETER", "DAT_INVALID_ARG2")
		if p.Field == nil || *p.Field != member {
			t.Errorf("%s: field %v", member, p.Field)
		}
	}
	r.do("PATCH", "/endpoints/"+id, `{"attributes":{"srq_soft_hw":null}}`).refused(422, "DAT_INVALID_PARAMETER", "DAT_INVALID_ARG2")
}

func TestModifyRefusesNullWhereItIsNoValue(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	for _, body := range []string{
		`{"attributes":null}`, `{"attributes":{"qos":null}}`, `{"attributes":{"max_recv_dtos":null}}`, `{"labels":{"a":1}}`,
		`{"attributes":{"ep_transport_specific":null}}`, `{"attributes":{"max_recv_dtos":-1}}`, `{"attributes":{"max_recv_dtos":1.5}}`,
		`{"attributes":{"max_recv_dtos":1e99}}`, `{"attributes":{"max_recv_dtos":"7"}}`, `{"attributes":{"nosuch":1}}`, `{"nosuch":1}`, `[]`, `3`,
	} {
		r.do("PATCH", "/endpoints/"+id, body).refused(422, "DAT_INVALID_PARAMETER")
	}
}

func TestModifyJudgesTheStateBeforeTheValues(t *testing.T) {
	r := newRig(t)
	active, _ := r.pair()
	for _, body := range []string{`{"attributes":{"qos":"NONSENSE"}}`, `{"attributes":{"max_recv_dtos":-1}}`, `{"pz":"nosuch"}`} {
		p := r.do("PATCH", "/endpoints/"+active, body).refused(409, "DAT_INVALID_STATE", "DAT_INVALID_STATE_EP_CONNECTED")
		if p.State == nil || p.State.String() != "CONNECTED" {
			t.Errorf("state %v", p.State)
		}
	}
	unconnected := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	r.do("PATCH", "/endpoints/"+unconnected, `{"attributes":{"qos":"NONSENSE"}}`).refused(422, "DAT_INVALID_PARAMETER")
}

func TestNameAndLabelsMayBeChangedInEveryState(t *testing.T) {
	r := newRig(t)
	active, _ := r.pair()
	out := r.do("PATCH", "/endpoints/"+active, `{"name":"ost-7","labels":{"app":"lustre"}}`).is(200)
	if out.at("name") != "ost-7" || out.at("labels", "app") != "lustre" {
		t.Errorf("after: %s", out.body)
	}
	if out := r.do("PATCH", "/endpoints/"+active, `{"name":null}`).is(200); out.at("name") != nil || out.at("labels", "app") != "lustre" {
		t.Errorf("after: %s", out.body)
	}
}

func TestNamedAttributesMergeByName(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0, "attributes": members{"ep_transport_specific": members{"retry_count": "3", "tos": "1"}}}).is(201).id()
	out := r.do("PATCH", "/endpoints/"+id, `{"attributes":{"ep_transport_specific":{"tos":null,"ack_timeout":"14"}}}`).is(200)
	got := out.at("attributes", "ep_transport_specific").(members)
	if got["retry_count"] != "3" || got["ack_timeout"] != "14" || got["tos"] == "1" {
		t.Errorf("after: %v", got)
	}
	r.do("PATCH", "/endpoints/"+id, `{"attributes":{"ep_transport_specific":{"nosuch":"1"}}}`).refused(422, "DAT_INVALID_PARAMETER")
}

func TestWatermarksNeedBothMembers(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	path := "/endpoints/" + id + "/watermarks"
	out := r.do("PUT", path, `{"soft_high":3,"hard_high":null}`).is(200)
	if out.at("watermarks", "soft_high") != 3.0 || out.at("watermarks", "hard_high") != nil || out.at("watermarks", "soft_armed") != true {
		t.Errorf("after: %s", out.body)
	}
	for _, body := range []string{`{}`, `{"soft_high":3}`, `{"hard_high":null}`, `{"soft_high":-1,"hard_high":null}`, `{"soft_high":1,"hard_high":-1}`} {
		r.do("PUT", path, body).refused(422, "DAT_INVALID_PARAMETER")
	}
}

func TestFreeEndsTheEndpointAndKeepsItsHistory(t *testing.T) {
	r := newRig(t)
	id := r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	r.do("DELETE", "/endpoints/"+id, nil).is(204)
	r.do("GET", "/endpoints/"+id, nil).refused(404, "DAT_INVALID_HANDLE", "DAT_INVALID_HANDLE_EP")
	r.do("PATCH", "/endpoints/"+id, `{}`).refused(404, "DAT_INVALID_HANDLE", "DAT_INVALID_HANDLE_EP")
	r.do("DELETE", "/endpoints/"+id, nil).refused(404, "DAT_INVALID_HANDLE", "DAT_INVALID_HANDLE_EP")
	if items := r.do("GET", "/endpoints/"+id+"/history", nil).is(200).at("items").([]any); len(items) != 2 {
		t.Errorf("history %v", items)
	}
}

func TestOperationsAndModifiableComeFromTheTables(t *testing.T) {
	r := newRig(t)
	id := r.endpoint(ia0)
	words := func(member string) []string {
		var out []string
		for _, w := range r.do("GET", "/endpoints/"+id, nil).is(200).at(member).([]any) {
			out = append(out, w.(string))
		}
		return out
	}
	want := []string{"modify", "set_watermark", "connect", "dup_connect", "accept", "create_rsp", "reset", "free", "post_recv"}
	if got := words("operations"); !slices.Equal(got, want) {
		t.Errorf("operations %v", got)
	}
	if got := words("modifiable"); !slices.Contains(got, "attributes.recv_completion_flags") || !slices.Contains(got, "pz") {
		t.Errorf("modifiable %v", got)
	}
	r.do("POST", "/endpoints/"+id+"/recvs", members{"count": 2, "size": 64}).is(202)
	if got := words("modifiable"); slices.Contains(got, "attributes.recv_completion_flags") {
		t.Errorf("recv_completion_flags is modifiable with receives outstanding (M8): %v", got)
	}
}

func TestProbeIsShownAndTakenAway(t *testing.T) {
	r := newRig(t)
	made := r.do("POST", "/endpoints", members{"ia": ia0, "probe": members{"interval_s": 5, "fail_after": 3}}).is(201)
	if made.at("probe", "fail_after") != 3.0 {
		t.Errorf("made: %s", made.body)
	}
	if out := r.do("PATCH", "/endpoints/"+made.id(), `{"probe":null}`).is(200); out.at("probe") != nil {
		t.Errorf("after: %s", out.body)
	}
	r.do("PATCH", "/endpoints/"+made.id(), `{"probe":{"interval_s":5,"fail_after":0}}`).refused(422, "DAT_INVALID_PARAMETER")
}
