package manager

import (
	"sync/atomic"

	"github.com/datapi/datapi/internal/rdma"
)

// devicePhase is whether the device of an adapter is there.
type devicePhase uint32

const (
	// devicePresent: the device is there, and all objects have their parts.
	devicePresent devicePhase = iota
	// deviceGone: it is not there (T48).
	deviceGone
	// deviceReturning: it is there again and its objects are being made again (T49).
	// New ones wait for that.
	deviceReturning
)

// deviceState is the phase of an adapter's device. It is changed under the lock
// of the registry (adapter.mu) and read anywhere.
type deviceState struct {
	current atomic.Uint32
	// losses counts how often the device went, so that who makes an object notices
	// that it made it on a device that is lost meanwhile.
	losses atomic.Uint64
}

func (d *deviceState) phase() devicePhase { return devicePhase(d.current.Load()) }

func (d *deviceState) gone() bool { return d.phase() == deviceGone }

const deviceGoneDetail = "the device vanished"

// loseDevice notes that the device is not there, and reports whether it was.
func (ia *adapter) markDeviceGone() bool {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.device.gone() {
		return false
	}
	ia.device.current.Store(uint32(deviceGone))
	ia.device.losses.Add(1)
	return true
}

// returned ends the return of a device, unless it was lost again meanwhile.
func (ia *adapter) finishReturn(losses uint64) bool {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.device.losses.Load() != losses {
		return false
	}
	ia.device.current.Store(uint32(devicePresent))
	return true
}

// usableDevice is the provider's adapter, or the refusal of a call that needs it.
func (ia *adapter) usableDevice() (rdma.IA, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	return ia.usableDeviceLocked()
}

func (ia *adapter) usableDeviceLocked() (rdma.IA, error) {
	if ia.hw == nil || ia.device.phase() != devicePresent {
		return nil, errDeviceGone(ia)
	}
	return ia.hw, nil
}

// createOn is usableDevice for a creation: until created is called, the return of
// the device waits, so that every object is made on one device only.
func (ia *adapter) beginCreation() (rdma.IA, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	hw, err := ia.usableDeviceLocked()
	if err == nil {
		ia.creations++
	}
	return hw, err
}

// created ends what createOn began.
func (ia *adapter) endCreation() {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.creations--; ia.creations == 0 && ia.noCreations != nil {
		close(ia.noCreations)
		ia.noCreations = nil
	}
}

// awaitCreations waits until no creation is under way; false where the Manager
// closes before that.
func (ia *adapter) awaitCreations() bool {
	ia.mu.Lock()
	if ia.creations == 0 {
		ia.mu.Unlock()
		return true
	}
	if ia.noCreations == nil {
		ia.noCreations = make(chan struct{})
	}
	none := ia.noCreations
	ia.mu.Unlock()
	select {
	case <-none:
		return true
	case <-ia.m.ctx.Done():
		return false
	}
}
