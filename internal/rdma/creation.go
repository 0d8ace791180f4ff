package rdma

import (
	"github.com/datapi/datapi/internal/dat"
)

// creating is the adapter that a creation names, and its device.
func (t *tx) creating(id dat.Handle) (*adapter, IA, error) {
	ia, err := t.m.adapterFor(id)
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
func created[T dat.Object](t *tx, c Call, cause string, e creature, img T, make func() error) (*object, T, error) {
	o := e.base()
	if c.DryRun {
		return o, scrub(c, img), nil
	}
	if err := make(); err != nil {
		var none T
		return nil, none, asError(err)
	}
	t.undo = append(t.undo, func() { e.unmake() })
	t.add(c, o, cause, becomes(img), nil)
	return o, img, nil
}
