package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// request is a connection request (CR) that waits for its answer.
type request struct {
	object
	hw rdma.ConnRequest
	// endpoint came with the request, null if none did. privateData is never recorded.
	endpoint    dat.Handle
	privateData []byte
	// peerGone says that the peer vanished (T46). The registry's lock guards it.
	peerGone bool
}

// fill implements filler.
func (req *request) fill(img dat.Object) {
	if o, ok := img.(*dat.CR); ok {
		o.PrivateData = req.privateData
	}
}

// AcceptCR is dat_cr_accept (T12, T13, T16), with the request's own endpoint or one
// of the consumer. The outcome is an event. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER, DAT_INVALID_STATE; the request can still be answered after
// them.
func (m *Manager) AcceptCR(ctx context.Context, c Call, id dat.Handle, in CRAccept) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_cr_accept", func(u *unit) (*object, *dat.Endpoint, error) {
		req, ok := find[*request](m, id)
		if !ok {
			return nil, nil, errHandle(dat.TypeCR, id)
		}
		with, op, wrong := req.acceptWith(in.Endpoint)
		req, ep, err := u.lockRequest(c, id, with)
		if err != nil {
			return nil, nil, err
		}
		if wrong != nil {
			return nil, nil, wrong
		}
		return u.accept(c, req, ep, op, in.PrivateData)
	})
}

// acceptWith returns the endpoint that an accept uses and the operation on it;
// given is the one that the consumer named, or null. The error is
// DAT_INVALID_PARAMETER.
func (req *request) acceptWith(given dat.Handle) (dat.Handle, dat.Input, error) {
	switch {
	case req.endpoint != dat.HandleNull && given != dat.HandleNull && given != req.endpoint:
		return "", 0, errParameter(dat.SubInvalidArg2, "endpoint", "The request brought the endpoint "+string(req.endpoint)+"; leave endpoint out.")
	case req.endpoint != dat.HandleNull:
		return req.endpoint, dat.OpAcceptOwn, nil
	case given == dat.HandleNull:
		return "", 0, errParameter(dat.SubInvalidArg2, "endpoint", "The request brought no endpoint; name an UNCONNECTED one with a PZ.")
	}
	return given, dat.OpAccept, nil
}

func (u *unit) accept(c Call, req *request, ep *endpoint, in dat.Input, privateData []byte) (*object, *dat.Endpoint, error) {
	if ep.ia != req.ia {
		return nil, nil, errBodyHandle(dat.TypeEndpoint, ep.id, "endpoint")
	}
	before := ep.snapshot()
	if err := checkOperation(before, in); err != nil {
		return nil, nil, err
	}
	if err := dat.CheckPrivateData(ep.ia.facts.Load(), in, len(privateData)); err != nil {
		return nil, nil, err
	}
	if _, err := ep.engine(); err != nil {
		return nil, nil, err
	}
	cr := imageOf[*dat.CR](&req.object)
	v := dat.Judge(before.State, in)
	details := eventDetails{change: func(e *dat.Endpoint) {
		qual := cr.ConnQual
		e.RemoteIAAddress, e.RemotePortQual, e.LocalPortQual = cr.RemoteIAAddress, cr.RemotePortQual, &qual
	}}
	if c.DryRun {
		return &ep.object, moved(before, v, details), nil
	}
	outcome := u.addMove(c, ep, in, before.State, v, details)
	if err := u.endRequest(c.withoutAnswer(), req, in.String()); err != nil {
		return nil, nil, err
	}
	u.after = append(u.after, func() { u.m.acceptNow(req, ep, outcome, privateData) })
	return &ep.object, before, nil
}

// acceptNow accepts a request in the engine. A refusal has the same outcome as a
// failure later, ACCEPT_COMPLETION_ERROR, so that the endpoint is never stuck (T15,
// D18).
func (m *Manager) acceptNow(req *request, ep *endpoint, outcome *moveOutcome, privateData []byte) {
	req.ia.mu.Lock()
	gone := req.peerGone
	req.ia.mu.Unlock()
	if !outcome.effective {
		m.metrics.does("reject", func() { req.hw.Reject(false, nil) })
		return
	}
	if gone {
		m.metrics.does("reject", func() { req.hw.Reject(false, nil) })
		m.handleEvent(ep, dat.EvAcceptFailed, eventDetails{reason: "REQUEST_GONE", detail: "the peer of the connection request vanished before it was accepted"})
		return
	}
	if err := ep.callEngine("accept", func(hw rdma.EP) error { return req.hw.Accept(hw, privateData) }); err != nil {
		m.metrics.does("reject", func() { req.hw.Reject(false, nil) })
		d := asError(err)
		m.handleEvent(ep, dat.EvAcceptFailed, eventDetails{reason: d.Return.String(), detail: d.Detail})
	}
}

