package manager

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/attribute"

	"github.com/datapi/datapi/internal/dat"
)

// write runs one call as a unit of its own. prepare judges, acts and enters the
// changes; it returns the object that they are about and the image to answer a dry
// run with. subject is the object on which a refusal is noted.
func write[T dat.Object](ctx context.Context, m *Manager, c Call, subject dat.Handle, cause string,
	prepare func(*unit) (*object, T, error),
) (T, error) {
	var none T
	if err := m.checkOpen(); err != nil {
		return none, err
	}
	u := m.newUnit(ctx)
	defer u.release()
	_, judged := startSpan(ctx, "judge and act", attribute.String("dat.operation", cause))
	o, img, err := prepare(u)
	if err == nil {
		err = cmp.Or(u.checkScope(subjectImage(img)), checkNameForm(o, subjectImage(img)))
	}
	judged(err)
	if err != nil {
		u.rollback()
		m.noteRefusal(c, subject, cause, err)
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

// subjectImage returns the image that a call returned as an object, nil for none.
func subjectImage[T dat.Object](img T) dat.Object {
	if any(img) == nil {
		return nil
	}
	return img
}

// dryRunAnswer returns the answer to a dry run: an image with the live members that
// the real answer would have. It refuses a name that is taken on this node.
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

// awaitRevert waits until the change that takes back a refused operation is
// recorded, so that a caller who is told of the refusal finds the state that it
// left. It returns the refusal.
func (u *unit) awaitRevert(o *object) error {
	if err := o.unrecorded.wait(u.ctx, u.m.rec); err != nil {
		u.m.log.Warn("a refusal of the engine is not recorded yet", "object", o.id, "error", err)
	}
	return u.refusal
}

// writeEnd is write for a call that ends an object, so that there is no image to
// answer with.
func (m *Manager) writeEnd(ctx context.Context, c Call, id dat.Handle, cause string, prepare func(*unit) error) error {
	_, err := write(ctx, m, c, id, cause, func(u *unit) (*object, dat.Object, error) {
		return &object{}, nil, prepare(u)
	})
	return err
}

// target returns the object that a call is about, with its operation lock taken and
// the call's condition tested. Errors: DAT_INVALID_HANDLE, those of unit.lock, that
// of the condition.
func target[T entity](u *unit, c Call, typ dat.ObjectType, id dat.Handle) (T, error) {
	var none T
	e, ok := find[T](u.m, id)
	if !ok || e.base().typ != typ || !e.base().reachable(u) {
		return none, errHandle(typ, id)
	}
	if err := u.lock(e.base()); err != nil {
		return none, err
	}
	if err := u.match(c, e.base()); err != nil {
		return none, err
	}
	return e, nil
}

// targetImage is target for a call that changes the object: it also returns the
// image to change.
func targetImage[T entity, I dat.Object](u *unit, c Call, typ dat.ObjectType, id dat.Handle) (T, I, error) {
	e, err := target[T](u, c, typ, id)
	if err != nil {
		var none I
		return e, none, err
	}
	return e, u.image(e.base()).(I), nil
}
