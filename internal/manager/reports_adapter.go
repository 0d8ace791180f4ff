package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// handlePort handles ReportPort: the adapter's image shows the new state of the port and
// the attributes that changed.
func (m *Manager) handlePort(ia *adapter, r rdma.Report) {
	ia.noting.Lock()
	defer ia.noting.Unlock()
	if hw, err := ia.usableDevice(); err == nil {
		m.noteIA(ia, hw, "port", cmp.Or(r.Detail, r.Reason))
	}
}

// handleIAError handles ReportIAError, an error of the adapter itself.
func (m *Manager) handleIAError(ia *adapter, r rdma.Report) {
	ia.asyncEvent(&ia.object, r.Event, cmp.Or(r.Reason, "DAT_IA_OTHER_ERROR"))
}

// handleSRQLimit handles ReportSRQLimit: fewer receives are left on an SRQ than its
// low watermark. DAT has a reason for that and no event number.
func (m *Manager) handleSRQLimit(ia *adapter, r rdma.Report) {
	if s, ok := find[*srq](m, r.SRQ); ok {
		ia.metrics.srqLow.Inc()
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

// handleNotListening handles ReportNotListening, which an operator should know: peers that
// connect to that address reach another program, or nobody.
func (m *Manager) handleNotListening(ia *adapter, r rdma.Report) {
	if sp, ok := find[*servicePoint](m, r.SP); ok {
		m.log.Warn("a service point does not listen on an address of its adapter", "service_point", sp.id, "ia", ia.id,
			"address", r.LocalAddress, "qualifier", r.LocalQual, "cause", cmp.Or(r.Detail, r.Reason))
	}
}
