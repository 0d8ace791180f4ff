package manager

import "github.com/datapi/datapi/internal/dat"

// startReturn starts the return of a device (T49): a worker makes the objects of
// the adapter again, one after the other, each under its operation lock. Reports
// are handled meanwhile. It does nothing unless the device is gone.
func (m *Manager) startReturn(ia *adapter) {
	ia.mu.Lock()
	hw, losses := ia.hw, ia.device.losses.Load()
	back := hw != nil && ia.device.gone()
	if back {
		ia.device.current.Store(uint32(deviceReturning))
	}
	ia.mu.Unlock()
	if !back {
		return
	}
	m.spawn(func() {
		if !ia.awaitCreations() || !m.remake(ia, hw, losses, dat.EvDeviceBack.Word()) {
			return
		}
		ia.noting.Lock()
		defer ia.noting.Unlock()
		if ia.finishReturn(losses) {
			m.noteIA(ia, hw, "device_back", "the device is there again")
		}
	})
}
