package verbs

import (
	"errors"
	"net"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// netdev is a network device of this host. lower is the index of the device below it
// (of a VLAN), master that of the device it is part of (of a bond); 0 if there is none.
type netdev struct {
	index, lower, master int
	name                 string
	mtu                  int
	hardware             net.HardwareAddr
}

// gid is an entry of a GID table. netdev is the index of its network device, 0 if it has
// none.
type gid struct {
	port, netdev int
	value        netip.Addr
}

// textOf returns the values of GIDs as the kernel shows them, each once.
func textOf(gids []gid) []string {
	var all []string
	for _, g := range gids {
		if text := g.value.StringExpanded(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// localAddress is an address of a network device of this host.
type localAddress struct {
	address
	// bits is the length of the prefix of the address's subnet.
	bits int
	// netdev is the index and netdevName the name of the network device.
	netdev     int
	netdevName string
}

// String returns the address as `ip address` shows it, with its network device.
func (l localAddress) String() string {
	return netip.PrefixFrom(l.ip.WithZone(""), l.bits).String() + " " + l.netdevName
}

// hostNetwork is what the network devices of this host and their addresses are, in the
// network namespace of this process.
type hostNetwork struct {
	netdevs   []netdev
	addresses []localAddress
}

// readTries is how often a list is read that changes while it is read.
const readTries = 5

// again calls read until it returns another error than that of a list that changed while
// it was read, readTries times at most.
func again[T any](read func() ([]T, error)) (all []T, err error) {
	for range readTries {
		if all, err = read(); !errors.Is(err, netlink.ErrDumpInterrupted) {
			break
		}
	}
	return all, err
}

// readHostNetwork asks the kernel over rtnetlink.
func readHostNetwork() (hostNetwork, error) {
	var h hostNetwork
	links, err := again(netlink.LinkList)
	if err != nil {
		return h, err
	}
	names := map[int]string{}
	for _, l := range links {
		a := l.Attrs()
		names[a.Index] = a.Name
		h.netdevs = append(h.netdevs, netdev{
			index: a.Index, lower: a.ParentIndex, master: a.MasterIndex, name: a.Name, mtu: a.MTU, hardware: a.HardwareAddr,
		})
	}
	addresses, err := again(func() ([]netlink.Addr, error) { return netlink.AddrList(nil, netlink.FAMILY_ALL) })
	if err != nil {
		return h, err
	}
	for _, a := range addresses {
		ip, ok := netip.AddrFromSlice(a.IP)
		if ip = ip.Unmap(); !ok || ip.IsLoopback() {
			continue
		}
		bits, _ := a.Mask.Size()
		name := names[a.LinkIndex]
		l := localAddress{address: address{ip: ip}, bits: bits, netdev: a.LinkIndex, netdevName: name}
		if ip.Is6() && ip.IsLinkLocalUnicast() {
			l.address = address{ip: ip.WithZone(name), scope: uint32(a.LinkIndex)}
		}
		h.addresses = append(h.addresses, l)
	}
	return h, nil
}

// mtuOf returns the MTU of a network device, 0 if there is none of that name.
func (h hostNetwork) mtuOf(name string) int {
	for _, d := range h.netdevs {
		if d.name == name {
			return d.mtu
		}
	}
	return 0
}

// candidates returns the addresses that may be those of a port, the most useful first:
// IPv4, then IPv6 that reaches beyond the link, then link-local ones; among those the
// port's own network device first. own is the name of that device. Whether an address is the port's, the connection manager says (bindTo).
func (h hostNetwork) candidates(own string, gids []gid) []localAddress {
	on := h.related(own, gids)
	var all []localAddress
	for _, a := range h.addresses {
		if on[a.netdev] {
			all = append(all, a)
		}
	}
	rank := func(a localAddress) int {
		r := 0
		switch {
		case a.ip.Is4():
		case a.ip.IsLinkLocalUnicast():
			r = 4
		default:
			r = 2
		}
		if a.netdevName != own {
			r++
		}
		return r
	}
	slices.SortStableFunc(all, func(a, b localAddress) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return a.netdev - b.netdev
	})
	return all
}

// ipoibAddress is the length of the hardware address of IPoIB in bytes; its last 16 are
// a GID of the port.
const ipoibAddress = 20

// related returns the network devices, by index, that traffic of a port may belong to: its
// own, those of its GIDs, IPoIB on it, and what is stacked on one of these: VLANs, and
// the bond that it is part of.
func (h hostNetwork) related(own string, gids []gid) map[int]bool {
	on := map[int]bool{}
	for _, d := range h.netdevs {
		on[d.index] = d.name == own || slices.ContainsFunc(gids, d.isOf)
	}
	for grown := true; grown; {
		grown = false
		for _, d := range h.netdevs {
			if d.lower != 0 && on[d.lower] && !on[d.index] {
				on[d.index], grown = true, true
			}
			if d.master != 0 && on[d.index] && !on[d.master] {
				on[d.master], grown = true, true
			}
		}
	}
	return on
}

// isOf reports whether the device is the one of a GID, or IPoIB with that GID in its
// hardware address.
func (d netdev) isOf(g gid) bool {
	if d.index == g.netdev {
		return true
	}
	if len(d.hardware) != ipoibAddress {
		return false
	}
	value, _ := netip.AddrFromSlice(d.hardware[ipoibAddress-16:])
	return value == g.value
}

// route is how the kernel would send to an address: the network device, the source
// address, and whether through a gateway.
type route struct {
	netdev  int
	source  netip.Addr
	gateway bool
}

// routeTo asks the kernel for its route to an address. netdev, where it is not 0, is the
// device to go out of. It reports whether there is a route.
func routeTo(to netip.Addr, netdev int) (route, bool) {
	all, err := netlink.RouteGetWithOptions(to.AsSlice(), &netlink.RouteGetOptions{OifIndex: netdev})
	if err != nil || len(all) == 0 || all[0].Type == unix.RTN_UNREACHABLE {
		return route{}, false
	}
	source, ok := netip.AddrFromSlice(all[0].Src)
	return route{netdev: all[0].LinkIndex, source: source.Unmap(), gateway: all[0].Gw != nil}, ok
}
