package dat

import (
	"fmt"
	"strings"
)

// arg returns the subtype for the n-th argument of a C call, counted from 1.
func arg(n int) Subtype { return SubInvalidArg1 + Subtype(n-1) }

// refuse returns an error with a detail for a person.
func refuse(ret Return, sub Subtype, field, format string, args ...any) *Error {
	return &Error{Return: ret, Subtype: sub, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// badValue returns DAT_INVALID_PARAMETER for the n-th argument of a call.
func badValue(n int, field, format string, args ...any) *Error {
	return refuse(RetInvalidParameter, arg(n), field, format, args...)
}

// outOfRange returns the refusal of a number outside least … most; most is what
// limit of the IA says. What is beyond a limit is no lack of resources (C19).
func outOfRange(n int, field string, value, least, most int64, ia Handle, limit string) *Error {
	return badValue(n, field, "%s is %d; %s allows %d to %d (its %s)", lastWord(field), value, ia, least, most, limit)
}

// lastWord returns a wire name without the members that enclose it.
func lastWord(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// InvalidHandle returns DAT_INVALID_HANDLE for a handle that names no living object
// of its type (D16); field is the member that carried it, empty for the object that
// the call is about.
func InvalidHandle(t ObjectType, h Handle, field string) *Error {
	return refuse(RetInvalidHandle, t.InvalidHandle(), field, "%s", missing(t, h))
}

// missing returns the sentence that a handle names no living object of its type.
func missing(t ObjectType, h Handle) string {
	return fmt.Sprintf("there is no %s %q; it never was or has been freed", t, string(h))
}

// ofAnotherIA returns what is wrong with an object that belongs to an IA other
// than ia (D33); it is empty if the object belongs to it.
func ofAnotherIA(t ObjectType, h, its, ia Handle) string {
	if its == ia {
		return ""
	}
	return fmt.Sprintf("%s %s belongs to IA %s; it must be one of %s", t, h, its, ia)
}
