package manager

import (
	"context"
	"slices"
	"strconv"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// rmr is a Remote Memory Region: a window on an LMR. Its binding is live and never
// recorded, because binds are DTOs.
type rmr struct {
	object
	hw enginePart[rdma.Object]

	mu   leafMutex
	bind *rmrBinding // the present one, nil while unbound
	// freed says that a bind that completes later binds nothing.
	freed bool
}

// fill implements filler.
func (w *rmr) fill(img dat.Object) {
	o, ok := img.(*dat.RMR)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.bind; b != nil {
		context, address := hexContext(b.context), strconv.FormatUint(b.address, 10)
		o.LMR, o.Offset, o.Length, o.Privileges = b.lmr, b.offset, b.length, slices.Clone(b.privileges)
		o.RMRContext, o.TargetAddress = &context, &address
	}
}

// CreateRMR is dat_rmr_create. Errors: DAT_INVALID_HANDLE,
// DAT_INSUFFICIENT_RESOURCES, DAT_MODEL_NOT_SUPPORTED.
func (m *Manager) CreateRMR(ctx context.Context, c Call, in RMRCreate) (*dat.RMR, error) {
	return write(ctx, m, c, in.IA, "dat_rmr_create", func(u *unit) (*object, *dat.RMR, error) {
		return u.createRMR(c, in)
	})
}

func (u *unit) createRMR(c Call, in RMRCreate) (*object, *dat.RMR, error) {
	ia, hw, err := u.beginCreation(in.IA)
	if err != nil {
		return nil, nil, err
	}
	w := &rmr{object: newObject(ia, dat.TypeRMR, newID())}
	img := &dat.RMR{Meta: w.meta(in.Name, in.Labels), PZ: in.PZ, Privileges: []dat.Privilege{}}
	if _, err := u.admit(ia, w, func(handles resolver) (dat.Object, *dat.Error) {
		return img, dat.CheckRMRCreate(ia.facts.Load(), in.PZ, handles)
	}); err != nil {
		return nil, nil, err
	}
	return finishCreation(u, c, "dat_rmr_create", w, img, func() error { return w.create(hw, img) })
}

// FreeRMR is dat_rmr_free; it unbinds. The error is DAT_INVALID_HANDLE.
func (m *Manager) FreeRMR(ctx context.Context, c Call, id dat.Handle) error {
	return m.free(ctx, c, dat.TypeRMR, id)
}

func (u *unit) freeRMR(c Call, cause string, id dat.Handle) error {
	w, err := target[*rmr](u, c, dat.TypeRMR, id)
	if err != nil {
		return err
	}
	return u.freeUnused(c, cause, w, func() { w.destroy() })
}

func (w *rmr) engine() (rdma.Object, error) { return w.hw.engine(&w.object) }

func (w *rmr) create(hw rdma.IA, img *dat.RMR) error {
	zone, err := engineOf[*pz](w.m(), img.PZ)
	if err != nil {
		return err
	}
	made, err := created(w.m().metrics, "create_rmr", func() (rdma.Object, error) { return hw.CreateRMR(w.id, zone) })
	if err == nil {
		w.hw.set(made)
	}
	return err
}

func (w *rmr) destroy() {
	w.hw.free(&w.object, "")
	w.mu.Lock()
	w.freed = true
	w.mu.Unlock()
	w.m().replaceBinding(w, nil)
}

func (w *rmr) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, w.create(hw, imageOf[*dat.RMR](&w.object))
}

func (w *rmr) dropPart(why string) { w.hw.free(&w.object, why); w.m().replaceBinding(w, nil) }

// rmrBinding is a bind of a window, requested or in force. It keeps its LMR in use.
type rmrBinding struct {
	rmr            *rmr
	lmr            dat.Handle
	offset, length int64 // bytes
	privileges     []dat.Privilege
	context        uint32
	address        uint64
}

// BindRMR is dat_rmr_bind: the window shows a part of a region once the bind
// completes; no privileges unbind it. Errors: those of PostSend,
// DAT_INVALID_HANDLE, DAT_PROTECTION_VIOLATION, DAT_PRIVILEGES_VIOLATION.
func (m *Manager) BindRMR(ctx context.Context, c Call, id dat.Handle, in BindPost) (Posted, error) {
	b := &rmrBinding{lmr: in.LMR, offset: in.Offset, length: in.Length, privileges: in.Privileges}
	var window rdma.Object
	var mem rdma.LMR
	p := posting{in: dat.OpBindRMR, kind: dat.KindRMRBind, count: 1, flags: in.Flags, cookie: in.Cookie, bind: b}
	p.checkKind = func(e *dat.Endpoint) error {
		w, err := lookup[*rmr](m, dat.TypeRMR, in.RMR, "rmr")
		if err != nil {
			return err
		}
		if !holdsInScope(ctx, &w.object) {
			return errBodyHandle(dat.TypeRMR, in.RMR, "rmr")
		}
		b.rmr = w
		var img *dat.LMR
		if l, ok := find[*lmr](m, in.LMR); ok && holdsInScope(ctx, &l.object) {
			img = imageOf[*dat.LMR](&l.object)
		}
		if in.LMR != dat.HandleNull && img == nil {
			return errBodyHandle(dat.TypeLMR, in.LMR, "lmr")
		}
		if err := dat.CheckBind(e, imageOf[*dat.RMR](&w.object), img, in.Offset, in.Length, in.Privileges); err != nil {
			return err
		}
		if window, err = w.engine(); err != nil {
			return err
		}
		mem, err = engineOf[*lmr](m, in.LMR)
		return err
	}
	return m.post(ctx, c, id, p, func(hw rdma.EP, first uint64) error {
		r := p.request(first)
		r.RMR, r.LMR, r.Offset, r.Length, r.Privileges = window, mem, in.Offset, in.Length, in.Privileges
		return hw.Post([]rdma.Request{r})
	})
}

// completeBind handles the completion of a bind: the window has the new binding, or
// keeps the old one if the bind failed.
func (m *Manager) completeBind(b *rmrBinding, r rdma.Report) {
	if r.Status != dat.DTOSuccess {
		m.countWindow(b.lmr, -1)
		return
	}
	if len(b.privileges) == 0 || b.length == 0 || b.lmr == dat.HandleNull {
		m.countWindow(b.lmr, -1)
		m.replaceBinding(b.rmr, nil)
		return
	}
	b.context, b.address = r.RMRContext, r.TargetAddress
	m.replaceBinding(b.rmr, b)
}

// replaceBinding replaces the binding of a window, nil for none, and ends the use
// of the old one's region. A window that was freed gets no new binding.
func (m *Manager) replaceBinding(w *rmr, b *rmrBinding) {
	w.mu.Lock()
	old := b
	if !w.freed || b == nil {
		old, w.bind = w.bind, b
	}
	w.mu.Unlock()
	if old != nil {
		m.countWindow(old.lmr, -1)
	}
}

// countWindow adds by, 1 or -1, to the users of the region h that are windows; null
// has none. It reports false, and counts nothing, if a window is to be added to a
// region that does not exist or is ending.
func (m *Manager) countWindow(h dat.Handle, by int) bool {
	if h == dat.HandleNull {
		return true
	}
	l, ok := find[*lmr](m, h)
	if !ok {
		return false
	}
	l.ia.mu.Lock()
	defer l.ia.mu.Unlock()
	if by > 0 && !l.usableLocked(nil) {
		return false
	}
	l.refs += by
	return true
}
