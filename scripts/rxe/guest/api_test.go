//go:build rxe

// Package guest tests the program inside the RDMA guest, from outside its process:
// over the HTTP API, beside Debian's own RDMA tools.
package guest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

// patience ends a test that hangs; it is longer than any machine is slow.
const patience = 3 * time.Minute

// object is a JSON object of the API.
type object = map[string]any

// host is a running service.
type host struct {
	t    *testing.T
	base string
	ia   string
}

// environment reads a variable that the script must set.
func environment(t *testing.T, name string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Fatalf("%s is not set", name)
	}
	return v
}

// device returns the RDMA device under test.
func device(t *testing.T) string { return environment(t, "DATAPI_TEST_DEVICE") }

// here returns the service of this guest, there the one that its endpoints connect to.
func here(t *testing.T) *host { return at(t, environment(t, "DATAPI_HERE")) }

// there may have a device of another name (DATAPI_THERE_DEVICE).
func there(t *testing.T) *host {
	return deviceAt(t, environment(t, "DATAPI_THERE"), cmp.Or(os.Getenv("DATAPI_THERE_DEVICE"), device(t)))
}

// at finds the IA of the device under test at a service.
func at(t *testing.T, base string) *host { return deviceAt(t, base, device(t)) }

// deviceAt finds the IA of a device at a service.
func deviceAt(t *testing.T, base, device string) *host {
	t.Helper()
	h := &host{t: t, base: base}
	until(t, "the service at "+base+" has an IA of "+device+" that is up", func() bool {
		for _, item := range h.get("/ias")["items"].([]any) {
			ia := item.(object)
			if ia["device"] == device && ia["provider"] == "verbs" && ia["state"] == "UP" && h.isMine(ia) {
				h.ia = ia["id"].(string)
			}
		}
		return h.ia != ""
	})
	return h
}

// isMine reports whether the service that answers owns the IA.
func (h *host) isMine(ia object) bool { return ia["state"] != nil }

// call sends a request and returns the status and the decoded body.
func (h *host) call(method, path string, body any) (int, object) {
	h.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.base+"/api/v1"+path, in)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+os.Getenv("DATAPI_ADMIN_TOKEN"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	out := object{}
	if len(b) > 0 && json.Unmarshal(b, &out) != nil {
		out["raw"] = string(b)
	}
	return answer.StatusCode, out
}

// do is a call that must succeed.
func (h *host) do(method, path string, body any) object {
	h.t.Helper()
	status, out := h.call(method, path, body)
	if status >= 300 {
		h.t.Fatalf("%s %s %v: %d %v", method, path, body, status, out)
	}
	return out
}

func (h *host) get(path string) object {
	h.t.Helper()
	return h.do(http.MethodGet, path, nil)
}

func (h *host) post(path string, body object) object {
	h.t.Helper()
	return h.do(http.MethodPost, path, body)
}

// make creates an object of the IA and returns its id.
func (h *host) make(path string, body object) string {
	h.t.Helper()
	body["ia"] = h.ia
	return h.post(path, body)["id"].(string)
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); ; {
		if ok() {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%s: not within %v", what, patience)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// event takes events from an EVD until one has the number; it is an error if none comes.
func (h *host) event(evd, number string) object {
	h.t.Helper()
	var found object
	var seen []string
	until(h.t, "event "+number, func() bool {
		for _, e := range h.post("/evds/"+evd+"/dequeue", object{"max": 1})["events"].([]any) {
			seen = append(seen, fmt.Sprint(e.(object)["event"], e.(object)["data"]))
			if e.(object)["event"] == number {
				found = e.(object)
			}
		}
		return found != nil
	})
	return found
}

// done takes the completion of a DTO, which must have the status.
func (h *host) done(evd, status string) object {
	h.t.Helper()
	data := h.event(evd, "DAT_DTO_COMPLETION_EVENT")["data"].(object)
	if data["status"] != status {
		h.t.Fatalf("a completion has %v, want %s", data, status)
	}
	return data
}

func (h *host) reach(ep, state string) object {
	h.t.Helper()
	var o object
	until(h.t, "state "+state, func() bool {
		o = h.get("/endpoints/" + ep)
		return o["state"] == state
	})
	return o
}

func (h *host) address() string {
	h.t.Helper()
	return h.get("/ias/" + h.ia)["ia_attributes"].(object)["ia_address"].(string)
}

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func payload(t *testing.T, data object) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(fmt.Sprint(data["payload"]))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// raw reads or writes bytes of the region.
func (e *endpoint) raw(method, query string, body []byte) []byte {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), method, e.base+"/api/v1/lmrs/"+e.lmr+"/data?"+query, bytes.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Authorization", "Bearer "+os.Getenv("DATAPI_ADMIN_TOKEN"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		e.t.Fatalf("%s of the region: %d %s %v", method, answer.StatusCode, b, err)
	}
	return b
}

func (e *endpoint) putMemory(b []byte) { e.raw(http.MethodPut, "offset=0", b) }

func (e *endpoint) readMemory(n int) []byte {
	return e.raw(http.MethodGet, fmt.Sprintf("offset=0&length=%d", n), nil)
}
