//go:build rxe

package guest

import (
	"slices"
	"strings"
	"testing"
)

// TestADeviceOfABondIsReachedOverTheAddressesOfTheBond makes a bond of two network devices and a device on the
// bond itself, as drivers that join two cards make it, and then an rxe device on a member of the bond. The kernel's
// connection manager finds no siw device on a member: Soft-iWARP has no GIDs of the bond.
func TestADeviceOfABondIsReachedOverTheAddressesOfTheBond(t *testing.T) {
	const bond, first, second = "bond7", "dummy7", "dummy8"
	ip := func(command string) { tool(t, "ip", strings.Fields(command)...) }
	tool(t, "modprobe", "bonding", "max_bonds=0")
	ip("link add " + bond + " type bond mode active-backup")
	defer ip("link delete " + bond)
	for _, member := range []string{first, second} {
		ip("link add " + member + " type dummy")
		defer ip("link delete " + member)
		ip("link set " + member + " master " + bond)
	}
	ip("address add 10.57.0.1/24 dev " + bond)
	ip("link set " + bond + " up")
	below := []string{bond, first}
	if strings.HasPrefix(device(t), "siw") {
		below = below[:1]
	}
	for _, netdev := range below {
		name := device(t)[:3] + "_" + netdev
		tool(t, "rdma", "link", "add", name, "type", device(t)[:3], "netdev", netdev)
		h := deviceAt(t, environment(t, "DATAPI_HERE"), name)
		has := func(address string) func() bool {
			return func() bool { return slices.Contains(h.shownByAPI().Addresses, address) }
		}
		until(t, name+" has the address of the bond", has("10.57.0.1/24 "+bond))
		connectOver(h, h, "10.57.0.1")
		ip("address add 10.58.0.1/24 dev " + bond)
		until(t, name+" has the second address of the bond", has("10.58.0.1/24 "+bond))
		connectOver(h, h, "10.58.0.1")
		if netdev == bond {
			ip("link set " + bond + " type bond active_slave " + second)
			connectOver(h, h, "10.57.0.1")
			ip("link set " + bond + " type bond active_slave " + first)
		}
		ip("address delete 10.58.0.1/24 dev " + bond)
		until(t, name+" has it no longer", func() bool { return !has("10.58.0.1/24 " + bond)() })
		tool(t, "rdma", "link", "delete", name)
		until(t, name+" is GONE", func() bool { return h.get("/ias/" + h.ia)["state"] == "GONE" })
	}
}
