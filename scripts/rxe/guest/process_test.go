//go:build rxe

package guest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// tool runs a program of the guest and returns its output.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// resources returns what the kernel lists of a kind, of this device and of user programs.
func resources(t *testing.T, kind string) []object {
	t.Helper()
	var all, mine []object
	out := tool(t, "rdma", "-j", "-d", "resource", "show", kind)
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, o := range all {
		if o["ifname"] == device(t) && o["pid"] != nil {
			mine = append(mine, o)
		}
	}
	return mine
}

// isEmpty waits until no program has a queue pair on the device: those of freed endpoints end in the background.
func isEmpty(t *testing.T) {
	t.Helper()
	left := fmt.Sprint(resources(t, "qp"))
	until(t, "no queue pair is left of "+left, func() bool { return len(resources(t, "qp")) == 0 })
}

// secondListen is where a service of a test's own listens. All of them are one node, on a database of its own.
const secondListen = "127.0.0.1:8481"

// second makes the services that a test starts that node.
func second(t *testing.T) {
	t.Helper()
	t.Setenv("DATAPI_NODE", "second")
	t.Setenv("DATABASE_URL", environment(t, "DATAPI_SECOND_DATABASE"))
}

// service starts the program on its own port and waits until it is ready.
func service(t *testing.T, listen string) *exec.Cmd {
	t.Helper()
	c := exec.Command(environment(t, "DATAPI"), "serve", "--listen", listen)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _, _ = c.Process.Wait() })
	ready := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), "is ready") {
				ready <- true
			}
		}
		ready <- false
	}()
	if !<-ready {
		t.Fatal("the service ended before it was ready")
	}
	return c
}

// TestTheKernelListsWhatTheServiceShows compares `rdma resource show` with GET /endpoints.
func TestTheKernelListsWhatTheServiceShows(t *testing.T) {
	isEmpty(t)
	a, b := newEndpoint(here(t)), newEndpoint(here(t))
	connect(a, b)
	shown := map[float64]string{}
	for _, id := range []string{a.id, b.id} {
		tr := a.get("/endpoints/" + id)["transport"].(object)
		shown[tr["qp_num"].(float64)] = tr["qp_state"].(string)
	}
	found := 0
	for _, qp := range resources(t, "qp") {
		if state, ok := shown[qp["lqpn"].(float64)]; ok {
			found++
			// Old kernels show RESET for every iWARP queue pair.
			if qp["state"] != state && !strings.HasPrefix(device(t), "siw") {
				t.Errorf("queue pair %v is %v for the kernel and %s here", qp["lqpn"], qp["state"], state)
			}
		}
	}
	if found != 2 {
		t.Errorf("the kernel lists %d of the queue pairs %v: %v", found, shown, resources(t, "qp"))
	}
	if ids := resources(t, "cm_id"); len(ids) < 2 {
		t.Errorf("the kernel lists the connection ids %v", ids)
	}
	a.free()
	b.free()
	isEmpty(t)
}

// TestADeviceIsTakenAwayAndGivenBack takes the link of a connected endpoint away (T48, T49).
func TestADeviceIsTakenAwayAndGivenBack(t *testing.T) {
	a, b := newEndpoint(here(t)), newEndpoint(here(t))
	connect(a, b)
	state := func() any { return a.get("/ias/" + a.ia)["state"] }
	tool(t, "rdma", "link", "delete", device(t))
	until(t, "the IA is GONE", func() bool { return state() == "GONE" })
	a.reach(a.id, "DISCONNECTED")
	a.event(a.conn, "DAT_CONNECTION_EVENT_BROKEN")
	if status, out := a.call("POST", "/pzs", object{"ia": a.ia}); status != 409 || !strings.Contains(out["type"].(string), "ia-gone") {
		t.Errorf("a call on it: %d %v", status, out)
	}
	tool(t, "rdma", "link", "add", device(t), "type", device(t)[:3], "netdev", environment(t, "DATAPI_TEST_NETDEV"))
	until(t, "the IA is UP", func() bool { return state() == "UP" })
	until(t, "the endpoints are there again", func() bool {
		for _, e := range []*endpoint{a, b} {
			if status, _ := e.call("POST", e.path("/reset"), object{}); status >= 300 {
				return false
			}
		}
		return true
	})
	connect(a, b)
	a.free()
	b.free()
}

// TestAKilledServiceLeavesNothingBehind kills a service of its own with a connected
// endpoint: the kernel's lists empty, and the next one restores the objects.
func TestAKilledServiceLeavesNothingBehind(t *testing.T) {
	second(t)
	isEmpty(t)
	first := service(t, secondListen)
	h := at(t, "http://"+secondListen)
	a, b := newEndpoint(h), newEndpoint(h)
	connect(a, b)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = first.Process.Wait()
	isEmpty(t)
	service(t, secondListen)
	a.host, b.host = at(t, "http://"+secondListen), at(t, "http://"+secondListen)
	a.reach(a.id, "UNCONNECTED")
	b.reach(b.id, "UNCONNECTED")
	connect(a, b)
	a.free()
	b.free()
}
