package verbs

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func TestEveryCompletionStatusHasOneMeaningInDAT(t *testing.T) { // docs/rules/transport.md
	want := []dat.DTOStatus{
		dat.DTOSuccess, dat.DTOErrLocalLength, dat.DTOErrLocalEP, dat.DTOErrTransport, dat.DTOErrLocalProtection,
		dat.DTOErrFlushed, dat.RMROperationFailed, dat.DTOErrBadResponse, dat.DTOErrLocalProtection,
		dat.DTOErrRemoteResponder, dat.DTOErrRemoteAccess, dat.DTOErrRemoteResponder, dat.DTOErrTransport,
		dat.DTOErrReceiverNotReady, dat.DTOErrLocalProtection, dat.DTOErrRemoteResponder, dat.DTOErrRemoteResponder,
		dat.DTOErrTransport, dat.DTOErrTransport, dat.DTOErrTransport, dat.DTOErrReceiverNotReady, dat.DTOErrTransport,
	}
	for status, w := range want {
		if got, name := outcome(&work{kind: dat.KindSend}, uint8(status)); got != w || name == "" {
			t.Errorf("status %d of a send is %v (%q), want %v", status, got, name, w)
		}
	}
	if got, _ := outcome(&work{kind: dat.KindSend}, 99); got != dat.DTOErrTransport {
		t.Errorf("an unknown status is %v", got)
	}
}

func TestReceivesOfAnotherPZFailOnTheirProtection(t *testing.T) { // M7
	w := &work{kind: dat.KindRecv, foreignPZ: true}
	for status, want := range map[uint8]dat.DTOStatus{
		wcLocQPOpErr: dat.DTOErrLocalProtection, wcLocProtErr: dat.DTOErrLocalProtection, wcFlushErr: dat.DTOErrFlushed,
	} {
		if got, _ := outcome(w, status); got != want {
			t.Errorf("status %d is %v, want %v", status, got, want)
		}
	}
	if got, _ := outcome(&work{kind: dat.KindRecv}, wcLocQPOpErr); got != dat.DTOErrLocalLength {
		t.Errorf("a message longer than its receive is %v", got)
	}
}

func TestErrnoBecomesDAT(t *testing.T) { // D11
	for errno, want := range map[syscall.Errno]dat.Return{
		syscall.EINVAL: dat.RetInvalidParameter, syscall.ENOMEM: dat.RetInsufficientResources,
		syscall.EADDRINUSE: dat.RetConnQualInUse, syscall.EACCES: dat.RetPrivilegesViolation,
		syscall.ENETUNREACH: dat.RetInvalidAddress, syscall.EOPNOTSUPP: dat.RetModelNotSupported,
		syscall.ENODEV: dat.RetInvalidState, syscall.EXDEV: dat.RetInternalError,
	} {
		var e *dat.Error
		if !errors.As(deviceError("do it", errno), &e) || e.Return != want || e.Detail == "" || !errors.Is(e, errno) {
			t.Errorf("%v becomes %v, want %v", errno, e, want)
		}
	}
	var none *dat.Error
	if !errors.As(deviceError("do it", errNoErrno), &none) || none.Return != dat.RetInternalError || strings.Contains(none.Detail, "there again") {
		t.Errorf("a failure without errno becomes %v", none)
	}
	if deviceError("do it", nil) != nil {
		t.Error("no error becomes one")
	}
}

func TestNoAsynchronousEventChangesWhatItDoesNotSpeakOf(t *testing.T) { // D22, D23
	for kind, row := range asyncTable {
		if row.name == "" {
			t.Errorf("event %d has no name", kind)
		}
	}
	for kind, want := range map[int]asyncAction{
		asyncSQDrained: asyncIgnore, asyncQPLastWQEReached: asyncLastTaken, asyncPortActive: asyncPort,
		asyncSRQLimitReached: asyncSRQLimit, asyncSRQErr: asyncSRQFails, asyncQPFatal: asyncBreakEP,
		asyncCQErr: asyncEVDError, asyncDeviceFatal: asyncDeviceGone,
	} {
		if asyncTable[kind].action != want {
			t.Errorf("%s does %d, want %d", asyncTable[kind].name, asyncTable[kind].action, want)
		}
	}
}

