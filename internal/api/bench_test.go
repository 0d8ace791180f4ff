package api

import (
	"fmt"
	"io"
	"net"
	"net/http/httptest"
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

// BenchmarkWriteBesideWatchers changes an endpoint while 1,000 clients watch.
func BenchmarkWriteBesideWatchers(b *testing.B) {
	r := newRig(b)
	id := r.many(1)[0]
	server := httptest.NewServer(r.api.Handler)
	defer server.Close()
	for range 1000 {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		must(b, err)
		defer func() { _ = conn.Close() }()
		_, err = fmt.Fprintf(conn, "GET %s/changes/stream HTTP/1.1\r\nHost: localhost\r\n\r\n", basePath)
		must(b, err)
		go func() { _, _ = io.Copy(io.Discard, conn) }()
	}
	eventually(b, "all watch", func() bool {
		return strings.Contains(r.raw("GET", "/metrics").Body.String(), "datapi_change_streams 1000")
	})
	n := 0
	for b.Loop() {
		n++
		if out := r.do("PATCH", "/endpoints/"+id, members{"labels": members{"n": fmt.Sprint(n)}}, loose); out.status != 200 {
			b.Fatal(out.status)
		}
	}
}
