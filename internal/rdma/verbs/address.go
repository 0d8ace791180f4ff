package verbs

import (
	"net"
	"net/netip"

	"github.com/datapi/datapi/internal/dat"
)

// address is an IP address with the interface that a link-local one belongs to.
type address struct {
	ip    netip.Addr
	scope uint32
}

func (a address) String() string { return a.ip.String() }

// withPort returns the address with a port and without its zone, which scope stands for.
func (a address) withPort(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(a.ip.WithZone(""), port)
}

// isLinkLocal reports whether the address means nothing without its interface.
func (a address) isLinkLocal() bool { return a.ip.Is6() && a.ip.IsLinkLocalUnicast() }

// addressOf returns the address of 16 bytes, of which one of IPv4 fills the first four.
func addressOf(raw []byte, ipv4 bool, port uint16) netip.AddrPort {
	if ipv4 {
		raw = raw[:4]
	}
	ip, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip, port)
}

// ends returns the addresses of the two ends of a connection; local are those of the IA. The
// library does not tell the zone of link-local ones on all devices: it is that of the IA's
// own address, for the peer is on the same link.
func ends(local []localAddress, here, peer netip.Addr) (from, to string) {
	for _, a := range local {
		if zone := a.ip.Zone(); zone != "" && a.ip.WithZone("") == here {
			return a.ip.String(), peer.WithZone(zone).String()
		}
	}
	return here.String(), peer.String()
}

// parseRemote reads a peer's address; netdev is the zone of a link-local one without a
// zone.
func parseRemote(s, netdev string) (address, error) {
	ip, err := netip.ParseAddr(s)
	if err != nil {
		return address{}, &dat.Error{
			Return: dat.RetInvalidAddress, Subtype: dat.SubInvalidAddressMalformed, Field: "remote_ia_address",
			Detail: "An IPv4 or IPv6 address is needed, as in 10.77.0.1 or fe80::1%eth0.",
		}
	}
	a := address{ip: ip.Unmap()}
	if !a.isLinkLocal() {
		return a, nil
	}
	if zone := ip.Zone(); zone != "" {
		netdev = zone
	}
	if dev, err := net.InterfaceByName(netdev); err == nil {
		a.scope = uint32(dev.Index)
	}
	return a, nil
}

// router asks for the route to an address, out of a network device where that is not 0.
type router func(to netip.Addr, netdev int) (route, bool)

// sourceFor chooses the address of a port that a peer is reached from, as the kernel's
// routes say, among those of the peer's family: the peer's own address where it is one
// of the port's, the source of the route to it, an address in the peer's subnet, the source
// of a route with a gateway out of one of the port's network devices, the first one. A link-local
// peer is reached from a link-local address of the same network device alone. It reports
// whether there is any.
func sourceFor(local []localAddress, peer address, routes router) (address, bool) {
	var family []localAddress
	for _, l := range local {
		if l.ip.Is4() == peer.ip.Is4() && l.isLinkLocal() == peer.isLinkLocal() && l.scope == peer.scope {
			family = append(family, l)
		}
	}
	if len(family) == 0 {
		return address{}, false
	}
	if peer.isLinkLocal() {
		return family[0].address, true
	}
	if l, ok := withIP(family, peer.ip, 0); ok {
		return l, true
	}
	if r, ok := routes(peer.ip, 0); ok {
		if l, ok := withIP(family, r.source, r.netdev); ok {
			return l, true
		}
	}
	best := -1
	for i, l := range family {
		if netip.PrefixFrom(l.ip, l.bits).Contains(peer.ip) && (best < 0 || l.bits > family[best].bits) {
			best = i
		}
	}
	if best >= 0 {
		return family[best].address, true
	}
	for _, l := range family {
		if r, ok := routes(peer.ip, l.netdev); ok && r.gateway {
			if l, ok := withIP(family, r.source, l.netdev); ok {
				return l, true
			}
		}
	}
	return family[0].address, true
}

// withIP finds an address, on a network device where that is not 0.
func withIP(all []localAddress, ip netip.Addr, netdev int) (address, bool) {
	for _, l := range all {
		if l.ip == ip && (netdev == 0 || l.netdev == netdev) {
			return l.address, true
		}
	}
	return address{}, false
}
