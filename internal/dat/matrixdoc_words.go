package dat

import (
	"encoding"
	"reflect"
)

// EnumDoc is an enumeration, by its name in the API's document, with its words.
type EnumDoc struct {
	Enum  string    `json:"enum"`
	Words []WordDoc `json:"words"`
}

// WordDoc is a word of an enumeration. StoredAs is the word that stands for it
// in an object, null where that is the word itself.
type WordDoc struct {
	Word     string  `json:"word"`
	Title    string  `json:"title"`
	Meaning  string  `json:"meaning"`
	StoredAs *string `json:"stored_as"`
}

// StreamDoc is an event stream: FedBy says what sends events by it.
type StreamDoc struct {
	Stream  Stream `json:"stream"`
	Meaning string `json:"meaning"`
	FedBy   Feeder `json:"fed_by"`
}

// Feeder says what sends events by a stream.
type Feeder string

// The feeders of streams. A consumer can make an EVD for all of them but the
// IA, whose EVD the service makes.
const (
	FeederEndpoint     Feeder = "ENDPOINT"
	FeederServicePoint Feeder = "SERVICE_POINT"
	FeederConsumer     Feeder = "CONSUMER"
	FeederIA           Feeder = "IA"
)

// EventDoc is an event: Event is DAT's constant, which is also its cause in
// the change log.
type EventDoc struct {
	Event   string    `json:"event"`
	Stream  Stream    `json:"stream"`
	Kind    EventKind `json:"kind"`
	Meaning string    `json:"meaning"`
}

// EventKind says what an event is to somebody who looks after the fabric.
type EventKind string

// The kinds of events: an operation is done, a request waits, a connection is
// as somebody wanted it, something failed, a watermark was crossed, a
// consumer's own.
const (
	EventKindCompletion EventKind = "COMPLETION"
	EventKindRequest    EventKind = "REQUEST"
	EventKindConnection EventKind = "CONNECTION"
	EventKindFailure    EventKind = "FAILURE"
	EventKindWatermark  EventKind = "WATERMARK"
	EventKindSoftware   EventKind = "SOFTWARE"
)

// ObjectTypeDoc is a type of object: Limit names the IA attribute that bounds
// how many an IA can have, null where none does.
type ObjectTypeDoc struct {
	Type  ObjectType `json:"type"`
	Limit *string    `json:"limit"`
}

// RangeDoc is a range of whole numbers, both ends included.
type RangeDoc struct {
	Min int64 `json:"min"`
	Max int64 `json:"max"`
}

// enum is an enumeration of this package.
type enum interface {
	~uint8
	encoding.TextMarshaler
}

// allOf are the values of an enum in their order.
func allOf[E enum]() []E {
	var all []E
	for e := E(0); ; e++ {
		if _, err := e.MarshalText(); err != nil {
			return all
		}
		all = append(all, e)
	}
}

// enumDoc is an enum with the words for its values. A value that is null on
// the wire is left out.
func enumDoc[E enum](about map[E]wording) EnumDoc {
	doc := EnumDoc{Enum: reflect.TypeFor[E]().Name()}
	for _, e := range allOf[E]() {
		if text, _ := e.MarshalText(); len(text) > 0 {
			doc.Words = append(doc.Words, WordDoc{Word: string(text), Title: about[e].title, Meaning: about[e].meaning})
		}
	}
	return doc
}

func enumDocs() []EnumDoc {
	flags := enumDoc(map[CompletionFlag]wording{
		CompletionDefault:       {"DEFAULT", "Stored as EVD_THRESHOLD."},
		CompletionSuppress:      {"SUPPRESS", "Makes no completion event unless it fails."},
		CompletionSolicitedWait: {"SOLICITED_WAIT", "Wakes the waiter of the peer, or is woken by it."},
		CompletionUnsignalled:   {"UNSIGNALLED", "Wakes no waiter unless the posting asks for it."},
		CompletionBarrierFence:  {"BARRIER_FENCE", "Waits for the RDMA reads before it."},
		CompletionEVDThreshold:  {"EVD_THRESHOLD", "Wakes a waiter when the EVD has as many events as it waits for."},
	})
	threshold := CompletionEVDThreshold.String()
	flags.Words[CompletionDefault].StoredAs = &threshold
	return []EnumDoc{
		flags,
		enumDoc(map[QOS]wording{
			QOSBestEffort:     {"BEST_EFFORT", "What is left over by the others."},
			QOSHighThroughput: {"HIGH_THROUGHPUT", "Bandwidth before latency."},
			QOSLowLatency:     {"LOW_LATENCY", "Latency before bandwidth."},
			QOSEconomy:        {"ECONOMY", "The cheapest that is guaranteed."},
			QOSPremium:        {"PREMIUM", "The best that there is."},
		}),
		enumDoc(map[ServiceType]wording{ServiceRC: {"RC", "Reliable connected."}}),
		enumDoc(map[CloseFlag]wording{
			CloseAbrupt:   {"Abrupt", "At once, outstanding DTOs fail."},
			CloseGraceful: {"Graceful", "Outstanding requests finish first."},
		}),
		enumDoc(map[PSPFlag]wording{
			PSPConsumer: {"CONSUMER", "Whoever accepts brings one."},
			PSPProvider: {"PROVIDER", "Each request comes with a tentative one."},
		}),
		enumDoc(map[MemType]wording{
			MemVirtual:       {"VIRTUAL", "New memory of the service."},
			MemLMR:           {"LMR", "A part of a region again."},
			MemSharedVirtual: {"SHARED_VIRTUAL", "Memory that several regions name."},
		}),
		enumDoc(map[Privilege]wording{
			PrivLocalRead:   {"LOCAL_READ", "Operations of this end may read it."},
			PrivLocalWrite:  {"LOCAL_WRITE", "Operations of this end may write it."},
			PrivRemoteRead:  {"REMOTE_READ", "The peer may read it."},
			PrivRemoteWrite: {"REMOTE_WRITE", "The peer may write it."},
		}),
		enumDoc(map[EVDMode]wording{
			ModeThreshold: {"THRESHOLD", "A waiter wakes when as many events are queued as it waits for."},
			ModeNotify:    {"NOTIFY", "A waiter wakes at completions whose posting asks for it."},
			ModeSolicited: {"SOLICITED", "A waiter wakes at receives that the peer asks it for."},
		}),
		enumDoc(map[IAState]wording{
			IAUp:   {"Up", "The device works."},
			IADown: {"Down", "The device is there, its port is not active."},
			IAGone: {"Gone", "The device is no longer there."},
		}),
		enumDoc(map[SRQState]wording{
			SRQOperational: {"OPERATIONAL", "It gives and takes receives."},
			SRQError:       {"ERROR", "It failed; free it."},
		}),
	}
}

