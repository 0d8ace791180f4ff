package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// answer locks a request and the endpoint that answers it.
func (u *unit) answer(c Call, id dat.Handle, with dat.Handle) (*request, *endpoint, error) {
	q, ok := find[*request](u.m, id)
	if !ok {
		return nil, nil, errHandle(dat.TypeCR, id)
	}
	locks := []*object{&q.object}
	ep, ok := find[*endpoint](u.m, with)
	if ok {
		locks = append(locks, &ep.object)
	}
	if err := u.lock(locks...); err != nil {
		return nil, nil, err
	}
	if err := u.match(c, &q.object); err != nil {
		return nil, nil, err
	}
	if !ok && with != dat.HandleNull {
		return nil, nil, errBodyHandle(dat.TypeEndpoint, with, "endpoint")
	}
	return q, ep, nil
}

// endRequest enters the end of a request. The error is DAT_INVALID_HANDLE where
// the engine ended it meanwhile.
func (u *unit) endRequest(c Call, q *request, cause string) error {
	if err := u.end(q, nil); err != nil {
		return err
	}
	u.add(c, &q.object, cause, removed, nil)
	return nil
}

// AcceptCR is dat_cr_accept (T12, T13, T16): with the request's own endpoint or one
// of the consumer. The outcome is an event. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER, DAT_INVALID_STATE; the request then stays usable.
func (m *Manager) AcceptCR(ctx context.Context, c Call, id dat.Handle, in CRAccept) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_cr_accept", func(u *unit) (*object, *dat.Endpoint, error) {
		q, ok := find[*request](m, id)
		if !ok {
			return nil, nil, errHandle(dat.TypeCR, id)
		}
		with, op, wrong := q.acceptWith(in.Endpoint)
		q, ep, err := u.answer(c, id, with)
		if err != nil {
			return nil, nil, err
		}
		if wrong != nil {
			return nil, nil, wrong
		}
		return u.accept(c, q, ep, op, in.PrivateData)
	})
}

// acceptWith is the endpoint that an accept uses.
func (q *request) acceptWith(given dat.Handle) (dat.Handle, dat.Input, error) {
	switch {
	case q.endpoint != dat.HandleNull && given != dat.HandleNull && given != q.endpoint:
		return "", 0, errParameter(dat.SubInvalidArg2, "endpoint", "The request brought the endpoint "+string(q.endpoint)+"; leave endpoint out.")
	case q.endpoint != dat.HandleNull:
		return q.endpoint, dat.OpAcceptOwn, nil
	case given == dat.HandleNull:
		return "", 0, errParameter(dat.SubInvalidArg2, "endpoint", "The request brought no endpoint; name an UNCONNECTED one with a PZ.")
	}
	return given, dat.OpAccept, nil
}

func (u *unit) accept(c Call, q *request, ep *endpoint, in dat.Input, privateData []byte) (*object, *dat.Endpoint, error) {
	if ep.ia != q.ia {
		return nil, nil, errBodyHandle(dat.TypeEndpoint, ep.id, "endpoint")
	}
	now := ep.now()
	if err := judge(now, in); err != nil {
		return nil, nil, err
	}
	if err := dat.CheckPrivateData(&ep.ia.facts, in, len(privateData)); err != nil {
		return nil, nil, err
	}
	if _, err := ep.engine(); err != nil {
		return nil, nil, err
	}
	cr := imageOf[*dat.CR](&q.object)
	v := dat.Judge(now.State, in)
	h := eventDetails{more: func(e *dat.Endpoint) {
		qual := cr.ConnQual
		e.RemoteIAAddress, e.RemotePortQual, e.LocalPortQual = cr.RemoteIAAddress, cr.RemotePortQual, &qual
	}}
	if c.DryRun {
		after := now.Copy()
		transition(now.State, v, nil, h.more)(after)
		return &ep.object, after, nil
	}
	moved := u.addMove(c, ep, in, now.State, v, h)
	kept := c
	kept.Keep = nil
	if err := u.endRequest(kept, q, in.String()); err != nil {
		return nil, nil, err
	}
	u.after = append(u.after, func() { u.m.acceptNow(q, ep, moved, privateData) })
	return &ep.object, now, nil
}