// RejectCR is dat_cr_reject. The peer gets PEER_REJECTED; the endpoint of an RSP is
// UNCONNECTED again (T17), an endpoint that came with the request ends (T18).
// Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER (private data).
func (m *Manager) RejectCR(ctx context.Context, c Call, id dat.Handle, privateData []byte) error {
	return m.dismiss(ctx, c, id, dat.OpReject, func(f *dat.Facts) *dat.Error {
		return dat.CheckPrivateData(f, dat.OpReject, len(privateData))
	}, func(req *request) { m.metrics.does("reject", func() { req.hw.Reject(true, privateData) }) })
}

// HandoffCR is dat_cr_handoff: the request goes to another qualifier of this
// adapter (T19, T47). Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
func (m *Manager) HandoffCR(ctx context.Context, c Call, id dat.Handle, connQual int64) error {
	return m.dismiss(ctx, c, id, dat.OpHandoff, func(*dat.Facts) *dat.Error {
		return dat.CheckHandoff(connQual)
	}, func(req *request) { m.metrics.does("handoff", func() { req.hw.Handoff(int32(connQual)) }) })
}

// dismiss ends a request that is not accepted, with one record for it and the
// endpoint that came with it; act answers the engine afterwards.
func (m *Manager) dismiss(ctx context.Context, c Call, id dat.Handle, in dat.Input, check func(*dat.Facts) *dat.Error, act func(*request)) error {
	return m.writeEnd(ctx, c, id, in.String(), func(u *unit) error {
		req, ok := find[*request](m, id)
		if !ok {
			return errHandle(dat.TypeCR, id)
		}
		req, ep, err := u.lockRequest(c, id, req.endpoint)
		if err != nil {
			return err
		}
		if err := check(req.ia.facts.Load()); err != nil {
			return err
		}
		if err := u.endRequest(c, req, in.String()); err != nil {
			return err
		}
		if ep != nil {
			if err := u.dismissEndpoint(c, ep, in); err != nil {
				return err
			}
		}
		u.after = append(u.after, func() { act(req) })
		return nil
	})
}

// dismissEndpoint enters what a dismissed request does to the endpoint that came
// with it.
func (u *unit) dismissEndpoint(c Call, ep *endpoint, in dat.Input) error {
	c = c.withoutAnswer()
	before := ep.snapshot()
	v := dat.Judge(before.State, in)
	if v.Kind == dat.Move {
		u.addMove(c, ep, in, before.State, v, eventDetails{})
	}
	if v.Kind == dat.End {
		if err := u.beginEnd(ep); err != nil {
			return err
		}
		u.endEndpoint(c, in.String(), ep)
	}
	return nil
}

// lockRequest returns a request and the endpoint to answer it with, both locked.
// Errors: DAT_INVALID_HANDLE, those of unit.lock, that of the call's condition.
func (u *unit) lockRequest(c Call, id dat.Handle, with dat.Handle) (*request, *endpoint, error) {
	req, ok := find[*request](u.m, id)
	if !ok || !u.holds(&req.object) {
		return nil, nil, errHandle(dat.TypeCR, id)
	}
	locks := []*object{&req.object}
	ep, ok := find[*endpoint](u.m, with)
	switch {
	case ok && !u.holds(&ep.object) && with == req.endpoint:
		return nil, nil, errBeside(dat.TypeEndpoint)
	case ok && !u.holds(&ep.object):
		ok = false
	case ok:
		locks = append(locks, &ep.object)
	}
	if err := u.lock(locks...); err != nil {
		return nil, nil, err
	}
	if err := u.match(c, &req.object); err != nil {
		return nil, nil, err
	}
	if !ok && with != dat.HandleNull {
		return nil, nil, errBodyHandle(dat.TypeEndpoint, with, "endpoint")
	}
	return req, ep, nil
}

// endRequest enters the end of a request. The error is DAT_INVALID_HANDLE if the
// engine ended it meanwhile.
func (u *unit) endRequest(c Call, req *request, cause string) error {
	if err := u.beginEnd(req); err != nil {
		return err
	}
	u.add(c, &req.object, cause, applyEnd, nil)
	return nil
}
