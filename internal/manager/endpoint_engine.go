package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func (ep *endpoint) engine() (rdma.EP, error) { return ep.hw.engine(&ep.object) }

// callEngine makes a call of the engine's endpoint under the lock of the calls; operation
// is its name in the metrics. The errors are those of engine and of the call.
func (ep *endpoint) callEngine(operation string, call func(rdma.EP) error) error {
	hw, err := ep.engine()
	if err != nil {
		return err
	}
	ep.calls.Lock()
	defer ep.calls.Unlock()
	return ep.m().metrics.call(operation, func() error { return call(hw) })
}

// create makes the endpoint in the engine.
func (ep *endpoint) create(hw rdma.IA, img *dat.Endpoint) error {
	params, err := ep.ia.m.params(img)
	if err != nil {
		return err
	}
	made, err := created(ep.m().metrics, "create_endpoint", func() (rdma.EP, error) { return hw.CreateEP(ep.id, params) })
	if err == nil {
		ep.hw.set(made)
	}
	return err
}

// params returns the parameters of an image for the engine. The errors are those of
// engineOf.
func (m *Manager) params(img *dat.Endpoint) (rdma.EPParams, error) {
	p := rdma.EPParams{Attributes: img.Attributes}
	var err error
	if p.PZ, err = engineOf[*pz](m, img.PZ); err != nil {
		return p, err
	}
	if p.RecvEVD, err = engineOf[*evd](m, img.RecvEVD); err != nil {
		return p, err
	}
	if p.RequestEVD, err = engineOf[*evd](m, img.RequestEVD); err != nil {
		return p, err
	}
	p.SRQ, err = engineOf[*srq](m, img.SRQ)
	return p, err
}

func (ep *endpoint) destroy() {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	ep.hw.free(&ep.object, "")
}

func (ep *endpoint) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, ep.create(hw, ep.snapshot())
}

func (ep *endpoint) dropPart(why string) {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	ep.hw.free(&ep.object, why)
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.unreportedResets = 0
}

// withState runs f with the state lock held, and afterwards disconnects in the
// engine if a move in f asks for that.
func (m *Manager) withState(ep *endpoint, f func()) {
	ep.mu.Lock()
	f()
	ep.mu.Unlock()
	m.disconnectIfOwed(ep)
}

// disconnectIfOwed does in the engine what a move to DISCONNECTED asks for: it
// tears the connection down and flushes what is outstanding. Everything that moves
// an endpoint calls it afterwards, without a state lock. disconnectOwed is cleared
// under the lock of the calls, so that no later call of the engine can overtake the
// disconnect.
func (m *Manager) disconnectIfOwed(ep *endpoint) {
	ep.mu.Lock()
	owed, orphaned := ep.disconnectOwed, ep.orphanedBinds
	ep.orphanedBinds = nil
	ep.mu.Unlock()
	for _, b := range orphaned {
		m.completeBind(b, rdma.Report{Status: dat.DTOErrFlushed})
	}
	if !owed {
		return
	}
	ep.calls.Lock()
	m.disconnectIfOwedUnderCalls(ep)
	ep.calls.Unlock()
}

// disconnectIfOwedUnderCalls is disconnectIfOwed with the lock of the calls held.
func (m *Manager) disconnectIfOwedUnderCalls(ep *endpoint) {
	ep.mu.Lock()
	owed := ep.disconnectOwed
	ep.disconnectOwed = false
	ep.mu.Unlock()
	if !owed {
		return
	}
	if hw, err := ep.engine(); err == nil {
		m.metrics.does("disconnect", hw.Disconnect)
		return
	}
	ep.mu.Lock()
	m.flushLocked(ep)
	ep.mu.Unlock()
}
