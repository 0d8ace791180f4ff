package api

import (
	"fmt"
	"strings"
	"testing"
)

// many makes n endpoints by batches and returns their ids.
func (r *rig) many(n int) []string {
	r.t.Helper()
	pz, evd := r.pz(ia0), r.evd(ia0, "DTO", "CONNECTION")
	var made []string
	for len(made) < n {
		var operations []members
		for i := range min(1000, n-len(made)) {
			operations = append(operations, op("POST", "/endpoints", members{"ia": ia0, "pz": pz, "recv_evd": evd, "request_evd": evd, "connect_evd": evd, "name": fmt.Sprintf("ep-%d", len(made)+i)}))
		}
		for _, result := range r.do("POST", "/batch", members{"atomic": true, "operations": operations}, loose).results() {
			made = append(made, result["body"].(members)["id"].(string))
		}
	}
	return made
}

// BenchmarkListEndpoints lists 1,000 of 10,000 endpoints.
func BenchmarkListEndpoints(b *testing.B) {
	r := newRig(b)
	r.many(10_000)
	for b.Loop() {
		if out := r.do("GET", "/endpoints?limit=1000", nil, loose); out.status != 200 || len(out.body) < 1000*500 {
			b.Fatal(out.status)
		}
	}
}

// BenchmarkStatus200 asks for the status of 200 endpoints.
func BenchmarkStatus200(b *testing.B) {
	r := newRig(b)
	query := "?id=" + strings.Join(r.many(200), "&id=")
	for b.Loop() {
		if out := r.do("GET", "/endpoints/status"+query, nil, loose); out.status != 200 {
			b.Fatal(out.status)
		}
	}
}

// BenchmarkGetEndpoint asks for one endpoint.
func BenchmarkGetEndpoint(b *testing.B) {
	r := newRig(b)
	id := r.many(1)[0]
	for b.Loop() {
		if out := r.do("GET", "/endpoints/"+id, nil, loose); out.status != 200 {
			b.Fatal(out.status)
		}
	}
}

// BenchmarkSequentialBatch makes 1,000 endpoints by a batch that is not atomic.
func BenchmarkSequentialBatch(b *testing.B) {
	r := newRig(b)
	operations := make([]members, 1000)
	for i := range operations {
		operations[i] = op("POST", "/endpoints", members{"ia": ia0})
	}
	for b.Loop() {
		r.do("POST", "/batch", members{"operations": operations}, loose).is(200)
	}
}
