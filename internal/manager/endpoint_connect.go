package manager

import (
	"context"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// ConnectEP is dat_ep_connect (T20–T27). The outcome is an event. Errors:
// DAT_INVALID_STATE, DAT_INVALID_PARAMETER, DAT_INVALID_ADDRESS,
// DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES.
func (m *Manager) ConnectEP(ctx context.Context, c Call, id dat.Handle, in EPConnect) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_ep_connect", func(u *unit) (*object, *dat.Endpoint, error) {
		ep, before, err := u.connectTarget(c, id, dat.OpConnect)
		if err != nil {
			return nil, nil, err
		}
		q := dat.ConnectRequest(in)
		qos, derr := dat.CheckConnect(before, ep.ia.facts.Load(), q)
		if derr != nil {
			return nil, nil, derr
		}
		return u.connect(c, ep, before, dat.OpConnect, q, qos)
	})
}

// DupConnectEP is dat_ep_dup_connect: it connects to the peer of another endpoint
// of the adapter. Errors: those of ConnectEP, DAT_INVALID_HANDLE.
func (m *Manager) DupConnectEP(ctx context.Context, c Call, id dat.Handle, in EPDupConnect) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_ep_dup_connect", func(u *unit) (*object, *dat.Endpoint, error) {
		ep, before, err := u.connectTarget(c, id, dat.OpDupConnect)
		if err != nil {
			return nil, nil, err
		}
		q := dat.ConnectRequest{TimeoutUS: in.TimeoutUS, PrivateData: in.PrivateData, QOS: in.QOS}
		dup := u.liveInScope(in.Endpoint)
		qos, derr := dat.CheckDupConnect(before, dup, ep.ia.facts.Load(), q)
		if derr != nil {
			return nil, nil, derr
		}
		if dup.RemoteIAAddress == nil || dup.RemotePortQual == nil {
			return nil, nil, &dat.Error{
				Return: dat.RetInvalidState, Field: "endpoint",
				Detail: "The endpoint to duplicate was accepted, so the qualifier that its peer listens on is not known; connect with an address and a qualifier.",
			}
		}
		q.RemoteIAAddress, q.RemotePortQual = *dup.RemoteIAAddress, int64(*dup.RemotePortQual)
		return u.connect(c, ep, before, dat.OpDupConnect, q, qos)
	})
}

// liveInScope returns the live image of an endpoint that the caller may use, or nil if there is none.
func (u *unit) liveInScope(id dat.Handle) *dat.Endpoint {
	if o := u.m.objectOf(id); o == nil || !u.holds(o) {
		return nil
	}
	return u.m.Live(id)
}

// connectTarget returns the endpoint to connect and its live image, after state
// (first, D44) and readiness were judged.
func (u *unit) connectTarget(c Call, id dat.Handle, in dat.Input) (*endpoint, *dat.Endpoint, error) {
	ep, err := target[*endpoint](u, c, dat.TypeEndpoint, id)
	if err != nil {
		return nil, nil, err
	}
	before := ep.snapshot()
	if err := checkOperation(before, in); err != nil {
		return nil, nil, err
	}
	return ep, before, nil
}

// connect enters the move to ACTIVE_CONNECTION_PENDING; the engine starts to
// connect when that is recorded.
func (u *unit) connect(c Call, ep *endpoint, before *dat.Endpoint, in dat.Input, q dat.ConnectRequest, qos dat.QOS) (*object, *dat.Endpoint, error) {
	if _, err := ep.engine(); err != nil {
		return nil, nil, err
	}
	addr, qual := q.RemoteIAAddress, int32(q.RemotePortQual)
	v := dat.Judge(before.State, in)
	setRemote := func(e *dat.Endpoint) { e.RemoteIAAddress, e.RemotePortQual = &addr, &qual }
	if c.DryRun {
		return &ep.object, moved(before, v, eventDetails{change: setRemote}), nil
	}
	u.addMove(c, ep, in, before.State, v, eventDetails{change: setRemote})
	u.after = append(u.after, func() {
		u.m.startConnect(ep, in, before.State, rdma.Connect{RemoteAddress: addr, RemoteQual: qual, PrivateData: q.PrivateData, QOS: qos}, q.TimeoutUS, &u.refusal)
	})
	return &ep.object, before, nil
}

// startConnect starts to connect in the engine. A refusal takes the state back and
// is written to refusal, except that an unreachable peer is an event (T27, D19).
func (m *Manager) startConnect(ep *endpoint, in dat.Input, from dat.EPState, to rdma.Connect, timeoutUS *int64, refusal *error) {
	ep.mu.Lock()
	ep.attempt++
	attempt, waits := ep.attempt, ep.live.State == dat.EPActiveConnectionPending
	ep.mu.Unlock()
	if !waits {
		return
	}
	err := ep.callEngine("connect", func(hw rdma.EP) error { return hw.Connect(to) })
	if err == nil {
		m.startConnectTimer(ep, attempt, timeoutUS)
		return
	}
	d := asError(err)
	if d.Subtype == dat.SubInvalidAddressUnreachable {
		m.handleEvent(ep, dat.EvUnreachable, eventDetails{reason: d.Return.String(), detail: d.Detail})
		return
	}
	*refusal = d
	m.revertMove(ep, in, dat.EPActiveConnectionPending, from, d)
}

// startConnectTimer starts the consumer's timer: if the same attempt is still in
// ACTIVE_CONNECTION_PENDING when it ends, it is TIMED_OUT (T25, D20). nil is
// infinite.
func (m *Manager) startConnectTimer(ep *endpoint, attempt uint64, timeoutUS *int64) {
	if timeoutUS == nil {
		return
	}
	d := time.Duration(*timeoutUS) * time.Microsecond
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.hasEnded() || ep.attempt != attempt || ep.live.State != dat.EPActiveConnectionPending {
		return
	}
	ep.connectTimer = time.AfterFunc(d, func() {
		m.withState(ep, func() {
			if ep.attempt == attempt && ep.live.State == dat.EPActiveConnectionPending && !m.stopping() {
				m.handleEventLocked(ep, dat.EvTimedOut, eventDetails{
					reason: "TIMED_OUT", detail: "no connection after " + d.String() + ", the consumer's timeout", derived: true,
				})
			}
		})
	})
}
