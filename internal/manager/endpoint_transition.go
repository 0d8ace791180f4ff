package manager

import "github.com/datapi/datapi/internal/dat"

// checkOperation returns the refusal of an operation by state, then by readiness,
// or nil.
func checkOperation(e *dat.Endpoint, in dat.Input) error {
	if err := dat.Judge(e.State, in).Err(e.State, in); err != nil {
		return err
	}
	if err := dat.Ready(e, in); err != nil {
		return err
	}
	return nil
}

// addMove enters a move of an endpoint by an operation. When it is recorded the
// live state moves too, unless an event has moved it meanwhile; the outcome says
// which.
func (u *unit) addMove(c Call, ep *endpoint, in dat.Input, from dat.EPState, v dat.Verdict, details eventDetails) *moveOutcome {
	at := now()
	change := operationChange(from, v, details, at)
	out := &moveOutcome{}
	u.add(c, &ep.object, in.String(), applyChange(change), func() {
		ep.mu.Lock()
		defer ep.mu.Unlock()
		if out.effective = ep.live.State == from && !ep.hasEnded(); out.effective {
			e := ep.live.Copy()
			change(e)
			ep.setLiveLocked(e)
			ep.enterStateLocked(v.Next)
			u.m.postEventLocked(ep, v.Event, details, at)
		}
	})
	u.after = append(u.after, func() { u.m.disconnectIfOwed(ep) })
	return out
}

// moveOutcome says whether an operation's move took effect, or an event was faster.
type moveOutcome struct{ effective bool }

// revertMove notes the second change of an operation that the engine refused: the
// endpoint is in state from again.
func (m *Manager) revertMove(ep *endpoint, in dat.Input, entered, from dat.EPState, d *dat.Error) {
	back := moveTo(dat.Verdict{Kind: dat.Move, Next: from}, nil, nil)
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.live.State == entered {
		m.changeLocked(ep, in.String(), "taken back, the engine refused: "+d.Detail, back)
	}
}

// changeLocked makes a change by the engine live and notes it. The state lock is
// held.
func (m *Manager) changeLocked(ep *endpoint, cause, reason string, change func(*dat.Endpoint)) {
	e := ep.live.Copy()
	change(e)
	ep.setLiveLocked(e)
	m.noteEvent(&ep.object, cause, reason, applyChange(change))
}

// transition returns the change that an operation makes to an endpoint in state
// from. If the endpoint is in another state by then it does nothing, so that an
// operation never overwrites an event that came before its record.
func transition(from dat.EPState, v dat.Verdict, last *dat.LastEvent, change func(*dat.Endpoint)) func(*dat.Endpoint) {
	move := moveTo(v, last, change)
	return func(e *dat.Endpoint) {
		if e.State == from {
			move(e)
		}
	}
}

// moved returns an endpoint as an operation would leave it: the answer to a dry
// run.
func moved(before *dat.Endpoint, v dat.Verdict, details eventDetails) *dat.Endpoint {
	after := before.Copy()
	operationChange(before.State, v, details, now())(after)
	return after
}

// operationChange returns the change that an operation makes of an endpoint in a state,
// with the event that it leaves there.
func operationChange(from dat.EPState, v dat.Verdict, details eventDetails, at dat.Time) func(*dat.Endpoint) {
	var last *dat.LastEvent
	if v.Event != dat.EventNone {
		last = details.lastEvent(v.Event, at)
	}
	return transition(from, v, last, details.change)
}

// moveTo returns the change of an endpoint's state; it is the only place where the
// state is written. For events it is used as it is: an event holds whatever an
// operation recorded between the judgement of the event and its record.
func moveTo(v dat.Verdict, last *dat.LastEvent, change func(*dat.Endpoint)) func(*dat.Endpoint) {
	return func(e *dat.Endpoint) {
		if v.Kind == dat.Move {
			e.State = v.Next
		}
		if last != nil {
			e.LastEvent = last
		}
		if change != nil {
			change(e)
		}
		none := cleared[e.State]
		if none.remote {
			e.RemoteIAAddress, e.RemotePortQual, e.Peer = nil, nil, nil
		}
		if none.local {
			e.LocalPortQual = nil
		}
		if none.transport {
			e.Transport = dat.Transport{}
		}
	}
}

// cleared says which members of an endpoint mean nothing in a state. Source: the
// table of valid fields of dat_ep_query.
var cleared = [...]struct{ remote, local, transport bool }{
	dat.EPUnconnected:                {true, true, true},
	dat.EPReserved:                   {true, false, true},
	dat.EPPassiveConnectionPending:   {false, false, true},
	dat.EPActiveConnectionPending:    {false, false, true},
	dat.EPTentativeConnectionPending: {false, false, true},
	dat.EPConnected:                  {false, false, false},
	dat.EPDisconnectPending:          {false, false, false},
	dat.EPDisconnected:               {true, true, true},
	dat.EPCompletionPending:          {false, false, false},
	dat.EPConnectedMultiPath:         {},
}

// enterStateLocked does what belongs to a new state: timers of the old one stop,
// and DISCONNECTED asks for disconnectIfOwed. The state lock is held.
func (ep *endpoint) enterStateLocked(s dat.EPState) {
	ep.disconnectOwed = ep.disconnectOwed || s == dat.EPDisconnected
	if s == dat.EPActiveConnectionPending {
		return
	}
	if ep.connectTimer != nil {
		ep.connectTimer.Stop()
		ep.connectTimer = nil
	}
	if s != dat.EPConnected && ep.probeTimer != nil {
		ep.probeTimer.Stop()
		ep.probeTimer, ep.probing = nil, false
	}
}

// startConnectionLocked does what belongs to a new connection: proof of life, the
// probe, and the watermarks (W16: ESTABLISHED comes before BROKEN). The state lock
// is held.
func (m *Manager) startConnectionLocked(ep *endpoint) {
	ep.lastProofOfLife = new(now())
	ep.attempt++
	m.scheduleProbeLocked(ep)
	m.judgeWatermarksLocked(ep, len(ep.recvs))
}
