package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
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
		e, err := dat.CheckEPCreate(ia.endpointDefaults(u).Values(in.Values), in.SRQ, ia.facts.Load(), handles)
		if err != nil {
			return nil, err
		}
		e.Meta = ep.meta(in.Name, in.Labels)
		e.Probe = in.Probe
		ep.live = e
		return e, nil
	})
	if err != nil {
		return nil, nil, err
	}
	img := made.(*dat.Endpoint)
	return finishCreation(u, c, in.cause(), ep, img, func() error { return ep.create(hw, img) })
}

// FreeEP is dat_ep_free (T2, T3): a connection ends with it. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_STATE in RESERVED, PASSIVE_CONNECTION_PENDING and
// TENTATIVE_CONNECTION_PENDING.
func (m *Manager) FreeEP(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeEndpoint, id)
}

// freeEP judges the free of an endpoint and enters it. In a batch the endpoint must
// be UNCONNECTED.
func (u *unit) freeEP(c Call, cause string, id dat.Handle) error {
	ep, err := target[*endpoint](u, c, dat.TypeEndpoint, id)
	if err != nil {
		return err
	}
	before := u.live(ep)
	if v := dat.Judge(before.State, dat.OpFree); v.Kind != dat.End {
		return u.nameHolder(ep, v.Err(before.State, dat.OpFree))
	}
	if u.batch && before.State != dat.EPUnconnected {
		return errNotUnconnected(before.State)
	}
	if err := u.beginEnd(ep); err != nil {
		return err
	}
	u.endEndpoint(c, cause, ep)
	return nil
}

// nameHolder adds to a refusal what holds the endpoint: its RSP or its connection
// request.
func (u *unit) nameHolder(ep *endpoint, err *dat.Error) error {
	u.m.index.Range(func(_, v any) bool {
		switch o := v.(type) {
		case *request:
			if o.endpoint == ep.id && u.holds(&o.object) {
				err.Detail += " Reject the connection request " + string(o.id) + " first."
				return false
			}
		case *servicePoint:
			if img, ok := u.image(&o.object).(*dat.RSP); ok && img.Endpoint == ep.id && !o.used.Load() && u.holds(&o.object) {
				err.Detail += " Free the RSP " + string(o.id) + " first."
				return false
			}
		}
		return true
	})
	return err
}

// endEndpoint enters the end of an endpoint that u has begun to end: it is
// recorded, then disconnected and freed in the engine.
func (u *unit) endEndpoint(c Call, cause string, ep *endpoint) {
	u.add(c, &ep.object, cause, applyEnd, ep.markEnded)
	u.after = append(u.after, func() { u.m.disconnectIfOwed(ep); ep.destroy() })
}
