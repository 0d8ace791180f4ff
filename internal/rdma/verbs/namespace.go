package verbs

import (
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// What is used of the kernel's settings for all RDMA devices (uapi/rdma/rdma_netlink.h).
const (
	nldevSystemGet = nldevClient + 6

	attrNamespaceMode = 66
	// modeExclusive: a device is seen in one network namespace alone.
	modeExclusive = 0
)

// HiddenDevices says to a person that RDMA devices may be in other network namespaces,
// where this process sees none; "" where they cannot be or where it sees one.
//
// Implements: nothing of the libraries; it asks the kernel over netlink.
func HiddenDevices() string {
	if findPorts(sysfsRoot) != nil {
		return ""
	}
	c, err := netlink.Dial(unix.NETLINK_RDMA, nil)
	if err != nil {
		return "" // there is no RDMA in this kernel
	}
	defer func() { _ = c.Close() }()
	return hiddenDevices(c)
}

// hiddenDevices is HiddenDevices over an open connection to the kernel, where no device is seen.
func hiddenDevices(c *netlink.Conn) string {
	answers, err := c.Execute(netlink.Message{Header: netlink.Header{Type: nldevSystemGet, Flags: netlink.Request}})
	if err != nil || len(answers) == 0 {
		return ""
	}
	d, err := netlink.NewAttributeDecoder(answers[0].Data)
	if err != nil {
		return ""
	}
	exclusive := false
	mode := fields{attrNamespaceMode: func(d *netlink.AttributeDecoder) { exclusive = d.Uint8() == modeExclusive }}
	if mode.decode(d) != nil || !exclusive {
		return ""
	}
	return "no RDMA device is in the network namespace of this process, and others do not show theirs (rdma system: netns exclusive); " +
		"move a device here (rdma dev set DEVICE netns NAME), run the program where the device is, or set the mode to shared"
}
