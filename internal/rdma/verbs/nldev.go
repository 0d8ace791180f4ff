package verbs

import (
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// What is used of the kernel's RDMA netlink interface (uapi/rdma/rdma_netlink.h).
const (
	nldevClient = 5 << 10

	nldevGet         = nldevClient + 1
	nldevPortGet     = nldevClient + 5
	nldevResourceGet = nldevClient + 9

	attrDevIndex     = 1
	attrDevName      = 2
	attrPortIndex    = 3
	attrSummary      = 15
	attrSummaryEntry = 16
	attrEntryName    = 17
	attrEntryCurrent = 18
	attrNetdevName   = 51
)

// fields are what is done with the attributes of a message, by type; others are passed over.
type fields map[uint16]func(d *netlink.AttributeDecoder)

// decode reads the attributes of a message in order.
func (f fields) decode(d *netlink.AttributeDecoder) error {
	for d.Next() {
		if read := f[d.Type()]; read != nil {
			read(d)
		}
	}
	return d.Err()
}

// nldevDump sends one request to the kernel and calls each with the attributes of every answer.
func nldevDump(c *netlink.Conn, command netlink.HeaderType, request []byte, each func(*netlink.AttributeDecoder) error) error {
	answers, err := c.Execute(netlink.Message{
		Header: netlink.Header{Type: command, Flags: netlink.Request | netlink.Dump}, Data: request,
	})
	if err != nil {
		return err
	}
	for _, m := range answers {
		d, err := netlink.NewAttributeDecoder(m.Data)
		if err != nil {
			return err
		}
		if err := each(d); err != nil {
			return err
		}
	}
	return nil
}

// deviceIndexes returns the kernel's numbers of the RDMA devices, by name.
func deviceIndexes(c *netlink.Conn) (map[string]uint32, error) {
	all := map[string]uint32{}
	err := nldevDump(c, nldevGet, nil, func(d *netlink.AttributeDecoder) error {
		var name string
		var index uint32
		err := fields{
			attrDevIndex: func(d *netlink.AttributeDecoder) { index = d.Uint32() },
			attrDevName:  func(d *netlink.AttributeDecoder) { name = d.String() },
		}.decode(d)
		all[name] = index
		return err
	})
	return all, err
}

// portNetdevs returns the network device of each port of a device; ports without one
// are left out.
func portNetdevs(device string) (map[int]string, error) {
	c, err := netlink.Dial(unix.NETLINK_RDMA, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	return netdevsOf(c, device)
}

// netdevsOf is portNetdevs over an open connection to the kernel.
func netdevsOf(c *netlink.Conn, device string) (map[int]string, error) {
	indexes, err := deviceIndexes(c)
	if err != nil {
		return nil, err
	}
	e := netlink.NewAttributeEncoder()
	e.Uint32(attrDevIndex, indexes[device])
	request, err := e.Encode()
	if err != nil {
		return nil, err
	}
	ports := map[int]string{}
	err = nldevDump(c, nldevPortGet, request, func(d *netlink.AttributeDecoder) error {
		var port int
		var name string
		err := fields{
			attrPortIndex:  func(d *netlink.AttributeDecoder) { port = int(d.Uint32()) },
			attrNetdevName: func(d *netlink.AttributeDecoder) { name = d.String() },
		}.decode(d)
		if name != "" {
			ports[port] = name
		}
		return err
	})
	return ports, err
}

// Census returns the kernel's own count of the objects of an RDMA device by kind
// (`qp`, `cq`, `pd`, `mr`, `cm_id`, `ctx`, `srq`), of all processes together.
//
// Implements: nothing of the libraries; it asks the kernel over netlink.
func Census(device string) (map[string]uint64, error) {
	c, err := netlink.Dial(unix.NETLINK_RDMA, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	return countsOf(c, device)
}

// countsOf is Census over an open connection to the kernel.
func countsOf(c *netlink.Conn, device string) (map[string]uint64, error) {
	counts := map[string]uint64{}
	err := nldevDump(c, nldevResourceGet, nil, func(d *netlink.AttributeDecoder) error {
		var name string
		return fields{
			attrDevName: func(d *netlink.AttributeDecoder) { name = d.String() },
			attrSummary: func(d *netlink.AttributeDecoder) {
				if name == device {
					d.Nested(fields{attrSummaryEntry: summaryEntry(counts)}.decode)
				}
			},
		}.decode(d)
	})
	return counts, err
}

// summaryEntry reads the count of one kind of objects into counts.
func summaryEntry(counts map[string]uint64) func(*netlink.AttributeDecoder) {
	return func(d *netlink.AttributeDecoder) {
		var name string
		d.Nested(fields{
			attrEntryName:    func(d *netlink.AttributeDecoder) { name = d.String() },
			attrEntryCurrent: func(d *netlink.AttributeDecoder) { counts[name] = d.Uint64() },
		}.decode)
	}
}
