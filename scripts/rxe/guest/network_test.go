//go:build rxe

package guest

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// delay is how soon a change must be recorded and the API must show what the tools show, beyond the
// time that looking takes on a guest that others slow down.
const delay = 2 * time.Second

// late is delay with that time.
func late(look time.Duration) time.Duration { return delay + 5*look }

// netdev returns the network device of the device under test.
func netdev(t *testing.T) string { return environment(t, "DATAPI_TEST_NETDEV") }

// decoded runs a tool that prints JSON.
func decoded(t *testing.T, into any, name string, args ...string) {
	t.Helper()
	out := tool(t, name, args...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// port is what is to be seen of a port: by tools of the kernel, and by the API.
type port struct {
	State, MTU, NetdevMTU string
	Addresses             []string
}

// shownByTools returns what ip, rdma and ibv_devinfo show; an address that is tentative is none yet.
func shownByTools(t *testing.T) port {
	t.Helper()
	var links []struct {
		State  string `json:"state"`
		Netdev string `json:"netdev"`
	}
	decoded(t, &links, "rdma", "-j", "link", "show", device(t)+"/1")
	var devices []struct {
		Name  string `json:"ifname"`
		Lower string `json:"link"`
		MTU   int    `json:"mtu"`
		Info  []struct {
			Local     string `json:"local"`
			Bits      int    `json:"prefixlen"`
			Tentative bool   `json:"tentative"`
		} `json:"addr_info"`
	}
	decoded(t, &devices, "ip", "-j", "address", "show")
	p := port{State: links[0].State}
	for _, d := range devices {
		if d.Name == netdev(t) {
			p.NetdevMTU = strconv.Itoa(d.MTU)
		} else if d.Lower != netdev(t) {
			continue
		}
		for _, a := range d.Info {
			if !a.Tentative && a.Local != "" {
				p.Addresses = append(p.Addresses, fmt.Sprintf("%s/%d %s", a.Local, a.Bits, d.Name))
			}
		}
	}
	_, after, _ := strings.Cut(tool(t, "ibv_devinfo", "-d", device(t)), "active_mtu:")
	p.MTU = strings.Fields(after)[0]
	slices.Sort(p.Addresses)
	return p
}

// shownByAPI returns what the API shows.
func (h *host) shownByAPI() port {
	h.t.Helper()
	attributes := h.get("/ias/" + h.ia)["ia_attributes"].(object)
	transport := attributes["transport_attr"].(object)
	p := port{State: transport["port_state"].(string), MTU: transport["active_mtu"].(string), NetdevMTU: transport["netdev_mtu"].(string)}
	for name, value := range transport {
		if strings.HasPrefix(name, "address_") {
			p.Addresses = append(p.Addresses, value.(string))
		}
	}
	slices.Sort(p.Addresses)
	return p
}

// recorded looks into the log for a change of the IA after a time, with that cause and a reason that says
// something. It returns when that was, and reports whether there is one.
func (h *host) recorded(after time.Time, cause, reason string) (time.Time, bool) {
	h.t.Helper()
	for _, item := range h.get("/changes?limit=20&cause=" + cause + "&object=" + h.ia)["items"].([]any) {
		change := item.(object)
		at, err := time.Parse(time.RFC3339Nano, change["at"].(string))
		if err != nil {
			h.t.Fatal(err)
		}
		if !at.Before(after) && strings.Contains(fmt.Sprint(change["reason"]), reason) {
			return at, true
		}
	}
	return time.Time{}, false
}

// changes runs a tool that changes something, and waits until the log has the change, with that cause and a
// reason that says something. It fails where the change was recorded later than delay.
func (h *host) changes(cause, reason string, command ...string) {
	h.t.Helper()
	began := time.Now()
	tool(h.t, command[0], command[1:]...)
	ran := time.Since(began)
	var at time.Time
	until(h.t, fmt.Sprintf("%v has a change %s %q", command, cause, reason), func() (found bool) {
		at, found = h.recorded(began, cause, reason)
		return found
	})
	h.t.Logf("%s %q is recorded %v after the beginning of %v, which took %v", cause, reason, at.Sub(began), command, ran)
	if took := at.Sub(began) - ran; took > late(ran) {
		h.t.Errorf("%s %q was recorded %v after the end of %v", cause, reason, took, command)
	}
}

// shows waits until the API shows what the tools show and something is then as it should be. It fails
// where that takes longer than delay.
func (h *host) shows(what string, ok func(port) bool) {
	h.t.Helper()
	start, look := time.Now(), time.Duration(0)
	for {
		began := time.Now()
		tools, api := shownByTools(h.t), h.shownByAPI()
		look = max(look, time.Since(began))
		if fmt.Sprint(tools) == fmt.Sprint(api) && ok(api) {
			return
		}
		if time.Since(start) > late(look) {
			h.t.Fatalf("%s: not shown after %v:\ntools %+v\nAPI   %+v", what, time.Since(start), tools, api)
		}
	}
}

// TestTheAPIShowsWhatTheToolsShow changes the MTU, addresses, a VLAN and the state of the port under
// the program.
func TestTheAPIShowsWhatTheToolsShow(t *testing.T) {
	h := here(t)
	vlan := netdev(t) + ".9"
	has := func(address string) func(port) bool {
		return func(p port) bool { return slices.Contains(p.Addresses, address) }
	}
	hasNot := func(address string) func(port) bool { return func(p port) bool { return !has(address)(p) } }
	h.shows("the port", func(port) bool { return true })
	for _, step := range []struct {
		reason  string
		ok      func(port) bool
		command string
	}{
		{"netdev_mtu 1500 is 4200 now", func(p port) bool { return p.NetdevMTU == "4200" }, "link set " + netdev(t) + " mtu 4200"},
		{"netdev_mtu 4200 is 1500 now", func(p port) bool { return p.NetdevMTU == "1500" }, "link set " + netdev(t) + " mtu 1500"},
		{"address 10.9.0.1/24 " + netdev(t) + " is there now", has("10.9.0.1/24 " + netdev(t)), "address add 10.9.0.1/24 dev " + netdev(t)},
		{"address 10.9.0.1/24 " + netdev(t) + " is gone", hasNot("10.9.0.1/24 " + netdev(t)), "address delete 10.9.0.1/24 dev " + netdev(t)},
		{"", func(port) bool { return true }, "link add link " + netdev(t) + " name " + vlan + " type vlan id 9"},
		{"", func(port) bool { return true }, "link set " + vlan + " up"},
		{"address 10.19.0.1/24 " + vlan + " is there now", has("10.19.0.1/24 " + vlan), "address add 10.19.0.1/24 dev " + vlan},
		{"address 10.19.0.1/24 " + vlan + " is gone", hasNot("10.19.0.1/24 " + vlan), "link delete " + vlan},
		{"port_state ACTIVE is DOWN now", func(p port) bool { return p.State == "DOWN" }, "link set " + netdev(t) + " down"},
		{"port_state DOWN is ACTIVE now", func(p port) bool { return p.State == "ACTIVE" }, "link set " + netdev(t) + " up"},
	} {
		if command := append([]string{"ip"}, strings.Fields(step.command)...); step.reason == "" {
			tool(t, command[0], command[1:]...)
		} else {
			h.changes("port", step.reason, command...)
		}
		h.shows(step.command, step.ok)
	}
}

// TestADeviceIsDeletedAndMadeAgainUnderLoad does that while endpoints connect, with another address
// after the first time.
func TestADeviceIsDeletedAndMadeAgainUnderLoad(t *testing.T) {
	h := here(t)
	state := func() any { return h.get("/ias/" + h.ia)["state"] }
	was := h.address()
	psp, evd, qual := h.listen(0)
	a := newEndpoint(h)
	loaded, stop := make(chan int), make(chan bool)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				loaded <- n
				return
			default:
				// Whatever state the endpoint is in, the calls must be answered.
				h.call("POST", a.path("/connect"), object{"remote_ia_address": was, "remote_port_qual": qual})
				h.call("POST", a.path("/disconnect"), object{"close": "ABRUPT"})
				h.call("POST", a.path("/reset"), object{})
			}
		}
	}()
	for round := range 3 {
		h.changes("device_gone", device(t), "rdma", "link", "delete", device(t))
		until(t, "the IA is GONE", func() bool { return state() == "GONE" })
		if round == 0 {
			tool(t, "ip", "address", "add", "10.29.0.1/24", "dev", netdev(t))
		}
		h.changes("device_back", "there again", "rdma", "link", "add", device(t), "type", device(t)[:3], "netdev", netdev(t))
		until(t, "the IA is UP", func() bool { return state() == "UP" })
		h.shows("the device", func(p port) bool { return slices.Contains(p.Addresses, "10.29.0.1/24 "+netdev(t)) })
	}
	stop <- true
	t.Logf("%d connections were tried meanwhile", <-loaded)
	// The service point was made again and listens on the address that came while there was no device.
	until(t, "the endpoint is idle", func() bool {
		status, o := h.call("POST", a.path("/reset"), object{})
		return status < 300 || strings.Contains(fmt.Sprint(o), "UNCONNECTED")
	})
	for empty := false; !empty; { // the requests of the load
		empty = len(h.post("/evds/"+evd+"/dequeue", object{"max": 64})["events"].([]any)) == 0
	}
	b := newEndpoint(h)
	a.post(a.path("/connect"), object{"remote_ia_address": "10.29.0.1", "remote_port_qual": qual})
	cr := h.event(evd, "DAT_CONNECTION_REQUEST_EVENT")["data"].(object)["cr"].(string)
	h.post("/crs/"+cr+"/accept", object{"endpoint": b.id})
	a.reach(a.id, "CONNECTED")
	b.reach(b.id, "CONNECTED")
	a.free()
	b.free()
	h.do("DELETE", "/psps/"+psp, nil)
	h.do("DELETE", "/evds/"+evd, nil)
	tool(t, "ip", "address", "delete", "10.29.0.1/24", "dev", netdev(t))
	until(t, "the address is gone", func() bool { return h.address() == was })
}

