package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// DisconnectEP is dat_ep_disconnect (T28–T35). GRACEFUL in CONNECTED drains: no
// new requests are taken, and the connection ends when the outstanding ones are
// done. ABRUPT ends it immediately. Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE.
func (m *Manager) DisconnectEP(ctx context.Context, c Call, id dat.Handle, how dat.CloseFlag) (*dat.Endpoint, error) {
	if how != dat.CloseAbrupt && how != dat.CloseGraceful {
		return nil, errParameter(dat.SubInvalidArg2, "close", "close is no way to disconnect; it must be ABRUPT or GRACEFUL (T35).")
	}
	in := dat.OpDisconnectAbrupt
	if how == dat.CloseGraceful {
		in = dat.OpDisconnectGraceful
	}
	return write(ctx, m, c, id, in.String(), func(u *unit) (*object, *dat.Endpoint, error) {
		ep, err := target[*endpoint](u, c, dat.TypeEndpoint, id)
		if err != nil {
			return nil, nil, err
		}
		return u.endConnection(c, ep, in, func() { m.finishDrain(ep) })
	})
}

// endConnection judges a disconnect or a reset and enters its move; act runs when
// that is recorded.
func (u *unit) endConnection(c Call, ep *endpoint, in dat.Input, act func()) (*object, *dat.Endpoint, error) {
	before := ep.snapshot()
	if err := checkOperation(before, in); err != nil {
		return nil, nil, err
	}
	v := dat.Judge(before.State, in)
	if v.Kind != dat.Move {
		return &ep.object, before, nil
	}
	details := eventDetails{reason: "CONSUMER", detail: "disconnected by the consumer"}
	if c.DryRun {
		return &ep.object, moved(before, v, details), nil
	}
	u.addMove(c, ep, in, before.State, v, details)
	u.after = append(u.after, act)
	return &ep.object, before, nil
}

// finishDrain ends a graceful disconnect if no request is outstanding (T28).
func (m *Manager) finishDrain(ep *endpoint) {
	m.withState(ep, func() { m.finishDrainLocked(ep) })
}

// finishDrainLocked is finishDrain with the state lock held; the caller calls
// disconnectIfOwed afterwards.
func (m *Manager) finishDrainLocked(ep *endpoint) {
	if ep.live.State == dat.EPDisconnectPending && len(ep.requests) == 0 {
		m.handleEventLocked(ep, dat.EvDrained, eventDetails{reason: "CONSUMER", detail: "disconnected by the consumer after its requests were done", derived: true})
	}
}

// ResetEP is dat_ep_reset (T39–T41): DISCONNECTED becomes UNCONNECTED, ready for
// a new connection, with nothing outstanding (S4). Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_STATE.
func (m *Manager) ResetEP(ctx context.Context, c Call, id dat.Handle) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, dat.OpReset.String(), func(u *unit) (*object, *dat.Endpoint, error) {
		ep, err := target[*endpoint](u, c, dat.TypeEndpoint, id)
		if err != nil {
			return nil, nil, err
		}
		return u.endConnection(c, ep, dat.OpReset, func() { m.reset(ep, &u.refusal) })
	})
}

// reset resets the endpoint in the engine and forgets what was outstanding. A
// refusal takes the state back and is written to refusal.
func (m *Manager) reset(ep *endpoint, refusal *error) {
	m.resetUnderCalls(ep, refusal)
	m.disconnectIfOwed(ep)
}

// resetUnderCalls is reset under the lock of the calls.
func (m *Manager) resetUnderCalls(ep *endpoint, refusal *error) {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	m.disconnectIfOwedUnderCalls(ep)
	hw, err := ep.engine()
	if err != nil {
		ep.mu.Lock()
		m.flushLocked(ep)
		ep.mu.Unlock()
		return
	}
	ep.mu.Lock()
	ep.unreportedResets++
	ep.dropWorkLocked()
	ep.mu.Unlock()
	if err = m.metrics.call("reset", hw.Reset); err != nil {
		d := asError(err)
		*refusal = d
		ep.mu.Lock()
		ep.unreportedResets--
		ep.mu.Unlock()
		m.revertMove(ep, dat.OpReset, dat.EPUnconnected, dat.EPDisconnected, d)
	}
}
