package manager

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// A Recorder makes changes last. The store implements it; an in-memory one for
// tests lies in rdmatest.
//
// It stamps Version, CreatedAt and UpdatedAt of the object that an entry's
// Apply gave, and keeps the order of Record and Note for each object as called.
// It may call Apply from any goroutine, also while the caller of Note holds a
// lock of the endpoint's state: neither Apply nor done ever takes one that
// Note's caller holds.
type Recorder interface {
	// Record commits the entries as one unit and waits. After the commit and before
	// anybody is told of the changes it calls what the entries have as Published.
	// On an error nothing was recorded, the recorder has made sure of it. Errors are
	// *dat.Error with Kind `name-taken` or `store-away`.
	Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error)
	// Note hands over what happened already, or a refusal. It never blocks and
	// is retried until it is recorded; refusals are dropped while the store is
	// away. done, where set, is called after the commit. An entry whose object
	// is gone is forgotten (Apply gives nil for nil) and done is called all the same.
	Note(entry dat.Entry, done func(dat.Recorded))
	// Away is nil while writes are possible, else the refusal that they meet.
	Away() error
}

// entry is the frame of a change of an object.
func (m *Manager) newEntry(c Call, o *object, cause string) dat.Entry {
	return dat.Entry{
		Object: o.ref(), IA: o.ia.id, Cause: cause, Actor: c.Actor,
		RequestID: c.RequestID, Reason: c.Reason, Outcome: dat.RetSuccess, Keep: c.Keep,
	}
}

// note hands over a change of an object that happened already, and publishes it
// when it is recorded.
func (m *Manager) note(o *object, e dat.Entry) {
	o.unrecorded.add()
	m.rec.Note(e, func(r dat.Recorded) {
		o.publish(r.Object)
		o.unrecorded.done()
	})
}

// recordedRefusals are the returns of refusals that go into the log: by state
// and by resources. What is malformed does not.
var recordedRefusals = map[dat.Return]bool{
	dat.RetInvalidState:          true,
	dat.RetInsufficientResources: true,
	dat.RetConnQualInUse:         true,
	dat.RetConnQualUnavailable:   true,
	dat.RetQueueFull:             true,
}

// refused notes a refusal on the object that it is about, or on the adapter
// where nothing was made.
func (m *Manager) noteRefusal(c Call, on dat.Handle, cause string, err error) {
	var d *dat.Error
	if c.DryRun || !errors.As(err, &d) || !recordedRefusals[d.Return] || d.Kind == "name-taken" {
		return
	}
	o := m.objectOf(on)
	if o == nil || o.recorded() == nil {
		return
	}
	e := m.newEntry(c.withoutAnswer(), o, cause)
	e.Outcome = d.Return
	m.rec.Note(e, nil)
}

// becomes is an Apply that makes an object.
func applyCreate(img dat.Object) func(dat.Object) dat.Object {
	return func(dat.Object) dat.Object { return img.Clone() }
}

// changed is an Apply that changes a copy and leaves what is gone alone.
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

// removed is an Apply that ends an object.
func applyEnd(dat.Object) dat.Object { return nil }

// noteEvent is note for a change that no caller asked for; reason is a sentence for
// a person.
func (m *Manager) noteEvent(o *object, cause, reason string, apply func(dat.Object) dat.Object) {
	e := m.newEntry(engineCall(reason), o, cause)
	e.Apply = apply
	m.note(o, e)
}

// engineCall is the frame of what no caller asked for.
func engineCall(reason string) Call { return Call{Actor: dat.ActorEngine, Reason: reason} }
