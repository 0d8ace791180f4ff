package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pz is a Protection Zone.
type pz struct {
	object
	hw enginePart[rdma.Object]
}

// CreatePZ is dat_pz_create. Errors: DAT_INVALID_HANDLE (ia),
// DAT_INSUFFICIENT_RESOURCES (max_pzs).
func (m *Manager) CreatePZ(ctx context.Context, c Call, in PZCreate) (*dat.PZ, error) {
	return write(ctx, m, c, in.IA, "dat_pz_create", func(u *unit) (*object, *dat.PZ, error) {
		return u.createPZ(c, in)
	})
}

func (u *unit) createPZ(c Call, in PZCreate) (*object, *dat.PZ, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	z := &pz{object: newObject(ia, dat.TypePZ, newID())}
	img := &dat.PZ{Meta: z.meta(in.Name, in.Labels)}
	if _, err := u.admit(ia, z, func(resolver) (dat.Object, *dat.Error) { return img, nil }); err != nil {
		return nil, nil, err
	}
	return finishCreation(u, c, "dat_pz_create", z, img, func() error { return z.create(hw) })
}

// FreePZ is dat_pz_free. Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE with
// DAT_INVALID_STATE_PZ_IN_USE.
func (m *Manager) FreePZ(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypePZ, id)
}

func (u *unit) freePZ(c Call, cause string, id dat.Handle) error {
	z, err := target[*pz](u, c, dat.TypePZ, id)
	if err != nil {
		return err
	}
	return u.freeUnused(c, cause, z, func() { z.destroy() })
}

func (z *pz) create(hw rdma.IA) error {
	made, err := created(z.m().metrics, "create_pz", func() (rdma.Object, error) { return hw.CreatePZ(z.id) })
	if err == nil {
		z.hw.set(made)
	}
	return err
}

func (z *pz) destroy() { z.hw.free(&z.object, "") }

func (z *pz) remake(hw rdma.IA) (string, func(dat.Object), error) { return "", nil, z.create(hw) }

func (z *pz) dropPart(why string) { z.hw.free(&z.object, why) }

func (z *pz) engine() (rdma.Object, error) { return z.hw.engine(&z.object) }
