package document

import (
	"maps"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// The kinds of problems for which DAT has no return of its own: each is the last part of the problem's type. Where a
// dat.Error has one of them as its Kind, that error is a problem of this kind.
const (
	KindInvalidRequest    = "invalid-request"
	KindInvalidMember     = "invalid-parameter"
	KindNameTaken         = "name-taken"
	KindIAGone            = "ia-gone"
	KindStoreAway         = "store-away"
	KindNodeAway          = "node-away"
	KindNodeAlive         = "node-alive"
	KindOtherNode         = "other-node"
	KindVersionMismatch   = "version-mismatch"
	KindPositionGone      = "position-gone"
	KindLogRewound        = "log-rewound"
	KindOutcomeUnknown    = dat.KindOutcomeUnknown
	KindNoRoute           = "no-such-path"
	KindMethodNotAllowed  = "method-not-allowed"
	KindNotAcceptable     = "not-acceptable"
	KindMediaType         = "unsupported-media-type"
	KindTooLarge          = "body-too-large"
	KindSlowBody          = "body-too-slow"
	KindUnauthorized      = "unauthorized"
	KindReadOnly          = "read-only"
	KindForeignOrigin     = "foreign-origin"
	KindRateLimited       = "rate-limited"
	KindKeyReused         = "idempotency-key-reused"
	KindKeyRunning        = "key-running"
	KindInternal          = "internal-error"
	KindShuttingDown      = "shutting-down"
	KindBusy              = "busy"
	KindWrongCredentials  = "too-many-wrong-credentials"
	KindNotAtomic         = "not-atomic"
	KindReferenceNotReady = "reference-not-ready"
	KindSecretAnswer      = "answer-not-kept"
	KindNoRecord          = "no-record"
	KindWrongLink         = "wrong-link"
	KindNoRight           = "no-right"
)

// serviceRows are the kinds of problems of the service's own.
var serviceRows = map[string]problemRow{
	KindInvalidRequest:    {400, KindInvalidRequest, "The request is not valid", dat.RetInvalidParameter, 0, "A query parameter, a header or the JSON text is wrong; errors says which and what would be right."},
	KindInvalidMember:     {422, KindInvalidMember, "A parameter is not valid", dat.RetInvalidParameter, 0, returnRows[dat.RetInvalidParameter].explanation},
	KindNameTaken:         {409, KindNameTaken, "The name is taken", 0, 0, "Another living object of the same type has this name. Take another one, or leave name out."},
	KindIAGone:            {409, KindIAGone, "The adapter's device is gone", dat.RetInvalidState, 0, "The call needs a device that is not there now. It works again when the device is back."},
	KindStoreAway:         {503, KindStoreAway, "The database is away", 0, 2, "Nothing was changed. Status reads go on; writes work again by themselves when the database is back."},
	KindNodeAway:          {503, KindNodeAway, "The node that owns the object is away", 0, 10, "The object belongs to a host that does not answer now. GET /nodes tells when it was last seen."},
	KindNodeAlive:         {409, KindNodeAlive, "The node may be alive", 0, 0, "Only a node that is DOWN or LEFT can be retired. Stop it in order, or wait until it was not heard for 20 s."},
	KindOtherNode:         {421, KindOtherNode, "Another node owns the object", 0, 0, "Every node reads all objects, but only the owner changes one. Send the call to the address in this problem."},
	KindVersionMismatch:   {412, KindVersionMismatch, "The object has another version", 0, 0, "Somebody changed the object since it was read. Read it again (current_version), and decide anew."},
	KindPositionGone:      {410, KindPositionGone, "The position is no longer kept", 0, 0, "Changes older than the retention are gone. Start from the present."},
	KindLogRewound:        {410, KindLogRewound, "The log of changes went back", 0, 0, "The database lost changes that it had confirmed, or an older backup was put back, so ids now mean other changes. Read the objects anew, and start from the position of that list or from the present."},
	KindOutcomeUnknown:    {503, KindOutcomeUnknown, "The outcome is not known yet", 0, 5, "The database has not confirmed the change in time: it may be made or not. A repeat with the same Idempotency-Key tells and never makes it twice; without a key look at the object first."},
	KindNoRoute:           {404, KindNoRoute, "There is no such path", 0, 0, "The path is not one of the API. /docs lists them."},
	KindMethodNotAllowed:  {405, KindMethodNotAllowed, "The method is not allowed here", 0, 0, "The Allow header lists the methods of this path."},
	KindNotAcceptable:     {406, KindNotAcceptable, "The answer has no such form", 0, 0, "The Accept header asks for a form that this call does not have. JSON is what most calls answer."},
	KindMediaType:         {415, KindMediaType, "The body has an unsupported type", 0, 0, "The Accept-Post or Accept-Patch header, and the detail, list the types that the call takes."},
	KindTooLarge:          {413, KindTooLarge, "The body is too large", 0, 0, "A body has at most 1 MiB, that of /batch 16 MiB."},
	KindSlowBody:          {408, KindSlowBody, "The body did not arrive in time", 0, 0, "Send the whole body within the time limit."},
	KindUnauthorized:      {401, KindUnauthorized, "Not signed in", 0, 0, "Send the token as Authorization: Bearer, or open a session with it (POST /session)."},
	KindReadOnly:          {403, KindReadOnly, "The service is read-only", 0, 0, "It was started with --read-only. Reads work, writes do not."},
	KindForeignOrigin:     {403, KindForeignOrigin, "The request comes from another site", 0, 0, "Browsers may write with the session's cookie only from this service's own page."},
	KindRateLimited:       {429, KindRateLimited, "Too many requests", 0, 1, "Send fewer requests per second."},
	KindKeyReused:         {422, KindKeyReused, "The idempotency key was used for another body", dat.RetInvalidParameter, 0, "A key stands for one body. Take a new key for a new request."},
	KindKeyRunning:        {409, KindKeyRunning, "The first request with this key still runs", 0, 1, "Wait for its answer, or repeat this request later: it then gets the first answer."},
	KindInternal:          {500, KindInternal, "Internal error", dat.RetInternalError, 0, returnRows[dat.RetInternalError].explanation},
	KindShuttingDown:      {503, KindShuttingDown, "The service is stopping", 0, 5, "The service ends. Nothing was done."},
	KindBusy:              {503, KindBusy, "The service is busy", 0, 2, "Other requests use all the memory that the service gives to bodies and answers. Nothing was done. Try again."},
	KindWrongCredentials:  {429, KindWrongCredentials, "Too many wrong credentials", 0, 0, "After ten wrong credentials in a minute from one address, the next ones are refused for a while. Right ones are always taken."},
	KindNotAtomic:         {422, KindNotAtomic, "The operation cannot be part of an atomic batch", dat.RetInvalidParameter, 0, "An atomic batch takes what can be undone: creates, PATCH, watermarks, and DELETE of an UNCONNECTED endpoint or an unused object."},
	KindReferenceNotReady: {422, KindReferenceNotReady, "A reference of the batch has no value", dat.RetInvalidParameter, 0, "\"$n.id\" stands for the id that operation n made. It must come before, and must have succeeded."},
	KindNoRecord:          {404, KindNoRecord, "There is no such token, user or session", 0, 0, "It was deleted or ended, or never was. The lists show which there are."},
	KindWrongLink:         {401, KindWrongLink, "The link signs nobody in", 0, 0, "A link can be used once, for ten minutes. datapi signin prints another one."},
	KindNoRight:           {403, KindNoRight, "Your role does not allow this", 0, 0, "A viewer reads, an operator also changes objects, an admin also manages who may, and the nodes; a scope restricts that to some adapters or labels. GET /whoami tells your role and your scope."},
	KindSecretAnswer:      {409, KindSecretAnswer, "The first answer was not kept", 0, 0, "It carried a credential. Send the request with a new key."},
}

// problemRows are all kinds of problems by name. Returns that are nothing but a fault of the service share a row.
var problemRows = func() map[string]problemRow {
	all := map[string]problemRow{}
	for _, row := range returnRows {
		all[row.name] = row
	}
	maps.Copy(all, serviceRows)
	return all
}()

// ProblemKinds returns the names of all kinds of problems, sorted: those of the DAT_RETURNs and the service's own.
func ProblemKinds() []string { return slices.Sorted(maps.Keys(problemRows)) }

// ExplainProblem returns what the page of a kind of problem says, with the remedy; "" for an unknown kind.
func ExplainProblem(kind string) string { return problemRows[kind].explanation }
