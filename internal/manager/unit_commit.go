package manager

import (
	"errors"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// commit records the unit and publishes it; on an error everything is undone. If the
// outcome is not known yet, that is done when it is, and the unit keeps its locks until
// then.
func (u *unit) commit() ([]dat.Recorded, error) {
	if len(u.steps) == 0 {
		u.completeLives()
		u.runAfter()
		return nil, nil
	}
	recs, err := u.m.rec.Record(u.ctx, u.entries()...)
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

// endLater completes or undoes the unit when its outcome is known, and releases it then.
func (u *unit) endLater(unknown *dat.OutcomeUnknown) {
	u.endsLater = true
	for o := range u.held {
		gaveOperation(o) // to the goroutine that ends the unit
	}
	u.m.spawn(func() {
		for o := range u.held {
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

// entries are the changes of the unit. The recorder publishes their images, and
// with the last of them makes all of the unit live, before anybody is told.
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

// makeLive ends the lives and moves the states that the unit has recorded.
func (u *unit) makeLive() {
	u.completeLives()
	for _, s := range u.steps {
		if s.live != nil {
			s.live()
		}
	}
}

// completeLives makes the unit's creations visible and its ends final, and drops
// the references of what ended images used.
func (u *unit) completeLives() {
	for _, e := range u.made {
		e.base().move(complete, nil)
	}
	for _, img := range u.endedImages {
		u.m.dropRefs(img)
	}
	u.endedImages = nil
	clear(u.endedUsers)
	for _, e := range u.ended {
		u.m.remove(e)
	}
}

func (u *unit) runAfter() {
	for _, f := range u.after {
		f()
	}
	u.after, u.undo = nil, nil
}

// rollback undoes what was done, the last first.
func (u *unit) rollback() {
	for _, f := range slices.Backward(u.undo) {
		f()
	}
	for _, e := range slices.Backward(u.made) {
		u.m.remove(e)
		if sp, ok := e.(*servicePoint); ok {
			sp.rejectEarly()
		}
	}
	for _, e := range u.ended {
		e.base().move(spare, u)
	}
	u.undo, u.after, u.made, u.ended, u.endedImages = nil, nil, nil, nil, nil
	clear(u.endedUsers)
}
