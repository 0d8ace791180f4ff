//go:build rxe

package guest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// advert returns what both sides of rping tell each other: where memory is, how to reach it,
// how much of it. All in network order.
func advert(t *testing.T, m object, length uint32) []byte {
	t.Helper()
	address, err := strconv.ParseUint(m["target_address"].(string), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	key, err := strconv.ParseUint(m["rmr_context"].(string)[2:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	b := binary.BigEndian.AppendUint64(nil, address)
	b = binary.BigEndian.AppendUint32(b, uint32(key))
	return binary.BigEndian.AppendUint32(b, length)
}

// remote returns an advert of rping as the API takes it, and its length.
func remote(b []byte) (object, uint32) {
	return object{
		"target_address": strconv.FormatUint(binary.BigEndian.Uint64(b), 10),
		"rmr_context":    fmt.Sprintf("0x%08x", binary.BigEndian.Uint32(b[8:])),
	}, binary.BigEndian.Uint32(b[12:])
}

const (
	infoSize = 16
	pings    = 3
	pingSize = 64
)

// rping starts Debian's rping. It returns what waits for its end, logs its output and returns it.
func rping(t *testing.T, args ...string) func() string {
	t.Helper()
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), "rping", args...)
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		t.Helper()
		// rping's status tells nothing: it is an error even when the peer closes as agreed.
		_ = c.Wait()
		t.Logf("rping %v:\n%s", args, &out)
		return out.String()
	}
}

// message sends b and waits until it is sent.
func (e *endpoint) message(b []byte) {
	e.t.Helper()
	e.post(e.path("/sends"), object{"data": base64Of(b)})
}

// completed waits for a successful completion of each operation, in whatever order they come (a peer may
// answer a message before the transport says that it was sent), and returns the payload of the receive.
func (e *endpoint) completed(operations ...string) []byte {
	e.t.Helper()
	var got []byte
	for _, operation := range operations {
		for len(e.early[operation]) == 0 {
			d := e.done(e.dto, "DAT_DTO_SUCCESS")
			came := d["operation"].(string)
			e.early[came] = append(e.early[came], d)
		}
		if operation == "RECEIVE" {
			got = payload(e.t, e.early[operation][0])
		}
		e.early[operation] = e.early[operation][1:]
	}
	return got
}

// TestRpingIsServed plays rping's server: it reads the client's memory and writes it back.
func TestRpingIsServed(t *testing.T) {
	e := newEndpoint(here(t))
	psp, evd, qual := e.listen(0)
	e.post(e.path("/recvs"), object{"count": 8, "size": infoSize})
	wait := rping(t, "-c", "-V", "-v", "-a", e.address(), "-p", strconv.Itoa(qual), "-C", strconv.Itoa(pings), "-S", strconv.Itoa(pingSize))
	cr := e.event(evd, "DAT_CONNECTION_REQUEST_EVENT")["data"].(object)["cr"].(string)
	e.post("/crs/"+cr+"/accept", object{"endpoint": e.id})
	e.reach(e.id, "CONNECTED")
	for i := range pings {
		source, n := remote(e.completed("RECEIVE"))
		e.post(e.path("/rdma-reads"), object{"lmr": e.lmr, "offset": 0, "length": n, "remote": source})
		e.completed("RDMA_READ")
		e.message(make([]byte, infoSize))
		sink, n := remote(e.completed("SEND", "RECEIVE"))
		e.post(e.path("/rdma-writes"), object{"lmr": e.lmr, "offset": 0, "length": n, "remote": sink})
		e.completed("RDMA_WRITE")
		e.message(make([]byte, infoSize))
		if i < pings-1 {
			e.completed("SEND")
			e.post(e.path("/recvs"), object{"count": 2, "size": infoSize})
		}
	}
	// rping closes when it has the last message, and rxe gives a message to its program before it tells the
	// sender that it came: that last send may end as flushed. What rping printed proves that it came.
	e.reach(e.id, "DISCONNECTED")
	if last := fmt.Sprintf("rdma-ping-%d", pings-1); !strings.Contains(wait(), last) {
		t.Errorf("rping did not get its %s back", last)
	}
	e.do(http.MethodDelete, "/psps/"+psp, nil)
	e.do(http.MethodDelete, "/evds/"+evd, nil)
	e.free()
}

// TestRpingIsAsked plays rping's client: the server reads our memory and writes it back.
func TestRpingIsAsked(t *testing.T) {
	const port = 7174
	e := newEndpoint(here(t))
	wait := rping(t, "-s", "-v", "-a", e.address(), "-p", strconv.Itoa(port), "-C", strconv.Itoa(pings), "-S", strconv.Itoa(pingSize))
	until(t, "rping listens", func() bool {
		for _, id := range resources(t, "cm_id") {
			if id["state"] == "LISTEN" && id["comm"] == "rping" {
				return true
			}
		}
		return false
	})
	e.post(e.path("/recvs"), object{"count": 8, "size": infoSize})
	e.post(e.path("/connect"), object{"remote_ia_address": e.address(), "remote_port_qual": port})
	e.reach(e.id, "CONNECTED")
	memory := e.memory()
	// rping's server writes back a C string.
	text := append(bytes.Repeat([]byte("datapi!"), pingSize/7+1)[:pingSize-1], 0)
	for range pings {
		e.putMemory(text)
		e.message(advert(t, memory, pingSize))
		e.completed("SEND", "RECEIVE")
		e.putMemory(make([]byte, pingSize))
		e.message(advert(t, memory, pingSize))
		e.completed("SEND", "RECEIVE")
		if got := e.readMemory(pingSize); !bytes.Equal(got, text) {
			t.Fatalf("rping wrote back %q", got)
		}
		e.post(e.path("/recvs"), object{"count": 2, "size": infoSize})
	}
	e.post(e.path("/disconnect"), object{})
	wait()
	e.free()
}
