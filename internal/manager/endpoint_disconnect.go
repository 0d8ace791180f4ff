package manager

import (
	"context"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// DisconnectEP is dat_ep_disconnect (T28–T35). GRACEFUL in CONNECTED drains: no
// new requests, and the connection ends when the outstanding ones are done; ABRUPT
// ends it at once. Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE.
func (m *Manager) DisconnectEP(ctx context.Context, c Call, id dat.Handle, how dat.CloseFlag) (*dat.Endpoint, error) {
	if how != dat.CloseAbrupt && how != dat.CloseGraceful {
		return nil, errParameter(dat.SubInvalidArg2, "close", "close is no way to disconnect; it must be ABRUPT or GRACEFUL (T35).")
	}
	in := dat.OpDisconnectAbrupt
	if how == dat.CloseGraceful {
		in = dat.OpDisconnectGraceful
	}
	return write(ctx, m, c, id, in.String(), func(u *unit) (*object, *dat.Endpoint, error) {
		ep, err := target[*endpoint](u, dat.TypeEndpoint, id)
		if err != nil {
			return nil, nil, err
		}
		return u.endConnection(c, ep, in, func() { m.drained(ep) })
	})
}

// leave judges a disconnect or a reset and enters its move; act runs afterwards.
func (u *unit) endConnection(c Call, ep *endpoint, in dat.Input, act func()) (*object, *dat.Endpoint, error) {
	if err := u.match(c, &ep.object); err != nil {
		return nil, nil, err
	}
	now := ep.now()
	if err := judge(now, in); err != nil {
		return nil, nil, err
	}
	v := dat.Judge(now.State, in)
	if v.Kind != dat.Move {
		return &ep.object, now, nil
	}
	h := eventDetails{reason: "CONSUMER", detail: "disconnected by the consumer"}
	if c.DryRun {
		after := now.Copy()
		transition(now.State, v, lastEvent(v, h, dat.At(time.Now())), nil)(after)
		return &ep.object, after, nil
	}
	u.addMove(c, ep, in, now.State, v, h)
	u.after = append(u.after, act)
	return &ep.object, now, nil
}

// drained ends a graceful disconnect once no request is outstanding (T28).
func (m *Manager) drained(ep *endpoint) {
	ep.mu.Lock()
	m.drainedLocked(ep)
	ep.mu.Unlock()
	m.endOwedConnection(ep)
}

func (m *Manager) drainedLocked(ep *endpoint) {
	if ep.live.State == dat.EPDisconnectPending && len(ep.requests) == 0 {
		m.handleEventLocked(ep, dat.EvDrained, eventDetails{reason: "CONSUMER", detail: "disconnected by the consumer after its requests were done", derived: true})
	}
}

// ResetEP is dat_ep_reset (T39–T41): DISCONNECTED becomes UNCONNECTED, ready for a
// new connection, with nothing outstanding (S4). Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_STATE.
func (m *Manager) ResetEP(ctx context.Context, c Call, id dat.Handle) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, dat.OpReset.String(), func(u *unit) (*object, *dat.Endpoint, error) {
		ep, err := target[*endpoint](u, dat.TypeEndpoint, id)
		if err != nil {
			return nil, nil, err
		}
		return u.endConnection(c, ep, dat.OpReset, func() { m.reset(ep, &u.refusal) })
	})
}

// reset acts: the provider forgets the connection, and so do the counts.
func (m *Manager) reset(ep *endpoint, refusal *error) {
	m.resetCalling(ep, refusal)
	m.endOwedConnection(ep)
}

func (m *Manager) resetCalling(ep *endpoint, refusal *error) {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	m.endOwedConnectionCalling(ep)
	hw, ok := ep.hw.get()
	if !ok || ep.ia.device.gone() {
		ep.mu.Lock()
		m.flushLocked(ep)
		ep.mu.Unlock()
		return
	}
	ep.mu.Lock()
	ep.unreportedResets++
	ep.dropWorksLocked()
	ep.mu.Unlock()
	if err := hw.Reset(); err != nil {
		d := asError(err)
		*refusal = d
		ep.mu.Lock()
		ep.unreportedResets--
		ep.mu.Unlock()
		m.revertMove(ep, dat.OpReset, dat.EPUnconnected, dat.EPDisconnected, d)
	}
}
