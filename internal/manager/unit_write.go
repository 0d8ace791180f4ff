package manager

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// write runs one write as a unit of its own. prepare gives the object that it is
// about and the image that a dry run answers with.
func write[T dat.Object](ctx context.Context, m *Manager, c Call, on dat.Handle, cause string,
	prepare func(*unit) (*object, T, error),
) (T, error) {
	var none T
	if err := m.checkOpen(); err != nil {
		return none, err
	}
	u := m.newUnit(ctx)
	defer u.release()
	o, img, err := prepare(u)
	if err != nil {
		u.rollback()
		m.noteRefusal(c, on, cause, err)
		return none, err
	}
	if c.DryRun {
		img, err := dryRunAnswer(u, o, img)
		u.rollback()
		return img, err
	}
	if _, err := u.commit(); err != nil {
		return none, err
	}
	if u.refusal != nil {
		return none, u.awaitRevert(o)
	}
	if after, ok := o.recorded().(T); ok {
		return filled(m, after), nil
	}
	return none, nil
}

// rehearsed is the answer of a dry run: with the live members of the real one, and
// refused where the object's name is taken on this node.
func dryRunAnswer[T dat.Object](u *unit, o *object, img T) (T, error) {
	if any(img) == nil {
		return img, nil
	}
	if err := u.checkNameFree(o, img); err != nil {
		var none T
		return none, err
	}
	if v, ok := u.m.index.Load(o.id); ok {
		return filledBy(v, img), nil
	}
	return img, nil
}

// takenBack waits until the second change is recorded, so that a reader who saw
// the refusal sees the state that it left.
func (u *unit) awaitRevert(o *object) error {
	if err := o.unrecorded.wait(u.ctx, u.m.rec); err != nil {
		u.m.log.Warn("a refusal of the engine is not recorded yet", "object", o.id, "error", err)
	}
	return u.refusal
}

// free runs the end of one object as a unit of its own.
func free(ctx context.Context, m *Manager, c Call, id dat.Handle, cause string, prepare func(*unit) error) error {
	_, err := write(ctx, m, c, id, cause, func(u *unit) (*object, dat.Object, error) {
		return &object{}, nil, prepare(u)
	})
	return err
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
	e := m.newEntry(c, o, cause)
	e.Outcome, e.Keep = d.Return, nil
	m.rec.Note(e, nil)
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
