//go:build rxe

package guest

import (
	"net/http"
	"testing"
)

// endpoint is an endpoint with what it needs.
type endpoint struct {
	*host
	id, pz, dto, conn, lmr string
	// early are completions that came before those that the test waited for, by operation.
	early map[string][]object
}

// newEndpoint creates an endpoint with a zone, EVDs and a region that peers may use.
func newEndpoint(h *host) *endpoint {
	h.t.Helper()
	e := &endpoint{host: h, early: map[string][]object{}, pz: h.make("/pzs", object{})}
	e.dto = h.make("/evds", object{"qlen": 64, "streams": []string{"DTO"}})
	e.conn = h.make("/evds", object{"qlen": 64, "streams": []string{"CONNECTION"}})
	e.lmr = h.make("/lmrs", object{"pz": e.pz, "length": 4096,
		"privileges": []string{"LOCAL_READ", "LOCAL_WRITE", "REMOTE_READ", "REMOTE_WRITE"}})
	e.id = h.make("/endpoints", object{"pz": e.pz, "recv_evd": e.dto, "request_evd": e.dto, "connect_evd": e.conn})
	return e
}

// free frees everything of the endpoint.
func (e *endpoint) free() {
	e.t.Helper()
	for _, path := range []string{"/endpoints/" + e.id, "/lmrs/" + e.lmr, "/evds/" + e.dto, "/evds/" + e.conn, "/pzs/" + e.pz} {
		e.do(http.MethodDelete, path, nil)
	}
}

// path returns the path of a call on the endpoint.
func (e *endpoint) path(call string) string { return "/endpoints/" + e.id + call }

// memory returns what a peer needs for RDMA on the region of the endpoint.
func (e *endpoint) memory() object {
	e.t.Helper()
	m := e.get("/lmrs/" + e.lmr)
	return object{"rmr_context": m["rmr_context"], "target_address": m["target_address"]}
}

// listen creates a PSP, and returns it with its EVD and its qualifier.
func (h *host) listen(qual int) (psp, evd string, connQual int) {
	h.t.Helper()
	evd = h.make("/evds", object{"qlen": 8, "streams": []string{"CR"}})
	body := object{"evd": evd, "ep_creator": "CONSUMER"}
	if qual != 0 {
		body["conn_qual"] = qual
	}
	body["ia"] = h.ia
	o := h.post("/psps", body)
	return o["id"].(string), evd, int(o["conn_qual"].(float64))
}

// connect connects a to b through a PSP that is created for it.
func connect(a, b *endpoint) {
	a.t.Helper()
	connectTo(a, b, b.address())
}

// connectTo is connect to an address of b's.
func connectTo(a, b *endpoint, address string) {
	a.t.Helper()
	psp, evd, qual := b.listen(0)
	a.post(a.path("/connect"), object{"remote_ia_address": address, "remote_port_qual": qual})
	cr := b.event(evd, "DAT_CONNECTION_REQUEST_EVENT")["data"].(object)["cr"].(string)
	b.post("/crs/"+cr+"/accept", object{"endpoint": b.id})
	a.event(a.conn, "DAT_CONNECTION_EVENT_ESTABLISHED")
	b.event(b.conn, "DAT_CONNECTION_EVENT_ESTABLISHED")
	a.reach(a.id, "CONNECTED")
	b.reach(b.id, "CONNECTED")
	b.do(http.MethodDelete, "/psps/"+psp, nil)
	b.do(http.MethodDelete, "/evds/"+evd, nil)
}

