package dat

import (
	"encoding/json"
	"testing"
)

// FuzzModify puts any parameters with any JSON values into every state: the
// judge must agree with the naive reading, and its refusals must be whole.
func FuzzModify(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte(`{"attributes.max_recv_dtos": -1, "pz": "pz2"}`))
	f.Add(uint8(9), uint8(3), []byte(`{"attributes.recv_completion_flags": "DEFAULT"}`))
	f.Add(uint8(7), uint8(0), []byte(`{"attributes.ep_transport_specific": {"tos": null}, "srq": "srq1"}`))
	f.Add(uint8(0), uint8(0), []byte(`{"recv_evd": "evd1", "request_evd": "evd1", "attributes.request_completion_flags": "UNSIGNALLED"}`))
	f.Fuzz(func(t *testing.T, state, posted uint8, body []byte) {
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) != nil {
			return
		}
		v := Values{}
		for name, raw := range members {
			if p, ok := ParamByName(name); ok {
				v[p] = valueOf(p, raw)
			}
		}
		s := occurring()[int(state)%len(occurring())]
		e, facts := newEndpoint(s), newFacts()
		after, err := CheckEPModify(e, int(posted), v, facts, newWorld())
		want := naiveModify(s, int(posted), v, facts)
		if want == RetSuccess && flagsClash(e, v) {
			want = RetInvalidParameter
		}
		if got := returnOf(err); got != want {
			t.Fatalf("%v in %s: %v, want %s", v, s, err, want)
		}
		if (err == nil) != (after != nil) || err != nil && (err.Detail == "" || err.Field == "") {
			t.Fatalf("%v in %s gives %v and %+v", v, s, after, err)
		}
	})
}

// valueOf reads a member as the Go type of its parameter, or as what it is.
func valueOf(p Param, raw []byte) any {
	v, err := p.ReadValue(raw)
	if err != nil {
		_ = json.Unmarshal(raw, &v)
	}
	return v
}

// FuzzNamedAttr holds that a value is allowed exactly where it is the plain
// decimal of a number of the range.
func FuzzNamedAttr(f *testing.F) {
	for _, s := range []string{"0", "7", "8", "-0", "+1", "007", "9223372036854775808", "1e1", " 1"} {
		f.Add(s)
	}
	plain := map[string]bool{"0": true, "1": true, "2": true, "3": true, "4": true, "5": true, "6": true, "7": true}
	f.Fuzz(func(t *testing.T, s string) {
		if got := (NamedAttr{0, 7}).allows(s); got != plain[s] {
			t.Errorf("%q: %v", s, got)
		}
	})
}

// FuzzAddress holds that whatever is accepted as an address can be connected to.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"10.77.0.2", "::1", "fe80::1%eth0", "0.0.0.0", "::ffff:0.0.0.0", "ff02::1", "1.2.3", "[::1]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := checkAddress(s)
		if err != nil && (err.Return != RetInvalidAddress || err.Subtype == SubNone || err.Detail == "") {
			t.Errorf("%q is refused with %+v", s, err)
		}
	})
}

// FuzzEndpointJSON holds that an endpoint that can be read is written as it was read.
func FuzzEndpointJSON(f *testing.F) {
	whole, _ := json.Marshal(newEndpoint(EPUnconnected))
	f.Add(whole)
	f.Add([]byte(`{"state":"CONNECTED","watermarks":{"soft_high":null,"hard_high":0}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b Endpoint
		if json.Unmarshal(data, &a) != nil {
			return
		}
		first, err := json.Marshal(&a)
		if err != nil {
			return // a time beyond the year 9999
		}
		if err := json.Unmarshal(first, &b); err != nil {
			t.Fatalf("%s cannot be read: %v", first, err)
		}
		if second, _ := json.Marshal(&b); string(first) != string(second) {
			t.Errorf("%s became %s", first, second)
		}
	})
}
