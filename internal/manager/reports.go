package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pump reads the reports of an adapter in order until the provider closes them.
// It never takes an operation lock and never waits for the store.
func (m *Manager) pump(ia *adapter, reports <-chan rdma.Report) {
	for r := range reports {
		if m.stopping() {
			continue
		}
		m.handleReport(ia, r)
	}
}

// endpointReports are the reports that are events of an endpoint and nothing more.
var endpointReports = map[rdma.ReportKind]dat.Input{
	rdma.ReportPeerRejected:    dat.EvPeerRejected,
	rdma.ReportNonPeerRejected: dat.EvNonPeerRejected,
	rdma.ReportUnreachable:     dat.EvUnreachable,
	rdma.ReportAcceptFailed:    dat.EvAcceptFailed,
	rdma.ReportDisconnected:    dat.EvDisconnected,
	rdma.ReportBroken:          dat.EvBroken,
	rdma.ReportEPError:         dat.EvEPError,
}

// takers are what is done with the other reports.
var reportHandlers = map[rdma.ReportKind]func(*Manager, *adapter, rdma.Report){
	rdma.ReportRequest:     func(m *Manager, _ *adapter, r rdma.Report) { m.handleRequest(r) },
	rdma.ReportRequestGone: (*Manager).handleRequestGone,
	rdma.ReportEstablished: func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleEstablished) },
	rdma.ReportCompletion:  func(m *Manager, _ *adapter, r rdma.Report) { m.toReceiver(r, m.handleCompletion) },
	rdma.ReportRecvTaken:   func(m *Manager, _ *adapter, r rdma.Report) { m.toReceiver(r, m.handleRecvTaken) },
	rdma.ReportProbe:       func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleProbe) },
	rdma.ReportReset:       func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleReset) },
	rdma.ReportSRQLimit:    (*Manager).handleSRQLimit,
	rdma.ReportSRQError:    (*Manager).handleSRQError,
	rdma.ReportEVDError:    (*Manager).handleEVDError,
	rdma.ReportPort:        (*Manager).handlePort,
	rdma.ReportIAError:     (*Manager).handleIAError,
	rdma.ReportDeviceGone:  (*Manager).handleDeviceGone,
	rdma.ReportDeviceBack:  func(m *Manager, ia *adapter, _ rdma.Report) { m.startReturn(ia) },
}

// take does what one report asks for.
func (m *Manager) handleReport(ia *adapter, r rdma.Report) {
	if in, ok := endpointReports[r.Kind]; ok {
		m.toEndpoint(r, func(ep *endpoint, r rdma.Report) {
			m.handleReportedEvent(ep, in, eventDetails{reason: r.Reason, detail: r.Detail, data: dat.EventData{PrivateData: r.PrivateData}})
		})
		return
	}
	if f, ok := reportHandlers[r.Kind]; ok {
		f(m, ia, r)
		return
	}
	m.log.Error("a report of an unknown kind", "ia", ia.id, "kind", r.Kind)
}

// ofEndpoint hands a report to its endpoint; one that was freed is of no interest.
func (m *Manager) toEndpoint(r rdma.Report, f func(*endpoint, rdma.Report)) {
	if ep, ok := find[*endpoint](m, r.EP); ok {
		f(ep, r)
	}
}

// ofReceiver hands a report to its endpoint. A receive that an endpoint took from
// an SRQ before it was freed is gone from there.
func (m *Manager) toReceiver(r rdma.Report, f func(*endpoint, rdma.Report)) {
	if ep, ok := find[*endpoint](m, r.EP); ok {
		f(ep, r)
		return
	}
	m.dropReceive(r)
}

// lost takes a receive out of its SRQ whose completion nobody gets (T2, T39).
func (m *Manager) dropReceive(r rdma.Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		if w, ok := s.take(r.WR); ok {
			w.reap()
		}
	}
}

// wasReset ends the time of stale reports.
func (m *Manager) handleReset(ep *endpoint, _ rdma.Report) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.unreportedResets = max(ep.unreportedResets-1, 0)
}

// established takes T14 and T22: addresses, peer and queue pair are known now.
func (m *Manager) handleEstablished(ep *endpoint, r rdma.Report) {
	var shown dat.Transport
	if hw, ok := ep.hw.get(); ok {
		ep.calls.Lock()
		shown = hw.Transport()
		ep.calls.Unlock()
	}
	peer := m.peerOf(ep, r)
	m.handleReportedEvent(ep, dat.EvEstablished, eventDetails{
		reason: r.Reason, detail: r.Detail, data: dat.EventData{PrivateData: r.PrivateData},
		change: func(e *dat.Endpoint) {
			e.Transport = shown
			if r.LocalQual != 0 {
				e.LocalPortQual = ptr(r.LocalQual)
			}
			if r.RemoteAddress != "" {
				e.RemoteIAAddress = ptr(r.RemoteAddress)
			}
			if r.RemoteQual != 0 {
				e.RemotePortQual = ptr(r.RemoteQual)
			}
			p := *peer
			p.IAAddress, p.PortQual = e.RemoteIAAddress, e.RemotePortQual
			e.Peer = &p
		},
	})
}

// srqLimit takes the low watermark of an SRQ, which DAT numbers as a reason only.
func (m *Manager) handleSRQLimit(ia *adapter, r rdma.Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		reason, ref := "DAT_SRQ_LOW_WATERMARK_EVENT", s.ref()
		ia.asyncEvent(dat.Event{Object: &ref, Reason: &reason})
	}
}

// srqError takes the end of an SRQ; the event names the SRQ (D23).
func (m *Manager) handleSRQError(ia *adapter, r rdma.Report) {
	s, ok := find[*srq](m, r.SRQ)
	if !ok {
		return
	}
	reason, ref := "DAT_SRQ_TRANSFER_TO_ERROR", s.ref()
	e := m.newEntry(engineCall(firstOf(r.Detail, r.Reason)), &s.object, reason)
	e.Apply = applyChange(func(o *dat.SRQ) { o.State = dat.SRQError })
	m.note(&s.object, e)
	ia.asyncEvent(dat.Event{Object: &ref, Reason: &reason})
}

// evdError takes an error of the transport's part of an EVD.
func (m *Manager) handleEVDError(ia *adapter, r rdma.Report) {
	if d, ok := find[*evd](m, r.EVD); ok {
		reason, ref := "DAT_EVD_OTHER_ERROR", d.ref()
		ia.asyncEvent(dat.Event{Event: dat.EventAsyncErrorEVDOverflow, Object: &ref, Reason: &reason})
	}
}

// iaError takes an error of the adapter itself.
func (m *Manager) handleIAError(ia *adapter, r rdma.Report) {
	ref := ia.ref()
	ia.asyncEvent(dat.Event{Event: r.Event, Object: &ref, Reason: ptr(firstOf(r.Reason, "DAT_IA_OTHER_ERROR"))})
}

// portChanged takes the state of the port into the adapter's image.
func (m *Manager) handlePort(ia *adapter, r rdma.Report) {
	hw, err := ia.usableDevice()
	if err != nil {
		return
	}
	state, detail := hw.State()
	m.noteIA(ia, "port", firstOf(r.Detail, r.Reason), state, detail)
}

func (m *Manager) noteIA(ia *adapter, cause, reason string, state dat.IAState, detail string) {
	e := m.newEntry(engineCall(reason), &ia.object, cause)
	e.Apply = applyChange(func(o *dat.IA) { o.State, o.Detail = state, ptr(detail) })
	m.note(&ia.object, e)
}