// TestAnEndpointLivesItsLife: create, connect, send, RDMA write and read, a watermark
// crossed, graceful disconnect, reset, reconnect, free.
func TestAnEndpointLivesItsLife(t *testing.T) {
	a, b := newEndpoint(here(t)), newEndpoint(there(t))
	for range 2 {
		b.post(b.path("/recvs"), object{"count": 2, "size": 64})
		connect(a, b)
		a.post(a.path("/sends"), object{"data": base64Of([]byte("ping"))})
		a.done(a.dto, "DAT_DTO_SUCCESS")
		if got := payload(t, b.done(b.dto, "DAT_DTO_SUCCESS")); string(got) != "ping" {
			t.Fatalf("received %q", got)
		}
		for _, call := range []string{"/rdma-writes", "/rdma-reads"} {
			a.post(a.path(call), object{"lmr": a.lmr, "offset": 0, "length": 64, "remote": b.memory()})
			a.done(a.dto, "DAT_DTO_SUCCESS")
		}
		b.do(http.MethodPut, b.path("/watermarks"), object{"soft_high": 2, "hard_high": nil})
		b.post(b.path("/recvs"), object{"count": 2, "size": 64})
		if marks := b.reach(b.id, "CONNECTED")["watermarks"].(object); marks["soft_high"] != 2.0 {
			t.Fatalf("watermarks %v", marks)
		}
		until(t, "the soft mark fires", func() bool {
			return b.get(b.path(""))["watermarks"].(object)["soft_armed"] == false
		})
		a.post(a.path("/disconnect"), object{"close": "GRACEFUL"})
		a.reach(a.id, "DISCONNECTED")
		b.reach(b.id, "DISCONNECTED")
		for range 3 {
			b.done(b.dto, "DAT_DTO_ERR_FLUSHED")
		}
		a.event(a.conn, "DAT_CONNECTION_EVENT_DISCONNECTED")
		b.event(b.conn, "DAT_CONNECTION_EVENT_DISCONNECTED")
		a.post(a.path("/reset"), object{})
		b.post(b.path("/reset"), object{})
	}
	a.free()
	b.free()
}

// TestWhatCrashesTheReferenceDoesNoHarm: connecting after a modify, calls on a freed
// handle, a watermark, a modify of a live connection, which is refused and costs nothing.
func TestWhatCrashesTheReferenceDoesNoHarm(t *testing.T) { // D2, D3, D10
	a, b := newEndpoint(here(t)), newEndpoint(there(t))
	other := a.make("/pzs", object{})
	for _, change := range []object{
		{"attributes": object{"max_recv_dtos": 8}}, {"connect_evd": a.conn}, {}, {"pz": other}, {"pz": a.pz},
		{"attributes": object{"max_message_size": 1024, "max_request_dtos": 7}},
	} {
		a.do(http.MethodPatch, a.path(""), change)
	}
	a.post(a.path("/recvs"), object{"count": 1, "size": 8})
	connect(a, b)
	for _, change := range []object{{"pz": other}, {"attributes": object{"max_recv_dtos": 4}}} {
		if status, out := a.call(http.MethodPatch, a.path(""), change); status != http.StatusConflict {
			t.Fatalf("modify of a connected endpoint: %d %v", status, out)
		}
	}
	a.do(http.MethodPatch, a.path(""), object{})
	b.post(b.path("/recvs"), object{"count": 1, "size": 8})
	a.post(a.path("/sends"), object{"data": base64Of([]byte("alive"))})
	a.done(a.dto, "DAT_DTO_SUCCESS")
	a.do(http.MethodPut, a.path("/watermarks"), object{"soft_high": nil, "hard_high": 100})
	a.post(a.path("/disconnect"), object{})
	b.reach(b.id, "DISCONNECTED")
	gone := a.path("")
	a.free()
	b.free()
	a.do(http.MethodDelete, "/pzs/"+other, nil)
	for method, path := range map[string]string{http.MethodGet: gone, http.MethodDelete: gone, http.MethodPatch: gone} {
		if status, out := a.call(method, path, object{}); status != http.StatusNotFound || out["dat_return"] != "DAT_INVALID_HANDLE" {
			t.Fatalf("%s of a freed endpoint: %d %v", method, status, out)
		}
	}
}
