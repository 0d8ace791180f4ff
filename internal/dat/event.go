package dat

// EventNumber is DAT_EVENT_NUMBER, the kind of an event.
//
// EventNone is an event for which DAT has no number; its reason names it.
type EventNumber uint8

// The events of DAT that this service can produce.
const (
	EventNone EventNumber = iota
	EventDTOCompletion
	EventRMRBindCompletion
	EventConnectionRequest
	EventEstablished
	EventPeerRejected
	EventNonPeerRejected
	EventAcceptCompletionError
	EventDisconnected
	EventBroken
	EventTimedOut
	EventUnreachable
	EventAsyncErrorEVDOverflow
	EventAsyncErrorIACatastrophic
	EventAsyncErrorEPBroken
	EventAsyncErrorTimedOut
	EventAsyncErrorProviderInternalError
	EventSoftware
)

var eventNumberNames = [...]string{
	EventNone:                            "",
	EventDTOCompletion:                   "DAT_DTO_COMPLETION_EVENT",
	EventRMRBindCompletion:               "DAT_RMR_BIND_COMPLETION_EVENT",
	EventConnectionRequest:               "DAT_CONNECTION_REQUEST_EVENT",
	EventEstablished:                     "DAT_CONNECTION_EVENT_ESTABLISHED",
	EventPeerRejected:                    "DAT_CONNECTION_EVENT_PEER_REJECTED",
	EventNonPeerRejected:                 "DAT_CONNECTION_EVENT_NON_PEER_REJECTED",
	EventAcceptCompletionError:           "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR",
	EventDisconnected:                    "DAT_CONNECTION_EVENT_DISCONNECTED",
	EventBroken:                          "DAT_CONNECTION_EVENT_BROKEN",
	EventTimedOut:                        "DAT_CONNECTION_EVENT_TIMED_OUT",
	EventUnreachable:                     "DAT_CONNECTION_EVENT_UNREACHABLE",
	EventAsyncErrorEVDOverflow:           "DAT_ASYNC_ERROR_EVD_OVERFLOW",
	EventAsyncErrorIACatastrophic:        "DAT_ASYNC_ERROR_IA_CATASTROPHIC",
	EventAsyncErrorEPBroken:              "DAT_ASYNC_ERROR_EP_BROKEN",
	EventAsyncErrorTimedOut:              "DAT_ASYNC_ERROR_TIMED_OUT",
	EventAsyncErrorProviderInternalError: "DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR",
	EventSoftware:                        "DAT_SOFTWARE_EVENT",
}

// String returns the whole DAT constant.
func (e EventNumber) String() string { return nameOf(eventNumberNames[:], e) }

// MarshalText writes the whole DAT constant.
func (e EventNumber) MarshalText() ([]byte, error) { return textOf(eventNumberNames[:], e) }

// UnmarshalText reads the whole DAT constant; another word is an error.
func (e *EventNumber) UnmarshalText(b []byte) error { return parse(eventNumberNames[:], b, e) }

// Stream is one of the six event streams that can feed an Event Dispatcher.
//
// Source: dat_ia_query, EVD stream merging support.
type Stream uint8

// The event streams, in the order of the merging matrix.
const (
	StreamSoftware Stream = iota
	StreamCR
	StreamDTO
	StreamConnection
	StreamRMRBind
	StreamAsync
)

var streamNames = [...]string{
	StreamSoftware:   "SOFTWARE",
	StreamCR:         "CR",
	StreamDTO:        "DTO",
	StreamConnection: "CONNECTION",
	StreamRMRBind:    "RMR_BIND",
	StreamAsync:      "ASYNC",
}

// String returns the stream without its DAT prefix.
func (s Stream) String() string { return nameOf(streamNames[:], s) }

// MarshalText writes the stream without its DAT prefix.
func (s Stream) MarshalText() ([]byte, error) { return textOf(streamNames[:], s) }

// UnmarshalText reads the stream without its DAT prefix; another word is an error.
func (s *Stream) UnmarshalText(b []byte) error { return parse(streamNames[:], b, s) }
