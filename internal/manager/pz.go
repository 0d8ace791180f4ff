package manager

import (
	"context"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// pz is a protection zone.
type pz struct {
	object
	hw part[rdma.Object]
}

// meta is the shared part of a new recorded object.
func (o *object) meta(name dat.Name, labels map[string]string) dat.Meta {
	if labels == nil {
		labels = map[string]string{}
	}
	return dat.Meta{ID: o.id, Name: name, Labels: labels, IA: o.ia.id, Node: o.ia.m.node}
}

// becomes is an Apply that makes an object.
func becomes(img dat.Object) func(dat.Object) dat.Object {
	return func(dat.Object) dat.Object { return img.Clone() }
}

// scrub is the answer of a dry run of a creation: without id and version.
func scrub[T dat.Object](c Call, img T) T {
	if !c.DryRun {
		return img
	}
	o := img.Clone()
	h := o.Head()
	h.ID, h.Version, h.CreatedAt, h.UpdatedAt = "", 0, dat.Time{}, dat.Time{}
	return o.(T)
}

// CreatePZ is dat_pz_create. Errors: DAT_INVALID_HANDLE (ia),
// DAT_INSUFFICIENT_RESOURCES (max_pzs).
func (m *Manager) CreatePZ(ctx context.Context, c Call, in PZCreate) (*dat.PZ, error) {
	return write(ctx, m, c, in.IA, "dat_pz_create", func(u *unit) (*object, *dat.PZ, error) {
		return u.createPZ(c, in)
	})
}

func (u *unit) createPZ(c Call, in PZCreate) (*object, *dat.PZ, error) {
	ia, hw, err := u.creating(in.IA)
	if err != nil {
		return nil, nil, err
	}
	z := &pz{object: newObject(ia, dat.TypePZ, newID())}
	img := &dat.PZ{Meta: z.meta(in.Name, in.Labels)}
	if _, err := u.admit(ia, z, func(sight) (dat.Object, *dat.Error) { return img, nil }); err != nil {
		return nil, nil, err
	}
	return created(u, c, "dat_pz_create", z, img, func() error { return z.make(hw) })
}

// FreePZ is dat_pz_free. Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE with
// DAT_INVALID_STATE_PZ_IN_USE.
func (m *Manager) FreePZ(ctx context.Context, c Call, id dat.Handle) error {
	return free(ctx, m, c, id, "dat_pz_free", func(u *unit) error { return u.freePZ(c, id) })
}

func (u *unit) freePZ(c Call, id dat.Handle) error {
	z, err := target[*pz](u, dat.TypePZ, id)
	if err != nil {
		return err
	}
	return u.freeUnused(c, z, "dat_pz_free", func(n int) *dat.Error {
		return errInUse(&z.object, dat.SubInvalidStatePZInUse, n, "endpoints, memory regions or shared receive queues")
	}, func() { z.unmake() })
}

// freeUnused ends an object that nothing may use any more: judge, record, act.
func (u *unit) freeUnused(c Call, e entity, cause string, inUse func(int) *dat.Error, act func()) error {
	o := e.base()
	if err := u.match(c, o); err != nil {
		return err
	}
	if err := u.end(e, inUse); err != nil {
		return err
	}
	u.add(c, o, cause, gone, nil)
	u.after = append(u.after, act)
	return nil
}

func (z *pz) make(hw rdma.IA) error {
	made, err := hw.CreatePZ(z.id)
	if err == nil {
		z.hw.set(made)
	}
	return err
}

func (z *pz) unmake() { z.hw.free() }

// zone is the provider's part of a PZ: nil for null. The error is that of a PZ
// that could not be made again.
func (m *Manager) zone(h dat.Handle) (rdma.Object, error) {
	z, ok := find[*pz](m, h)
	if !ok {
		return nil, nil
	}
	hw, ok := z.hw.get()
	if !ok {
		return nil, errMissing(&z.object, z.hw.reason())
	}
	return hw, nil
}

// errMissing is the refusal where the provider has nothing for an object: its
// device is gone, or it could not be made again.
func errMissing(o *object, why string) *dat.Error {
	if o.ia.gone.Load() {
		return errIAGone(o.ia)
	}
	return errUnmade(o, why)
}
