package rdma

import (
	"github.com/datapi/datapi/internal/dat"
)

// pump reads the reports of an adapter in order until the provider closes them.
// It never takes an operation lock and never waits for the store.
func (m *Manager) pump(ia *adapter, reports <-chan Report) {
	for r := range reports {
		if m.stopping() {
			continue
		}
		m.take(ia, r)
	}
}

// endpointReports are the reports that are events of an endpoint and nothing more.
var endpointReports = map[ReportKind]dat.Input{
	ReportPeerRejected:    dat.EvPeerRejected,
	ReportNonPeerRejected: dat.EvNonPeerRejected,
	ReportUnreachable:     dat.EvUnreachable,
	ReportAcceptFailed:    dat.EvAcceptFailed,
	ReportDisconnected:    dat.EvDisconnected,
	ReportBroken:          dat.EvBroken,
	ReportEPError:         dat.EvEPError,
}

// takers are what is done with the other reports.
var takers = map[ReportKind]func(*Manager, *adapter, Report){
	ReportRequest:     func(m *Manager, _ *adapter, r Report) { m.arrived(r) },
	ReportRequestGone: (*Manager).vanished,
	ReportEstablished: func(m *Manager, _ *adapter, r Report) { m.ofEndpoint(r, m.established) },
	ReportCompletion:  func(m *Manager, _ *adapter, r Report) { m.ofReceiver(r, m.completed) },
	ReportRecvTaken:   func(m *Manager, _ *adapter, r Report) { m.ofReceiver(r, m.taken) },
	ReportProbe:       func(m *Manager, _ *adapter, r Report) { m.ofEndpoint(r, m.probed) },
	ReportReset:       func(m *Manager, _ *adapter, r Report) { m.ofEndpoint(r, m.wasReset) },
	ReportSRQLimit:    (*Manager).srqLimit,
	ReportSRQError:    (*Manager).srqError,
	ReportEVDError:    (*Manager).evdError,
	ReportPort:        (*Manager).portChanged,
	ReportIAError:     (*Manager).iaError,
	ReportDeviceGone:  (*Manager).deviceGone,
	ReportDeviceBack:  func(m *Manager, ia *adapter, _ Report) { m.deviceBack(ia) },
}

// take does what one report asks for.
func (m *Manager) take(ia *adapter, r Report) {
	if in, ok := endpointReports[r.Kind]; ok {
		m.ofEndpoint(r, func(ep *endpoint, r Report) {
			m.reported(ep, in, happening{reason: r.Reason, detail: r.Detail, data: dat.EventData{PrivateData: r.PrivateData}})
		})
		return
	}
	if f, ok := takers[r.Kind]; ok {
		f(m, ia, r)
		return
	}
	m.log.Error("a report of an unknown kind", "ia", ia.id, "kind", r.Kind)
}

// ofEndpoint hands a report to its endpoint; one that was freed is of no interest.
func (m *Manager) ofEndpoint(r Report, f func(*endpoint, Report)) {
	if ep, ok := find[*endpoint](m, r.EP); ok {
		f(ep, r)
	}
}

// ofReceiver hands a report to its endpoint. A receive that an endpoint took from
// an SRQ before it was freed is gone from there.
func (m *Manager) ofReceiver(r Report, f func(*endpoint, Report)) {
	if ep, ok := find[*endpoint](m, r.EP); ok {
		f(ep, r)
		return
	}
	m.lost(r)
}

// lost takes a receive out of its SRQ whose completion nobody gets (T2, T39).
func (m *Manager) lost(r Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		if w, ok := s.taken(r.WR); ok {
			w.reap()
		}
	}
}

// wasReset ends the time of stale reports.
func (m *Manager) wasReset(ep *endpoint, _ Report) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.stale = max(ep.stale-1, 0)
}

// established takes T14 and T22: addresses, peer and queue pair are known now.
func (m *Manager) established(ep *endpoint, r Report) {
	var shown dat.Transport
	if hw, ok := ep.hw.get(); ok {
		ep.calls.Lock()
		shown = hw.Transport()
		ep.calls.Unlock()
	}
	peer := m.peerOf(ep, r)
	m.reported(ep, dat.EvEstablished, happening{
		reason: r.Reason, detail: r.Detail, data: dat.EventData{PrivateData: r.PrivateData},
		more: func(e *dat.Endpoint) {
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
func (m *Manager) srqLimit(ia *adapter, r Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		reason, ref := "DAT_SRQ_LOW_WATERMARK_EVENT", s.ref()
		ia.asyncEvent(dat.Event{Object: &ref, Reason: &reason})
	}
}

// srqError takes the end of an SRQ; the event names the SRQ (D23).
func (m *Manager) srqError(ia *adapter, r Report) {
	s, ok := find[*srq](m, r.SRQ)
	if !ok {
		return
	}
	reason, ref := "DAT_SRQ_TRANSFER_TO_ERROR", s.ref()
	e := m.entry(engineCall(firstOf(r.Detail, r.Reason)), &s.object, reason)
	e.Apply = edit(func(o *dat.SRQ) { o.State = dat.SRQError })
	m.note(&s.object, e)
	ia.asyncEvent(dat.Event{Object: &ref, Reason: &reason})
}

// evdError takes an error of the transport's part of an EVD.
func (m *Manager) evdError(ia *adapter, r Report) {
	if q, ok := find[*evd](m, r.EVD); ok {
		reason, ref := "DAT_EVD_OTHER_ERROR", q.ref()
		ia.asyncEvent(dat.Event{Event: dat.EventAsyncErrorEVDOverflow, Object: &ref, Reason: &reason})
	}
}

// iaError takes an error of the adapter itself.
func (m *Manager) iaError(ia *adapter, r Report) {
	ref := ia.ref()
	ia.asyncEvent(dat.Event{Event: r.Event, Object: &ref, Reason: ptr(firstOf(r.Reason, "DAT_IA_OTHER_ERROR"))})
}

// portChanged takes the state of the port into the adapter's image.
func (m *Manager) portChanged(ia *adapter, r Report) {
	hw, err := ia.device()
	if err != nil {
		return
	}
	state, detail := hw.State()
	m.noteIA(ia, "port", firstOf(r.Detail, r.Reason), state, detail)
}

func (m *Manager) noteIA(ia *adapter, cause, reason string, state dat.IAState, detail string) {
	e := m.entry(engineCall(reason), &ia.object, cause)
	e.Apply = edit(func(o *dat.IA) { o.State, o.Detail = state, ptr(detail) })
	m.note(&ia.object, e)
}
