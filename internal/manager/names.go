package manager

import (
	"sync"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// names finds the living object of a type by its name. It knows only this node; the
// recorder decides for all nodes. Its keys are dat.ObjectRef without an id, its
// values dat.Handle.
type names struct{ m sync.Map }

// nameKey returns the key of an image in names, and whether it has a name.
func nameKey(img dat.Object) (dat.ObjectRef, bool) {
	if img == nil || img.Head().Name == "" {
		return dat.ObjectRef{}, false
	}
	return dat.ObjectRef{Type: img.Type(), Name: img.Head().Name}, true
}

// update replaces an object's image was by is; either may be nil.
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

// updateNames notes the name that an object has after a change in this unit.
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

// checkNameForm refuses a new name that has the form of an id: where either may stand it would mean another object.
func checkNameForm(o *object, img dat.Object) error {
	if img == nil {
		return nil
	}
	name := string(img.Head().Name)
	if was := o.recorded(); len(name) != len(uuid.Nil.String()) || uuid.Validate(name) != nil || was != nil && string(was.Head().Name) == name {
		return nil
	}
	return &dat.Error{
		Return: dat.RetInvalidParameter, Field: "name",
		Detail: "The name has the form of an id, and would be taken for one; choose another one.",
	}
}

// checkNameFree refuses an image of o if another living object of its type has the
// same name, on this node or in this unit.
func (u *unit) checkNameFree(o *object, img dat.Object) error {
	key, ok := nameKey(img)
	if !ok {
		return nil
	}
	if err := checkNameForm(o, img); err != nil {
		return err
	}
	if v, ok := u.m.names.m.Load(key); ok && v.(dat.Handle) != o.id {
		if holder := u.m.objectOf(v.(dat.Handle)); holder != nil && u.keepsName(holder, key) {
			return u.errNameTaken(holder)
		}
	}
	if other := u.names[key]; other != nil && other != o && u.keepsName(other, key) {
		return u.errNameTaken(other)
	}
	return nil
}

// keepsName reports whether an object still has the name once this unit is
// recorded.
func (u *unit) keepsName(o *object, key dat.ObjectRef) bool {
	current, _ := nameKey(u.image(o))
	return current == key && !u.isEnding(o)
}
