package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// creating is the adapter that a creation names, and its device.
func (u *unit) beginCreation(id dat.Handle) (*adapter, rdma.IA, error) {
	ia, err := u.m.adapterFor(id)
	if err != nil {
		return nil, nil, err
	}
	if !ia.usable(u) {
		return nil, nil, errBodyHandle(dat.TypeIA, id, "ia")
	}
	hw, err := ia.beginCreation()
	if err != nil {
		return nil, nil, err
	}
	u.creationsOn = append(u.creationsOn, ia)
	return ia, hw, nil
}

// creature is an entity that an engine makes and frees.
type engineObject interface {
	entity
	destroy()
}

// created ends the creation of what was admitted: the engine makes its part, which
// a failure of the unit undoes. A dry run stops before that.
func finishCreation[T dat.Object](u *unit, c Call, cause string, e engineObject, img T, make func() error) (*object, T, error) {
	o := e.base()
	if c.DryRun {
		return o, withoutIdentity(c, img), nil
	}
	if err := make(); err != nil {
		var none T
		return nil, none, asError(err)
	}
	u.undo = append(u.undo, func() { e.destroy() })
	u.add(c, o, cause, applyCreate(img), nil)
	return o, img, nil
}

// scrub is the answer of a dry run of a creation: without id and version.
func withoutIdentity[T dat.Object](c Call, img T) T {
	if !c.DryRun {
		return img
	}
	o := img.Clone()
	h := o.Head()
	h.ID, h.Version, h.CreatedAt, h.UpdatedAt = "", 0, dat.Time{}, dat.Time{}
	return o.(T)
}
