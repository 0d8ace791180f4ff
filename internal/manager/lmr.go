package manager

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// lmr is a Local Memory Region: memory of this service that is registered with the
// engine.
type lmr struct {
	object
	hw enginePart[rdma.LMR]
}

// CreateLMR is dat_lmr_create. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
// DAT_MODEL_NOT_SUPPORTED, DAT_INSUFFICIENT_RESOURCES with
// DAT_RESOURCE_MEMORY_REGION (max_lmrs) or DAT_RESOURCE_MEMORY (the service's cap).
func (m *Manager) CreateLMR(ctx context.Context, c Call, in LMRCreate) (*dat.LMR, error) {
	return write(ctx, m, c, in.IA, "dat_lmr_create", func(u *unit) (*object, *dat.LMR, error) {
		return u.createLMR(c, in)
	})
}

func (u *unit) createLMR(c Call, in LMRCreate) (*object, *dat.LMR, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	if u.scope != nil && in.MemType == dat.MemSharedVirtual {
		return nil, nil, errSharedMemory()
	}
	l := &lmr{object: newObject(ia, dat.TypeLMR, newID())}
	privileges := slices.Clone(in.Privileges)
	slices.Sort(privileges)
	privileges = slices.Compact(privileges)
	img := &dat.LMR{
		Meta: l.meta(in.Name, in.Labels), PZ: in.PZ, MemType: in.MemType, LMR: in.LMR, Offset: in.Offset,
		SharedID: in.SharedID, Length: in.Length, Privileges: privileges,
	}
	if _, err := u.admit(ia, l, func(handles resolver) (dat.Object, *dat.Error) {
		q := dat.LMRRequest{
			PZ: in.PZ, MemType: in.MemType, Length: in.Length, Privileges: in.Privileges,
			LMR: in.LMR, Offset: in.Offset, SharedID: in.SharedID, Of: handles.lmr(in.LMR),
		}
		if err := dat.CheckLMRCreate(ia.facts.Load(), q, handles); err != nil {
			return nil, err
		}
		return img, nil
	}); err != nil {
		return nil, nil, err
	}
	if err := u.m.claimMemory(img); err != nil {
		return nil, nil, err
	}
	u.undo = append(u.undo, func() { u.m.releaseMemory(img) })
	return finishCreation(u, c, "dat_lmr_create", l, img, func() error { return l.create(hw, img) })
}

// FreeLMR is dat_lmr_free. Errors: DAT_INVALID_HANDLE, DAT_INVALID_STATE with
// DAT_INVALID_STATE_LMR_IN_USE while a window is bound to it or a region made of it.
func (m *Manager) FreeLMR(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeLMR, id)
}

func (u *unit) freeLMR(c Call, cause string, id dat.Handle) error {
	l, err := target[*lmr](u, c, dat.TypeLMR, id)
	if err != nil {
		return err
	}
	img, _ := u.image(&l.object).(*dat.LMR)
	return u.freeUnused(c, cause, l, func() {
		l.destroy()
		if img != nil {
			u.m.releaseMemory(img)
		}
	})
}

func (l *lmr) engine() (rdma.LMR, error) { return l.hw.engine(&l.object) }

// create registers the memory and writes its key and address for peers into the
// image.
func (l *lmr) create(hw rdma.IA, img *dat.LMR) error {
	zone, err := engineOf[*pz](l.m(), img.PZ)
	if err != nil {
		return err
	}
	spec := rdma.LMRSpec{PZ: zone, MemType: img.MemType, Length: img.Length, Privileges: img.Privileges, Offset: img.Offset}
	if img.SharedID != nil {
		spec.SharedID = *img.SharedID
	}
	if img.MemType == dat.MemLMR {
		if spec.Of, err = engineOf[*lmr](l.m(), img.LMR); err != nil {
			return err
		}
	}
	made, err := created(l.m().metrics, "create_lmr", func() (rdma.LMR, error) { return hw.CreateLMR(l.id, spec) })
	if err != nil {
		return err
	}
	l.hw.set(made)
	context, address := made.Context()
	img.RMRContext, img.TargetAddress = hexContext(context), strconv.FormatUint(address, 10)
	return nil
}

