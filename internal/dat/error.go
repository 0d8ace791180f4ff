package dat

import "strings"

// Error is a refusal in DAT's words: what was refused and why, and what would
// have been right.
//
// It is the only error type that one package returns to another on purpose;
// every other error is an internal fault.
type Error struct {
	Return  Return
	Subtype Subtype
	// Field is the member that the refusal is about, by its wire name
	// (`attributes.max_recv_dtos`), or empty.
	Field string
	// State is the endpoint's state that forbids the call, or nil.
	State *EPState
	// Detail says what was wrong and what would be right, for a person.
	Detail string
	// Kind names a problem for which DAT has no return
	// (`name-taken`, `ia-gone`, `store-away`), or is empty.
	Kind string
	// Cause is the underlying error, for the log only; clients never see it.
	Cause error
}

// Error returns DAT's return, the subtype, the field and the detail on one line.
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

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Cause }
