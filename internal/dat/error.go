package dat

import "strings"

// Error is a refusal in DAT's words: what was refused and why, and what would
// have been right.
//
// It is the only error type that crosses the rooms; everything else is an
// internal fault.
type Error struct {
	Return  Return
	Subtype Subtype
	// Field is the member that is to blame, by its wire name
	// (`attributes.max_recv_dtos`), or empty.
	Field string
	// State is the endpoint's state that forbids the call, or nil.
	State *EPState
	// Detail says what was wrong and what would be right, for a person.
	Detail string
	// Kind names a problem for which DAT has no return of its own
	// (`name-taken`, `ia-gone`, `store-away`), or is empty.
	Kind string
	// Cause is the fault below, for the log only; never shown to a client.
	Cause error
}

// Error is the return, the subtype and the detail on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Return.String())
	if e.Subtype != SubNone {
		b.WriteString("/" + e.Subtype.String())
	}
	if e.Field != "" {
		b.WriteString(" " + e.Field)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

// Unwrap is the fault below.
func (e *Error) Unwrap() error { return e.Cause }
