package manager

import (
	"context"
	"time"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// addMove enters a move of an endpoint by an operation: the record is made first;
// then the state is live, unless an event was faster. The outcome tells which.
func (u *unit) addMove(c Call, ep *endpoint, in dat.Input, from dat.EPState, v dat.Verdict, h eventDetails) *moveOutcome {
	at := now()
	change := transition(from, v, lastEvent(v, h, at), h.more)
	out := &moveOutcome{}
	u.add(c, &ep.object, in.String(), changed(change), func() {
		ep.mu.Lock()
		defer ep.mu.Unlock()
		if out.took = ep.live.State == from && !ep.hasEnded(); out.took {
			e := ep.live.Copy()
			change(e)
			ep.setLocked(e)
			ep.disconnectOwed = ep.disconnectOwed || v.Next == dat.EPDisconnected
			ep.enteredLocked(v.Next)
			u.m.announceLocked(ep, v.Event, h, at)
		}
	})
	u.after = append(u.after, func() { u.m.endOwedConnection(ep) })
	return out
}

// lastEvent is what an operation's move leaves in the endpoint as its last event, nil
// where it has none.
func lastEvent(v dat.Verdict, h eventDetails, at dat.Time) *dat.LastEvent {
	if v.Event == dat.EventNone {
		return nil
	}
	return &dat.LastEvent{Event: v.Event, Reason: ptr(h.reason), At: at, Detail: ptr(h.detail)}
}

// moved tells whether an operation's move took effect: an event may have been faster.
type moveOutcome struct{ took bool }

// ConnectEP is dat_ep_connect (T20–T27). The outcome is an event. Errors:
// DAT_INVALID_STATE, DAT_INVALID_PARAMETER, DAT_INVALID_ADDRESS,
// DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES.
func (m *Manager) ConnectEP(ctx context.Context, c Call, id dat.Handle, in EPConnect) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_ep_connect", func(u *unit) (*object, *dat.Endpoint, error) {
		ep, now, err := u.connecting(c, id, dat.OpConnect)
		if err != nil {
			return nil, nil, err
		}
		q := dat.ConnectRequest(in)
		qos, derr := dat.CheckConnect(now, &ep.ia.facts, q)
		if derr != nil {
			return nil, nil, derr
		}
		return u.connect(c, ep, now, dat.OpConnect, q, qos)
	})
}

// DupConnectEP is dat_ep_dup_connect: to the peer that another endpoint of the
// adapter is connected to. Errors: as ConnectEP, DAT_INVALID_HANDLE.
func (m *Manager) DupConnectEP(ctx context.Context, c Call, id dat.Handle, in EPDupConnect) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_ep_dup_connect", func(u *unit) (*object, *dat.Endpoint, error) {
		ep, now, err := u.connecting(c, id, dat.OpDupConnect)
		if err != nil {
			return nil, nil, err
		}
		q := dat.ConnectRequest{TimeoutUS: in.TimeoutUS, PrivateData: in.PrivateData, QOS: in.QOS}
		dup := m.Live(in.Endpoint)
		qos, derr := dat.CheckDupConnect(now, dup, &ep.ia.facts, q)
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
		return u.connect(c, ep, now, dat.OpDupConnect, q, qos)
	})
}

// connecting judges state (first, D44) and readiness.
func (u *unit) connecting(c Call, id dat.Handle, in dat.Input) (*endpoint, *dat.Endpoint, error) {
	ep, err := target[*endpoint](u, dat.TypeEndpoint, id)
	if err != nil {
		return nil, nil, err
	}
	if err := u.match(c, &ep.object); err != nil {
		return nil, nil, err
	}
	now := ep.now()
	if err := judge(now, in); err != nil {
		return nil, nil, err
	}
	return ep, now, nil
}

// judge is the refusal of an operation by state, then by readiness; nil is none.
func judge(e *dat.Endpoint, in dat.Input) error {
	if err := dat.Judge(e.State, in).Err(e.State, in); err != nil {
		return err
	}
	if err := dat.Ready(e, in); err != nil {
		return err
	}
	return nil
}

func (u *unit) connect(c Call, ep *endpoint, now *dat.Endpoint, in dat.Input, q dat.ConnectRequest, qos dat.QOS) (*object, *dat.Endpoint, error) {
	if _, err := ep.engine(); err != nil {
		return nil, nil, err
	}
	addr, qual := q.RemoteIAAddress, int32(q.RemotePortQual)
	v := dat.Judge(now.State, in)
	h := eventDetails{more: func(e *dat.Endpoint) { e.RemoteIAAddress, e.RemotePortQual = &addr, &qual }}
	if c.DryRun {
		after := now.Copy()
		transition(now.State, v, nil, h.more)(after)
		return &ep.object, after, nil
	}
	u.addMove(c, ep, in, now.State, v, h)
	u.after = append(u.after, func() {
		u.m.startConnect(ep, in, now.State, rdma.Connect{RemoteAddress: addr, RemoteQual: qual, PrivateData: q.PrivateData, QOS: qos}, q.TimeoutUS, &u.refusal)
	})
	return &ep.object, now, nil
}

// dial acts: the provider starts to connect. Its synchronous refusal takes the
// state back, except that an unreachable peer is an event (T27, D19).
func (m *Manager) startConnect(ep *endpoint, in dat.Input, from dat.EPState, to rdma.Connect, timeoutUS *int64, refusal *error) {
	ep.mu.Lock()
	ep.attempt++
	attempt, waits := ep.attempt, ep.live.State == dat.EPActiveConnectionPending
	ep.mu.Unlock()
	if !waits {
		return
	}
	hw, err := ep.engine()
	if err == nil {
		ep.calls.Lock()
		err = hw.Connect(to)
		ep.calls.Unlock()
	}
	if err == nil {
		m.startTimer(ep, attempt, timeoutUS)
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

// takeBack is the second change of an operation that the engine refused.
func (m *Manager) revertMove(ep *endpoint, in dat.Input, entered, from dat.EPState, d *dat.Error) {
	back := moveTo(dat.Verdict{Kind: dat.Move, Next: from}, nil, nil)
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.live.State == entered {
		m.changeLocked(ep, in.String(), "taken back, the engine refused: "+d.Detail, back)
	}
}

// startTimer starts the consumer's timer: TIMED_OUT when it ends in
// ACTIVE_CONNECTION_PENDING of the same attempt (T25, D20). nil is infinite.
func (m *Manager) startTimer(ep *endpoint, attempt uint64, timeoutUS *int64) {
	if timeoutUS == nil {
		return
	}
	d := time.Duration(*timeoutUS) * time.Microsecond
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.hasEnded() || ep.attempt != attempt || ep.live.State != dat.EPActiveConnectionPending {
		return
	}
	ep.timer = time.AfterFunc(d, func() {
		ep.mu.Lock()
		if ep.attempt == attempt && ep.live.State == dat.EPActiveConnectionPending && !m.stopping() {
			m.handleEventLocked(ep, dat.EvTimedOut, eventDetails{
				reason: "TIMED_OUT", detail: "no connection after " + d.String() + ", the consumer's timeout", derived: true,
			})
		}
		ep.mu.Unlock()
		m.endOwedConnection(ep)
	})
}
