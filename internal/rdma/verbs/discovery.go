//go:build verbs

package verbs

import (
	"path/filepath"

	"github.com/datapi/datapi/internal/rdma"
)

// classRoot is where the kernel shows its devices by class.
var classRoot = filepath.Dir(sysfsRoot)

// devRoot is where the character devices of RDMA are.
const devRoot = "/dev/infiniband"

// scan compares the devices that are there with those that are known: new ports are
// answered, ports of a device that came back are opened again and report so.
func (p *Provider) scan() []*adapter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	ports := findPorts(sysfsRoot)
	p.openDevices(ports)
	var arrived []*adapter
	for _, port := range ports {
		a, known := p.adapters[port]
		if !known {
			a = newAdapter(p, port)
			p.adapters[port] = a
			arrived = append(arrived, a)
		}
		p.openPort(a, known)
	}
	return arrived
}

// openPort opens a port whose device is open and that has no life yet.
func (p *Provider) openPort(a *adapter, known bool) {
	if _, err := a.life(); err == nil {
		return
	}
	d := p.devices[a.device]
	if d == nil {
		a.unusable(whyNotOpen(classRoot, devRoot, a.device))
		return
	}
	if err := a.open(d.ctx); err != nil {
		a.unusable(err.Error())
		return
	}
	if known {
		a.reports.Put(rdma.Report{
			Kind: rdma.ReportDeviceBack, Reason: "add",
			Detail: "The device " + a.device + " is there again.",
		})
	}
}

// openDevices opens the devices that are not open yet. The list that the library
// gives holds all devices open that it names, so the newest list is kept.
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
		if p.devices[name] != nil || !present(ports, name) {
			continue
		}
		d := &device{ctx: ctx}
		d.async, err = watch(ctx.asyncFD(), name+" events", func() error { return p.takeAsync(name, ctx) })
		if err != nil {
			continue
		}
		p.devices[name] = d
		if node := uverbsNode(classRoot, name); node != "" {
			p.nodes[node] = name
		}
	}
}

func present(ports []devicePort, device string) bool {
	for _, p := range ports {
		if p.device == device {
			return true
		}
	}
	return false
}

// takeAsync takes one asynchronous event of a device to those it concerns.
func (p *Provider) takeAsync(name string, ctx verbsContext) error {
	e, err := ctx.asyncEvent()
	if err != nil {
		return err
	}
	if e.kind == asyncDeviceFatal {
		p.deviceGone(name)
		return nil
	}
	p.mu.Lock()
	var concerned []*adapter
	for port, a := range p.adapters {
		if port.device == name {
			concerned = append(concerned, a)
		}
	}
	p.mu.Unlock()
	for _, a := range concerned {
		a.asyncEvent(e)
	}
	return nil
}
