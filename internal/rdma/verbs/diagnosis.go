package verbs

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// Diagnosis is what a host shows of RDMA to a process that opens no device.
type Diagnosis struct {
	// Libraries is why libibverbs or librdmacm cannot be opened, nil where they can.
	Libraries error
	// Modules are the parts of the kernel that connections need.
	Modules []Module
	// Hidden says why there may be devices that this process cannot see, "" where there are none.
	Hidden string
	// Ports are the ports of all devices that it sees.
	Ports []PortDiagnosis
	// Limits are the limits of the operating system for this process.
	Limits []dat.ResourceLimit
}

// Module is a part of the kernel, built in or loaded.
type Module struct {
	// Name is the module's, Shows the file that is there while it is loaded.
	Name, Shows string
	Loaded      bool
}

// PortDiagnosis is a port of a device as the kernel shows it.
type PortDiagnosis struct {
	// Device is the name of the device, Port the number of its port, from 1.
	Device string
	Port   int
	// State and Physical are the kernel's words (`ACTIVE`, `LinkUp`), LinkLayer is `Ethernet` or `InfiniBand`.
	State, Physical, LinkLayer string
	// NodeProblem says why this user cannot open the device's nodes, "" where that is possible.
	NodeProblem string
	// Netdev is the port's network device, "" where it has none.
	Netdev string
	// GIDs are those that are set, Addresses the addresses of this host that may be the port's.
	GIDs, Addresses []string
}

// roots are the places that a diagnosis reads.
type roots struct{ class, dev string }

// Diagnose looks at what RDMA needs on this host. It changes nothing and opens no device
// beyond a look whether its nodes may be opened.
//
// Implements: nothing of the libraries; it opens them.
func Diagnose() Diagnosis {
	at := roots{class: filepath.Dir(sysfsRoot), dev: devRoot}
	d := Diagnosis{Libraries: openLibraries(), Modules: at.modules(), Hidden: HiddenDevices(), Ports: at.ports(portNetdevs)}
	limits := systemLimits()
	d.Limits = append(d.Limits, lockedMemory(limits))
	var devices []string
	for _, p := range d.Ports {
		if !slices.Contains(devices, p.Device) {
			devices = append(devices, p.Device)
			d.Limits = append(d.Limits, cgroupLimits(p.Device, limits)...)
		}
	}
	return d
}

// modules returns the parts of the kernel that connections need. What shows that one is
// loaded is there too where it is built in, unlike a line of /proc/modules.
func (r roots) modules() []Module {
	all := []Module{
		{Name: "ib_core", Shows: filepath.Join(r.class, "infiniband")},
		{Name: "ib_uverbs", Shows: filepath.Join(r.class, "infiniband_verbs")},
		{Name: "rdma_ucm", Shows: filepath.Join(r.class, "misc", "rdma_cm")},
	}
	for i := range all {
		_, err := os.Stat(all[i].Shows)
		all[i].Loaded = err == nil
	}
	return all
}

// ports returns the ports of all devices. netdevs tells the network devices of a device's ports.
func (r roots) ports(netdevs func(device string) (map[int]string, error)) []PortDiagnosis {
	sysfs := filepath.Join(r.class, "infiniband")
	host, _ := readHostNetwork() // without it no address is named
	var all []PortDiagnosis
	for _, port := range findPorts(sysfs) {
		dir := filepath.Join(sysfs, port.device, "ports", portNumber(port))
		own, _ := netdevs(port.device)
		p := PortDiagnosis{
			Device: port.device, Port: port.port, State: stateWord(dir, "state"), Physical: stateWord(dir, "phys_state"),
			LinkLayer: readLine(filepath.Join(dir, "link_layer")), NodeProblem: nodeProblem(r.class, r.dev, port.device), Netdev: own[port.port],
		}
		gids := gidsIn(dir, port.port, host)
		p.GIDs = textOf(gids)
		for _, a := range host.candidates(p.Netdev, gids) {
			p.Addresses = append(p.Addresses, a.String())
		}
		all = append(all, p)
	}
	return all
}

// portNumber returns the number of a port as text.
func portNumber(p devicePort) string { return strings.TrimPrefix(p.iaName(), p.device+"-") }

// stateWord returns the word of a file such as `4: ACTIVE`.
func stateWord(dir, file string) string {
	text := readLine(filepath.Join(dir, file))
	if _, word, ok := strings.Cut(text, ": "); ok {
		return word
	}
	return text
}

// gidsIn returns the entries of a port's GID table that are set.
func gidsIn(dir string, port int, host hostNetwork) []gid {
	files, _ := os.ReadDir(filepath.Join(dir, "gids"))
	var all []gid
	for _, f := range files {
		value, err := netip.ParseAddr(readLine(filepath.Join(dir, "gids", f.Name())))
		if err != nil || value.IsUnspecified() {
			continue
		}
		g := gid{port: port, value: value}
		name := readLine(filepath.Join(dir, "gid_attrs", "ndevs", f.Name()))
		for _, d := range host.netdevs {
			if d.name == name {
				g.netdev = d.index
			}
		}
		all = append(all, g)
	}
	return all
}
