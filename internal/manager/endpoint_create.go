package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// CreateEP is dat_ep_create, or with an SRQ dat_ep_create_with_srq (T1). Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED,
// DAT_INSUFFICIENT_RESOURCES with DAT_RESOURCE_TEP.
func (m *Manager) CreateEP(ctx context.Context, c Call, in EPCreate) (*dat.Endpoint, error) {
	return write(ctx, m, c, in.IA, in.cause(), func(u *unit) (*object, *dat.Endpoint, error) {
		return u.createEP(c, in)
	})
}

func (in EPCreate) cause() string {
	if in.SRQ != dat.HandleNull {
		return "dat_ep_create_with_srq"
	}
	return "dat_ep_create"
}

func (u *unit) createEP(c Call, in EPCreate) (*object, *dat.Endpoint, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	if err := checkProbe(in.Probe); err != nil {
		return nil, nil, err
	}
	ep := newEndpoint(ia, newID())
	made, err := u.admit(ia, ep, func(handles resolver) (dat.Object, *dat.Error) {
		e, err := dat.CheckEPCreate(in.Values, in.SRQ, &ia.facts, handles)
		if err != nil {
			return nil, err
		}
		e.Meta = ep.meta(in.Name, in.Labels)
		e.LocalIAAddress, e.Probe = ia.facts.Attributes.IAAddress, in.Probe
		ep.live = e
		return e, nil
	})
	if err != nil {
		return nil, nil, err
	}
	img := made.(*dat.Endpoint)
	return finishCreation(u, c, in.cause(), ep, img, func() error { return ep.create(hw, img) })
}

// make gives the endpoint its part of the provider.
func (ep *endpoint) create(hw rdma.IA, img *dat.Endpoint) error {
	params, err := ep.ia.m.params(img)
	if err != nil {
		return err
	}
	made, err := hw.CreateEP(ep.id, params)
	if err == nil {
		ep.hw.set(made)
	}
	return err
}

// params are the provider's parameters of an image.
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
	ep.hw.free()
}

func (ep *endpoint) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, ep.create(hw, ep.snapshot())
}

func (ep *endpoint) dropPart(why string) {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	ep.hw.take(why)
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.unreportedResets = 0
}

func (ep *endpoint) engine() (rdma.EP, error) { return ep.hw.engine(&ep.object) }

// callEngine makes a call of the engine's endpoint under the lock of the calls. The
// errors are those of engine and of the call.
func (ep *endpoint) callEngine(call func(rdma.EP) error) error {
	hw, err := ep.engine()
	if err != nil {
		return err
	}
	ep.calls.Lock()
	defer ep.calls.Unlock()
	return call(hw)
}
