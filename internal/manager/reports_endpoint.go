package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// handleReportedEvent handles a report that is an event of an endpoint. Until the
// engine has reported a reset, its reports are about the connection before the
// reset and are dropped.
func (m *Manager) handleReportedEvent(ep *endpoint, in dat.Input, details eventDetails) {
	m.withState(ep, func() {
		if ep.unreportedResets == 0 {
			m.handleEventLocked(ep, in, details)
		}
	})
}

// handleEstablished handles ReportEstablished (T14, T22): addresses, peer and queue
// pair are known now.
func (m *Manager) handleEstablished(ep *endpoint, r rdma.Report) {
	var transport dat.Transport
	if hw, ok := ep.hw.get(); ok {
		ep.calls.Lock()
		transport = hw.Transport()
		ep.calls.Unlock()
	}
	peer := m.peerOf(ep, r)
	m.handleReportedEvent(ep, dat.EvEstablished, eventDetails{
		reason: r.Reason, detail: r.Detail, data: dat.EventData{PrivateData: r.PrivateData},
		change: func(e *dat.Endpoint) {
			e.Transport = transport
			e.LocalIAAddress = cmp.Or(optional(r.LocalAddress), e.LocalIAAddress)
			e.LocalPortQual = cmp.Or(optional(r.LocalQual), e.LocalPortQual)
			e.RemoteIAAddress = cmp.Or(optional(r.RemoteAddress), e.RemoteIAAddress)
			e.RemotePortQual = cmp.Or(optional(r.RemoteQual), e.RemotePortQual)
			p := *peer
			p.IAAddress, p.PortQual = e.RemoteIAAddress, e.RemotePortQual
			e.Peer = &p
		},
	})
}

// handleReset handles ReportReset: what is reported after it is about the new
// connection.
func (m *Manager) handleReset(ep *endpoint, _ rdma.Report) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.unreportedResets = max(ep.unreportedResets-1, 0)
}

// handleCompletion handles ReportCompletion: the DTO is no longer outstanding (S2,
// S3), the consumer gets its event unless that was suppressed, and a failure other
// than a flush breaks the connection (T37).
func (m *Manager) handleCompletion(ep *endpoint, r rdma.Report) {
	ep.mu.Lock()
	if ep.unreportedResets > 0 || ep.hasEnded() {
		if r.SRQ == dat.HandleNull {
			r.SRQ = ep.live.SRQ
		}
		ep.mu.Unlock()
		m.dropReceive(r)
		return
	}
	w, ok := ep.takeWorkLocked(r)
	ep.mu.Unlock()
	if !ok {
		m.log.Debug("a completion of no outstanding work request", "endpoint", ep.id, "wr", r.WR)
		return
	}
	if w.bind != nil {
		m.completeBind(w.bind, r)
	}
	m.withState(ep, func() { m.completeLocked(ep, w, r) })
}

// handleSolicited handles ReportSolicited: the completion of the endpoint's last receive is
// a notification after all.
func (m *Manager) handleSolicited(ep *endpoint, _ rdma.Report) {
	ep.mu.Lock()
	recvEVD, over := ep.live.RecvEVD, ep.unreportedResets > 0 || ep.hasEnded()
	ep.mu.Unlock()
	if d, ok := find[*evd](m, recvEVD); ok && !over {
		d.queue.notifyLastReceive(ep.id)
	}
}

// handleRecvTaken handles ReportRecvTaken: an endpoint took a receive from its SRQ,
// and it counts among the endpoint's own from now on (W9).
func (m *Manager) handleRecvTaken(ep *endpoint, r rdma.Report) {
	s, ok := find[*srq](m, r.SRQ)
	if !ok {
		return
	}
	m.withState(ep, func() {
		if ep.unreportedResets > 0 || ep.hasEnded() {
			m.dropReceive(r)
		} else if w, ok := s.take(r.WR); ok {
			ep.recvs[r.WR] = w
			m.judgeWatermarksLocked(ep, len(ep.recvs))
		}
	})
}

// handleProbe handles ReportProbe, the outcome of a liveness probe: proof of life,
// or the end of the connection.
func (m *Manager) handleProbe(ep *endpoint, r rdma.Report) {
	m.withState(ep, func() {
		if ep.unreportedResets > 0 || ep.hasEnded() {
			return
		}
		ep.probing = false
		switch r.Status {
		case dat.DTOSuccess:
			ep.lastProofOfLife = new(now())
		case dat.DTOErrFlushed:
		default:
			m.handleEventLocked(ep, dat.EvBroken, eventDetails{
				reason: r.Status.String(), detail: cmp.Or(r.Detail, "the liveness probe failed with "+r.Status.String()), derived: true,
			})
		}
	})
}
