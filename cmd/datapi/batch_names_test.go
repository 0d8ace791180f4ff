package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNamesStandForIDsInABatch(t *testing.T) {
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.RequestURI() {
		case "POST /api/v1/batch":
			data, _ := io.ReadAll(r.Body) // it is compared below
			sent = string(data)
			_, _ = io.WriteString(w, `{"results":[]}`)
		case "GET /api/v1/pzs?fields=id&limit=1&name=zone":
			_, _ = io.WriteString(w, `{"items":[{"id":"`+anID+`"}]}`)
		case "GET /api/v1/ias?fields=id&limit=1000":
			_, _ = io.WriteString(w, `{"items":[{"id":"soft0@alpha"}]}`)
		default:
			_, _ = io.WriteString(w, `{"items":[]}`)
		}
	}))
	defer server.Close()
	operations := `
- {method: POST, path: /evds, body: {ia: soft0, name: queue, qlen: 64, streams: [DTO]}}
- {method: POST, path: /endpoints, body: {ia: soft0@alpha, name: ost-7, pz: zone, recv_evd: queue, labels: {pz: zone}}}
- {method: POST, path: /endpoints/ost-7/reset}
- {method: DELETE, path: /pzs/zone}
- {method: DELETE, path: /pzs/nobody}
- {method: DELETE, path: "/evds/$0.id"}
- {method: PUT, path: /retention, body: {age: 30d}}
`
	if status, _, said := command(t, operations, "batch", "--url", server.URL); status != exitDone {
		t.Fatalf("status %d, said %q", status, said)
	}
	sameJSON(t, sent, `{"atomic":false,"operations":[
		{"method":"POST","path":"/evds","body":{"ia":"soft0@alpha","name":"queue","qlen":64,"streams":["DTO"]}},
		{"method":"POST","path":"/endpoints","body":{"ia":"soft0@alpha","name":"ost-7","pz":"`+anID+`","recv_evd":"$0.id","labels":{"pz":"zone"}}},
		{"method":"POST","path":"/endpoints/$1.id/reset"},
		{"method":"DELETE","path":"/pzs/`+anID+`"},
		{"method":"DELETE","path":"/pzs/nobody"},
		{"method":"DELETE","path":"/evds/$0.id"},
		{"method":"PUT","path":"/retention","body":{"age":"30d"}}]}`)
}
