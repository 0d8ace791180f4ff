package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// FreeEP is dat_ep_free (T2, T3): a connection ends with it. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_STATE in RESERVED, PASSIVE_CONNECTION_PENDING
// and TENTATIVE_CONNECTION_PENDING.
func (m *Manager) FreeEP(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeEndpoint, id)
}

// freeEP ends an endpoint; unconnected asks that it be UNCONNECTED (batch).
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
	if err := u.beginEnd(ep, nil); err != nil {
		return err
	}
	u.endEndpoint(c, cause, ep)
	return nil
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

// endEndpoint enters the end of an endpoint that u is ending: record, then act.
func (u *unit) endEndpoint(c Call, cause string, ep *endpoint) {
	u.add(c, &ep.object, cause, applyEnd, ep.markEnded)
	u.after = append(u.after, func() { u.m.disconnectIfOwed(ep); ep.destroy() })
}
