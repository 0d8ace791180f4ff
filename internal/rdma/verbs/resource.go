//go:build verbs

package verbs

import (
	"maps"
	"os"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
)

// procRoot is where the kernel shows its processes.
const procRoot = "/proc"

// Resources implements rdma.IA. Queue pairs are told apart by their numbers; of the other
// kinds everything that this process made is the provider's.
//
// Implements: nothing of the libraries; it asks the kernel over netlink.
func (a *adapter) Resources(kinds ...dat.ResourceKind) ([]dat.Resource, error) {
	if _, err := a.hardware(); err != nil {
		return nil, err
	}
	if len(kinds) == 0 {
		kinds = dat.ResourceKinds()
	}
	c, err := netlink.Dial(unix.NETLINK_RDMA, nil)
	if err != nil {
		return nil, deviceError("list what is on it", err)
	}
	defer func() { _ = c.Close() }()
	before := a.p.endpointsByQP(a.device)
	all, err := deviceResources(c, a.device, kinds)
	if err != nil {
		return nil, deviceError("list what is on it", err)
	}
	o := owners{
		port: a.port, self: int32(os.Getpid()), before: before, after: a.p.endpointsByQP(a.device),
		program: programs(procRoot),
	}
	return o.assign(all), nil
}

// endpointsByQP returns the endpoints that have a queue pair on the device now, by its number;
// none for a queue pair whose connection has ended, which is there until the peer has answered
// or the kernel gives that up.
func (p *Provider) endpointsByQP(device string) map[uint32]dat.Handle {
	all := map[uint32]dat.Handle{}
	for _, a := range p.adaptersOf(device) {
		h, err := a.hardware()
		if err != nil {
			continue
		}
		h.mu.RLock()
		conns := maps.Clone(h.conns) // a connection's lock is not taken under that of the device
		h.mu.RUnlock()
		for number, c := range conns {
			c.mu.Lock()
			if all[number] = c.ep.id; c.ended {
				all[number] = dat.HandleNull
			}
			c.mu.Unlock()
		}
	}
	return all
}

// Counters implements rdma.IA. One of an iWARP device is the provider's own.
//
// Implements: nothing of the libraries; it reads sysfs.
func (a *adapter) Counters() (map[string]uint64, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	all := a.counters(sysfsRoot)
	if h.iwarp {
		all[askedAgain] = a.repeats.Load()
	}
	return all, nil
}

// Limits implements rdma.IA.
//
// Implements: nothing of the libraries; it asks the kernel.
func (a *adapter) Limits() []dat.ResourceLimit {
	return limitsOf(a.device, systemLimits())
}
