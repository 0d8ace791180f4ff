package manager

import "github.com/datapi/datapi/internal/dat"

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

// happened moves an endpoint by an event of the engine: at once in the live
// image, later in the record. It tells what the table said of it.
func (m *Manager) handleEvent(ep *endpoint, in dat.Input, details eventDetails) dat.Verdict {
	ep.mu.Lock()
	v := m.handleEventLocked(ep, in, details)
	ep.mu.Unlock()
	m.disconnectIfOwed(ep)
	return v
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