// hexContext returns an rmr_context as images have it.
func hexContext(c uint32) string { return fmt.Sprintf("0x%08x", c) }

func (l *lmr) destroy() { l.hw.free(&l.object, "") }

// remake implements remakeable. The memory is new: its contents and its key are
// lost.
func (l *lmr) remake(hw rdma.IA) (string, func(dat.Object), error) {
	made := imageOf[*dat.LMR](&l.object).Clone().(*dat.LMR)
	if err := l.create(hw, made); err != nil {
		return "", nil, err
	}
	return "the contents of the memory and its rmr_context", func(o dat.Object) {
		r := o.(*dat.LMR)
		r.RMRContext, r.TargetAddress = made.RMRContext, made.TargetAddress
	}, nil
}

func (l *lmr) dropPart(why string) { l.hw.free(&l.object, why) }

// ReadLMR reads length bytes from offset. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER outside of the region, DAT_INVALID_STATE without a device.
func (m *Manager) ReadLMR(ctx context.Context, id dat.Handle, offset, length int64) ([]byte, error) {
	hw, err := m.memoryRange(id, offset, length)
	if err != nil {
		return nil, err
	}
	p := make([]byte, length)
	if _, err := hw.ReadAt(p, offset); err != nil {
		return nil, asError(err)
	}
	return p, nil
}

// WriteLMR writes data at offset. It is no change and is not recorded. Errors:
// those of ReadLMR.
func (m *Manager) WriteLMR(ctx context.Context, c Call, id dat.Handle, offset int64, data []byte) error {
	if err := m.checkOpen(); err != nil {
		return err
	}
	if o := m.objectOf(id); o != nil && o.typ == dat.TypeLMR {
		if err := matchVersion(c, o.recorded()); err != nil {
			return err
		}
	}
	hw, err := m.memoryRange(id, offset, int64(len(data)))
	if err != nil || c.DryRun {
		return err
	}
	if _, err := hw.WriteAt(data, offset); err != nil {
		return asError(err)
	}
	return nil
}

// memoryRange returns the memory of a region after it has tested that a range lies
// inside. Errors: those of ReadLMR.
func (m *Manager) memoryRange(id dat.Handle, offset, length int64) (rdma.LMR, error) {
	l, err := lookup[*lmr](m, dat.TypeLMR, id, "")
	if err != nil {
		return nil, err
	}
	img := imageOf[*dat.LMR](&l.object)
	if offset < 0 || length < 0 || offset > img.Length || length > img.Length-offset {
		return nil, errParameter(dat.SubNone, "offset",
			fmt.Sprintf("%d bytes from %d lie outside of the region; it has the bytes 0 to %d.", length, offset, img.Length-1))
	}
	return l.engine()
}

// claimMemory counts the memory of a region against the cap of the service. The
// error is DAT_INSUFFICIENT_RESOURCES.
func (m *Manager) claimMemory(img *dat.LMR) *dat.Error {
	size := memorySize(img)
	if total := m.memory.Add(size); total > m.memoryCap {
		m.memory.Add(-size)
		return &dat.Error{
			Return: dat.RetInsufficientResources, Subtype: dat.SubResourceMemory, Field: "length",
			Detail: fmt.Sprintf("%d bytes are asked for and %d are left of the %d that this service gives to memory regions; ask for less or free a region.",
				img.Length, max(m.memoryCap-total+img.Length, 0), m.memoryCap),
		}
	}
	return nil
}

// releaseMemory ends what claimMemory counted.
func (m *Manager) releaseMemory(img *dat.LMR) { m.memory.Add(-memorySize(img)) }

// memorySize returns the bytes that a region takes of the service's memory: none
// for a region of another region.
func memorySize(img *dat.LMR) int64 {
	if img.MemType == dat.MemLMR {
		return 0
	}
	return img.Length
}
