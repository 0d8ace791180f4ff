package verbs

import (
	"cmp"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"strconv"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
)

// The attributes of the objects that the kernel lists (uapi/rdma/rdma_netlink.h).
const (
	attrLocalQPN    = 21
	attrRemoteQPN   = 22
	attrType        = 26
	attrState       = 27
	attrPID         = 28
	attrKernelName  = 29
	attrPortSpace   = 32
	attrSource      = 33
	attrDestination = 34
)

// resourceDump says how the kernel lists one kind of objects: command asks for them, list
// is the attribute that holds them, list+1 each of them, number the attribute with the
// number of one, types and states are the names of its type and its state.
type resourceDump struct {
	command       netlink.HeaderType
	list, number  uint16
	types, states func(int) *string
}

// resourceDumps has a row for each kind of objects.
var resourceDumps = map[dat.ResourceKind]resourceDump{
	dat.ResourceQP:   {nldevClient + 10, 19, attrLocalQPN, nameIn(qpTypes), qpStateName},
	dat.ResourceCMID: {nldevClient + 11, 30, 63, noName, nameIn(cmStates)},
	dat.ResourceCQ:   {nldevClient + 12, 35, 61, noName, noName},
	dat.ResourceMR:   {nldevClient + 13, 40, 62, noName, noName},
	dat.ResourcePD:   {nldevClient + 14, 46, 60, noName, noName},
	dat.ResourceCtx:  {nldevClient + 22, 86, 64, noName, noName},
	dat.ResourceSRQ:  {nldevClient + 23, 88, 90, nameIn(srqTypes), noName},
}

// The names of numbers that the kernel tells: types of queue pairs (enum ib_qp_type) and of
// shared receive queues (enum ib_srq_type), states of ids of the connection manager (enum
// rdma_cm_state) and its port spaces (enum rdma_ucm_port_space).
var (
	qpTypes = map[int]string{
		0: "SMI", 1: "GSI", 2: "RC", 3: "UC", 4: "UD", 5: "RAW_IPV6", 6: "RAW_ETHERTYPE",
		8: "RAW_PACKET", 9: "XRC_INI", 10: "XRC_TGT", 0xff: "DRIVER",
	}
	srqTypes = map[int]string{0: "BASIC", 1: "XRC", 2: "TM"}
	cmStates = map[int]string{
		0: "IDLE", 1: "ADDR_QUERY", 2: "ADDR_RESOLVED", 3: "ROUTE_QUERY", 4: "ROUTE_RESOLVED", 5: "CONNECT",
		6: "DISCONNECT", 7: "ADDR_BOUND", 8: "LISTEN", 9: "DEVICE_REMOVAL", 10: "DESTROYING",
	}
	portSpaces = map[int]string{0x0002: "IPOIB", 0x0106: "TCP", 0x0111: "UDP", 0x013f: "IB"}
)

// noName is the names of a number that a kind does not have.
func noName(int) *string { return nil }

// nameIn returns the function that finds the name of a number; a number without a name is
// its own.
func nameIn(names map[int]string) func(int) *string {
	return func(n int) *string {
		name := cmp.Or(names[n], strconv.Itoa(n))
		return &name
	}
}

// kernelResource is one object as the kernel lists it.
type kernelResource struct {
	dat.Resource
	// port is the port that it belongs to, 0 where the kernel does not tell.
	port int
	// qpNum is the number of the queue pair of an id of the connection manager, 0 if it has none.
	qpNum uint32
	// kernel: no process made it.
	kernel bool
}

// readResource reads the attributes of one object of a kind.
func readResource(kind dat.ResourceKind, d *netlink.AttributeDecoder) (kernelResource, error) {
	dump, r := resourceDumps[kind], kernelResource{Resource: dat.Resource{Kind: kind}}
	known := fields{
		attrPortIndex: func(d *netlink.AttributeDecoder) { r.port = int(d.Uint32()) },
		attrRemoteQPN: func(d *netlink.AttributeDecoder) { r.RemoteNumber = new(d.Uint32()) },
		attrType:      func(d *netlink.AttributeDecoder) { r.Type = dump.types(int(d.Uint8())) },
		attrState:     func(d *netlink.AttributeDecoder) { r.State = dump.states(int(d.Uint8())) },
		attrPID:       func(d *netlink.AttributeDecoder) { r.PID = new(int32(d.Uint32())) },
		attrKernelName: func(d *netlink.AttributeDecoder) {
			r.kernel, r.Comm = true, new(d.String())
		},
		attrPortSpace:   func(d *netlink.AttributeDecoder) { r.Type = nameIn(portSpaces)(int(d.Uint32())) },
		attrSource:      func(d *netlink.AttributeDecoder) { r.Source = socketAddress(d.Bytes()) },
		attrDestination: func(d *netlink.AttributeDecoder) { r.Destination = socketAddress(d.Bytes()) },
		attrLocalQPN:    func(d *netlink.AttributeDecoder) { r.qpNum = d.Uint32() },
	}
	known[dump.number] = func(d *netlink.AttributeDecoder) { r.Number = d.Uint32() }
	return r, known.decode(d)
}

// socketAddress reads a struct sockaddr; nil where the address is not set.
func socketAddress(b []byte) *string {
	if len(b) < unix.SizeofSockaddrInet4 {
		return nil
	}
	var ip netip.Addr
	switch binary.NativeEndian.Uint16(b) {
	case unix.AF_INET:
		ip = netip.AddrFrom4([4]byte(b[4:8]))
	case unix.AF_INET6:
		if len(b) < unix.SizeofSockaddrInet6 {
			return nil
		}
		ip = netip.AddrFrom16([16]byte(b[8:24]))
	default:
		return nil
	}
	return new(netip.AddrPortFrom(ip, binary.BigEndian.Uint16(b[2:4])).String())
}

// resourcesOf returns the objects of a kind on a device, ordered by their numbers. A kernel
// that cannot list the kind has none of it (contexts and shared receive queues before 5.14).
func resourcesOf(c *netlink.Conn, device uint32, kind dat.ResourceKind) ([]kernelResource, error) {
	dump := resourceDumps[kind]
	e := netlink.NewAttributeEncoder()
	e.Uint32(attrDevIndex, device)
	request, err := e.Encode()
	if err != nil {
		return nil, err
	}
	var all []kernelResource
	entry := func(d *netlink.AttributeDecoder) {
		d.Nested(func(d *netlink.AttributeDecoder) error {
			r, err := readResource(kind, d)
			all = append(all, r)
			return err
		})
	}
	err = nldevDump(c, dump.command, request, fields{
		dump.list: func(d *netlink.AttributeDecoder) { d.Nested(fields{dump.list + 1: entry}.decode) },
	}.decode)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
		return nil, nil
	}
	slices.SortStableFunc(all, func(a, b kernelResource) int { return cmp.Compare(a.Number, b.Number) })
	return all, err
}

// deviceResources returns the objects of the kinds on a device by its name.
func deviceResources(c *netlink.Conn, device string, kinds []dat.ResourceKind) ([]kernelResource, error) {
	indexes, err := deviceIndexes(c)
	if err != nil {
		return nil, err
	}
	index, ok := indexes[device]
	if !ok {
		return nil, unix.ENODEV
	}
	var all []kernelResource
	for _, kind := range kinds {
		found, err := resourcesOf(c, index, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