func TestConnectionEventsEndAConnectionAsDATSays(t *testing.T) { // T15, T23, T24, T26, T36, T37, D40
	refused := -int(syscall.ECONNREFUSED)
	for _, c := range []struct {
		event       cmEvent
		side        side
		established bool
		iwarp       bool
		want        rdma.ReportKind
	}{
		{cmEvent{kind: cmRejected, status: consumerReject}, active, false, false, rdma.ReportPeerRejected},
		{cmEvent{kind: cmRejected, status: 8}, active, false, false, rdma.ReportNonPeerRejected},
		{cmEvent{kind: cmRejected, status: refused}, active, false, true, rdma.ReportPeerRejected},
		{cmEvent{kind: cmRejected, status: consumerReject}, passive, false, false, rdma.ReportAcceptFailed},
		{cmEvent{kind: cmUnreachable}, passive, false, false, rdma.ReportAcceptFailed},
		{cmEvent{kind: cmUnreachable}, active, false, false, rdma.ReportUnreachable},
		{cmEvent{kind: cmAddrError}, active, false, false, rdma.ReportUnreachable},
		{cmEvent{kind: cmDisconnected}, passive, true, false, rdma.ReportDisconnected},
		{cmEvent{kind: cmDisconnected}, passive, false, false, rdma.ReportAcceptFailed},
		{cmEvent{kind: cmDeviceRemoval}, active, true, false, rdma.ReportBroken},
	} {
		if got, ok := reportOfEnd(c.event, c.side, c.established, c.iwarp); !ok || got != c.want {
			t.Errorf("%s side %d established %t: %d %t, want %d", cmReason(c.event), c.side, c.established, got, ok, c.want)
		}
	}
	for _, kind := range []int{cmTimewaitExit, cmConnectResponse, cmAddrChange, cmAddrResolved} {
		if _, ok := reportOfEnd(cmEvent{kind: kind}, active, true, false); ok {
			t.Errorf("%s ends a connection", cmNames[kind])
		}
	}
}

func TestFirmwareIsParsed(t *testing.T) { // D32
	for text, want := range map[string][2]uint32{
		"16.35.4030": {16, 35}, "0.0.0": {0, 0}, "": {0, 0}, "v2.7-1": {2, 7}, "12": {12, 0}, "x.3": {0, 3},
	} {
		if major, minor := parseFirmware(text); [2]uint32{major, minor} != want {
			t.Errorf("%q is %d and %d, want %v", text, major, minor, want)
		}
	}
}

func TestAttributesComeFromTheDevice(t *testing.T) { // D24–D27, D30–D32
	f := portFacts{
		devicePort: devicePort{"rxe0", 1}, netdev: "eth0", gids: []string{"fe80::1"},
		netdevMTU: 1500, local: []localAddress{on(4, "eth0", "10.0.0.1/24"), on(9, "eth0.7", "fd00::1/64")},
		port: portAttr{state: portActive, linkLayer: 2, maxMessage: 1 << 23, activeMTU: 3, maxMTU: 5, physState: 5},
		dev: deviceAttr{
			nodeGUID: 0x0123456789abcdef, fwVer: "1.2.3", vendorID: 0xffffff, maxQP: 1 << 40, maxQPWR: 64, maxMRSize: 1<<64 - 1,
			maxSRQ: 5, maxSRQWR: 7, maxReadIn: 128, maxReadOut: 300, maxMW: 0, maxCQE: 32767,
		},
	}
	a, p := f.iaAttributes(), f.providerAttributes()
	if a.AdapterName != "rxe0-1" || *a.IAAddress != "10.0.0.1" || a.MaxEPs != 1<<31-1 || a.MaxDTOPerEP != 63 {
		t.Errorf("name %s address %s eps %d dtos %d", a.AdapterName, *a.IAAddress, a.MaxEPs, a.MaxDTOPerEP)
	}
	if a.FirmwareVersionMajor != 1 || a.FirmwareVersionMinor != 2 || a.VendorName == "" || a.MaxLMRVirtualAddress != addressLimit {
		t.Errorf("versions and vendor: %+v", a)
	}
	if a.MaxSRQs != 5 || a.MaxRecvPerSRQ != 7 || a.MaxRDMAReadPerEPOut != maxReads || a.MaxRMRs != 0 {
		t.Errorf("SRQs and reads: %+v", a)
	}
	tr := a.TransportAttr
	if tr["node_guid"] != "0123:4567:89ab:cdef" || tr["gid_0"] != "fe80::1" || tr["port_state"] != "ACTIVE" ||
		tr["link_layer"] != "ETHERNET" || tr["ipv6_address"] != "fd00::1" || a.NumTransportAttr != len(tr) {
		t.Errorf("transport attributes %v", tr)
	}
	if p.MaxPrivateDataSize != 56 || len(p.CompletionFlagsSupported) < 4 || !p.EVDStreamMergingSupported[dat.StreamAsync][dat.StreamAsync] {
		t.Errorf("provider attributes %+v", p)
	}
	f.dev.iwarp = true
	if f.providerAttributes().MaxPrivateDataSize < 64 {
		t.Error("iWARP has room for at least 64 bytes of private data")
	}
}

