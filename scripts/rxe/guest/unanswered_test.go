//go:build rxe

package guest

import (
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
)

// nobody returns an address of the IA's subnet that no host has.
func (h *host) nobody(last byte) string {
	h.t.Helper()
	b := netip.MustParseAddr(h.address()).As4()
	b[3] = last
	return netip.AddrFrom4(b).String()
}

// isAsked reports whether the kernel still asks an address for a connection: Soft-iWARP by TCP, rxe with
// packets of the connection manager, whose id then has the address.
func isAsked(t *testing.T, address string) bool {
	t.Helper()
	if strings.HasPrefix(device(t), "siw") {
		return strings.Contains(tool(t, "ss", "-Htn", "state", "syn-sent", "dst", address), address)
	}
	for _, id := range resources(t, "cm_id") {
		if to, _ := id["dst-addr"].(string); strings.HasPrefix(to, address+":") && id["state"] == "CONNECT" {
			return true
		}
	}
	return false
}

// TestNothingWaitsForAnAddressThatNobodyAnswersAt: an endpoint that connects there is freed with everything
// it used while the kernel still asks, and a service that has another one stops in order.
func TestNothingWaitsForAnAddressThatNobodyAnswersAt(t *testing.T) {
	second(t)
	isEmpty(t)
	process := service(t, secondListen)
	h := at(t, "http://"+secondListen)
	connects := func(last byte) (*endpoint, string) {
		e, address := newEndpoint(h), h.nobody(last)
		e.post(e.path("/connect"), object{"remote_ia_address": address, "remote_port_qual": 4244})
		until(t, "the kernel asks "+address, func() bool { return isAsked(t, address) })
		return e, address
	}
	a, address := connects(99)
	a.free()
	if strings.HasPrefix(device(t), "siw") && !isAsked(t, address) { // rxe ends its requests with their id
		t.Error("the endpoint was freed only when the kernel had given up")
	}
	b, address := connects(98)
	if state := b.get(b.path(""))["state"]; state != "ACTIVE_CONNECTION_PENDING" {
		t.Errorf("the endpoint is %v", state)
	}
	if !isAsked(t, address) {
		t.Error("the kernel gave up before the service was told to stop")
	}
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil { // also where the stop took longer than it may
		t.Errorf("the service did not stop in order: %v", err)
	}
	isEmpty(t)
	// The next one ends what the first has left.
	service(t, secondListen)
	b.host = at(t, "http://"+secondListen)
	b.reach(b.id, "UNCONNECTED")
	b.free()
	if status, _ := b.call(http.MethodGet, a.path(""), nil); status != http.StatusNotFound {
		t.Errorf("the endpoint that was freed: %d", status)
	}
}
