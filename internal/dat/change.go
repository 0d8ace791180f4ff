package dat

import "encoding/json"

// Change is one row of the append-only log.
//
// Fields are the members that changed, by dotted wire name
// (`attributes.max_recv_dtos`); Before and After hold those members only, in
// the object's own nesting. Before is null for a creation (After is then the
// whole object), After is null where the object is gone. A refusal changes
// nothing: Fields is empty, both are null, Version is the present one.
type Change struct {
	ID     int64     `json:"id"`
	At     Time      `json:"at"`
	Node   string    `json:"node"`
	IA     Handle    `json:"ia"`
	Object ObjectRef `json:"object"`
	Cause  string    `json:"cause"`
	Actor  string    `json:"actor"`
	// ActorKind is user, token, anonymous or engine, nil in changes from before it was recorded.
	ActorKind *string         `json:"actor_kind"`
	RequestID *string         `json:"request_id"`
	Reason    *string         `json:"reason"`
	Outcome   Return          `json:"outcome"`
	Fields    []string        `json:"fields"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
	Version   int64           `json:"version"`
	// RevertedTo is the version that a revert went back to, else null.
	RevertedTo *int64 `json:"reverted_to"`
	// Labels are those that the object had after the change, before the one that ended it, and at a refusal; nil where
	// they are not known. They say who may see the change, and are no member of it.
	Labels map[string]string `json:"-"`
}

// Entry is a change that is to be recorded.
type Entry struct {
	Object ObjectRef
	IA     Handle
	// Cause is the DAT operation (`dat_ep_modify`), the event
	// (`DAT_CONNECTION_EVENT_BROKEN`) or the service's own (`restore`, `revert`).
	Cause string
	Actor string
	// ActorKind says what the actor is.
	ActorKind  string
	RequestID  string
	Reason     string
	Outcome    Return
	RevertedTo int64
	// Apply returns the object after the change from the recorded one before it,
	// which is nil for a creation; it returns nil where the object ends. It must
	// not change its argument, and is called again when the recorder tries again.
	// A nil Apply is a refusal, which changes nothing.
	Apply func(before Object) Object
	// Published, where set, is called once after the commit and before anybody is
	// told of the change, so that who hears of it finds it published. It runs on any
	// goroutine, with no lock of the recorder's held, in the order of the entries.
	Published func(Recorded)
	// Answer, where set, is an answer that is committed together with the change
	// (Idempotency-Key).
	Answer *KeyedAnswer
}

// KeyedAnswer is an answer that is stored for retries with the same Idempotency-Key.
type KeyedAnswer struct {
	Principal, Method, Path, Key string
	BodyHash                     []byte
	// From and To say of which operations of a batch the answer has the results:
	// from From up to, but not including, To. Both are 0 for a whole answer.
	From, To int
	// Make makes the stored answer from the object as it was recorded. With the
	// status 0 nothing is stored.
	Make func(recorded Object) (status int, header map[string]string, body []byte)
}

// Recorded is the outcome of an Entry.
type Recorded struct {
	Change Change
	// Object is the recorded object after the change; nil if it has ended, or if
	// the entry refused a call on an object that does not exist.
	Object Object
}

// Outcome is what became of the entries that were handed over as one unit.
type Outcome struct {
	// Recorded is what became of each entry; nil if Err is set.
	Recorded []Recorded
	// Err says why nothing was recorded.
	Err error
}

// OutcomeUnknown is the Cause of an *Error of KindOutcomeUnknown where the outcome
// will be known later.
type OutcomeUnknown struct {
	// Known gets the outcome once, when it is known. One goroutine may receive it.
	Known <-chan Outcome
}

// Error implements error.
func (*OutcomeUnknown) Error() string { return "it is not known yet whether the change was recorded" }

// KindOutcomeUnknown is the Kind of the *Error of a change that may be recorded, or
// may not be.
const KindOutcomeUnknown = "outcome-unknown"

// ActorEngine is the actor of changes that no caller asked for, and its own kind of actor.
const ActorEngine = "engine"

// Event is a DAT event in an EVD's queue. Object is what it speaks of (D21, D23).
type Event struct {
	Event    EventNumber `json:"event"`
	Stream   Stream      `json:"stream"`
	EVD      Handle      `json:"evd"`
	IA       Handle      `json:"ia"`
	Endpoint Handle      `json:"endpoint"`
	Object   *ObjectRef  `json:"object"`
	Reason   *string     `json:"reason"`
	At       Time        `json:"at"`
	Data     EventData   `json:"data"`
}

// EventData is the data of an event; members without meaning are left out.
type EventData struct {
	Operation         *DTOKind        `json:"operation,omitempty"`
	Status            *DTOStatus      `json:"status,omitempty"`
	TransferredLength *int64          `json:"transferred_length,omitempty"`
	Cookie            *string         `json:"cookie,omitempty"`
	Payload           []byte          `json:"payload,omitempty"`
	Truncated         *bool           `json:"truncated,omitempty"`
	CR                Handle          `json:"cr,omitempty"`
	ConnQual          *int32          `json:"conn_qual,omitempty"`
	PrivateData       []byte          `json:"private_data,omitempty"`
	Software          json.RawMessage `json:"software,omitempty"`
}