// TestIPv6Connects connects over a global and over the link-local address.
func TestIPv6Connects(t *testing.T) {
	h := here(t)
	tool(t, "ip", "address", "add", "fd00:77::1/64", "dev", netdev(t))
	defer tool(t, "ip", "address", "delete", "fd00:77::1/64", "dev", netdev(t))
	h.shows("the address", func(p port) bool { return slices.Contains(p.Addresses, "fd00:77::1/64 "+netdev(t)) })
	connectOver(h, h, "fd00:77::1", append(h.linkLocal(), h.linkLocal()[0]+"%"+netdev(t))...)
}

// TestTwoHostsConnectOverIPv6 connects to the other host's global and link-local addresses; of the latter the
// interface is that of the IA.
func TestTwoHostsConnectOverIPv6(t *testing.T) {
	a, b := here(t), there(t)
	connectOver(a, b, environment(t, "DATAPI_THERE_IPV6"), b.linkLocal()...)
}

// linkLocal returns the link-local addresses of the IA; there must be one.
func (h *host) linkLocal() (all []string) {
	h.t.Helper()
	for _, a := range h.shownByAPI().Addresses {
		if address, _, _ := strings.Cut(a, "/"); netip.MustParseAddr(address).IsLinkLocalUnicast() {
			all = append(all, address)
		}
	}
	if len(all) == 0 {
		h.t.Fatalf("no link-local address among %q", h.shownByAPI().Addresses)
	}
	return all
}

