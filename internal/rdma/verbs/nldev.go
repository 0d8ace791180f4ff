package verbs

import (
	"github.com/mdlayher/netlink"
)

// What is used of the kernel's RDMA netlink interface (uapi/rdma/rdma_netlink.h).
const (
	netlinkRDMA = 20
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

// nldevDump sends one request to the kernel and gives the attributes of every answer.
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

// deviceIndexes are the kernel's numbers of the RDMA devices, by name.
func deviceIndexes(c *netlink.Conn) (map[string]uint32, error) {
	all := map[string]uint32{}
	err := nldevDump(c, nldevGet, nil, func(d *netlink.AttributeDecoder) error {
		var name string
		var index uint32
		for d.Next() {
			switch d.Type() {
			case attrDevIndex:
				index = d.Uint32()
			case attrDevName:
				name = d.String()
			}
		}
		all[name] = index
		return d.Err()
	})
	return all, err
}

// portNetdevs gives the network device bound to each port of a device; ports
// without one are left out.
func portNetdevs(device string) (map[int]string, error) {
	c, err := netlink.Dial(netlinkRDMA, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
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
		for d.Next() {
			switch d.Type() {
			case attrPortIndex:
				port = int(d.Uint32())
			case attrNetdevName:
				name = d.String()
			}
		}
		if name != "" {
			ports[port] = name
		}
		return d.Err()
	})
	return ports, err
}

// Census is the kernel's own count of the objects of an RDMA device by kind
// (`qp`, `cq`, `pd`, `mr`, `cm_id`, `ctx`, `srq`), of all processes together.
//
// Implements: nothing of the libraries; it asks the kernel over netlink.
func Census(device string) (map[string]uint64, error) {
	c, err := netlink.Dial(netlinkRDMA, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	counts := map[string]uint64{}
	err = nldevDump(c, nldevResourceGet, nil, func(d *netlink.AttributeDecoder) error {
		var name string
		for d.Next() {
			switch d.Type() {
			case attrDevName:
				name = d.String()
			case attrSummary:
				if name == device {
					d.Nested(summaryInto(counts))
				}
			}
		}
		return d.Err()
	})
	return counts, err
}

func summaryInto(counts map[string]uint64) func(*netlink.AttributeDecoder) error {
	return func(d *netlink.AttributeDecoder) error {
		for d.Next() {
			if d.Type() != attrSummaryEntry {
				continue
			}
			d.Nested(func(e *netlink.AttributeDecoder) error {
				var name string
				for e.Next() {
					switch e.Type() {
					case attrEntryName:
						name = e.String()
					case attrEntryCurrent:
						counts[name] = e.Uint64()
					}
				}
				return e.Err()
			})
		}
		return d.Err()
	}
}