func TestPrivilegesBecomeAccessFlags(t *testing.T) {
	if got := accessOf([]dat.Privilege{dat.PrivRemoteWrite}); got != accessRemoteWrite|accessLocalWrite {
		t.Errorf("remote write alone is %b; verbs wants local write with it", got)
	}
	if got := accessOf([]dat.Privilege{dat.PrivLocalRead}); got != 0 {
		t.Errorf("local read is %b", got)
	}
}

func TestQueuesAreNeverEmptyAndLeaveRoomForTheProbe(t *testing.T) {
	c := capsOf(&dat.EPAttributes{EPProviderSpecific: map[string]string{"max_inline_data": "64"}})
	if c.sendWR != 1+wrReserve || c.recvWR != 1 || c.sendSGE != 1 || c.recvSGE != 1 || c.inline != 64 {
		t.Errorf("sizes %+v", c)
	}
	p := paramOf(&dat.EPAttributes{MaxRDMAReadIn: 1000, EPTransportSpecific: map[string]string{"retry_count": "3"}})
	if p.responderResources != 255 || p.retryCount != 3 || p.rnrRetryCount != 6 {
		t.Errorf("parameters %+v", p)
	}
}

func TestUeventsAreRead(t *testing.T) {
	u, ok := parseUevent([]byte("remove@/devices/virtual/infiniband_verbs/uverbs0\x00ACTION=remove\x00DEVPATH=/devices/virtual/infiniband_verbs/uverbs0\x00SUBSYSTEM=infiniband_verbs\x00"))
	if !ok || u != (uevent{"remove", "infiniband_verbs", "uverbs0"}) || !u.concernsRDMA() {
		t.Errorf("%+v %t", u, ok)
	}
	if _, ok := parseUevent([]byte("libudev\x00junk")); ok {
		t.Error("a message of udev is none of the kernel's")
	}
}

