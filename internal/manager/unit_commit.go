package manager

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// commit records the unit and publishes it; on an error everything is undone.
func (u *unit) commit() ([]dat.Recorded, error) {
	if len(u.steps) == 0 {
		u.completeLives()
		u.runAfter()
		return nil, nil
	}
	recs, err := u.m.rec.Record(u.ctx, u.entries()...)
	if err != nil {
		u.rollback()
		return nil, err
	}
	u.runAfter()
	return recs, nil
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
