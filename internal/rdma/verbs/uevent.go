package verbs

import (
	"bytes"
	"path"
)

// uevent is a kernel message about a device that came, went or changed.
type uevent struct {
	action, subsystem, name string
}

// parseUevent reads a uevent of the kernel; ok is false for anything else, such as the
// messages of the udev daemon, which have a header of their own.
func parseUevent(b []byte) (u uevent, ok bool) {
	fields := bytes.Split(b, []byte{0})
	if !bytes.ContainsRune(fields[0], '@') {
		return u, false
	}
	for _, f := range fields[1:] {
		key, value, _ := bytes.Cut(f, []byte("="))
		switch string(key) {
		case "ACTION":
			u.action = string(value)
		case "SUBSYSTEM":
			u.subsystem = string(value)
		case "DEVPATH":
			u.name = path.Base(string(value))
		}
	}
	return u, u.action != "" && u.subsystem != ""
}

// concernsRDMA reports whether the message is about an RDMA device or its
// character device.
func (u uevent) concernsRDMA() bool {
	return u.subsystem == "infiniband" || u.subsystem == "infiniband_verbs"
}
