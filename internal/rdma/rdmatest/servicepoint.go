package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// servicePoint is a PSP or an RSP with its EVD.
type servicePoint struct {
	w    *World
	ia   dat.Handle
	id   dat.Handle
	evd  dat.Handle
	qual int64
}

// listen creates a PSP on any qualifier.
func (w *World) listen(ia dat.Handle, creator dat.PSPFlag) *servicePoint {
	w.Helper()
	p := &servicePoint{w: w, ia: ia, evd: w.evd(ia, dat.StreamCR)}
	o, err := w.M.CreatePSP(w.ctx, call, manager.PSPCreate{IA: ia, EVD: p.evd, EPCreator: creator})
	o = created(w, o, err)
	p.id, p.qual = o.ID, int64(o.ConnQual)
	return p
}

// tryPSP asks for a PSP on a qualifier; nil is any.
func (w *World) tryPSP(ia dat.Handle, qual *int64, evd dat.Handle) error {
	_, err := w.M.CreatePSP(w.ctx, call, manager.PSPCreate{IA: ia, ConnQual: qual, EVD: evd})
	return err
}

// reserve creates an RSP for an endpoint, on a qualifier that was free a moment ago.
func (w *World) reserve(e *endpoint) *servicePoint {
	w.Helper()
	probe := w.listen(e.ia, dat.PSPConsumer)
	w.must(w.M.FreePSP(w.ctx, call, probe.id))
	p := &servicePoint{w: w, ia: e.ia, evd: probe.evd, qual: probe.qual}
	o, err := w.M.CreateRSP(w.ctx, call, manager.RSPCreate{IA: e.ia, ConnQual: p.qual, Endpoint: e.id, EVD: p.evd})
	p.id = created(w, o, err).ID
	return p
}

// tryRSP asks for an RSP on a qualifier that is free.
func (w *World) tryRSP(c manager.Call, ia, ep dat.Handle) error {
	p := w.listen(ia, dat.PSPConsumer)
	w.must(w.M.FreePSP(w.ctx, call, p.id))
	_, err := w.M.CreateRSP(w.ctx, c, manager.RSPCreate{IA: ia, ConnQual: p.qual, Endpoint: ep, EVD: p.evd})
	return err
}

// connectInput is a connect to the service point.
func (p *servicePoint) connectInput() manager.EPConnect {
	return manager.EPConnect{RemoteIAAddress: p.w.address(p.ia), RemotePortQual: p.qual}
}

// nextRequest waits for the next connection request at the service point.
func (p *servicePoint) nextRequest() *dat.CR {
	p.w.Helper()
	got := p.w.takeEvent(p.evd, dat.EventConnectionRequest)
	var o dat.Object
	p.w.await("the request of the event is recorded", func() (ok bool) {
		o, ok = p.w.M.Get(dat.TypeCR, got.Data.CR)
		return ok
	})
	return o.(*dat.CR)
}

// accept accepts a request with e, or with the request's own endpoint where e is nil.
func (w *World) accept(cr *dat.CR, e *endpoint) {
	w.Helper()
	in := manager.CRAccept{}
	if e != nil {
		in.Endpoint = e.id
	}
	_, err := w.M.AcceptCR(w.ctx, call, cr.ID, in)
	w.must(err)
}
