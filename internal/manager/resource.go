package manager

import (
	"cmp"
	"slices"

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

// Resources returns what exists on the device of an adapter now, of the kinds or of all
// if none is named, whoever made it. A queue pair that the provider made for an endpoint
// that does not exist any more is an orphan. The errors are those of deviceOf.
func (m *Manager) Resources(id dat.Handle, kinds ...dat.ResourceKind) ([]dat.Resource, error) {
	hw, err := m.deviceOf(id)
	if err != nil {
		return nil, err
	}
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
	m.index.Range(func(_, v any) bool {
		ep, ok := v.(*endpoint)
		if !ok || ep.ia.id != ia {
			return true
		}
		if live := ep.snapshot(); live.State == dat.EPConnected {
			all = append(all, live)
		}
		return true
	})
	slices.SortFunc(all, func(a, b *dat.Endpoint) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
