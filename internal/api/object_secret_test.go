package api

import (
	"strings"
	"testing"
)

// Rights: keys of memory, payloads and private data are for operators, where one object is answered with; the log has none
func TestWhatObjectsAndEventsHoldIsForOperators(t *testing.T) {
	r := newRig(t, withToken)
	r.credential = bearer
	_, viewer := r.token("looks", "viewer")
	_, operator := r.token("works", "operator")

	lmr := r.do("GET", "/lmrs/"+r.lmr(ia0, r.pz(ia0)), nil, bring(operator)).is(200)
	key, _ := lmr.at("rmr_context").(string)
	if !strings.HasPrefix(key, "0x") || lmr.header.Get("Cache-Control") != noStore {
		t.Errorf("an operator gets %s, %s", lmr.header, lmr.body)
	}
	if out := r.do("GET", "/lmrs/"+lmr.id(), nil, bring(viewer)).is(200); out.at("rmr_context") != nil || out.at("target_address") == nil {
		t.Errorf("a viewer gets %s", out.body)
	}
	for _, path := range []string{"/lmrs", "/lmrs?fields=id,rmr_context", "/rmrs", "/changes?type=lmr&type=rmr"} {
		if out := r.do("GET", path, nil, loose, bring(operator)).is(200); strings.Contains(string(out.body), key) {
			t.Errorf("%s shows a key: %s", path, out.body)
		}
	}
	_, lines, end := r.stream("?after=0&type=lmr", bring(operator))
	defer end()
	for line := range lines {
		if strings.HasPrefix(line, "data: ") {
			if strings.Contains(line, key) {
				t.Errorf("the stream shows a key: %s", line)
			}
			break
		}
	}

	evd := r.evd(ia1, "CR")
	psp := r.do("POST", "/psps", members{"ia": ia1, "evd": evd}).is(201)
	address := r.do("GET", "/ias/"+ia1, nil).is(200).at("ia_attributes", "ia_address")
	r.do("POST", "/endpoints/"+r.endpoint(ia0)+"/connect", members{"remote_ia_address": address, "remote_port_qual": psp.at("conn_qual"), "private_data": "c2VjcmV0"}).is(202)
	event := func(secret string) members {
		var data members
		eventually(t, "the request's event is there", func() bool {
			events := r.do("GET", "/evds/"+evd+"/events", nil, bring(secret)).is(200).at("events").([]any)
			if len(events) == 1 {
				data = events[0].(members)["data"].(members)
			}
			return len(events) == 1
		})
		return data
	}
	if data := event(operator); data["private_data"] != "c2VjcmV0" {
		t.Errorf("an operator sees the event %v", data)
	}
	seen := event(viewer)
	if data, there := seen["private_data"]; !there || data != nil || seen["conn_qual"] == nil {
		t.Errorf("a viewer sees the event %v", seen)
	}
	cr := "/crs/" + seen["cr"].(string)
	if out := r.do("GET", cr, nil, bring(operator)).is(200); out.at("private_data") != "c2VjcmV0" {
		t.Errorf("an operator gets %s", out.body)
	}
	if out := r.do("GET", cr, nil, bring(viewer)).is(200); out.at("private_data") != nil || out.at("private_data_size") != 6.0 {
		t.Errorf("a viewer gets %s", out.body)
	}
	if out := r.do("GET", "/crs", nil, bring(operator)).is(200); strings.Contains(string(out.body), "c2VjcmV0") {
		t.Errorf("the list shows private data: %s", out.body)
	}
}
