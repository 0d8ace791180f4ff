//go:build verbs && rxe

package verbs

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// netdevOf returns the network device of the device under test.
func (b *bench) netdevOf() string {
	b.t.Helper()
	attributes, _ := b.ia.Attributes()
	return attributes.TransportAttr["netdev"]
}

// addresses returns what the IA shows as its addresses.
func (b *bench) addresses() (all []string) {
	attributes, _ := b.ia.Attributes()
	for name, value := range attributes.TransportAttr {
		if strings.HasPrefix(name, "address_") {
			all = append(all, value)
		}
	}
	slices.Sort(all)
	return all
}

// wantChange waits for a report of the port whose detail says something.
func (b *bench) wantChange(says string) {
	b.t.Helper()
	b.want("a change that says "+says, func(r rdma.Report) bool { return r.Kind == rdma.ReportPort && strings.Contains(r.Detail, says) })
}

func TestTheIAFollowsItsNetworkDevice(t *testing.T) {
	b := newBench(t)
	netdev := b.netdevOf()
	before, _ := b.ia.Attributes()
	link(t, "ip", "link", "set", netdev, "mtu", "4200")
	b.wantChange("netdev_mtu 1500 is 4200 now")
	link(t, "ip", "link", "set", netdev, "mtu", "1500")
	b.wantChange("netdev_mtu 4200 is 1500 now")
	link(t, "ip", "link", "set", netdev, "down")
	b.wantChange("state UP is DOWN now")
	if s, why := b.ia.State(); s != dat.IADown || !strings.Contains(why, netdev) {
		t.Errorf("with its network device down the IA is %v (%s)", s, why)
	}
	link(t, "ip", "link", "set", netdev, "up")
	b.wantChange("state DOWN is UP now")
	if now, _ := b.ia.Attributes(); *now.IAAddress != *before.IAAddress {
		t.Errorf("the address is %s, it was %s", *now.IAAddress, *before.IAAddress)
	}
}

func TestServicePointsFollowTheAddressesOfTheIA(t *testing.T) {
	b := newBench(t)
	netdev := b.netdevOf()
	l, err := b.ia.Listen("sp", 4711, false)
	b.must(err)
	defer l.Free()
	for range 2 {
		link(t, "ip", "address", "add", "10.99.0.1/24", "dev", netdev)
		b.wantChange("address 10.99.0.1/24 " + netdev + " is there now")
		x, y := b.ep("x"), b.ep("y")
		b.must(x.Connect(rdma.Connect{RemoteAddress: "10.99.0.1", RemoteQual: 4711}))
		r := b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
		if r.RemoteAddress != "10.99.0.1" {
			t.Errorf("the request comes from %s, not from the address of the subnet", r.RemoteAddress)
		}
		b.must(r.Request.Accept(y, nil))
		b.wantKind(rdma.ReportEstablished, "x")
		b.wantKind(rdma.ReportEstablished, "y")
		x.Free()
		b.wantKind(rdma.ReportDisconnected, "y")
		y.Free()
		link(t, "ip", "address", "delete", "10.99.0.1/24", "dev", netdev)
		b.wantChange("address 10.99.0.1/24 " + netdev + " is gone")
		if got := b.addresses(); slices.Contains(got, "10.99.0.1/24 "+netdev) {
			t.Errorf("the IA shows %q", got)
		}
	}
}

