package api

import (
	"net/http"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// Problem is the body of every refusal and failure (RFC 9457) with DAT's own
// members.
type Problem struct {
	Type           string         `json:"type" format:"uri-reference" example:"/problems/invalid-state" doc:"A page that explains this kind of problem."`
	Title          string         `json:"title" doc:"The kind of problem in a few words, the same for every occurrence."`
	Status         int            `json:"status" minimum:"400" maximum:"599" example:"409" doc:"The HTTP status."`
	Detail         string         `json:"detail" doc:"What was wrong and what would be right."`
	Instance       string         `json:"instance" format:"uri-reference" example:"/api/v1/endpoints" doc:"The path of the call that was refused."`
	Return         *dat.Return    `json:"dat_return" doc:"The DAT_RETURN, or null where DAT has no word for it."`
	Subtype        dat.Subtype    `json:"dat_subtype" doc:"The subtype of the DAT_RETURN, or null."`
	Field          *string        `json:"field" example:"attributes.max_recv_dtos" doc:"The member that is to blame, or null."`
	State          *dat.EPState   `json:"state" doc:"The endpoint's state that forbids the call, or null."`
	RequestID      string         `json:"request_id" doc:"The request's id, as in X-Request-ID and in the log."`
	CurrentVersion *int64         `json:"current_version,omitempty" doc:"The object's version now, where If-Match did not match it (412)."`
	Address        *string        `json:"address,omitempty" doc:"The address of the node that owns the object (421)."`
	Errors         []ProblemError `json:"errors" doc:"The wrong places of the request, each with its own message."`

	header http.Header
}

// ProblemError is one wrong place in a request.
type ProblemError struct {
	Location string `json:"location" example:"body.attributes.max_recv_dtos" doc:"Where: body, query, header or path, and the member; operations[n] in a batch."`
	Message  string `json:"message" doc:"What is wrong there."`
	Value    any    `json:"value,omitempty" doc:"What was sent, where it is short and no secret."`
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are the headers that belong to the problem (Retry-After, Allow).
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType is that of RFC 9457 whatever was negotiated.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

// kind is one row of the tables below.
type kind struct {
	status int
	name   string
	title  string
	// ret is the DAT_RETURN that goes with a kind of the service's own.
	ret dat.Return
	// retryAfter is in seconds; 0 leaves the header out.
	retryAfter int
	// about is the page's explanation with the remedy.
	about string
}

// returns maps each DAT_RETURN to its HTTP status and problem. An invalid
// handle is 404 for the object in the path and 422 for one in the body.
var returns = [...]kind{
	dat.RetSuccess:                   {500, "internal-error", "Internal error", 0, 0, "A success was reported as an error. This is a fault of the service; the log has the request id."},
	dat.RetAbort:                     {410, "abort", "The operation was aborted", 0, 0, "The object went away while the call waited. Look whether it is still there."},
	dat.RetConnQualInUse:             {409, "conn-qual-in-use", "The connection qualifier is in use", 0, 0, "Another service point listens on the qualifier. Take another one, or leave conn_qual out to get any free one."},
	dat.RetInsufficientResources:     {507, "insufficient-resources", "Insufficient resources", 0, 0, "A limit of the adapter or of the service is reached; dat_subtype names it. Free what is not needed."},
	dat.RetInternalError:             {500, "internal-error", "Internal error", 0, 0, "A fault of the service or of its device. The log has the request id."},
	dat.RetInvalidHandle:             {404, "invalid-handle", "The handle is not valid", 0, 0, "The object does not exist, was freed, or is of another kind. 404 speaks of the object in the path, 422 of one in the body; dat_subtype says which."},
	dat.RetInvalidParameter:          {422, "invalid-parameter", "A parameter is not valid", 0, 0, "A member, parameter or header has a value that the call does not take; field and errors say which and what would be right."},
	dat.RetInvalidState:              {409, "invalid-state", "The state forbids the call", 0, 0, "The object is in a state in which the call is not allowed; state and dat_subtype name it. GET /matrix lists what each state allows."},
	dat.RetLengthError:               {422, "length-error", "A length is not valid", 0, 0, "The data does not fit the memory region, the endpoint's limit or the receive buffer."},
	dat.RetModelNotSupported:         {501, "model-not-supported", "Not supported by the provider", 0, 0, "The adapter declares in its attributes that it cannot do this."},
	dat.RetProviderNotFound:          {404, "provider-not-found", "There is no such adapter", 0, 0, "GET /ias lists the adapters that there are."},
	dat.RetPrivilegesViolation:       {403, "privileges-violation", "Memory privileges forbid it", 0, 0, "The memory region was registered without the privilege that the call needs."},
	dat.RetProtectionViolation:       {403, "protection-violation", "Protection zones forbid it", 0, 0, "The memory and the endpoint belong to different protection zones."},
	dat.RetQueueEmpty:                {500, "internal-error", "Internal error", 0, 0, "An empty queue was reported as an error. This is a fault of the service."},
	dat.RetQueueFull:                 {503, "queue-full", "The queue is full", 0, 1, "The event queue has no room. Dequeue events or make the queue longer, then try again."},
	dat.RetTimeoutExpired:            {504, "timeout-expired", "The time ran out", 0, 0, "The operation did not end in the given time."},
	dat.RetProviderAlreadyRegistered: {500, "internal-error", "Internal error", 0, 0, "A provider was registered twice. This is a fault of the service."},
	dat.RetProviderInUse:             {409, "provider-in-use", "The adapter is in use", 0, 0, "Objects of the adapter still live. Free them first."},
	dat.RetInvalidAddress:            {422, "invalid-address", "The address is not valid", 0, 0, "The address is malformed, of a kind the adapter does not support, or cannot be reached; dat_subtype says which."},
	dat.RetInterruptedCall:           {503, "interrupted-call", "The call was interrupted", 0, 1, "Nothing was done. Try again."},
	dat.RetConnQualUnavailable:       {503, "conn-qual-unavailable", "No connection qualifier is free", 0, 1, "All qualifiers are taken. Free a service point, or try again later."},
	dat.RetReservedLMR:               {500, "internal-error", "Internal error", 0, 0, "The reserved memory context was used. This is a fault of the service."},
	dat.RetPortInUse:                 {409, "port-in-use", "The port is in use", 0, 0, "Another program holds the transport port. Take another qualifier."},
	dat.RetCommNotSupported:          {500, "internal-error", "Internal error", 0, 0, "The service has no communicators."},
	dat.RetNotImplemented:            {501, "not-implemented", "Not implemented", 0, 0, "The service does not have this operation."},
}

// The kinds of problems for which DAT has no return of its own, by the name in
// their type.
const (
	kindInvalidRequest    = "invalid-request"
	kindInvalidMember     = "invalid-parameter"
	kindNameTaken         = store.KindNameTaken
	kindIAGone            = "ia-gone"
	kindStoreAway         = store.KindStoreAway
	kindNodeAway          = "node-away"
	kindOtherNode         = "other-node"
	kindVersionMismatch   = "version-mismatch"
	kindPositionGone      = "position-gone"
	kindNoRoute           = "no-such-path"
	kindMethodNotAllowed  = "method-not-allowed"
	kindNotAcceptable     = "not-acceptable"
	kindMediaType         = "unsupported-media-type"
	kindTooLarge          = "body-too-large"
	kindSlowBody          = "body-too-slow"
	kindUnauthorized      = "unauthorized"
	kindReadOnly          = "read-only"
	kindForeignOrigin     = "foreign-origin"
	kindRateLimited       = "rate-limited"
	kindKeyReused         = "idempotency-key-reused"
	kindKeyRunning        = store.KindKeyRunning
	kindInternal          = "internal-error"
	kindShuttingDown      = "shutting-down"
	kindNotAtomic         = "not-atomic"
	kindReferenceNotReady = "reference-not-ready"
	kindSecretAnswer      = "answer-not-kept"
)

// kinds are the problems of the service's own.
var kinds = map[string]kind{
	kindInvalidRequest:    {400, kindInvalidRequest, "The request is not valid", dat.RetInvalidParameter, 0, "A query parameter, a header or the JSON text is wrong; errors says which and what would be right."},
	kindInvalidMember:     {422, kindInvalidMember, "A parameter is not valid", dat.RetInvalidParameter, 0, returns[dat.RetInvalidParameter].about},
	kindNameTaken:         {409, kindNameTaken, "The name is taken", 0, 0, "Another living object of the same type has this name. Take another one, or leave name out."},
	kindIAGone:            {409, kindIAGone, "The adapter's device is gone", dat.RetInvalidState, 0, "The call needs a device that is not there now. It works again when the device is back."},
	kindStoreAway:         {503, kindStoreAway, "The database is away", 0, 2, "Nothing was changed. Status reads go on; writes work again by themselves when the database is back."},
	kindNodeAway:          {503, kindNodeAway, "The node that owns the object is away", 0, 10, "The object belongs to a host that does not answer now. GET /nodes tells when it was last seen."},
	kindOtherNode:         {421, kindOtherNode, "Another node owns the object", 0, 0, "Every node reads all objects, but only the owner changes one. Send the call to the address in this problem."},
	kindVersionMismatch:   {412, kindVersionMismatch, "The object has another version", 0, 0, "Somebody changed the object since it was read. Read it again (current_version), and decide anew."},
	kindPositionGone:      {410, kindPositionGone, "The position is no longer kept", 0, 0, "Changes older than the retention are gone. Start from the present."},
	kindNoRoute:           {404, kindNoRoute, "There is no such path", 0, 0, "The path is not one of the API. /docs lists them."},
	kindMethodNotAllowed:  {405, kindMethodNotAllowed, "The method is not allowed here", 0, 0, "The Allow header lists the methods of this path."},
	kindNotAcceptable:     {406, kindNotAcceptable, "The answer has no such form", 0, 0, "The Accept header asks for a form that this call does not have. JSON is what most calls answer."},
	kindMediaType:         {415, kindMediaType, "The body has an unsupported type", 0, 0, "The Accept-Post or Accept-Patch header, and the detail, list the types that the call takes."},
	kindTooLarge:          {413, kindTooLarge, "The body is too large", 0, 0, "A body has at most 1 MiB, that of /batch 16 MiB."},
	kindSlowBody:          {408, kindSlowBody, "The body did not arrive in time", 0, 0, "Send the whole body within the time limit."},
	kindUnauthorized:      {401, kindUnauthorized, "Not signed in", 0, 0, "Send the token as Authorization: Bearer, or open a session with it (POST /session)."},
	kindReadOnly:          {403, kindReadOnly, "The service is read-only", 0, 0, "It was started with --read-only. Reads work, writes do not."},
	kindForeignOrigin:     {403, kindForeignOrigin, "The request comes from another site", 0, 0, "Browsers may write with the session's cookie only from this service's own page."},
	kindRateLimited:       {429, kindRateLimited, "Too many requests", 0, 1, "Send fewer requests per second."},
	kindKeyReused:         {422, kindKeyReused, "The idempotency key was used for another body", dat.RetInvalidParameter, 0, "A key stands for one body. Take a new key for a new request."},
	kindKeyRunning:        {409, kindKeyRunning, "The first request with this key still runs", 0, 1, "Wait for its answer, or repeat this request later: it then gets the first answer."},
	kindInternal:          {500, kindInternal, "Internal error", dat.RetInternalError, 0, returns[dat.RetInternalError].about},
	kindShuttingDown:      {503, kindShuttingDown, "The service is stopping", 0, 5, "The service ends. Nothing was done."},
	kindNotAtomic:         {422, kindNotAtomic, "The operation cannot be part of an atomic batch", dat.RetInvalidParameter, 0, "An atomic batch takes what can be undone: creates, PATCH, watermarks, and DELETE of an UNCONNECTED endpoint or an unused object."},
	kindReferenceNotReady: {422, kindReferenceNotReady, "A reference of the batch has no value", dat.RetInvalidParameter, 0, "\"$n.id\" stands for the id that operation n made. It must come before, and must have succeeded."},
	kindSecretAnswer:      {409, kindSecretAnswer, "The first answer was not kept", 0, 0, "It carried a credential. Send the request with a new key."},
}
