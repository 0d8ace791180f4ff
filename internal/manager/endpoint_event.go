package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
)

// eventDetails is what is known of an event beside its name.
type eventDetails struct {
	// reason is the transport's own word, detail a sentence for a person.
	reason, detail string
	// data goes into the DAT event.
	data dat.EventData
	// change, which may be nil, changes the image together with the state.
	change func(*dat.Endpoint)
	// derived says that the Manager concluded the event, from a timer, a failed DTO or
	// a drain. Where such an event means nothing it is dropped, while what the engine
	// reports is recorded even then (T50).
	derived bool
}

// lastEvent returns the event as the endpoint's image shows it.
func (d eventDetails) lastEvent(event dat.EventNumber, at dat.Time) *dat.LastEvent {
	return &dat.LastEvent{Event: event, Reason: optional(d.reason), At: at, Detail: optional(d.detail)}
}

// handleEvent moves an endpoint by an event: the live state immediately, the record
// later.
func (m *Manager) handleEvent(ep *endpoint, in dat.Input, details eventDetails) {
	m.withState(ep, func() { m.handleEventLocked(ep, in, details) })
}

// handleEventLocked is handleEvent with the state lock held; the caller calls
// disconnectIfOwed afterwards.
func (m *Manager) handleEventLocked(ep *endpoint, in dat.Input, details eventDetails) {
	if ep.hasEnded() {
		return
	}
	from := ep.live.State
	v := dat.Judge(from, in)
	if details.derived && v.Kind != dat.Move {
		return
	}
	at := now()
	change := func(*dat.Endpoint) {}
	if v.Kind != dat.Ignore {
		change = moveTo(v, details.lastEvent(v.Event, at), details.change)
	}
	m.changeLocked(ep, causeOf(in, v), reasonOf(from, v, details), change)
	if v.Kind == dat.Move {
		ep.enterStateLocked(v.Next)
		m.postEventLocked(ep, v.Event, details, at)
		if v.Next == dat.EPConnected {
			m.startConnectionLocked(ep)
		}
	}
}

// causeOf returns the cause of an event in the log: what the consumer is told,
// which may differ from what the engine said.
func causeOf(in dat.Input, v dat.Verdict) string {
	if v.Event != dat.EventNone {
		return v.Event.String()
	}
	if in == dat.EvDeviceGone {
		return in.Word()
	}
	return in.String()
}

// reasonOf returns the sentence that goes into the change.
func reasonOf(from dat.EPState, v dat.Verdict, details eventDetails) string {
	if v.Kind == dat.Ignore {
		return "means nothing in " + from.String() + ": the endpoint stays as it is"
	}
	return cmp.Or(details.detail, details.reason)
}

// postEventLocked posts the event of a move: connection events to connect_evd,
// those of the adapter to its async EVD. The state lock is held.
func (m *Manager) postEventLocked(ep *endpoint, event dat.EventNumber, details eventDetails, at dat.Time) {
	if event == dat.EventNone || event == dat.EventConnectionRequest {
		return
	}
	ref := ep.ref()
	ev := dat.Event{Event: event, Endpoint: ep.id, Object: &ref, Reason: optional(details.reason), At: at, Data: details.data}
	if event == dat.EventAsyncErrorEPBroken {
		ev.Reason = new("DAT_EP_TRANSFER_TO_ERROR")
		ep.ia.postAsync(ev)
		return
	}
	ev.Stream = dat.StreamConnection
	m.emit(ep.live.ConnectEVD, queued{ev: ev, notification: true})
}
