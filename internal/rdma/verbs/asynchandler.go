//go:build verbs

package verbs

import "github.com/datapi/datapi/internal/rdma"

// handleAsyncEvent takes one asynchronous event of a device to the adapters that it
// concerns.
func (p *Provider) handleAsyncEvent(name string, ctx verbsContext) error {
	e, err := ctx.asyncEvent()
	if err != nil {
		return err
	}
	if e.kind == asyncDeviceFatal {
		p.deviceGone(name)
		return nil
	}
	p.dispatchAsync(name, e)
	return nil
}

// dispatchAsync takes an event of a device to its adapters. One about a QP, CQ or SRQ
// concerns the adapter that has it alone: keys are unique within the provider.
func (p *Provider) dispatchAsync(name string, e asyncEvent) {
	for _, a := range p.adaptersOf(name) {
		a.handleAsync(e)
	}
}

// asyncHandlers do what each action says; r is the report that asyncReport has for
// it. An action without a handler does nothing.
var asyncHandlers = map[asyncAction]func(a *adapter, h *hardware, e asyncEvent, r rdma.Report){
	asyncBreakEP:    (*adapter).breakEP,
	asyncNotifyEP:   (*adapter).notifyEP,
	asyncLastTaken:  (*adapter).takeLast,
	asyncEVDError:   (*adapter).reportEVD,
	asyncSRQFails:   (*adapter).reportSRQ,
	asyncSRQLimit:   (*adapter).reportSRQ,
	asyncPort:       func(a *adapter, h *hardware, _ asyncEvent, r rdma.Report) { a.reportPort(h, r.Reason) },
	asyncAttributes: func(a *adapter, _ *hardware, _ asyncEvent, r rdma.Report) { a.p.requestRefresh(r.Reason) },
}

// handleAsync takes an event of the device that is about this port or one of its objects.
func (a *adapter) handleAsync(e asyncEvent) {
	h, err := a.hardware()
	if err != nil || e.kind < 0 || e.kind >= len(asyncTable) || e.port != 0 && e.port != a.port {
		return
	}
	row := asyncTable[e.kind]
	if handle := asyncHandlers[row.action]; handle != nil {
		handle(a, h, e, rdma.Report{Kind: asyncReport[row.action], Event: row.event, Reason: row.name})
	}
}

// connOf returns the connection whose QP the event is about, nil if it is over.
func (h *hardware) connOf(e asyncEvent) *conn {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.connsByKey[e.key]
}

func (a *adapter) breakEP(h *hardware, e asyncEvent, r rdma.Report) {
	if c := h.connOf(e); c != nil {
		h.startTask(func() { c.end(r.Kind, r.Reason, "The adapter reports an error of the endpoint's queue pair.") })
	}
}

func (a *adapter) notifyEP(h *hardware, e asyncEvent, _ rdma.Report) {
	if c := h.connOf(e); c != nil {
		c.commEstablished()
	}
}

func (a *adapter) takeLast(h *hardware, e asyncEvent, _ rdma.Report) {
	if c := h.connOf(e); c != nil {
		c.takeLast()
	}
}

func (a *adapter) reportEVD(h *hardware, e asyncEvent, r rdma.Report) {
	h.mu.RLock()
	q := h.cqs[e.key]
	h.mu.RUnlock()
	if q != nil {
		r.EVD = q.evd
		a.reports.Put(r)
	}
}

func (a *adapter) reportSRQ(h *hardware, e asyncEvent, r rdma.Report) {
	h.mu.RLock()
	s := h.srqs[e.key]
	h.mu.RUnlock()
	if s != nil {
		r.SRQ = s.id
		a.reports.Put(r)
	}
}
