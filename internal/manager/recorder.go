package manager

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// A Recorder commits changes. Package store implements it; rdmatest has one in memory
// for tests.
//
// It stamps Version, CreatedAt and UpdatedAt of the object that Entry.Apply returns.
// The changes of one object are committed in the order in which Record and Note were
// called for it. Apply may be called on any goroutine, even while a caller of Note
// holds an endpoint's state lock, so it takes no lock.
type Recorder interface {
	// Record commits the entries as one unit and waits for that. It returns what was
	// recorded, in the order of the entries.
	//
	// After the commit Record calls the Published of each entry that has one, in the
	// order of the entries, before it returns and before the log shows the changes: a
	// change is published before anybody can learn of it. Published takes registry,
	// state and leaf locks, so the recorder holds no lock of its own meanwhile.
	//
	// On an error nothing was recorded. Errors are *dat.Error with the Kind name-taken
	// or store-away, or DAT_INTERRUPTED_CALL if ctx ended before the commit began. Only
	// an error of the Kind outcome-unknown leaves that open: its Cause is a
	// *dat.OutcomeUnknown, which tells later whether the entries were recorded.
	Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error)
	// Note hands over a change that has happened already, or a refusal (an entry
	// without Apply). It never blocks. A change is tried again until it is recorded; a
	// refusal is dropped while the store is away.
	//
	// done, which may be nil, is called after the commit, when the log may show the
	// change already: on any goroutine, perhaps before Note returns. It takes only leaf
	// locks. If the object has ended meanwhile (Apply returns nil for nil), nothing is
	// recorded and done is called all the same.
	Note(entry dat.Entry, done func(dat.Recorded))
	// Away returns nil while writes are possible, else the refusal that they meet.
	Away() error
}

// newEntry returns the entry of a successful change of an object, still without
// Apply.
func (m *Manager) newEntry(c Call, o *object, cause string) dat.Entry {
	return dat.Entry{
		Object: o.ref(), IA: o.ia.id, Cause: cause, Actor: c.Actor, ActorKind: c.ActorKind,
		RequestID: c.RequestID, Reason: c.Reason, Outcome: dat.RetSuccess, Answer: c.Answer,
	}
}

// note hands a change that has happened already to the recorder, and publishes it
// when it is recorded. It never blocks.
func (m *Manager) note(o *object, e dat.Entry) {
	o.unrecorded.add()
	e.Published = func(r dat.Recorded) { o.publish(r.Object) }
	m.rec.Note(e, func(dat.Recorded) { o.unrecorded.done() })
}

// noteEvent is note for a change that no caller asked for. reason is a sentence for
// a person.
func (m *Manager) noteEvent(o *object, cause, reason string, apply func(dat.Object) dat.Object) {
	e := m.newEntry(engineCall(reason), o, cause)
	e.Apply = apply
	m.note(o, e)
}

// engineCall returns the Call of a change that no caller asked for.
func engineCall(reason string) Call {
	return Call{Actor: dat.ActorEngine, ActorKind: dat.ActorEngine, Reason: reason}
}

// noteRefusal notes a refusal on the object that the call is about, or on the
// adapter of a refused creation.
func (m *Manager) noteRefusal(c Call, subject dat.Handle, cause string, err error) {
	var d *dat.Error
	if c.DryRun || !errors.As(err, &d) || !recordedRefusals[d.Return] || d.Kind == "name-taken" {
		return
	}
	o := m.objectOf(subject)
	if o == nil || o.recorded() == nil {
		return
	}
	e := m.newEntry(c.withoutAnswer(), o, cause)
	e.Outcome = d.Return
	m.rec.Note(e, nil)
}

// recordedRefusals are the returns of refusals that go into the log: by state and
// by resources. Malformed calls do not.
var recordedRefusals = map[dat.Return]bool{
	dat.RetInvalidState:          true,
	dat.RetInsufficientResources: true,
	dat.RetConnQualInUse:         true,
	dat.RetConnQualUnavailable:   true,
	dat.RetQueueFull:             true,
}

// applyCreate returns the Entry.Apply that makes an object.
func applyCreate(img dat.Object) func(dat.Object) dat.Object {
	return func(dat.Object) dat.Object { return img.Clone() }
}

// applyChange returns the Entry.Apply that changes a copy of an object. An object
// that has ended is left alone.
func applyChange[T dat.Object](change func(T)) func(dat.Object) dat.Object {
	return func(before dat.Object) dat.Object {
		if before == nil {
			return nil
		}
		after := before.Clone()
		if typed, ok := after.(T); ok {
			change(typed)
		}
		return after
	}
}

// applyEnd is the Entry.Apply that ends an object.
func applyEnd(dat.Object) dat.Object { return nil }
