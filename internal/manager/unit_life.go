package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// beginCreation returns the adapter that a creation names, and its device. Until
// the unit ends, the return of that device waits.
func (u *unit) beginCreation(id dat.Handle) (*adapter, rdma.IA, error) {
	ia, err := u.m.adapterFor(id)
	if err != nil {
		return nil, nil, err
	}
	if !ia.usable(u) || !u.holds(&ia.object) {
		return nil, nil, errBodyHandle(dat.TypeIA, id, "ia")
	}
	hw, err := ia.beginCreation()
	if err != nil {
		return nil, nil, err
	}
	u.creationsOn = append(u.creationsOn, ia)
	return ia, hw, nil
}

// engineObject is an entity that the engine makes and frees.
type engineObject interface {
	entity
	destroy()
}

// finishCreation makes an admitted object in the engine and enters its creation. If
// the unit fails, the object is destroyed again. A dry run makes nothing.
func finishCreation[T dat.Object](u *unit, c Call, cause string, e engineObject, img T, make func() error) (*object, T, error) {
	o := e.base()
	if c.DryRun {
		return o, withoutIdentity(img), nil
	}
	if err := make(); err != nil {
		var none T
		return nil, none, asError(err)
	}
	u.undo = append(u.undo, func() { e.destroy() })
	u.add(c, o, cause, applyCreate(img), nil)
	return o, img, nil
}

// frees are the operations that free an object: the cause in the log, and the
// function that judges the free and enters it.
var frees = map[dat.ObjectType]struct {
	cause string
	free  func(u *unit, c Call, cause string, id dat.Handle) error
}{
	dat.TypePZ:       {"dat_pz_free", (*unit).freePZ},
	dat.TypeEVD:      {"dat_evd_free", (*unit).freeEVD},
	dat.TypeSRQ:      {"dat_srq_free", (*unit).freeSRQ},
	dat.TypeLMR:      {"dat_lmr_free", (*unit).freeLMR},
	dat.TypeRMR:      {"dat_rmr_free", (*unit).freeRMR},
	dat.TypePSP:      {"dat_psp_free", (*unit).freePSP},
	dat.TypeRSP:      {"dat_rsp_free", (*unit).freeRSP},
	dat.TypeEndpoint: {"dat_ep_free", (*unit).freeEP},
}

// free runs the free of one object as a unit of its own.
func (m *Manager) free(ctx context.Context, c Call, typ dat.ObjectType, id dat.Handle) error {
	f := frees[typ]
	return m.writeEnd(ctx, c, id, f.cause, func(u *unit) error { return f.free(u, c, f.cause, id) })
}

// freeUnused ends an object that nothing may use any more. act frees it in the
// engine, after the commit.
func (u *unit) freeUnused(c Call, cause string, e entity, act func()) error {
	if err := u.beginEnd(e); err != nil {
		return err
	}
	u.add(c, e.base(), cause, applyEnd, nil)
	u.after = append(u.after, act)
	return nil
}

// beginEnd begins to end an object. Errors: DAT_INVALID_HANDLE if it is not living,
// DAT_INVALID_STATE with the subtype of its type if others use it.
func (u *unit) beginEnd(e entity) error {
	o := e.base()
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	if !o.usableLocked(u) {
		return errGoneHandle(o)
	}
	if n := u.usersLocked(o); n > 0 && isKeptByUsers(o.typ) {
		return errInUse(o, n, u.usersOf(o, min(n, maxUsersNamed)))
	}
	o.life.advanceLocked(stepEnd, u)
	u.ending = append(u.ending, e)
	u.dropRefsAtCommit(u.image(o))
	return nil
}

// isKeptByUsers reports whether an object of the type cannot be freed while others
// use it.
func isKeptByUsers(t dat.ObjectType) bool {
	subtype, _ := t.InUse()
	return subtype != dat.SubNone
}
