package manager

import (
	"errors"
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"github.com/datapi/datapi/internal/dat"
)

// commit records the unit, makes it live and publishes it. On an error everything
// is undone. If the outcome is not known yet, that is done when it is, and the unit
// keeps its locks until then.
func (u *unit) commit() ([]dat.Recorded, error) {
	if len(u.steps) == 0 {
		u.completeLives()
		u.runAfter()
		return nil, nil
	}
	ctx, committed := startSpan(u.ctx, "commit", attribute.Int("datapi.changes", len(u.steps)))
	recs, err := u.m.rec.Record(ctx, u.entries()...)
	committed(err)
	var unknown *dat.OutcomeUnknown
	switch {
	case errors.As(err, &unknown):
		u.endLater(unknown)
		return nil, err
	case err != nil:
		u.rollback()
		return nil, err
	}
	u.runAfter()
	return recs, nil
}

// endLater completes or undoes the unit when its outcome is known, and gives its
// locks back then.
func (u *unit) endLater(unknown *dat.OutcomeUnknown) {
	u.endsLater = true
	for o := range u.locked {
		gaveOperation(o) // to the goroutine that ends the unit
	}
	u.m.spawn(func() {
		for o := range u.locked {
			tookOperation(o)
		}
		select {
		case outcome := <-unknown.Known:
			if outcome.Err != nil {
				u.rollback()
			} else {
				u.runAfter()
			}
		case <-u.m.ctx.Done():
		}
		u.giveBack()
	})
}

// entries returns the changes of the unit for the recorder. Each publishes its
// image; the last one makes the whole unit live, before anybody is told of the
// changes.
func (u *unit) entries() []dat.Entry {
	entries := make([]dat.Entry, len(u.steps))
	for i, s := range u.steps {
		entries[i] = s.entry
		entries[i].Published = func(r dat.Recorded) {
			s.obj.publish(r.Object)
			if i == len(u.steps)-1 {
				u.makeLive()
			}
		}
	}
	return entries
}

// makeLive makes the unit's creations, ends and changes of live state take effect.
func (u *unit) makeLive() {
	u.completeLives()
	for _, s := range u.steps {
		if s.live != nil {
			s.live()
		}
	}
}

// completeLives makes created objects visible, drops the references of ended
// images, and removes ended objects.
func (u *unit) completeLives() {
	for _, e := range u.created {
		e.base().advance(stepCreated, nil)
	}
	for _, img := range u.droppedImages {
		u.m.dropRefs(img)
	}
	u.droppedImages = nil
	clear(u.droppedUsers)
	for _, e := range u.ending {
		u.m.remove(e)
	}
}

// runAfter runs what the unit does after its commit.
func (u *unit) runAfter() {
	for _, f := range u.after {
		f()
	}
	u.after, u.undo = nil, nil
}

// rollback undoes what the unit has done, in reverse order.
func (u *unit) rollback() {
	for _, f := range slices.Backward(u.undo) {
		f()
	}
	for _, e := range slices.Backward(u.created) {
		u.m.remove(e)
		if sp, ok := e.(*servicePoint); ok {
			sp.rejectEarlyRequests()
		}
	}
	for _, e := range u.ending {
		e.base().advance(stepCancelEnd, u)
	}
	u.undo, u.after, u.created, u.ending, u.droppedImages = nil, nil, nil, nil, nil
	clear(u.droppedUsers)
}
