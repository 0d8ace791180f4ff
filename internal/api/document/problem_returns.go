package document

import (
	"net/http"

	"github.com/datapi/datapi/internal/dat"
)

// problemRow is one kind of problem; the rows are in returnRows and serviceRows.
type problemRow struct {
	status int
	name   string
	title  string
	// ret is the DAT_RETURN that goes with a kind of the service's own, RetSuccess for none.
	ret dat.Return
	// retryAfter is in seconds; 0 leaves the header out.
	retryAfter int
	// explanation is what the kind's page says, with the remedy.
	explanation string
}

// returnRows map each DAT_RETURN to its HTTP status and kind of problem. An invalid handle is 404 for the object in
// the path and 422 for one in the body (FromDAT).
var returnRows = [...]problemRow{
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

// FromDAT returns the problem of a refusal in DAT's words: of its own kind where it names one, else of its return.
func FromDAT(e *dat.Error) *Problem {
	row, ownKind := serviceRows[e.Kind]
	if !ownKind {
		row = rowOfReturn(e)
	}
	p := row.problem(e.Detail)
	if !ownKind && e.Return != dat.RetSuccess {
		p.Return = &e.Return
	}
	p.Subtype, p.State = e.Subtype, e.State
	if e.Field != "" {
		p.Field = &e.Field
		if fieldInBody[p.Status] || e.Kind == KindNameTaken {
			p.Errors = []ProblemError{{Location: "body." + e.Field, Message: p.Detail}}
		}
	}
	return p
}

// fieldInBody are the statuses whose field is a member of the body.
var fieldInBody = map[int]bool{http.StatusUnprocessableEntity: true, http.StatusNotImplemented: true}

// rowOfReturn returns the row of an error's return, with the status 422 for an invalid handle in the body.
func rowOfReturn(e *dat.Error) problemRow {
	if int(e.Return) >= len(returnRows) {
		return serviceRows[KindInternal]
	}
	row := returnRows[e.Return]
	if e.Return == dat.RetInvalidHandle && e.Field != "" {
		row.status = http.StatusUnprocessableEntity
	}
	return row
}