// streamDocs are the event streams in the order of the merging matrix.
var streamDocs = [...]StreamDoc{
	{StreamSoftware, "What a consumer posts.", FeederConsumer},
	{StreamCR, "Connection requests.", FeederServicePoint},
	{StreamDTO, "Completions of receives, sends and RDMA.", FeederEndpoint},
	{StreamConnection, "What becomes of connections.", FeederEndpoint},
	{StreamRMRBind, "Completions of RMR binds.", FeederEndpoint},
	{StreamAsync, "Errors and watermarks.", FeederIA},
}

// Events for which DAT has a reason and no number (B7, W24).
const (
	reasonSoftHighWatermark = "DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT"
	reasonLowWatermark      = "DAT_SRQ_LOW_WATERMARK_EVENT"
)

func eventDocs() []EventDoc {
	numbered := func(e EventNumber, s Stream, kind EventKind, meaning string) EventDoc {
		return EventDoc{e.String(), s, kind, meaning}
	}
	return []EventDoc{
		numbered(EventDTOCompletion, StreamDTO, EventKindCompletion, "A receive, send or RDMA operation is done."),
		numbered(EventRMRBindCompletion, StreamRMRBind, EventKindCompletion, "An RMR bind is done."),
		numbered(EventConnectionRequest, StreamCR, EventKindRequest, "A peer asks for a connection."),
		numbered(EventEstablished, StreamConnection, EventKindConnection, "The connection is there."),
		numbered(EventPeerRejected, StreamConnection, EventKindFailure, "Whoever listens at the other end rejected the request."),
		numbered(EventNonPeerRejected, StreamConnection, EventKindFailure, "The request was rejected on its way; nobody may be listening."),
		numbered(EventAcceptCompletionError, StreamConnection, EventKindFailure, "The request was accepted, and the connection failed before it was there."),
		numbered(EventDisconnected, StreamConnection, EventKindConnection, "One of the two ends disconnected."),
		numbered(EventBroken, StreamConnection, EventKindFailure, "The connection is lost."),
		numbered(EventTimedOut, StreamConnection, EventKindFailure, "No answer came in the time that was given."),
		numbered(EventUnreachable, StreamConnection, EventKindFailure, "The other end cannot be reached."),
		numbered(EventAsyncErrorEVDOverflow, StreamAsync, EventKindFailure, "An EVD was full and dropped an event."),
		numbered(EventAsyncErrorIACatastrophic, StreamAsync, EventKindFailure, "The device of the IA failed."),
		numbered(EventAsyncErrorEPBroken, StreamAsync, EventKindFailure, "An endpoint failed."),
		numbered(EventAsyncErrorTimedOut, StreamAsync, EventKindFailure, "An operation took too long."),
		numbered(EventAsyncErrorProviderInternalError, StreamAsync, EventKindFailure, "The provider failed."),
		numbered(EventSoftware, StreamSoftware, EventKindSoftware, "A consumer posted it."),
		{reasonSoftHighWatermark, StreamAsync, EventKindWatermark, "More receives are posted than the soft high watermark."},
		{reasonLowWatermark, StreamAsync, EventKindWatermark, "Fewer receives are left in a shared queue than its low watermark."},
	}
}

// objectLimits are the IA attributes that bound how many objects an IA has.
var objectLimits = map[ObjectType]string{
	TypePZ: "max_pzs", TypeEVD: "max_evds", TypeSRQ: "max_srqs", TypeLMR: "max_lmrs", TypeRMR: "max_rmrs", TypeEndpoint: "max_eps",
}

func objectTypeDocs() []ObjectTypeDoc {
	var docs []ObjectTypeDoc
	for _, t := range ObjectTypes() {
		docs = append(docs, ObjectTypeDoc{t, wordOrNull(objectLimits[t])})
	}
	return docs
}
