package manager

import (
	"cmp"
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// unit is one unit of writes on its way: what was judged and done, what is to be
// recorded, and how to finish or undo it.
//
// Order: prepare (judge and act) any number of times, then commit or rollback,
// then release.
type unit struct {
	m   *Manager
	ctx context.Context
	// fixed tells that all locks were taken before (batch): others are only tried.
	fixed bool
	held  map[*object]bool
	// staged are the images as they will be recorded.
	staged map[*object]dat.Object
	steps  []step
	// undo runs in reverse order when the unit fails, after in order when it is
	// recorded and published.
	undo, after []func()
	// releases are images whose references end with the commit.
	releases []dat.Object
	made     []entity
	ended    []entity
	// refusal is the engine's, of an operation that was recorded before it acted.
	refusal error
}

// step is one entry with what happens when it is published.
type step struct {
	obj   *object
	entry dat.Entry
	// done runs with the adapter's lock free, after the image was published.
	done func()
}

func (m *Manager) begin(ctx context.Context) *unit {
	return &unit{m: m, ctx: ctx, held: map[*object]bool{}, staged: map[*object]dat.Object{}}
}

// lock takes the operation locks of objects in the order of their ids and waits
// for the record of their events.
func (u *unit) lock(objs ...*object) error {
	slices.SortFunc(objs, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
	for _, o := range objs {
		if u.held[o] || u.makes(o) {
			continue
		}
		if u.fixed {
			if !o.tryLock() {
				return errBusy(o)
			}
		} else if err := o.lock(u.ctx); err != nil {
			return err
		}
		u.held[o] = true
		if err := o.notes.wait(u.ctx, u.m.rec); err != nil {
			return err
		}
		if _, ok := u.m.index.Load(o.id); !ok || o.over.Load() {
			return errGoneHandle(o)
		}
	}
	return nil
}

// makes tells whether the unit itself made the object.
func (u *unit) makes(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.owner == u
}

// release gives the operation locks back.
func (u *unit) release() {
	for o := range u.held {
		o.unlock()
	}
	clear(u.held)
}

// now is the image of an object as this unit sees it: staged, else recorded.
func (u *unit) now(o *object) dat.Object {
	if img, ok := u.staged[o]; ok {
		return img
	}
	return o.recorded()
}

// match tests a call's condition on the version.
func (u *unit) match(c Call, o *object) error {
	return matches(c, u.now(o))
}

// matches tests a call's condition on the version of an image; nil has version 0.
func matches(c Call, img dat.Object) error {
	switch {
	case c.Match == nil:
		return nil
	case img == nil:
		return c.Match(0)
	}
	return c.Match(img.Head().Version)
}

// live is an endpoint as it is now and as this unit will leave it.
func (u *unit) live(ep *endpoint) *dat.Endpoint {
	e := ep.now()
	if staged, ok := u.staged[&ep.object].(*dat.Endpoint); ok {
		e.State = staged.State
	}
	return e
}

// add appends a change to the unit. change works on its own copy; done, which may
// be nil, runs after the publication.
func (u *unit) add(c Call, o *object, cause string, apply func(dat.Object) dat.Object, done func()) {
	e := u.m.entry(c, o, cause)
	e.Apply = apply
	before := u.now(o)
	if after := apply(before); after != nil {
		u.staged[o] = after
	}
	u.steps = append(u.steps, step{obj: o, entry: e, done: done})
}

// edit is an Apply that changes a copy and leaves what is gone alone.
func edit[T dat.Object](change func(T)) func(dat.Object) dat.Object {
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

// gone is an Apply that ends an object.
func gone(dat.Object) dat.Object { return nil }

// commit records the unit and publishes it; on an error everything is undone.
func (u *unit) commit() ([]dat.Recorded, error) {
	if len(u.steps) == 0 {
		u.settle()
		u.finish()
		return nil, nil
	}
	entries := make([]dat.Entry, len(u.steps))
	for i, s := range u.steps {
		entries[i] = s.entry
	}
	recs, err := u.m.rec.Record(u.ctx, entries...)
	if err != nil {
		u.rollback()
		return nil, err
	}
	for i, s := range u.steps {
		if i < len(recs) {
			s.obj.publish(recs[i].Object)
		}
	}
	u.settle()
	for _, s := range u.steps {
		if s.done != nil {
			s.done()
		}
	}
	u.finish()
	return recs, nil
}

// settle makes the unit's creations visible and its ends final, and lets go of
// what ended images used.
func (u *unit) settle() {
	for _, e := range u.made {
		o := e.base()
		o.ia.mu.Lock()
		o.owner = nil
		o.ia.mu.Unlock()
	}
	for _, img := range u.releases {
		u.m.drop(img)
	}
	u.releases = nil
	for _, e := range u.ended {
		u.m.forget(e)
	}
}

func (u *unit) finish() {
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
		u.m.forget(e)
		if sp, ok := e.(*servicePoint); ok {
			sp.rejectEarly()
		}
	}
	for _, e := range u.ended {
		o := e.base()
		o.ia.mu.Lock()
		o.freeing = nil
		o.ia.mu.Unlock()
	}
	u.undo, u.after, u.made, u.ended, u.releases = nil, nil, nil, nil, nil
}