// acceptNow acts. What the engine refuses now fails as what it cannot finish later:
// ACCEPT_COMPLETION_ERROR, and the endpoint is never stuck (T15, D18).
func (m *Manager) acceptNow(q *request, ep *endpoint, moved *moveOutcome, privateData []byte) {
	q.ia.mu.Lock()
	gone := q.peerGone
	q.ia.mu.Unlock()
	if !moved.took {
		q.handle.Reject(false, nil)
		return
	}
	if gone {
		q.handle.Reject(false, nil)
		m.handleEvent(ep, dat.EvAcceptFailed, eventDetails{reason: "REQUEST_GONE", detail: "the peer of the connection request vanished before it was accepted"})
		return
	}
	hw, err := ep.engine()
	if err == nil {
		ep.calls.Lock()
		err = q.handle.Accept(hw, privateData)
		ep.calls.Unlock()
	}
	if err != nil {
		q.handle.Reject(false, nil)
		d := asError(err)
		m.handleEvent(ep, dat.EvAcceptFailed, eventDetails{reason: d.Return.String(), detail: d.Detail})
	}
}

// RejectCR is dat_cr_reject: the peer gets PEER_REJECTED; the endpoint of an RSP is
// UNCONNECTED again (T17), a provider's endpoint is gone (T18). Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER (private data).
func (m *Manager) RejectCR(ctx context.Context, c Call, id dat.Handle, privateData []byte) error {
	return m.dismiss(ctx, c, id, dat.OpReject, func(f *dat.Facts) *dat.Error {
		return dat.CheckPrivateData(f, dat.OpReject, len(privateData))
	}, func(q *request) { q.handle.Reject(true, privateData) })
}

// HandoffCR is dat_cr_handoff: the request goes to another qualifier of this adapter
// (T19, T47). Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
func (m *Manager) HandoffCR(ctx context.Context, c Call, id dat.Handle, connQual int64) error {
	return m.dismiss(ctx, c, id, dat.OpHandoff, func(*dat.Facts) *dat.Error {
		return dat.CheckHandoff(connQual)
	}, func(q *request) { q.handle.Handoff(int32(connQual)) })
}

// dismiss ends a request without this endpoint: one record for both, then the act.
func (m *Manager) dismiss(ctx context.Context, c Call, id dat.Handle, in dat.Input, check func(*dat.Facts) *dat.Error, act func(*request)) error {
	return free(ctx, m, c, id, in.String(), func(u *unit) error {
		q, ok := find[*request](m, id)
		if !ok {
			return errHandle(dat.TypeCR, id)
		}
		q, ep, err := u.answer(c, id, q.endpoint)
		if err != nil {
			return err
		}
		if err := check(&q.ia.facts); err != nil {
			return err
		}
		if err := u.endRequest(c, q, in.String()); err != nil {
			return err
		}
		if ep != nil {
			if err := u.releaseEndpoint(c, ep, in); err != nil {
				return err
			}
		}
		u.after = append(u.after, func() { act(q) })
		return nil
	})
}

// letGo enters what a dismissed request does to the endpoint that it brought.
func (u *unit) releaseEndpoint(c Call, ep *endpoint, in dat.Input) error {
	c.Keep = nil
	now := ep.now()
	v := dat.Judge(now.State, in)
	if v.Kind == dat.Move {
		u.addMove(c, ep, in, now.State, v, eventDetails{})
	}
	if v.Kind == dat.End {
		if err := u.end(ep, nil); err != nil {
			return err
		}
		u.endEndpoint(c, ep, in.String())
	}
	return nil
}
