//go:build rxe

package guest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// background starts a program that the test ends.
func background(t *testing.T, name string, args ...string) *os.Process {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c.Process
}

// listed returns everything that the service lists on the device, by a query.
func (h *host) listed(query string) []object {
	h.t.Helper()
	var all []object
	for _, item := range h.get("/ias/" + h.ia + "/resources?limit=1000" + query)["items"].([]any) {
		all = append(all, item.(object))
	}
	return all
}

// check returns one check of the IA.
func (h *host) check(name string) object {
	h.t.Helper()
	for _, c := range h.get("/ias/" + h.ia + "/checks")["checks"].([]any) {
		if c.(object)["name"] == name {
			return c.(object)
		}
	}
	h.t.Fatalf("there is no check %s", name)
	return nil
}

// sendBW runs a pair of ib_send_bw until the test ends, with connections of the connection manager. It
// returns when the service sees the two that they make (one carries parameters, the other messages); both
// processes are stopped then, so that what they have stays as it is.
func sendBW(t *testing.T, h *host) []*os.Process {
	t.Helper()
	args := []string{"-d", device(t), "-R", "-p", "18520", "-D", "100000", "-s", "1024", "-t", "2", "-r", "4"}
	server := background(t, "ib_send_bw", args...)
	until(t, "ib_send_bw listens", func() bool {
		return slices.ContainsFunc(h.listed("&kind=cm_id&owner=process"), func(r object) bool {
			return r["state"] == "LISTEN" && r["comm"] == "ib_send_bw"
		})
	})
	client := background(t, "ib_send_bw", append(args, h.address())...)
	both := []*os.Process{server, client}
	until(t, "both ends of both connections of ib_send_bw are there", func() bool {
		connected, pairs := 0, 0
		for _, id := range h.listed("&kind=cm_id&owner=process") {
			if id["comm"] == "ib_send_bw" && id["state"] == "CONNECT" {
				connected++
			}
		}
		// The id of a request is in that state before the request is accepted, and its queue pair made.
		for _, qp := range h.listed("&kind=qp&owner=process") {
			if qp["comm"] == "ib_send_bw" {
				pairs++
			}
		}
		return connected == 4 && pairs == 4
	})
	for _, p := range both {
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	return both
}

// TestProgramsAndEndpointsAreSeenSideBySide runs a pair of rping and one of ib_send_bw beside a pair of
// endpoints on one device: the service lists the queue pairs of all with their programs, as the kernel's own
// tool does, and knows which are its endpoints'.
func TestProgramsAndEndpointsAreSeenSideBySide(t *testing.T) {
	const port = "7175"
	h := here(t)
	sending := sendBW(t, h)
	a, b := newEndpoint(h), newEndpoint(h)
	connect(a, b)
	server := background(t, "rping", "-s", "-a", h.address(), "-p", port)
	until(t, "rping listens", func() bool {
		return slices.ContainsFunc(h.listed("&kind=cm_id&owner=process"), func(r object) bool {
			return r["state"] == "LISTEN" && r["comm"] == "rping" && strings.HasSuffix(fmt.Sprint(r["source"]), ":"+port)
		})
	})
	client := background(t, "rping", "-c", "-a", h.address(), "-p", port)
	var pids []string
	until(t, "both ends of rping are connected", func() bool {
		pids = nil
		for _, r := range h.listed("&kind=cm_id&owner=process") {
			if r["state"] == "CONNECT" && r["comm"] == "rping" {
				pids = append(pids, fmt.Sprint(r["pid"]))
			}
		}
		return len(pids) >= 2
	})
	for _, pid := range []string{fmt.Sprint(server.Pid), fmt.Sprint(client.Pid)} {
		if !slices.Contains(pids, pid) {
			t.Errorf("process %s is none of the processes %v that are connected", pid, pids)
		}
		if found := h.listed("&kind=qp&pid=" + pid); len(found) != 1 || found[0]["comm"] != "rping" || found[0]["owner"] != "process" {
			t.Errorf("of process %s the queue pairs %v are listed", pid, found)
		}
	}
	for _, p := range sending {
		found := h.listed(fmt.Sprintf("&kind=qp&pid=%d", p.Pid))
		if len(found) != 2 || found[0]["comm"] != "ib_send_bw" || found[1]["comm"] != "ib_send_bw" || found[0]["owner"] != "process" {
			t.Errorf("of process %d the queue pairs %v are listed", p.Pid, found)
		}
	}
	tellsTheKernel(t, h)
	knowsItsEndpoints(t, h, a, b)
	for name, wanted := range map[string]string{"orphans": "belongs to an endpoint", "half_open": "2 connections have both ends"} {
		if c := h.check(name); c["status"] != "PASS" || !strings.Contains(c["detail"].(string), wanted) {
			t.Errorf("the check %s is %v", name, c)
		}
	}
	if c := h.check("locked_memory"); c["status"] != "PASS" {
		t.Errorf("the check of locked memory is %v", c)
	}
	if strings.HasPrefix(device(t), "rxe") {
		before := h.get("/ias/" + h.ia + "/counters")["counters"].(object)["sent_pkts"]
		until(t, "the packets that were sent are counted", func() bool {
			return h.get("/ias/" + h.ia + "/counters")["counters"].(object)["sent_pkts"] != before
		})
	}
	for _, p := range append(sending, client, server) {
		_ = p.Kill()
	}
	a.free()
	b.free()
	until(t, "nothing is left of all", func() bool { return len(h.listed("&kind=qp&owner=process&owner=datapi&owner=orphan")) == 0 })
}

// tellsTheKernel compares the queue pairs that the service lists with those of `rdma resource show`.
func tellsTheKernel(t *testing.T, h *host) {
	t.Helper()
	shown := map[string]string{}
	for _, r := range h.listed("&kind=qp&owner=process&owner=datapi&owner=orphan") {
		shown[fmt.Sprint(r["number"])] = fmt.Sprint(r["comm"], " ", r["state"], " ", r["remote_number"])
	}
	kernels := resources(t, "qp")
	if len(kernels) != len(shown) {
		t.Errorf("%d queue pairs are listed, the kernel has %d", len(shown), len(kernels))
	}
	for _, qp := range kernels {
		if want := fmt.Sprint(qp["comm"], " ", qp["state"], " ", qp["rqpn"]); shown[fmt.Sprint(qp["lqpn"])] != want {
			t.Errorf("queue pair %v is listed as %q, the kernel has %q", qp["lqpn"], shown[fmt.Sprint(qp["lqpn"])], want)
		}
	}
	for _, kind := range []string{"cq", "mr", "pd", "cm_id"} {
		if ours, theirs := len(h.listed("&kind="+kind+"&owner=process&owner=datapi")), len(resources(t, kind)); ours != theirs {
			t.Errorf("%d of %s are listed, the kernel has %d", ours, kind, theirs)
		}
	}
}

// knowsItsEndpoints demands that the queue pairs and ids of the service are those of the endpoints.
func knowsItsEndpoints(t *testing.T, h *host, endpoints ...*endpoint) {
	t.Helper()
	for _, kind := range []string{"qp", "cm_id"} {
		var known []string
		for _, r := range h.listed("&owner=datapi&kind=" + kind) {
			if r["endpoint"] != nil {
				known = append(known, r["endpoint"].(string))
			}
		}
		for _, e := range endpoints {
			if !slices.Contains(known, e.id) {
				t.Errorf("no %s is told to be of endpoint %s: %v", kind, e.id, known)
			}
		}
	}
	for _, e := range endpoints {
		number := e.get(e.path(""))["transport"].(object)["qp_num"]
		found := h.listed("&kind=qp&owner=datapi")
		if !slices.ContainsFunc(found, func(r object) bool { return r["number"] == number && r["endpoint"] == e.id }) {
			t.Errorf("queue pair %v of endpoint %s is not in %v", number, e.id, found)
		}
	}
	if status, out := h.call(http.MethodGet, "/ias/"+h.ia+"/resources?kind=nothing", nil); status != http.StatusBadRequest {
		t.Errorf("an unknown kind: %d %v", status, out)
	}
}
