package rdma

import (
	"cmp"
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// tx is one unit of writes on its way: what was judged and done, what is to be
// recorded, and how to finish or undo it.
//
// Order: prepare (judge and act) any number of times, then commit or rollback,
// then release.
type tx struct {
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

func (m *Manager) begin(ctx context.Context) *tx {
	return &tx{m: m, ctx: ctx, held: map[*object]bool{}, staged: map[*object]dat.Object{}}
}

// lock takes the operation locks of objects in the order of their ids and waits
// for the record of their events.
func (t *tx) lock(objs ...*object) error {
	slices.SortFunc(objs, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
	for _, o := range objs {
		if t.held[o] || t.makes(o) {
			continue
		}
		if t.fixed {
			if !o.tryLock() {
				return errBusy(o)
			}
		} else if err := o.lock(t.ctx); err != nil {
			return err
		}
		t.held[o] = true
		if err := o.notes.wait(t.ctx, t.m.rec); err != nil {
			return err
		}
		if _, ok := t.m.index.Load(o.id); !ok || o.over.Load() {
			return errGoneHandle(o)
		}
	}
	return nil
}

// makes tells whether the unit itself made the object.
func (t *tx) makes(o *object) bool {
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	return o.owner == t
}

// release gives the operation locks back.
func (t *tx) release() {
	for o := range t.held {
		o.unlock()
	}
	clear(t.held)
}

// now is the image of an object as this unit sees it: staged, else recorded.
func (t *tx) now(o *object) dat.Object {
	if img, ok := t.staged[o]; ok {
		return img
	}
	return o.recorded()
}

// match tests a call's condition on the version.
func (t *tx) match(c Call, o *object) error {
	return matches(c, t.now(o))
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
func (t *tx) live(ep *endpoint) *dat.Endpoint {
	e := ep.now()
	if staged, ok := t.staged[&ep.object].(*dat.Endpoint); ok {
		e.State = staged.State
	}
	return e
}

// add appends a change to the unit. change works on its own copy; done, which may
// be nil, runs after the publication.
func (t *tx) add(c Call, o *object, cause string, apply func(dat.Object) dat.Object, done func()) {
	e := t.m.entry(c, o, cause)
	e.Apply = apply
	before := t.now(o)
	if after := apply(before); after != nil {
		t.staged[o] = after
	}
	t.steps = append(t.steps, step{obj: o, entry: e, done: done})
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
func (t *tx) commit() ([]dat.Recorded, error) {
	if len(t.steps) == 0 {
		t.settle()
		t.finish()
		return nil, nil
	}
	entries := make([]dat.Entry, len(t.steps))
	for i, s := range t.steps {
		entries[i] = s.entry
	}
	recs, err := t.m.rec.Record(t.ctx, entries...)
	if err != nil {
		t.rollback()
		return nil, err
	}
	for i, s := range t.steps {
		if i < len(recs) {
			s.obj.publish(recs[i].Object)
		}
	}
	t.settle()
	for _, s := range t.steps {
		if s.done != nil {
			s.done()
		}
	}
	t.finish()
	return recs, nil
}

// settle makes the unit's creations visible and its ends final, and lets go of
// what ended images used.
func (t *tx) settle() {
	for _, e := range t.made {
		o := e.base()
		o.ia.mu.Lock()
		o.owner = nil
		o.ia.mu.Unlock()
	}
	for _, img := range t.releases {
		t.m.drop(img)
	}
	t.releases = nil
	for _, e := range t.ended {
		t.m.forget(e)
	}
}

func (t *tx) finish() {
	for _, f := range t.after {
		f()
	}
	t.after, t.undo = nil, nil
}

// rollback undoes what was done, the last first.
func (t *tx) rollback() {
	for _, f := range slices.Backward(t.undo) {
		f()
	}
	for _, e := range slices.Backward(t.made) {
		t.m.forget(e)
		if sp, ok := e.(*servicePoint); ok {
			sp.rejectEarly()
		}
	}
	for _, e := range t.ended {
		o := e.base()
		o.ia.mu.Lock()
		o.freeing = nil
		o.ia.mu.Unlock()
	}
	t.undo, t.after, t.made, t.ended, t.releases = nil, nil, nil, nil, nil
}
