package manager

import (
	"sync/atomic"

	"github.com/datapi/datapi/internal/rdma"
)

// devicePhase says whether the device of an adapter is there.
type devicePhase uint32

const (
	// devicePresent: the device is there, and so is the engine's part of every object.
	devicePresent devicePhase = iota
	// deviceGone: the device is not there (T48).
	deviceGone
	// deviceReturning: the device is there again, and its objects are being made again
	// (T49). Creations are refused until that is done.
	deviceReturning
)

// deviceState is the phase of an adapter's device. It is changed under the
// registry's lock (adapter.mu) and may be read without it.
type deviceState struct {
	current atomic.Uint32
	// losses counts how often the device was lost. A caller that makes objects on it
	// reads losses before and after: if they differ, the objects belong to a device
	// that is lost.
	losses atomic.Uint64
}

// phase returns the present phase.
func (d *deviceState) phase() devicePhase { return devicePhase(d.current.Load()) }

// gone reports whether the device is not there.
func (d *deviceState) gone() bool { return d.phase() == deviceGone }

// deviceGoneDetail is the reason where the engine gives none.
const deviceGoneDetail = "the device vanished"

// markDeviceGone notes that the device is not there, and reports whether that is
// new.
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

// finishReturn marks the device as present. It reports false if the device was lost
// again since losses was read.
func (ia *adapter) finishReturn(losses uint64) bool {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.device.losses.Load() != losses {
		return false
	}
	ia.device.current.Store(uint32(devicePresent))
	return true
}

// usableDevice returns the provider's adapter. The error is the refusal of a call
// that needs it while the device is gone or returning.
func (ia *adapter) usableDevice() (rdma.IA, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	return ia.usableDeviceLocked()
}

// usableDeviceLocked is usableDevice with the registry's lock held.
func (ia *adapter) usableDeviceLocked() (rdma.IA, error) {
	if ia.hw == nil || ia.device.phase() != devicePresent {
		return nil, errDeviceGone(ia)
	}
	return ia.hw, nil
}

// beginCreation is usableDevice for a creation: until endCreation the return of the
// device waits, so that every object is made on one device only.
func (ia *adapter) beginCreation() (rdma.IA, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	hw, err := ia.usableDeviceLocked()
	if err == nil {
		ia.creations++
	}
	return hw, err
}

// endCreation ends what beginCreation began.
func (ia *adapter) endCreation() {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.creations--; ia.creations == 0 && ia.noCreations != nil {
		close(ia.noCreations)
		ia.noCreations = nil
	}
}

// awaitCreations waits until no creation is under way. It reports false if the
// Manager closes before that.
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