// TestAServicePointThatCannotListenOnALaterAddressSaysSo: another program has the qualifier on an
// address that comes later. It is reported once, and with the next change after that ends the
// service point listens there too.
func TestAServicePointThatCannotListenOnALaterAddressSaysSo(t *testing.T) {
	b := newBench(t)
	netdev := b.netdevOf()
	l, err := b.ia.Listen("sp", 4711, false)
	b.must(err)
	defer l.Free()
	a, h := b.ia.(*adapter), b.hardware()
	other, err := h.cm.createID(h.newKey())
	b.must(err)
	a.refreshing.Lock() // the other one is first
	link(t, "ip", "address", "add", "10.97.0.1/24", "dev", netdev)
	b.await("the other one has the address", func() bool {
		return other.bind(netip.MustParseAddrPort("10.97.0.1:4711"), 0) == nil
	})
	b.must(other.listen(1))
	a.refreshing.Unlock()
	r := b.wantKind(rdma.ReportNotListening, "")
	if r.SP != "sp" || r.LocalAddress != "10.97.0.1" || r.LocalQual != 4711 || !strings.Contains(r.Detail, "DAT_CONN_QUAL_IN_USE") {
		t.Errorf("the report is %+v", r)
	}
	link(t, "ip", "link", "set", netdev, "mtu", "4200")
	b.wantChange("netdev_mtu 1500 is 4200 now")
	h.destroyID(other)
	link(t, "ip", "link", "set", netdev, "mtu", "1500")
	b.wantChange("netdev_mtu 4200 is 1500 now")
	for _, r := range b.log {
		if r.Kind == rdma.ReportNotListening {
			t.Errorf("the same cause is reported again: %+v", r)
		}
	}
	x := b.ep("x")
	b.must(x.Connect(rdma.Connect{RemoteAddress: "10.97.0.1", RemoteQual: 4711}))
	b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest }).Request.Reject(true, nil)
	b.wantKind(rdma.ReportPeerRejected, "x")
	x.Free()
	link(t, "ip", "address", "delete", "10.97.0.1/24", "dev", netdev)
	b.wantChange("address 10.97.0.1/24 " + netdev + " is gone")
}

func TestAServicePointWaitsForItsFirstAddress(t *testing.T) {
	b := newBench(t)
	netdev := b.netdevOf()
	attributes, _ := b.ia.Attributes()
	before, address := b.addresses(), attributes.TransportAttr["address_0"]
	address = strings.TrimSuffix(address, " "+netdev)
	link(t, "ip", "address", "flush", "dev", netdev)
	b.want("a port without an address", func(rdma.Report) bool { return len(b.addresses()) == 0 })
	if s, why := b.ia.State(); s != dat.IAUp || !strings.Contains(why, "No IP address") {
		t.Errorf("without an address the IA is %v (%s)", s, why)
	}
	if _, err := b.ia.Listen("any", 0, false); err == nil || err.(*dat.Error).Return != dat.RetInvalidState {
		t.Errorf("any qualifier without an address: %v, want DAT_INVALID_STATE", err)
	}
	l, err := b.ia.Listen("sp", 4711, false)
	b.must(err)
	defer l.Free()
	x := b.ep("x")
	if err := x.Connect(rdma.Connect{RemoteAddress: "10.77.0.9", RemoteQual: 1}); err == nil || err.(*dat.Error).Return != dat.RetInvalidAddress {
		t.Errorf("connecting without an address: %v, want DAT_INVALID_ADDRESS", err)
	}
	// The kernel gives it a link-local address again when it comes up.
	link(t, "ip", "link", "set", netdev, "down")
	link(t, "ip", "link", "set", netdev, "up")
	link(t, "ip", "address", "add", address, "dev", netdev)
	b.want("its addresses", func(rdma.Report) bool { return len(b.addresses()) == len(before) })
	y := b.ep("y")
	attributes, _ = b.ia.Attributes()
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4711}))
	r := b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	b.must(r.Request.Accept(y, nil))
	b.wantKind(rdma.ReportEstablished, "x")
	x.Free()
	y.Free()
}

func TestAVLANIsReachedOverItsOwnAddress(t *testing.T) {
	b := newBench(t)
	netdev := b.netdevOf()
	vlan := netdev + ".7"
	link(t, "ip", "link", "add", "link", netdev, "name", vlan, "type", "vlan", "id", "7")
	link(t, "ip", "address", "add", "10.7.0.1/24", "dev", vlan)
	link(t, "ip", "link", "set", vlan, "up")
	b.wantChange("10.7.0.1/24 " + vlan + " is there now")
	l, err := b.ia.Listen("sp", 4711, false)
	b.must(err)
	x, y := b.ep("x"), b.ep("y")
	b.must(x.Connect(rdma.Connect{RemoteAddress: "10.7.0.1", RemoteQual: 4711}))
	r := b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	if r.RemoteAddress != "10.7.0.1" {
		t.Errorf("the request comes from %s, not from the VLAN", r.RemoteAddress)
	}
	b.must(r.Request.Accept(y, nil))
	b.wantKind(rdma.ReportEstablished, "x")
	x.Free()
	y.Free()
	l.Free()
	link(t, "ip", "link", "delete", vlan)
	b.wantChange("10.7.0.1/24 " + vlan + " is gone")
}
