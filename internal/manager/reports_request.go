package manager

import (
	"cmp"
	"maps"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// handleRequest handles ReportRequest, a connection request that came to a service
// point (T8–T11). A request that no consumer can be told of is rejected.
func (m *Manager) handleRequest(r rdma.Report) {
	sp, ok := find[*servicePoint](m, r.SP)
	if ok && sp.addEarlyRequest(r) {
		return
	}
	if !ok || sp.recorded() == nil || !m.admitRequest(sp, r) {
		m.metrics.does("reject", func() { r.Request.Reject(false, nil) })
	}
}

// admitRequest registers a request, and the endpoint that comes with it, and posts
// its event. If it reports false, nothing of the request is left.
func (m *Manager) admitRequest(sp *servicePoint, r rdma.Report) bool {
	ia := sp.ia
	req := &request{object: newObject(ia, dat.TypeCR, newID()), hw: r.Request, privateData: r.PrivateData}
	img := &dat.CR{
		Meta: req.meta("", labelsOf(sp)), ConnQual: r.LocalQual, RemoteIAAddress: optional(r.RemoteAddress),
		RemotePortQual: optional(r.RemoteQual), PrivateDataSize: int32(len(r.PrivateData)),
	}
	switch at := sp.recorded().(type) {
	case *dat.PSP:
		img.PSP = at.ID
		if at.EPCreator == dat.PSPProvider {
			return m.admitTentative(sp, at, req, img, r)
		}
		return m.registerRequest(req, img, func() bool { return m.postRequestEvent(at.EVD, req, img, r) })
	case *dat.RSP:
		img.RSP, img.Endpoint, req.endpoint = at.ID, at.Endpoint, at.Endpoint
		return m.registerRequest(req, img, func() bool { return m.admitReserved(sp, at, req, img, r) })
	}
	return false
}

// labelsOf returns the labels of a service point, which what it brings begins with: whoever may use the service point may
// use that.
func labelsOf(sp *servicePoint) map[string]string { return maps.Clone(sp.recorded().Head().Labels) }

// admitReserved moves the endpoint of an RSP to PASSIVE_CONNECTION_PENDING (T8) and
// posts the event of its request. It reports false for a second request, which
// finds the endpoint in that state (T9).
func (m *Manager) admitReserved(sp *servicePoint, at *dat.RSP, req *request, img *dat.CR, r rdma.Report) bool {
	ep, ok := find[*endpoint](m, at.Endpoint)
	if !ok || sp.used.Load() {
		return false
	}
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if dat.Judge(ep.live.State, dat.EvRequest).Kind != dat.Move || !m.postRequestEvent(at.EVD, req, img, r) {
		return false
	}
	sp.used.Store(true)
	m.handleEventLocked(ep, dat.EvRequest, eventDetails{reason: r.Reason, detail: r.Detail, change: func(e *dat.Endpoint) {
		e.LocalIAAddress = cmp.Or(optional(r.LocalAddress), e.LocalIAAddress)
		e.RemoteIAAddress, e.RemotePortQual, e.LocalPortQual = optional(r.RemoteAddress), optional(r.RemoteQual), optional(r.LocalQual)
	}})
	return true
}

// admitTentative makes the endpoint of a request to a PROVIDER service point (T10):
// its PZ and EVDs are null, its attributes those of the request as far as that
// carries them. It reports as admitRequest.
func (m *Manager) admitTentative(sp *servicePoint, at *dat.PSP, req *request, img *dat.CR, r rdma.Report) bool {
	ia := sp.ia
	hw, err := ia.usableDevice()
	if err != nil {
		return false
	}
	ep := newEndpoint(ia, newID())
	e := &dat.Endpoint{Meta: ep.meta("", labelsOf(sp)), State: dat.EPTentativeConnectionPending, Attributes: dat.DefaultEPAttributes(ia.facts.Load())}
	if r.Attributes != nil {
		e.Attributes = r.Attributes.Clone()
	}
	ia.endpointDefaults(nil).Apply(&e.Attributes)
	e.Watermarks, _ = e.Watermarks.Set(dat.WatermarkInfinite, dat.WatermarkInfinite, 0, false)
	e.LocalIAAddress = cmp.Or(optional(r.LocalAddress), ia.facts.Load().Attributes.IAAddress)
	e.RemoteIAAddress, e.RemotePortQual = optional(r.RemoteAddress), optional(r.RemoteQual)
	e.LocalPortQual = optional(r.LocalQual)
	ep.live = e
	ia.mu.Lock()
	refusal := ia.admitLocked(nil, ep, e)
	ia.mu.Unlock()
	if refusal != nil {
		m.log.Warn("a request is rejected", "psp", sp.id, "error", refusal)
		return false
	}
	if err := ep.create(hw, e); err != nil {
		m.log.Warn("a request is rejected", "psp", sp.id, "error", err)
		m.remove(ep)
		return false
	}
	ep.unrecorded.add()
	defer ep.unrecorded.done()
	ep.publishEarly(e)
	img.Endpoint, req.endpoint = ep.id, ep.id
	if !m.registerRequest(req, img, func() bool { return m.postRequestEvent(at.EVD, req, img, r) }) {
		ep.destroy()
		m.remove(ep)
		return false
	}
	m.noteEvent(&ep.object, dat.EvRequest.String(), "made for the connection request "+string(req.id), applyCreate(e))
	return true
}

// registerRequest registers a request and calls postEvent to tell the consumer; if
// that reports false, the request is removed again. The request counts as
// unrecorded throughout, so that an accept that comes immediately waits for its
// record.
func (m *Manager) registerRequest(req *request, img *dat.CR, tell func() bool) bool {
	req.unrecorded.add()
	defer req.unrecorded.done()
	req.publishEarly(img)
	ia := req.ia
	ia.mu.Lock()
	ia.registerLocked(req, stepAppear, nil)
	ia.requests[req.hw] = req
	ia.mu.Unlock()
	if !tell() {
		m.remove(req)
		return false
	}
	return true
}

// postRequestEvent posts the event of a request and notes the request. It reports
// false if the EVD has no room. The endpoint's state lock may be held.
func (m *Manager) postRequestEvent(evd dat.Handle, req *request, img *dat.CR, r rdma.Report) bool {
	qual := img.ConnQual
	ref := req.ref()
	ev := dat.Event{
		Event: dat.EventConnectionRequest, Stream: dat.StreamCR, Endpoint: img.Endpoint, Object: &ref, Reason: optional(r.Reason),
		Data: dat.EventData{CR: req.id, ConnQual: &qual, PrivateData: r.PrivateData},
	}
	if !m.emit(evd, queued{ev: ev, notification: true}) {
		return false
	}
	m.noteEvent(&req.object, dat.EvRequest.String(), r.Detail, applyCreate(img))
	return true
}

// handleRequestGone handles ReportRequestGone: the peer of a waiting request
// vanished. The request stays, and accepting it will fail (T46, T15).
func (m *Manager) handleRequestGone(ia *adapter, r rdma.Report) {
	ia.mu.Lock()
	req := ia.requests[r.Request]
	if req != nil {
		req.peerGone = true
	}
	ia.mu.Unlock()
	if req == nil {
		return
	}
	detail := cmp.Or(r.Detail, "the peer of the connection request vanished")
	if ep, ok := find[*endpoint](m, req.endpoint); ok {
		m.handleEvent(ep, dat.EvRequestGone, eventDetails{reason: r.Reason, detail: detail})
		return
	}
	m.noteEvent(&req.object, dat.EvRequestGone.String(), detail, applyChange(func(*dat.CR) {}))
}
