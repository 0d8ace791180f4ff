package manager

import (
	"context"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// CreateEP is dat_ep_create, or with an SRQ dat_ep_create_with_srq (T1). Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED,
// DAT_INSUFFICIENT_RESOURCES with DAT_RESOURCE_TEP.
func (m *Manager) CreateEP(ctx context.Context, c Call, in EPCreate) (*dat.Endpoint, error) {
	return write(ctx, m, c, in.IA, createCause(in), func(u *unit) (*object, *dat.Endpoint, error) {
		return u.createEP(c, in)
	})
}

func createCause(in EPCreate) string {
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
	return finishCreation(u, c, createCause(in), ep, img, func() error { return ep.create(hw, img) })
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

func (ep *endpoint) destroy() {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	ep.hw.free()
}

// params are the provider's parameters of an image.
func (m *Manager) params(img *dat.Endpoint) (rdma.EPParams, error) {
	p := rdma.EPParams{Attributes: img.Attributes}
	var err error
	if p.PZ, err = m.zone(img.PZ); err != nil {
		return p, err
	}
	if p.RecvEVD, err = m.dispatcher(img.RecvEVD); err != nil {
		return p, err
	}
	if p.RequestEVD, err = m.dispatcher(img.RequestEVD); err != nil {
		return p, err
	}
	p.SRQ, err = m.sharedQueue(img.SRQ)
	return p, err
}

// FreeEP is dat_ep_free (T2, T3): a connection ends with it. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_STATE in RESERVED, PASSIVE_CONNECTION_PENDING
// and TENTATIVE_CONNECTION_PENDING.
func (m *Manager) FreeEP(ctx context.Context, c Call, id dat.Handle) error {
	return free(ctx, m, c, id, "dat_ep_free", func(u *unit) error { return u.freeEP(c, id, false) })
}

// freeEP ends an endpoint; unconnected asks that it be UNCONNECTED (batch).
func (u *unit) freeEP(c Call, id dat.Handle, unconnected bool) error {
	ep, err := target[*endpoint](u, dat.TypeEndpoint, id)
	if err != nil {
		return err
	}
	if err := u.match(c, &ep.object); err != nil {
		return err
	}
	now := u.live(ep)
	if v := dat.Judge(now.State, dat.OpFree); v.Kind != dat.End {
		return u.nameHolder(ep, v.Err(now.State, dat.OpFree))
	}
	if unconnected && now.State != dat.EPUnconnected {
		return errNotUnconnected(now.State)
	}
	if err := u.beginEnd(ep, nil); err != nil {
		return err
	}
	u.endEndpoint(c, ep, "dat_ep_free")
	return nil
}

// endEndpoint enters the end of an endpoint that u is ending: record, then act.
func (u *unit) endEndpoint(c Call, ep *endpoint, cause string) {
	u.add(c, &ep.object, cause, applyEnd, ep.markEnded)
	u.after = append(u.after, func() { u.m.disconnectIfOwed(ep); ep.destroy() })
}

func errNotUnconnected(s dat.EPState) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, State: &s,
		Detail: "An atomic batch frees an endpoint only while it is UNCONNECTED, because a connection cannot be undone; free it outside of the batch.",
	}
}

// holder adds to a refusal what keeps the endpoint: its RSP or its request.
func (u *unit) nameHolder(ep *endpoint, err *dat.Error) error {
	u.m.index.Range(func(_, v any) bool {
		switch o := v.(type) {
		case *request:
			if o.endpoint == ep.id {
				err.Detail += " Reject the connection request " + string(o.id) + " first."
				return false
			}
		case *servicePoint:
			if img, ok := u.image(&o.object).(*dat.RSP); ok && img.Endpoint == ep.id && !o.used.Load() {
				err.Detail += " Free the RSP " + string(o.id) + " first."
				return false
			}
		}
		return true
	})
	return err
}
