package manager

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
)

// names finds the living object of a type that bears a name. It knows this node
// alone; the recorder decides for all of them. Its keys are dat.ObjectRef without
// an id, its values dat.Handle.
type names struct{ m sync.Map }

func nameKey(img dat.Object) (dat.ObjectRef, bool) {
	if img == nil || img.Head().Name == "" {
		return dat.ObjectRef{}, false
	}
	return dat.ObjectRef{Type: img.Type(), Name: img.Head().Name}, true
}

// renamed takes an object's new image in the place of its old one; either may be nil.
func (n *names) update(was, is dat.Object) {
	old, had := nameKey(was)
	key, has := nameKey(is)
	if old == key {
		return
	}
	if had {
		n.m.CompareAndDelete(old, was.Head().ID)
	}
	if has {
		n.m.Store(key, is.Head().ID)
	}
}

// renamed keeps the names that objects bear in this unit of writes.
func (u *unit) updateNames(o *object, before, after dat.Object) {
	old, had := nameKey(before)
	key, has := nameKey(after)
	if had && old != key && u.names[old] == o {
		delete(u.names, old)
	}
	if _, taken := u.names[key]; has && !taken {
		u.names[key] = o
	}
}

// nameFree refuses an image of o whose name another living object of the type
// bears, on this node or in this unit of writes.
func (u *unit) checkNameFree(o *object, img dat.Object) error {
	key, ok := nameKey(img)
	if !ok {
		return nil
	}
	if v, ok := u.m.names.m.Load(key); ok && v.(dat.Handle) != o.id {
		if holder := u.m.objectOf(v.(dat.Handle)); holder != nil && u.keepsName(holder, key) {
			return errNameTaken(holder)
		}
	}
	if other := u.names[key]; other != nil && other != o && u.keepsName(other, key) {
		return errNameTaken(other)
	}
	return nil
}

// bears reports whether this unit of writes leaves an object its name.
func (u *unit) keepsName(o *object, key dat.ObjectRef) bool {
	current, _ := nameKey(u.image(o))
	return current == key && !u.isEnding(o)
}
