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

// ends returns the addresses of the two ends of a connection; local are those of the IA. The
// library does not tell the zone of link-local ones on all devices: it is that of the IA's
// own address, for the peer is on the same link.
func ends(local []address, here, peer netip.Addr) (from, to string) {
	for _, a := range local {
		if zone := a.ip.Zone(); zone != "" && a.ip.WithZone("") == here {
			here, peer = a.ip, peer.WithZone(zone)
		}
	}
	return here.String(), peer.String()
}

// netdevAddresses returns the addresses of a network device, the most useful first: IPv4,
// then IPv6 that reaches beyond the link, then link-local ones.
func netdevAddresses(name string) []address {
	dev, err := net.InterfaceByName(name)
	if err != nil {
		return nil
	}
	all, _ := dev.Addrs()
	var ranked [3][]address
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue
		}
		ip := prefix.Addr()
		switch {
		case ip.Is4():
			ranked[0] = append(ranked[0], address{ip: ip})
		case ip.IsLinkLocalUnicast():
			ranked[2] = append(ranked[2], address{ip: ip.WithZone(name), scope: uint32(dev.Index)})
		default:
			ranked[1] = append(ranked[1], address{ip: ip})
		}
	}
	return append(append(ranked[0], ranked[1]...), ranked[2]...)
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
	if !ip.Is6() || !ip.IsLinkLocalUnicast() {
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

// addressFor chooses the local address to reach a peer from: of the same family, and
// for a link-local peer a link-local one if there is one. It reports whether there is any.
func addressFor(local []address, peer address) (address, bool) {
	best, found := address{}, false
	for _, a := range local {
		if a.ip.Is4() != peer.ip.Is4() {
			continue
		}
		if a.ip.IsLinkLocalUnicast() == peer.ip.IsLinkLocalUnicast() {
			return a, true
		}
		if !found {
			best, found = a, true
		}
	}
	return best, found
}
