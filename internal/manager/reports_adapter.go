package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// handlePort handles ReportPort: the adapter's image shows the new state of the
// port.
func (m *Manager) handlePort(ia *adapter, r rdma.Report) {
	hw, err := ia.usableDevice()
	if err != nil {
		return
	}
	state, detail := hw.State()
	m.noteIA(ia, "port", cmp.Or(r.Detail, r.Reason), state, detail)
}

// handleIAError handles ReportIAError, an error of the adapter itself.
func (m *Manager) handleIAError(ia *adapter, r rdma.Report) {
	ia.asyncEvent(&ia.object, r.Event, cmp.Or(r.Reason, "DAT_IA_OTHER_ERROR"))
}

// handleSRQLimit handles ReportSRQLimit: fewer receives are left on an SRQ than its
// low watermark. DAT has a reason for that and no event number.
func (m *Manager) handleSRQLimit(ia *adapter, r rdma.Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		ia.asyncEvent(&s.object, dat.EventNone, "DAT_SRQ_LOW_WATERMARK_EVENT")
	}
}

// handleSRQError handles ReportSRQError: an SRQ went to its error state. The event
// names the SRQ (D23).
func (m *Manager) handleSRQError(ia *adapter, r rdma.Report) {
	s, ok := find[*srq](m, r.SRQ)
	if !ok {
		return
	}
	const cause = "DAT_SRQ_TRANSFER_TO_ERROR"
	m.noteEvent(&s.object, cause, cmp.Or(r.Detail, r.Reason), applyChange(func(o *dat.SRQ) { o.State = dat.SRQError }))
	ia.asyncEvent(&s.object, dat.EventNone, cause)
}

// handleEVDError handles ReportEVDError, an error of the engine's part of an EVD.
func (m *Manager) handleEVDError(ia *adapter, r rdma.Report) {
	if d, ok := find[*evd](m, r.EVD); ok {
		ia.asyncEvent(&d.object, dat.EventAsyncErrorEVDOverflow, "DAT_EVD_OTHER_ERROR")
	}
}

// handleDeviceGone handles ReportDeviceGone (T48): connections break, requests end,
// everything else stays and waits for the return of the device.
func (m *Manager) handleDeviceGone(ia *adapter, r rdma.Report) {
	if !ia.markDeviceGone() {
		return
	}
	why := cmp.Or(r.Detail, deviceGoneDetail)
	m.noteIA(ia, "device_gone", why, dat.IAGone, why)
	ia.asyncEvent(&ia.object, dat.EventAsyncErrorIACatastrophic, "DAT_IA_CATASTROPHIC_ERROR")
	for _, e := range m.entitiesOf(ia, dat.TypeCR) {
		m.endRequestByEngine(e.(*request), dat.EvDeviceGone.Word(), why)
	}
	for _, e := range m.entitiesOf(ia, dat.TypeEndpoint) {
		m.breakEndpoint(e.(*endpoint), why)
	}
	for _, t := range dat.RemakeOrder() {
		for _, e := range m.entitiesOf(ia, t) {
			if l, ok := e.(remakeable); ok {
				l.dropPart(why)
			}
		}
	}
}

// endRequestByEngine ends a request that nobody can answer any more.
func (m *Manager) endRequestByEngine(req *request, cause, why string) {
	m.remove(req)
	m.noteEvent(&req.object, cause, why, applyEnd)
}

// breakEndpoint moves an endpoint whose device is gone (T48). An endpoint that came
// with a connection request ends with it.
func (m *Manager) breakEndpoint(ep *endpoint, why string) {
	ep.mu.Lock()
	v := dat.Judge(ep.live.State, dat.EvDeviceGone)
	if v.Kind == dat.End {
		m.noteEvent(&ep.object, dat.EvDeviceGone.Word(), why, applyEnd)
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
	m.withState(ep, func() { m.flushLocked(ep) })
}

// removeEndedEndpoint removes an endpoint that the engine ended from the registry.
// It waits for a write that may be under way on the endpoint and may remove it
// itself.
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
		state, detail := hw.State()
		if ia.finishReturn(losses) {
			m.noteIA(ia, "device_back", "the device is there again", state, detail)
		}
	})
}
