package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// creating is the adapter that a creation names, and its device.
func (u *unit) creating(id dat.Handle) (*adapter, rdma.IA, error) {
	ia, err := u.m.adapterFor(id)
	if err != nil {
		return nil, nil, err
	}
	hw, err := ia.device()
	return ia, hw, err
}

// creature is an entity that an engine makes and frees.
type creature interface {
	entity
	unmake()
}

// created ends the creation of what was admitted: the engine makes its part, which
// a failure of the unit undoes. A dry run stops before that.
func created[T dat.Object](u *unit, c Call, cause string, e creature, img T, make func() error) (*object, T, error) {
	o := e.base()
	if c.DryRun {
		return o, scrub(c, img), nil
	}
	if err := make(); err != nil {
		var none T
		return nil, none, asError(err)
	}
	u.undo = append(u.undo, func() { e.unmake() })
	u.add(c, o, cause, becomes(img), nil)
	return o, img, nil
}
