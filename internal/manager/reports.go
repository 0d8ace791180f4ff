package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pump handles the reports of an adapter in order until the provider closes them.
// It never takes an operation lock and never waits for the store.
func (m *Manager) pump(ia *adapter, reports <-chan rdma.Report) {
	for r := range reports {
		if m.stopping() {
			continue
		}
		m.handleReport(ia, r)
	}
}

// endpointReports are the kinds of reports that are events of an endpoint and
// nothing more.
var endpointReports = map[rdma.ReportKind]dat.Input{
	rdma.ReportPeerRejected:    dat.EvPeerRejected,
	rdma.ReportNonPeerRejected: dat.EvNonPeerRejected,
	rdma.ReportUnreachable:     dat.EvUnreachable,
	rdma.ReportAcceptFailed:    dat.EvAcceptFailed,
	rdma.ReportDisconnected:    dat.EvDisconnected,
	rdma.ReportBroken:          dat.EvBroken,
	rdma.ReportEPError:         dat.EvEPError,
}

// reportHandlers handle all other kinds of reports.
var reportHandlers = map[rdma.ReportKind]func(*Manager, *adapter, rdma.Report){
	rdma.ReportRequest:      func(m *Manager, _ *adapter, r rdma.Report) { m.handleRequest(r) },
	rdma.ReportRequestGone:  (*Manager).handleRequestGone,
	rdma.ReportEstablished:  func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleEstablished) },
	rdma.ReportCompletion:   func(m *Manager, _ *adapter, r rdma.Report) { m.toReceiver(r, m.handleCompletion) },
	rdma.ReportSolicited:    func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleSolicited) },
	rdma.ReportRecvTaken:    func(m *Manager, _ *adapter, r rdma.Report) { m.toReceiver(r, m.handleRecvTaken) },
	rdma.ReportProbe:        func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleProbe) },
	rdma.ReportReset:        func(m *Manager, _ *adapter, r rdma.Report) { m.toEndpoint(r, m.handleReset) },
	rdma.ReportSRQLimit:     (*Manager).handleSRQLimit,
	rdma.ReportSRQError:     (*Manager).handleSRQError,
	rdma.ReportEVDError:     (*Manager).handleEVDError,
	rdma.ReportPort:         (*Manager).handlePort,
	rdma.ReportIAError:      (*Manager).handleIAError,
	rdma.ReportNotListening: (*Manager).handleNotListening,
	rdma.ReportDeviceGone:   (*Manager).handleDeviceGone,
	rdma.ReportDeviceBack:   func(m *Manager, ia *adapter, _ rdma.Report) { m.startReturn(ia) },
}

// handleReport handles one report of an adapter.
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

// toEndpoint hands a report to its endpoint. A report about an endpoint that was
// freed is dropped.
func (m *Manager) toEndpoint(r rdma.Report, f func(*endpoint, rdma.Report)) {
	if ep, ok := find[*endpoint](m, r.EP); ok {
		f(ep, r)
	}
}

// toReceiver is toEndpoint for a report that may be about a receive of an SRQ: if
// the endpoint was freed, the receive leaves the SRQ.
func (m *Manager) toReceiver(r rdma.Report, f func(*endpoint, rdma.Report)) {
	if ep, ok := find[*endpoint](m, r.EP); ok {
		f(ep, r)
		return
	}
	m.dropReceive(r)
}

// dropReceive removes from its SRQ a receive whose completion nobody will get (T2,
// T39).
func (m *Manager) dropReceive(r rdma.Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		if w, ok := s.take(r.WR); ok {
			w.reap()
		}
	}
}
