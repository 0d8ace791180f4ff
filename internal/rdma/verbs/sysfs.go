package verbs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sysfsRoot is where the kernel shows its RDMA devices.
const sysfsRoot = "/sys/class/infiniband"

// devRoot is where the character devices of RDMA are.
const devRoot = "/dev/infiniband"

// devicePort is a port of an RDMA device that the kernel has.
type devicePort struct {
	device string
	port   int
}

// iaName returns the name of the IA that the port is: `rxe0-1`.
func (p devicePort) iaName() string { return p.device + "-" + strconv.Itoa(p.port) }

// findPorts returns the ports of all RDMA devices below root, in order. It returns nil
// where there are no devices, or no RDMA in the kernel.
func findPorts(root string) []devicePort {
	var all []devicePort
	devices, _ := os.ReadDir(root)
	for _, d := range devices {
		ports, _ := os.ReadDir(filepath.Join(root, d.Name(), "ports"))
		for _, p := range ports {
			if n, err := strconv.Atoi(p.Name()); err == nil {
				all = append(all, devicePort{d.Name(), n})
			}
		}
	}
	slices.SortFunc(all, func(a, b devicePort) int {
		if a.device != b.device {
			return strings.Compare(a.device, b.device)
		}
		return a.port - b.port
	})
	return all
}

// uverbsNode returns the name of the character device of an RDMA device (`uverbs0`), ""
// where the module ib_uverbs is missing.
func uverbsNode(classRoot, device string) string {
	nodes, _ := os.ReadDir(filepath.Join(classRoot, "infiniband_verbs"))
	for _, n := range nodes {
		if readLine(filepath.Join(classRoot, "infiniband_verbs", n.Name(), "ibdev")) == device {
			return n.Name()
		}
	}
	return ""
}

// readLine returns the text of a file without the white space around it, "" if it cannot be read.
func readLine(path string) string {
	b, _ := os.ReadFile(path)
	return strings.TrimSpace(string(b))
}

// reasonNotOpen says to a person why a device that the kernel has could not be opened,
// and what would help.
func reasonNotOpen(classRoot, devRoot, device string) string {
	if why := nodeProblem(classRoot, devRoot, device); why != "" {
		return why
	}
	return "libibverbs has no driver for " + device + "; install ibverbs-providers."
}

// nodeProblem says why this user cannot open the character devices that a device needs, and
// what would help; "" where they can be opened.
func nodeProblem(classRoot, devRoot, device string) string {
	node := uverbsNode(classRoot, device)
	if node == "" {
		return "The kernel shows " + device + " but no uverbs device for it; load the module ib_uverbs."
	}
	for _, file := range []struct{ path, module string }{
		{filepath.Join(devRoot, node), "ib_uverbs"}, {filepath.Join(devRoot, "rdma_cm"), "rdma_ucm"},
	} {
		f, err := os.OpenFile(file.path, os.O_RDWR, 0)
		switch {
		case err == nil:
			_ = f.Close()
		case os.IsNotExist(err):
			return file.path + " is missing; load the module " + file.module + ", and give a container the device node."
		case os.IsPermission(err):
			return file.path + " may not be opened by this user; add it to the group that owns the file, or allow reading and writing."
		default:
			return file.path + " cannot be opened: " + err.Error()
		}
	}
	return ""
}