func TestPortsAreFoundInSysfs(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"siw0/ports/1", "mlx5_0/ports/2", "mlx5_0/ports/1"} {
		if err := os.MkdirAll(filepath.Join(root, "infiniband", p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, p := range findPorts(filepath.Join(root, "infiniband")) {
		names = append(names, p.iaName())
	}
	if !slices.Equal(names, []string{"mlx5_0-1", "mlx5_0-2", "siw0-1"}) {
		t.Errorf("ports %v", names)
	}
	if findPorts(filepath.Join(root, "none")) != nil {
		t.Error("no devices are no ports")
	}
}

func TestADeviceThatCannotBeOpenedSaysWhatIsMissing(t *testing.T) {
	class, dev := t.TempDir(), t.TempDir()
	if why := reasonNotOpen(class, dev, "rxe0"); why == "" || !strings.Contains(why, "ib_uverbs") {
		t.Errorf("without a uverbs device: %q", why)
	}
	node := filepath.Join(class, "infiniband_verbs", "uverbs3")
	if err := os.MkdirAll(node, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(node, "ibdev"), []byte("rxe0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if why := reasonNotOpen(class, dev, "rxe0"); !strings.Contains(why, "uverbs3 is missing") {
		t.Errorf("without its node: %q", why)
	}
	if err := os.WriteFile(filepath.Join(dev, "uverbs3"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if why := reasonNotOpen(class, dev, "rxe0"); !strings.Contains(why, "rdma_ucm") {
		t.Errorf("without the connection manager: %q", why)
	}
}

func TestTheEndsOfALinkLocalConnectionHaveTheZoneOfTheAdapter(t *testing.T) {
	own := []localAddress{on(3, "eth0", "10.0.0.1/24"), on(3, "eth0", "fe80::1/64")}
	for _, c := range []struct{ here, peer, from, to string }{
		{"fe80::1", "fe80::2", "fe80::1%eth0", "fe80::2%eth0"},
		{"10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.2"},
		{"fe80::9", "fe80::2", "fe80::9", "fe80::2"}, // not an address of the adapter
	} {
		if from, to := ends(own, netip.MustParseAddr(c.here), netip.MustParseAddr(c.peer)); from != c.from || to != c.to {
			t.Errorf("%s to %s is %s to %s", c.here, c.peer, from, to)
		}
	}
}

func TestDriverAndRateOfALinkAreShown(t *testing.T) { // D24
	root := t.TempDir()
	write(t, "100 Gb/sec (4X EDR)\n", root, "mlx5_0/ports/1/rate")
	write(t, "", root, "drivers/mlx5_core/bind")
	if err := os.MkdirAll(filepath.Join(root, "mlx5_0/device"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../drivers/mlx5_core", filepath.Join(root, "mlx5_0/device/driver")); err != nil {
		t.Fatal(err)
	}
	p := devicePort{"mlx5_0", 1}
	hard := portFacts{devicePort: p, driver: p.driver(root), rate: p.rate(root)}
	a := hard.iaAttributes()
	if a.VendorAttr["driver"] != "mlx5_core" || a.TransportAttr["rate"] != "100 Gb/sec (4X EDR)" {
		t.Errorf("the attributes are %v and %v", a.VendorAttr, a.TransportAttr)
	}
	soft := portFacts{dev: deviceAttr{vendorID: vendorSIW}, driver: devicePort{"siw0", 1}.driver(root)}
	if a := soft.iaAttributes(); a.VendorAttr["driver"] != "siw" || a.NumVendorAttr != len(a.VendorAttr) {
		t.Errorf("the attributes of a soft device are %v", a.VendorAttr)
	}
}

func TestWhatTheConnectionManagerDecidesIsSaidAndRefused(t *testing.T) { // A15
	roce := portFacts{dev: deviceAttr{vectors: 4, maxInline: 128}}
	iwarp := portFacts{dev: deviceAttr{vectors: 1, maxInline: 64, iwarp: true}}
	for _, c := range []struct {
		facts       *portFacts
		name, value string
		refusal     string
	}{
		{&roce, "comp_vector", "3", ""},
		{&roce, "comp_vector", "4", "0 to 3"},
		{&roce, "min_rnr_timer", "31", ""},
		{&roce, "max_inline_data", "129", "0 to 128"},
		{&roce, "service_level", "1", "service_level cannot be set: the connection manager takes it from the path"},
		{&roce, "gid_index", "1", "GID of the local address"},
		{&roce, "gid_type", "1", "default_roce_mode"},
		{&roce, "pkey", "1", "cannot be set"},
		{&iwarp, "min_rnr_timer", "1", "min_rnr_timer cannot be set: iWARP"},
		{&iwarp, "comp_vector", "0", ""},
		{&iwarp, "no_such", "0", "does not know"},
	} {
		p := c.facts.providerAttributes()
		facts := dat.NewFacts("rxe0-1@alpha", c.facts.iaAttributes(), p)
		_, err := dat.NoEndpointDefaults().Change(nil, map[string]*string{c.name: &c.value}, &facts)
		switch {
		case c.refusal == "" && err != nil:
			t.Errorf("%s=%s is refused: %s", c.name, c.value, err.Detail)
		case c.refusal != "" && (err == nil || err.Return != dat.RetInvalidParameter || !strings.Contains(err.Detail, c.refusal)):
			t.Errorf("%s=%s: %v, want %q", c.name, c.value, err, c.refusal)
		}
		if p.NumProviderSpecificAttr != len(p.ProviderSpecificAttr) {
			t.Errorf("%d attributes are counted, there are %d", p.NumProviderSpecificAttr, len(p.ProviderSpecificAttr))
		}
	}
}
