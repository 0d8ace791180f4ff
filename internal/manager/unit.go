package manager

import (
	"cmp"
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// unit is one unit of writes: what was judged and done so far, what is to be
// recorded, and how to complete or undo it.
//
// A unit is prepared (judge, act and add, any number of times), then committed or
// rolled back, then released. Its judges read what the unit itself will leave behind:
// images by unit.image and unit.live, names by checkNameFree, uses by resolver.
type unit struct {
	m   *Manager
	ctx context.Context
	// scope reports whether the caller may use an object; nil for a caller who may use all.
	scope func(dat.Object) bool
	// batch says that the unit is a batch's: the operation locks were taken before,
	// so that others are only tried, and what cannot be undone is refused.
	batch bool
	// locked are the objects whose operation lock the unit holds.
	locked map[*object]bool
	// creationsOn are the adapters whose device cannot return until the unit ends, one
	// element for each creation.
	creationsOn []*adapter
	// staged are the images of changed objects as the unit will record them.
	staged map[*object]dat.Object
	views  map[*object]endpointView
	// names are the objects by the names that they get in this unit.
	names map[dat.ObjectRef]*object
	steps []unitStep
	// undo runs in reverse order if the unit fails. after runs in order when the unit
	// is recorded and published.
	undo, after []func()
	// droppedImages are images whose references end with the commit; droppedUsers has
	// them by the objects that they use.
	droppedImages []dat.Object
	droppedUsers  map[dat.Handle][]dat.Object
	// created and ending are the entities that the unit creates and ends.
	created []entity
	ending  []entity
	// endsLater means that the unit's outcome is not known yet: who began it does not
	// release it.
	endsLater bool
	// refusal is the engine's of an operation that was recorded before it was acted on.
	refusal error
}

// unitStep is one change of a unit.
type unitStep struct {
	obj   *object
	entry dat.Entry
	// live, which may be nil, makes the change live together with the publication of
	// its image. It takes only the locks of state and below, and calls no provider.
	live func()
}

// newUnit starts a unit of writes.
func (m *Manager) newUnit(ctx context.Context) *unit {
	return &unit{
		m: m, ctx: ctx, scope: scopeOf(ctx), locked: map[*object]bool{}, staged: map[*object]dat.Object{},
		views: map[*object]endpointView{}, names: map[dat.ObjectRef]*object{},
		droppedUsers: map[dat.Handle][]dat.Object{},
	}
}

// lock takes the operation locks of objects in the order of their ids, and waits
// until their events are recorded. Errors: DAT_INVALID_HANDLE if an object ended
// meanwhile or lies outside of the caller's scope, errBusy in a batch, the context's, the store's absence.
func (u *unit) lock(objs ...*object) error {
	slices.SortFunc(objs, func(a, b *object) int { return cmp.Compare(a.id, b.id) })
	for _, o := range objs {
		if u.locked[o] || u.isCreating(o) {
			continue
		}
		if u.batch {
			if !o.tryLock() {
				return errBusy(o)
			}
		} else if err := o.lockForWrite(u.ctx); err != nil {
			return err
		}
		u.locked[o] = true
		if err := o.unrecorded.wait(u.ctx, u.m.rec); err != nil {
			return err
		}
		if !o.usable(u) || !u.holds(o) {
			return errGoneHandle(o)
		}
	}
	return nil
}

// release gives back the locks and creations that the unit holds, unless endLater
// does that.
func (u *unit) release() {
	if !u.endsLater {
		u.giveBack()
	}
}

// giveBack unlocks the objects that the unit has locked and lets devices return.
func (u *unit) giveBack() {
	for o := range u.locked {
		o.unlock()
	}
	clear(u.locked)
	for _, ia := range u.creationsOn {
		ia.endCreation()
	}
	u.creationsOn = nil
}

// image returns an object's image as this unit will record it.
func (u *unit) image(o *object) dat.Object {
	if img, ok := u.staged[o]; ok {
		return img
	}
	return o.recorded()
}

// match tests the condition of a call on the version that this unit sees.
func (u *unit) match(c Call, o *object) error {
	return matchVersion(c, u.image(o))
}

// matchVersion tests the condition of a call on the version of an image; nil has
// version 0.
func matchVersion(c Call, img dat.Object) error {
	switch {
	case c.Match == nil:
		return nil
	case img == nil:
		return c.Match(0)
	}
	return c.Match(img.Head().Version)
}

// endpointView caches an endpoint as a unit will leave it: img is the live image
// base with the changes of the unit applied.
type endpointView struct{ base, img *dat.Endpoint }

// live returns a copy of an endpoint's live image with the changes of this unit
// applied.
func (u *unit) live(ep *endpoint) *dat.Endpoint {
	base := ep.loadLive()
	v, ok := u.views[&ep.object]
	if !ok || v.base != base {
		v = endpointView{base: base, img: ep.snapshot()}
		for _, s := range u.steps {
			if s.obj == &ep.object {
				v.img = asEndpoint(s.entry.Apply(v.img))
			}
		}
		u.views[&ep.object] = v
	}
	return v.img.Copy()
}

// add appends a change to the unit. apply works on its own copy. live, which may be
// nil, makes the change live when it is recorded.
func (u *unit) add(c Call, o *object, cause string, apply func(dat.Object) dat.Object, live func()) {
	e := u.m.newEntry(c, o, cause)
	e.Apply = apply
	before := u.image(o)
	after := apply(before)
	if after != nil {
		u.staged[o] = after
	}
	u.updateNames(o, before, after)
	if v, ok := u.views[o]; ok {
		u.views[o] = endpointView{base: v.base, img: asEndpoint(apply(v.img))}
	}
	u.steps = append(u.steps, unitStep{obj: o, entry: e, live: live})
}
