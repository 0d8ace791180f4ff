package rdmatest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// The assertions: each counts for the rules that the case is proving (claims.go).

// check fails the case, which goes on, unless ok. The arguments are evaluated in
// any case.
func (w *World) check(ok bool, format string, args ...any) {
	w.Helper()
	w.claims.count()
	if !ok {
		w.Errorf(format, args...)
	}
}

// equal fails the case, which goes on, unless both values are the same; what
// names them.
func equal[T comparable](w *World, what string, got, want T) {
	w.Helper()
	w.check(got == want, "%s is %v, want %v", what, got, want)
}

// succeeds ends the case as failed where the call named by what was refused.
func (w *World) succeeds(what string, err error) {
	w.Helper()
	w.claims.count()
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
}

// refused demands the return of err, the subtype unless it is SubNone, and a
// sentence for a person.
func (w *World) refused(what string, err error, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	var d *dat.Error
	w.check(errors.As(err, &d) && d.Return == ret && (sub == dat.SubNone || d.Subtype == sub),
		"%s: got %v, want %s/%s", what, err, ret, sub)
	w.check(d == nil || d.Detail != "", "%s: %s without a detail", what, ret)
}

// expectState waits until the endpoint and its record are in the state, and
// demands that.
func (w *World) expectState(ep dat.Handle, want dat.EPState) *dat.Endpoint {
	w.Helper()
	w.claims.count()
	return w.awaitState(ep, want)
}

// eventually demands that a condition that no event announces becomes true.
func (w *World) eventually(what string, ok func() bool) {
	w.Helper()
	w.claims.count()
	w.await(what, ok)
}

// expectEvent demands the number of the next event of an EVD.
func (w *World) expectEvent(evd dat.Handle, want dat.EventNumber) dat.Event {
	w.Helper()
	w.claims.count()
	return w.takeEvent(evd, want)
}

// expectNoEvents demands that the EVDs are empty.
func (w *World) expectNoEvents(evds ...dat.Handle) {
	w.Helper()
	for _, evd := range evds {
		got, err := w.M.Look(evd, 10)
		w.must(err)
		w.check(len(got) == 0, "events too many on %s: %+v", evd, got)
	}
}

// expectCompletion demands the operation and the status of the next completion of an EVD.
func (w *World) expectCompletion(evd dat.Handle, kind dat.DTOKind, want dat.DTOStatus) dat.Event {
	w.Helper()
	w.claims.count()
	return w.takeCompletion(evd, kind, want)
}

// expectAsync takes the adapter's asynchronous events until one is about the
// object, and demands that there is one.
func (w *World) expectAsync(ia, object dat.Handle) dat.Event {
	w.Helper()
	w.claims.count()
	for {
		if got := w.nextEvent(w.asyncEVD(ia)); isAbout(got, object) {
			return got
		}
	}
}

// expectNoAsync demands that the adapter's asynchronous EVD holds no event about the object.
func (w *World) expectNoAsync(ia, object dat.Handle) {
	w.Helper()
	got, err := w.M.Look(w.asyncEVD(ia), 1000)
	w.must(err)
	i := slices.IndexFunc(got, func(e dat.Event) bool { return isAbout(e, object) })
	w.check(i < 0, "an asynchronous event too many about %s: %+v", object, got)
}

// isAbout reports whether an asynchronous event names the object.
func isAbout(e dat.Event, object dat.Handle) bool {
	return e.Endpoint == object || e.Object != nil && e.Object.ID == object
}

// textOf returns what a nullable text holds, for a message.
func textOf(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

// wordOf returns the name of a nullable value, for a message.
func wordOf[T fmt.Stringer](p *T) string {
	if p == nil {
		return "null"
	}
	return (*p).String()
}
