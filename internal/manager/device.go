package manager

import (
	"sync/atomic"

	"github.com/datapi/datapi/internal/dat"
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
	now atomic.Uint32
	// losses counts how often the device went, so that who makes an object notices
	// that it made it on a device that is lost meanwhile.
	losses atomic.Uint64
}

func (d *deviceState) phase() devicePhase { return devicePhase(d.now.Load()) }

func (d *deviceState) gone() bool { return d.phase() == deviceGone }

const deviceGoneDetail = "the device vanished"

// loseDevice notes that the device is not there, and reports whether it was.
func (ia *adapter) markDeviceGone() bool {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.device.gone() {
		return false
	}
	ia.device.now.Store(uint32(deviceGone))
	ia.device.losses.Add(1)
	return true
}

// deviceLost handles the loss of a device (T48): connections break, requests end,
// everything else stays and waits for its return.
func (m *Manager) handleDeviceGone(ia *adapter, r rdma.Report) {
	if !ia.markDeviceGone() {
		return
	}
	why := firstOf(r.Detail, deviceGoneDetail)
	m.noteIA(ia, "device_gone", why, dat.IAGone, why)
	ref := ia.ref()
	ia.asyncEvent(dat.Event{Event: dat.EventAsyncErrorIACatastrophic, Object: &ref, Reason: ptr("DAT_IA_CATASTROPHIC_ERROR")})
	for _, e := range m.entitiesOf(ia, dat.TypeCR) {
		m.endRequestByEngine(e.(*request), dat.EvDeviceGone.Word(), why)
	}
	for _, e := range m.entitiesOf(ia, dat.TypeEndpoint) {
		m.breakEndpoint(e.(*endpoint), why)
	}
	for _, t := range remakeOrder {
		for _, e := range m.entitiesOf(ia, t) {
			if l, ok := e.(remakeable); ok {
				l.dropPart(why)
			}
		}
	}
}

// endRequestNow ends a request that nobody can answer any more.
func (m *Manager) endRequestByEngine(req *request, cause, why string) {
	m.remove(req)
	e := m.newEntry(engineCall(why), &req.object, cause)
	e.Apply = applyEnd
	m.note(&req.object, e)
}

// loseEndpoint moves an endpoint as T48 says. One that ends with its request
// ends in the record too.
func (m *Manager) breakEndpoint(ep *endpoint, why string) {
	ep.mu.Lock()
	v := dat.Judge(ep.live.State, dat.EvDeviceGone)
	if v.Kind == dat.End {
		e := m.newEntry(engineCall(why), &ep.object, dat.EvDeviceGone.Word())
		e.Apply = applyEnd
		m.note(&ep.object, e)
	} else if v.Kind == dat.Move {
		m.handleEventLocked(ep, dat.EvDeviceGone, eventDetails{reason: "DEVICE_GONE", detail: why})
	}
	ep.mu.Unlock()
	if v.Kind == dat.End {
		ep.advance(stepEnd, nil)
		m.spawn(func() { m.removeEndedEndpoint(ep) })
		return
	}
	m.disconnectIfOwed(ep)
	ep.mu.Lock()
	m.flushLocked(ep)
	ep.mu.Unlock()
	m.disconnectIfOwed(ep)
}

// removeEnded takes an endpoint that the engine ended out of the registry, after
// the write that may be under way on it: that one may have removed it itself.
func (m *Manager) removeEndedEndpoint(ep *endpoint) {
	if err := ep.lock(m.ctx); err != nil {
		return
	}
	defer ep.unlock()
	if ep.life.phase() == phaseEnded {
		return
	}
	m.dropRefs(ep.snapshot())
	m.remove(ep)
	ep.markEnded()
	m.disconnectIfOwed(ep)
}

// deviceBack handles the return of a device (T49): a worker makes its objects
// again, one after the other and each under its operation lock, so that no write
// is under way on it. Reports go on meanwhile.
func (m *Manager) startReturn(ia *adapter) {
	ia.mu.Lock()
	hw, losses := ia.hw, ia.device.losses.Load()
	back := hw != nil && ia.device.gone()
	if back {
		ia.device.now.Store(uint32(deviceReturning))
	}
	ia.mu.Unlock()
	if !back {
		return
	}
	m.spawn(func() {
		if !ia.awaitCreations() || !m.remake(ia, hw, losses, dat.EvDeviceBack.Word()) {
			return
		}
		state, detail := hw.State()
		if ia.finishReturn(losses) {
			m.noteIA(ia, "device_back", "the device is there again", state, detail)
		}
	})
}

// returned ends the return of a device, unless it was lost again meanwhile.
func (ia *adapter) finishReturn(losses uint64) bool {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.device.losses.Load() != losses {
		return false
	}
	ia.device.now.Store(uint32(devicePresent))
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

// objectsOf are the objects of an adapter of one type, the oldest first.
func (m *Manager) entitiesOf(ia *adapter, t dat.ObjectType) []entity {
	return m.entitiesWhere(func(o *object) bool { return o.ia == ia && o.typ == t && o.recorded() != nil })
}
