package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// handleDeviceGone handles ReportDeviceGone (T48): connections break, requests end,
// everything else stays and waits for the return of the device.
func (m *Manager) handleDeviceGone(ia *adapter, r rdma.Report) {
	if !ia.markDeviceGone() {
		return
	}
	why := cmp.Or(r.Detail, deviceGoneDetail)
	ia.noting.Lock()
	m.noteEvent(&ia.object, "device_gone", why, applyChange(func(o *dat.IA) { o.State, o.Detail = dat.IAGone, optional(why) }))
	ia.noting.Unlock()
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
