package doctor

import (
	"fmt"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/verbs"
)

// rdmaChecks looks at what the verbs engine needs. What is missing is wrong where the engine
// was asked for by name or there are devices, and a warning where soft adapters would stand in.
func rdmaChecks(engine string) []Check {
	if engine == "soft" {
		return []Check{good("rdma.engine", "--engine soft needs no device; nothing of RDMA was looked at")}
	}
	return judgeRDMA(verbs.Diagnose(), engine)
}

// judgeRDMA is rdmaChecks for what was found.
func judgeRDMA(d verbs.Diagnosis, engine string) []Check {
	missing := Wrong
	if engine == "auto" && len(d.Ports) == 0 {
		missing = Warning
	}
	checks := []Check{libraries(d, missing)}
	checks = append(checks, modules(d, missing)...)
	checks = append(checks, devices(d, missing))
	up := 0
	for _, p := range d.Ports {
		checks = append(checks, port(p)...)
		if p.State == portActive {
			up++
		}
	}
	if len(d.Ports) > 0 && up == 0 {
		checks = append(checks, bad("rdma.active", Wrong, "Look at the cables, the switch and the network devices (`ip link set … up`).", "no port of %d is %s", len(d.Ports), portActive))
	}
	for _, l := range d.Limits {
		checks = append(checks, limit(l, len(d.Ports) > 0))
	}
	return checks
}

// portActive is the kernel's word for a port that carries connections.
const portActive = "ACTIVE"

func libraries(d verbs.Diagnosis, missing Verdict) Check {
	const name = "rdma.libraries"
	if d.Libraries != nil {
		return bad(name, missing, "Install libibverbs1, ibverbs-providers and librdmacm1, with a program that has the verbs engine.", "libibverbs and librdmacm cannot be opened: %v", d.Libraries)
	}
	return good(name, "libibverbs and librdmacm can be opened")
}

func modules(d verbs.Diagnosis, missing Verdict) []Check {
	var checks []Check
	for _, m := range d.Modules {
		name := "rdma.module." + m.Name
		if m.Loaded {
			checks = append(checks, good(name, "%s is there", m.Shows))
		} else {
			checks = append(checks, bad(name, missing, "`modprobe "+m.Name+"` on the host, and its name in /etc/modules-load.d; a container takes the modules of its host.", "%s is not there", m.Shows))
		}
	}
	return checks
}

func devices(d verbs.Diagnosis, missing Verdict) Check {
	const name = "rdma.devices"
	var names []string
	for _, p := range d.Ports {
		names = append(names, fmt.Sprintf("%s port %d", p.Device, p.Port))
	}
	switch {
	case len(names) > 0:
		return good(name, "/sys/class/infiniband has %s", strings.Join(names, ", "))
	case d.Hidden != "":
		return bad(name, missing, "Move a device into this network namespace (`rdma dev set DEVICE netns NAME`), run the program where the device is, or `rdma system set netns shared`.", "%s", d.Hidden)
	}
	return bad(name, missing, "Load the driver of the card, or make a soft device (`rdma link add rxe0 type rxe netdev eth0`). Without one --engine auto opens soft adapters, which reach no other process.", "/sys/class/infiniband has no device")
}

// port judges the nodes, the state and the addresses of a port.
func port(p verbs.PortDiagnosis) []Check {
	of := fmt.Sprintf(".%s-%d", p.Device, p.Port)
	var checks []Check
	if p.NodeProblem != "" {
		checks = append(checks, bad("rdma.rights"+of, Wrong, "Give the user of the service the right to /dev/infiniband/* (a udev rule with its group), and a container the nodes (`--device /dev/infiniband`).", "%s", p.NodeProblem))
	} else {
		checks = append(checks, good("rdma.rights"+of, "the nodes of %s in /dev/infiniband can be opened", p.Device))
	}
	state := fmt.Sprintf("%s, %s, %s", p.State, p.Physical, p.LinkLayer)
	switch {
	case p.State == portActive:
		checks = append(checks, good("rdma.port"+of, "%s", state))
	case p.State == "INIT" && p.LinkLayer == "InfiniBand":
		checks = append(checks, bad("rdma.port"+of, Warning, "The link is up and no subnet manager has configured the port: start opensm, or that of the switch.", "%s", state))
	default:
		checks = append(checks, bad("rdma.port"+of, Warning, "Look at the cable, the switch and the network device of the port.", "%s", state))
	}
	if p.State != portActive {
		return checks
	}
	evidence := fmt.Sprintf("network device %q, addresses [%s], %d GIDs", p.Netdev, strings.Join(p.Addresses, ", "), len(p.GIDs))
	switch {
	case len(p.Addresses) == 0:
		checks = append(checks, bad("rdma.address"+of, Wrong, "Give the network device of the port an IP address (`ip address add`), an IPoIB interface on InfiniBand.", "%s: connections need an IP address", evidence))
	case len(p.GIDs) == 0:
		checks = append(checks, bad("rdma.address"+of, Warning, "Look whether the port is of iWARP, which has no table of GIDs; on RoCE set the network device down and up.", "%s: the table of GIDs is empty", evidence))
	default:
		checks = append(checks, good("rdma.address"+of, "%s", evidence))
	}
	return checks
}

// minLockedMemory is what a service needs that registers little, in bytes.
const minLockedMemory = 64 << 20

// limit judges a limit of the operating system for this process. One that is small matters
// where there is a device.
func limit(l dat.ResourceLimit, hasDevice bool) Check {
	name := "rdma.limit." + l.Name
	if l.Max == nil {
		return good(name, "%d %s are in use, and there is no limit for this process", l.Used, l.Unit)
	}
	evidence := fmt.Sprintf("this process may have %d %s, %d are in use; that of a systemd unit or a container is its own", *l.Max, l.Unit, l.Used)
	switch {
	case l.Used*10 >= *l.Max*9 && *l.Max > 0:
		return bad(name, Wrong, l.Remedy, "%s", evidence)
	case hasDevice && l.Name == "locked_memory" && *l.Max < minLockedMemory:
		return bad(name, Warning, l.Remedy, "%s", evidence)
	}
	return good(name, "%s", evidence)
}
