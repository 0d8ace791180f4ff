package manager

import (
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// deviceOf returns the provider's adapter of the one with a handle. The errors are
// DAT_INVALID_HANDLE and those of usableDevice.
func (m *Manager) deviceOf(id dat.Handle) (rdma.IA, error) {
	ia, err := lookup[*adapter](m, dat.TypeIA, id, "")
	if err != nil {
		return nil, err
	}
	return ia.usableDevice()
}

// orphanTime is how long a queue pair must be without an endpoint to be an orphan: one that
// is being made is on the device before its endpoint has it, and one that is being freed
// after.
const orphanTime = 50 * time.Millisecond

// Resources returns what exists on the device of an adapter now, of the kinds or of all
// if none is named, whoever made it. A queue pair of the service that has no endpoint, and
// had none orphanTime ago, is an orphan. The errors are those of deviceOf, and the refusal
// of a call after Close.
func (m *Manager) Resources(id dat.Handle, kinds ...dat.ResourceKind) ([]dat.Resource, error) {
	hw, err := m.deviceOf(id)
	if err != nil {
		return nil, err
	}
	all, err := m.listResources(hw, kinds)
	if err != nil || !slices.ContainsFunc(all, isOrphan) {
		return all, err
	}
	if !m.sleep(orphanTime) {
		return nil, errClosed()
	}
	again, err := m.listResources(hw, kinds)
	return confirmOrphans(all, again), err
}

// listResources lists what is on a device once.
func (m *Manager) listResources(hw rdma.IA, kinds []dat.ResourceKind) ([]dat.Resource, error) {
	all, err := hw.Resources(kinds...)
	for i := range all {
		r := &all[i]
		if _, living := find[*endpoint](m, r.Endpoint); r.Endpoint == dat.HandleNull || living {
			continue
		}
		r.Endpoint = dat.HandleNull
		if r.Kind == dat.ResourceQP {
			r.Owner = dat.OwnerOrphan
		}
	}
	return all, err
}

// isOrphan reports whether an object is one that nobody has.
func isOrphan(r dat.Resource) bool { return r.Owner == dat.OwnerOrphan }

// confirmOrphans returns the later list. What is an orphan only there is being made or
// freed, and is the service's.
func confirmOrphans(earlier, later []dat.Resource) []dat.Resource {
	orphans := map[uint32]bool{}
	for _, r := range earlier {
		if isOrphan(r) {
			orphans[r.Number] = true
		}
	}
	for i, r := range later {
		if isOrphan(r) && !orphans[r.Number] {
			later[i].Owner = dat.OwnerDatapi
		}
	}
	return later
}

// Counters returns the counters of an adapter's port and device by their names. The errors
// are those of deviceOf.
func (m *Manager) Counters(id dat.Handle) (map[string]uint64, error) {
	hw, err := m.deviceOf(id)
	if err != nil {
		return nil, err
	}
	return hw.Counters()
}

// Limits returns the limits of the operating system for what is made on an adapter's
// device. The errors are those of deviceOf.
func (m *Manager) Limits(id dat.Handle) ([]dat.ResourceLimit, error) {
	hw, err := m.deviceOf(id)
	if err != nil {
		return nil, err
	}
	return hw.Limits(), nil
}

// Connected returns the connected endpoints of an adapter as they are now, in the order of
// their ids.
func (m *Manager) Connected(ia dat.Handle) []*dat.Endpoint {
	var all []*dat.Endpoint
	for _, e := range m.entitiesOf(m.adapterOf(ia), dat.TypeEndpoint) {
		if live := e.(*endpoint).snapshot(); live.State == dat.EPConnected {
			all = append(all, live)
		}
	}
	return all
}
