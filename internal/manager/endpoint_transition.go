package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// happening is what the engine knows of an event beside its name.
type eventDetails struct {
	// reason is the transport's own word, detail a sentence for a person.
	reason, detail string
	// data goes into the DAT event.
	data dat.EventData
	// more changes the image together with the state; it may be nil.
	change func(*dat.Endpoint)
	// derived tells that this service concluded the event (timer, DTO error, drain):
	// where it means nothing it did not happen. What the engine reports is recorded
	// even then (T50).
	derived bool
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

// transition is the change that an operation demands of an endpoint in state
// from. On an endpoint that is in another state by then it does nothing, so that
// an operation never overwrites an event that came before its record.
func transition(from dat.EPState, v dat.Verdict, last *dat.LastEvent, more func(*dat.Endpoint)) func(*dat.Endpoint) {
	change := moveTo(v, last, more)
	return func(e *dat.Endpoint) {
		if e.State == from {
			change(e)
		}
	}
}

// moveTo is the one place where the state of an endpoint is written. By itself it
// is the change of what happened: it holds whatever an operation recorded between
// the event's judgement and its record.
func moveTo(v dat.Verdict, last *dat.LastEvent, more func(*dat.Endpoint)) func(*dat.Endpoint) {
	return func(e *dat.Endpoint) {
		if v.Kind == dat.Move {
			e.State = v.Next
		}
		if last != nil {
			e.LastEvent = last
		}
		if more != nil {
			more(e)
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

// ptr is a pointer to a copy, nil for the zero value.
func ptr[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// happened moves an endpoint by an event of the engine: at once in the live
// image, later in the record. It tells what the table said of it.
func (m *Manager) handleEvent(ep *endpoint, in dat.Input, details eventDetails) dat.Verdict {
	ep.mu.Lock()
	v := m.handleEventLocked(ep, in, details)
	ep.mu.Unlock()
	m.disconnectIfOwed(ep)
	return v
}

// reported is happened for what the engine reports of a connection: before the
// report of a reset it speaks of one that is over.
func (m *Manager) handleReportedEvent(ep *endpoint, in dat.Input, details eventDetails) {
	ep.mu.Lock()
	if ep.unreportedResets == 0 {
		m.handleEventLocked(ep, in, details)
	}
	ep.mu.Unlock()
	m.disconnectIfOwed(ep)
}

// act does what a move to DISCONNECTED asks of the provider: tear the connection
// down, flush what is outstanding. Whoever moved an endpoint calls it with no
// lock of state held. The flag is taken under the lock of the calls, so that no
// later call of the provider overtakes it.
func (m *Manager) disconnectIfOwed(ep *endpoint) {
	ep.mu.Lock()
	ending, loose := ep.disconnectOwed, ep.orphanedBinds
	ep.orphanedBinds = nil
	ep.mu.Unlock()
	for _, b := range loose {
		m.completeBind(b, rdma.Report{Status: dat.DTOErrFlushed})
	}
	if !ending {
		return
	}
	ep.calls.Lock()
	m.disconnectIfOwedUnderCalls(ep)
	ep.calls.Unlock()
}

// actCalling is act under the lock of the calls.
func (m *Manager) disconnectIfOwedUnderCalls(ep *endpoint) {
	ep.mu.Lock()
	ending := ep.disconnectOwed
	ep.disconnectOwed = false
	ep.mu.Unlock()
	if !ending {
		return
	}
	if hw, ok := ep.hw.get(); ok && !ep.ia.device.gone() {
		hw.Disconnect()
		return
	}
	ep.mu.Lock()
	m.flushLocked(ep)
	ep.mu.Unlock()
}

// happenedLocked is happened under the state lock, without act: its caller owes it.
func (m *Manager) handleEventLocked(ep *endpoint, in dat.Input, details eventDetails) dat.Verdict {
	if ep.hasEnded() {
		return dat.Verdict{}
	}
	from := ep.live.State
	v := dat.Judge(from, in)
	if details.derived && v.Kind != dat.Move {
		return v
	}
	at := now()
	var change func(*dat.Endpoint)
	if v.Kind == dat.Ignore {
		change = func(*dat.Endpoint) {}
	} else {
		last := &dat.LastEvent{Event: v.Event, Reason: ptr(details.reason), At: at, Detail: ptr(details.detail)}
		change = moveTo(v, last, details.change)
	}
	m.changeLocked(ep, causeOf(in, v), reasonOf(from, v, details), change)
	if v.Kind == dat.Move {
		ep.disconnectOwed = ep.disconnectOwed || v.Next == dat.EPDisconnected
		ep.enterStateLocked(v.Next)
		m.postEventLocked(ep, v.Event, details, at)
		if v.Next == dat.EPConnected {
			m.startConnectionLocked(ep)
		}
	}
	return v
}

// causeOf is the word of an event in the log: what the consumer is told, which
// may not be what the engine said.
func causeOf(in dat.Input, v dat.Verdict) string {
	if v.Event != dat.EventNone {
		return v.Event.String()
	}
	if in == dat.EvDeviceGone {
		return in.Word()
	}
	return in.String()
}

// reasonOf is the sentence that goes into the change.
func reasonOf(from dat.EPState, v dat.Verdict, details eventDetails) string {
	if v.Kind == dat.Ignore {
		return "means nothing in " + from.String() + ": the endpoint stays as it is"
	}
	if details.detail != "" {
		return details.detail
	}
	return details.reason
}

// changeLocked makes a change of the engine live and notes it.
func (m *Manager) changeLocked(ep *endpoint, cause, reason string, change func(*dat.Endpoint)) {
	e := ep.live.Copy()
	change(e)
	ep.setLiveLocked(e)
	entry := m.newEntry(Call{Actor: dat.ActorEngine, Reason: reason}, &ep.object, cause)
	entry.Apply = applyChange(change)
	m.note(&ep.object, entry)
}

// enteredLocked does what belongs to a new state: timers of the old one end.
func (ep *endpoint) enterStateLocked(s dat.EPState) {
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

// announceLocked tells the consumer: connection events go to connect_evd, those
// of the adapter to its async EVD.
func (m *Manager) postEventLocked(ep *endpoint, event dat.EventNumber, details eventDetails, at dat.Time) {
	if event == dat.EventNone || event == dat.EventConnectionRequest {
		return
	}
	ref := ep.ref()
	ev := dat.Event{Event: event, Endpoint: ep.id, Object: &ref, Reason: ptr(details.reason), At: at, Data: details.data}
	if event == dat.EventAsyncErrorEPBroken {
		reason := "DAT_EP_TRANSFER_TO_ERROR"
		ev.Reason = &reason
		ep.ia.asyncEvent(ev)
		return
	}
	ev.Stream = dat.StreamConnection
	m.emit(ep.live.ConnectEVD, queued{ev: ev, notification: true})
}

// connectedLocked is what begins with a connection: proof of life, the probe, and
// the watermarks (W16: ESTABLISHED first, then BROKEN).
func (m *Manager) startConnectionLocked(ep *endpoint) {
	at := now()
	ep.lastProofOfLife = &at
	ep.attempt++
	m.scheduleProbeLocked(ep)
	m.judgeWatermarksLocked(ep, len(ep.recvs))
}
