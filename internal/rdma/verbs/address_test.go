package verbs

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// on returns an address of a network device, given as `ip address` shows it.
func on(index int, name, prefix string) localAddress {
	p := netip.MustParsePrefix(prefix)
	l := localAddress{address: address{ip: p.Addr()}, bits: p.Bits(), netdev: index, netdevName: name}
	if l.isLinkLocal() {
		l.address = address{ip: p.Addr().WithZone(name), scope: uint32(index)}
	}
	return l
}

// noRoutes is a host without routes.
func noRoutes(netip.Addr, int) (route, bool) { return route{}, false }

func TestRemoteAddressesAreRead(t *testing.T) {
	var refused *dat.Error
	if _, err := parseRemote("no address", ""); !errors.As(err, &refused) || refused.Return != dat.RetInvalidAddress {
		t.Errorf("no address is %v", err)
	}
	for text, want := range map[string]string{"10.0.0.9": "10.0.0.9", "::ffff:10.0.0.9": "10.0.0.9", "fd00::1": "fd00::1"} {
		if got, err := parseRemote(text, ""); err != nil || got.String() != want {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	for text, own := range map[string]string{"fe80::1%lo": "eth0", "fe80::1": "lo"} {
		if got, err := parseRemote(text, own); err != nil || got.scope != uint32(lo.Index) {
			t.Errorf("%s is read as %v in scope %d, %v", text, got, got.scope, err)
		}
	}
}

func TestThePeerIsReachedFromTheAddressThatItsRouteNames(t *testing.T) {
	local := []localAddress{
		on(2, "eth0", "10.0.0.1/24"), on(2, "eth0", "10.0.0.2/24"), on(5, "eth0.7", "10.7.0.1/16"), on(5, "eth0.7", "10.7.8.1/24"),
		on(2, "eth0", "fd00::1/64"), on(2, "eth0", "fe80::1/64"), on(5, "eth0.7", "fe80::1/64"),
	}
	routes := func(to netip.Addr, netdev int) (route, bool) {
		switch {
		case to.String() == "192.0.2.1" && netdev == 0: // another card has the best route
			return route{netdev: 3, source: netip.MustParseAddr("192.0.2.9")}, true
		case to.String() == "192.0.2.1" && netdev == 5:
			return route{netdev: 5, source: local[3].ip, gateway: true}, true
		case to.String() == "198.51.100.1" && netdev == 0:
			return route{netdev: 2, source: local[1].ip, gateway: true}, true
		case to.Is4() && netdev != 0: // IPv4 takes every address for one on the link then
			return route{netdev: netdev, source: local[0].ip}, true
		}
		return route{}, false
	}
	for peer, want := range map[string]localAddress{
		"198.51.100.1": local[1], // the source of the route
		"10.7.9.9":     local[2], // the subnet
		"10.7.8.9":     local[3], // the narrower subnet
		"10.0.0.2":     local[1], // the peer is here
		"192.0.2.1":    local[3], // the gateway behind one of our devices
		"203.0.113.1":  local[0], // no route: the first
		"fd00::2":      local[4],
		"2001:db8::1":  local[4],
	} {
		if got, ok := sourceFor(local, address{ip: netip.MustParseAddr(peer)}, routes); !ok || got != want.address {
			t.Errorf("%s is reached from %v %t, want %v", peer, got, ok, want)
		}
	}
}

func TestALinkLocalPeerIsReachedOnItsOwnLink(t *testing.T) {
	local := []localAddress{on(2, "eth0", "10.0.0.1/24"), on(2, "eth0", "fe80::1/64"), on(5, "eth0.7", "fe80::1/64")}
	peer := address{ip: netip.MustParseAddr("fe80::9"), scope: 5}
	if got, ok := sourceFor(local, peer, noRoutes); !ok || got != local[2].address {
		t.Errorf("reached from %v %t, want %v", got, ok, local[2])
	}
	peer.scope = 9
	if got, ok := sourceFor(local, peer, noRoutes); ok {
		t.Errorf("a peer on a link that the port does not have is reached from %v", got)
	}
	if got, ok := sourceFor(local[1:], address{ip: netip.MustParseAddr("10.0.0.9")}, noRoutes); ok {
		t.Errorf("an IPv4 peer is reached from %v", got)
	}
}

// names returns the network devices of addresses.
func names(all []localAddress) (n []string) {
	for _, a := range all {
		n = append(n, a.String())
	}
	return n
}

func TestTheAddressesOfAPortAreThoseOfAllThatIsStackedOnIt(t *testing.T) {
	guid := netip.MustParseAddr("fe80::2:c903:1:2")
	hardware := net.HardwareAddr(append([]byte{0, 0, 1, 2}, guid.AsSlice()...))
	h := hostNetwork{
		netdevs: []netdev{
			{index: 1, name: "lo"},
			{index: 2, name: "eth0", master: 6},
			{index: 3, name: "eth1"},
			{index: 4, name: "eth1.7", lower: 3},
			{index: 5, name: "bond0.9", lower: 6},
			{index: 6, name: "bond0"},
			{index: 7, name: "ib0", hardware: hardware},
			{index: 8, name: "ib0.8001", hardware: hardware, lower: 7},
			{index: 9, name: "macvlan0", lower: 3},
		},
		addresses: []localAddress{
			on(3, "eth1", "fe80::3/64"), on(3, "eth1", "fd00::3/64"), on(4, "eth1.7", "10.7.0.1/24"), on(3, "eth1", "10.3.0.1/24"),
			on(6, "bond0", "10.6.0.1/24"), on(5, "bond0.9", "10.9.0.1/24"), on(7, "ib0", "10.1.0.1/24"), on(8, "ib0.8001", "10.1.1.1/24"),
			on(9, "macvlan0", "10.30.0.1/24"),
		},
	}
	for _, c := range []struct {
		own  string
		gids []gid
		want []string
	}{
		{"eth1", []gid{{netdev: 3}}, []string{"10.3.0.1/24 eth1", "10.7.0.1/24 eth1.7", "10.30.0.1/24 macvlan0", "fd00::3/64 eth1", "fe80::3/64 eth1"}},
		{"eth0", nil, []string{"10.9.0.1/24 bond0.9", "10.6.0.1/24 bond0"}},
		{"", []gid{{netdev: 6}}, []string{"10.9.0.1/24 bond0.9", "10.6.0.1/24 bond0"}},
		{"", []gid{{value: guid}}, []string{"10.1.0.1/24 ib0", "10.1.1.1/24 ib0.8001"}},
		{"", nil, nil},
	} {
		if got := names(h.candidates(c.own, c.gids)); !slices.Equal(got, c.want) {
			t.Errorf("netdev %q, GIDs %v: the addresses are %q, want %q", c.own, c.gids, got, c.want)
		}
	}
}

func TestAChangeOfAnIASaysWhatDiffers(t *testing.T) {
	port := portFacts{
		devicePort: devicePort{"rxe0", 1}, netdev: "eth0", netdevMTU: 1500,
		port: portAttr{state: portActive, activeMTU: 3}, local: []localAddress{on(2, "eth0", "10.0.0.1/24")},
	}
	show := func(f portFacts) view {
		v := view{attributes: f.iaAttributes()}
		v.state, v.detail = f.state()
		return v
	}
	before := show(port)
	if d := difference(before, show(port)); d != "" {
		t.Errorf("nothing differs: %q", d)
	}
	port.netdevMTU, port.port.activeMTU = 4200, 5
	port.local = append(port.local, on(5, "eth0.7", "10.7.0.1/24"))
	want := "active_mtu 1024 is 4096 now, address 10.7.0.1/24 eth0.7 is there now, netdev_mtu 1500 is 4200 now"
	if d := difference(before, show(port)); d != want {
		t.Errorf("the difference is %q, want %q", d, want)
	}
	before = show(port)
	slices.Reverse(port.local[:2])
	if d := difference(before, show(port)); !strings.Contains(d, "ia_address 10.0.0.1 is 10.7.0.1 now") {
		t.Errorf("another order: %q", d)
	}
	slices.Reverse(port.local[:2])
	port.port.state, port.local = 1, nil
	want = "address 10.0.0.1/24 eth0 is gone, address 10.7.0.1/24 eth0.7 is gone, ia_address 10.0.0.1 is gone, " +
		"ipv4_address 10.0.0.1 is gone, port_state ACTIVE is DOWN now, state UP is DOWN now"
	if d := difference(before, show(port)); d != want {
		t.Errorf("the difference is %q, want %q", d, want)
	}
}
