package manager

import (
	"cmp"
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// unit is one unit of writes on its way: what was judged and done, what is to be
// recorded, and how to complete or undo it.
//
// Order: prepare (judge and act) any number of times, then commit or rollback,
// then release. Every judge reads what the unit itself will leave behind.
type unit struct {
	m   *Manager
	ctx context.Context
	// fixed tells that all operation locks were taken before (batch): others are only tried.
	fixed bool
	held  map[*object]bool
	// creatingOn are the adapters that wait with the return of their device until
	// the unit ends, one entry for each creation.
	creatingOn []*adapter
	// staged are the images as they will be recorded, views the endpoints as they will be.
	staged map[*object]dat.Object
	views  map[*object]endpointView
	// names are the objects that bear a name in this unit and did not before.
	names map[dat.ObjectRef]*object
	steps []unitStep
	// undo runs in reverse order when the unit fails, after in order when it is
	// recorded and published.
	undo, after []func()
	// endedImages are images whose references end with the commit, endedUsers the
	// same by what they use.
	endedImages []dat.Object
	endedUsers  map[dat.Handle][]dat.Object
	made        []entity
	ended       []entity
	// endsLater means that the unit's outcome is not known yet: who began it must not
	// release it.
	endsLater bool
	// refusal is the engine's, of an operation that was recorded before it acted.
	refusal error
}

// unitStep is one entry with what happens when it is published.
type unitStep struct {
	obj   *object
	entry dat.Entry
	// live makes the change live, together with the publication of its image. It
	// takes no lock but those of state and below, and calls no provider.
	live func()
}

func (m *Manager) begin(ctx context.Context) *unit {
	return &unit{
		m: m, ctx: ctx, held: map[*object]bool{}, staged: map[*object]dat.Object{},
		views: map[*object]endpointView{}, names: map[dat.ObjectRef]*object{},
		endedUsers: map[dat.Handle][]dat.Object{},
	}
}

// lock takes the operation locks of objects in the order of their ids and waits
// for the record of their events. The error is DAT_INVALID_HANDLE where an object
// ended meanwhile, or the context's.
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
		} else if err := o.lockForWrite(u.ctx); err != nil {
			return err
		}
		u.held[o] = true
		if err := o.unrecorded.wait(u.ctx, u.m.rec); err != nil {
			return err
		}
		if !o.usable(u) {
			return errGoneHandle(o)
		}
	}
	return nil
}

// release gives back what the unit holds, unless endLater does that.
func (u *unit) release() {
	if !u.endsLater {
		u.giveBack()
	}
}

// giveBack unlocks what the unit has locked.
func (u *unit) giveBack() {
	for o := range u.held {
		o.unlock()
	}
	clear(u.held)
	for _, ia := range u.creatingOn {
		ia.created()
	}
	u.creatingOn = nil
}

// now is the image of an object as this unit will record it: staged, else recorded.
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

// endpointView is an endpoint as a unit will leave it: the live image base, which
// was the newest when it was made, under the unit's own changes.
type endpointView struct{ base, img *dat.Endpoint }

// live is an endpoint as it is now and as this unit will leave it.
func (u *unit) live(ep *endpoint) *dat.Endpoint {
	base := ep.current()
	v, ok := u.views[&ep.object]
	if !ok || v.base != base {
		v = endpointView{base: base, img: ep.now()}
		for _, s := range u.steps {
			if s.obj == &ep.object {
				v.img = asEndpoint(s.entry.Apply(v.img))
			}
		}
		u.views[&ep.object] = v
	}
	return v.img.Copy()
}

// asEndpoint is an image as an endpoint's, nil where it ended.
func asEndpoint(img dat.Object) *dat.Endpoint {
	e, _ := img.(*dat.Endpoint)
	return e
}

// add appends a change to the unit. apply works on its own copy; live, which may
// be nil, makes the change live when it is recorded.
func (u *unit) add(c Call, o *object, cause string, apply func(dat.Object) dat.Object, live func()) {
	e := u.m.entry(c, o, cause)
	e.Apply = apply
	before := u.now(o)
	after := apply(before)
	if after != nil {
		u.staged[o] = after
	}
	u.renamed(o, before, after)
	if v, ok := u.views[o]; ok {
		u.views[o] = endpointView{base: v.base, img: asEndpoint(apply(v.img))}
	}
	u.steps = append(u.steps, unitStep{obj: o, entry: e, live: live})
}

// changed is an Apply that changes a copy and leaves what is gone alone.
func changed[T dat.Object](change func(T)) func(dat.Object) dat.Object {
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

// becomes is an Apply that makes an object.
func becomes(img dat.Object) func(dat.Object) dat.Object {
	return func(dat.Object) dat.Object { return img.Clone() }
}

// removed is an Apply that ends an object.
func removed(dat.Object) dat.Object { return nil }