// connectOver connects from one host to addresses of the other, and sends a message over each.
func connectOver(from, to *host, address string, more ...string) {
	from.t.Helper()
	for _, address := range append([]string{address}, more...) {
		a, b := newEndpoint(from), newEndpoint(to)
		b.post(b.path("/recvs"), object{"count": 1, "size": 64})
		connectTo(a, b, address)
		a.post(a.path("/sends"), object{"data": base64Of([]byte(address))})
		a.done(a.dto, "DAT_DTO_SUCCESS")
		if got := payload(from.t, b.done(b.dto, "DAT_DTO_SUCCESS")); string(got) != address {
			from.t.Errorf("over %s came %q", address, got)
		}
		o := a.get(a.path(""))
		from.t.Logf("%s: local %v, remote %v", address, o["local_ia_address"], o["remote_ia_address"])
		a.free()
		b.free()
	}
}

// TestNothingPassesBetweenTwoDevicesOfOneHost connects from one rxe device to the address of another: rxe gives
// packets of the host to itself to no device, so the connection must time out and nothing else.
func TestNothingPassesBetweenTwoDevicesOfOneHost(t *testing.T) {
	h := here(t)
	other := deviceAt(t, environment(t, "DATAPI_HERE"), environment(t, "DATAPI_OTHER_DEVICE"))
	psp, evd, qual := other.listen(0)
	e := newEndpoint(h)
	e.post(e.path("/connect"), object{"remote_ia_address": other.address(), "remote_port_qual": qual, "timeout_us": 3_000_000})
	o := e.reach(e.id, "DISCONNECTED")
	t.Logf("it ended with %v", o["last_event"])
	if n := len(h.post("/evds/"+evd+"/dequeue", object{"max": 1})["events"].([]any)); n != 0 {
		t.Errorf("the other device has a request")
	}
	e.free()
	h.do("DELETE", "/psps/"+psp, nil)
	h.do("DELETE", "/evds/"+evd, nil)
}
