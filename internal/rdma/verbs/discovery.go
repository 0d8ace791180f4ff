//go:build verbs

package verbs

import (
	"path/filepath"
	"sync"

	"github.com/datapi/datapi/internal/rdma"
)

// classRoot is where the kernel shows its devices by class.
var classRoot = filepath.Dir(sysfsRoot)

// scan opens the ports that the kernel has and that are not open. It returns the
// adapters of new ports; ports of a device that came back report that.
func (p *Provider) scan() []*adapter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	ports := findPorts(sysfsRoot)
	p.openDevices(ports)
	host := sync.OnceValues(readHostNetwork)
	var arrived []*adapter
	for _, port := range ports {
		a, known := p.adapters[port]
		if !known {
			a = newAdapter(p, port)
			p.adapters[port] = a
			arrived = append(arrived, a)
		}
		p.openPort(a, known, host)
	}
	return arrived
}

// openPort opens a port that is not open, if its device is. host reads the network devices.
func (p *Provider) openPort(a *adapter, known bool, host func() (hostNetwork, error)) {
	if _, err := a.hardware(); err == nil {
		return // it is open
	}
	d := p.devices[a.device]
	if d == nil {
		a.setReason(reasonNotOpen(classRoot, devRoot, a.device))
		return
	}
	if err := a.open(d.ctx, host); err != nil {
		a.setReason(err.Error())
		return
	}
	if known {
		a.reports.Put(rdma.Report{
			Kind: rdma.ReportDeviceBack, Reason: "add",
			Detail: "The device " + a.device + " is there again.",
		})
	}
}

// openDevices opens the devices that are not open yet. The library's list holds all
// devices open that it names, so the newest list is kept.
func (p *Provider) openDevices(ports []devicePort) {
	missing := false
	for _, port := range ports {
		missing = missing || p.devices[port.device] == nil
	}
	if !missing {
		return
	}
	list, contexts, err := getDevices()
	if err != nil {
		return
	}
	p.list.free()
	p.list = list
	for _, ctx := range contexts {
		name := ctx.name()
		if p.devices[name] != nil || !hasDevice(ports, name) {
			continue
		}
		d := &device{ctx: ctx}
		d.async, err = watch(ctx.asyncFD(), name+" events", func() error { return p.handleAsyncEvent(name, ctx) })
		if err != nil {
			continue
		}
		p.devices[name] = d
		if node := uverbsNode(classRoot, name); node != "" {
			p.nodes[node] = name
		}
	}
}

// hasDevice reports whether one of the ports is of the device.
func hasDevice(ports []devicePort, device string) bool {
	for _, p := range ports {
		if p.device == device {
			return true
		}
	}
	return false
}
