//go:build verbs

package verbs

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// blocks are the memory that regions show, shared ones by their id.
type blocks struct {
	mu     sync.Mutex
	shared map[string]*block
}

// block is memory that one or more regions show; it goes with the last of them.
type block struct {
	memory []byte
	users  int
	shared string
}

// take finds or makes the memory that spec asks for, and the part of it that the
// region shows.
func (s *blocks) take(spec rdma.LMRSpec) (*block, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.shared[spec.SharedID]
	var offset int64
	switch {
	case spec.MemType == dat.MemLMR:
		of, ok := spec.Of.(*lmr)
		if !ok || of.block.users == 0 {
			return nil, nil, errStale("region")
		}
		b, offset = of.block, of.offset+spec.Offset
	case spec.MemType == dat.MemSharedVirtual && b != nil:
	default:
		memory, err := newMemory(spec.Length)
		if err != nil {
			return nil, nil, err
		}
		b = &block{memory: memory}
		if spec.MemType == dat.MemSharedVirtual {
			b.shared = spec.SharedID
			s.shared[b.shared] = b
		}
	}
	if offset+spec.Length > int64(len(b.memory)) {
		return nil, nil, &dat.Error{
			Return: dat.RetInvalidParameter, Field: "length",
			Detail: fmt.Sprintf("The memory has %d bytes; offset and length must stay within them.", len(b.memory)),
		}
	}
	b.users++
	return b, b.memory[offset : offset+spec.Length], nil
}

func (s *blocks) give(b *block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.users--; b.users > 0 {
		return
	}
	if b.shared != "" {
		delete(s.shared, b.shared)
	}
	_ = unix.Munmap(b.memory)
}

// lmr is registered memory of the service.
type lmr struct {
	core
	mr     region
	block  *block
	offset int64

	// mu keeps the memory mapped while it is read or written here.
	mu   sync.RWMutex
	view []byte
}

// CreateLMR implements rdma.IA. Where the device has memory windows, a region may
// be bound to one.
//
// Implements: ibv_reg_mr, ibv_dereg_mr.
func (a *adapter) CreateLMR(id dat.Handle, spec rdma.LMRSpec) (rdma.LMR, error) {
	h, err := a.life()
	if err != nil {
		return nil, err
	}
	zone, ok := spec.PZ.(*pz)
	if !ok || zone.hw != h {
		return nil, errStale("protection zone")
	}
	b, view, err := a.p.blocks.take(spec)
	if err != nil {
		return nil, err
	}
	access := accessOf(spec.Privileges)
	if h.limit.maxMW > 0 {
		access |= accessBindWindow
	}
	m := &lmr{block: b, view: view, offset: int64(cap(b.memory) - cap(view))}
	if m.mr, err = zone.register(view, access); err != nil {
		a.p.blocks.give(b)
		return nil, err
	}
	release := func() {
		m.mu.Lock()
		m.view = nil
		m.mu.Unlock()
		_ = m.mr.free()
		a.p.blocks.give(b)
	}
	if err := h.own(&m.core, id, rankRegion, release); err != nil {
		release()
		return nil, err
	}
	return m, nil
}

// register registers memory that belongs to somebody else.
func (z *pz) register(memory []byte, access uint) (region, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.freed {
		return region{}, errStale("protection zone")
	}
	mr, err := z.pd.register(memory, access)
	return mr, fault("register memory", err)
}

// Free implements rdma.Object.
func (m *lmr) Free() { m.free() }

// Context implements rdma.LMR.
func (m *lmr) Context() (rmrContext uint32, targetAddress uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.view == nil {
		return 0, 0
	}
	return m.mr.rkey(), buffer{data: m.view}.addr()
}

// ReadAt implements rdma.LMR.
func (m *lmr) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.view == nil {
		return 0, errStale("region")
	}
	return copy(p, m.view[off:]), nil
}

// WriteAt implements rdma.LMR.
func (m *lmr) WriteAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.view == nil {
		return 0, errStale("region")
	}
	return copy(m.view[off:], p), nil
}

// errStale is the refusal of an object that is freed or went with its device.
func errStale(what string) error {
	return &dat.Error{Return: dat.RetInvalidHandle, Detail: "The " + what + " is freed or went with its device; make it again."}
}

// rmr is a memory window of the kind that the send queue binds (type 1).
type rmr struct {
	core
	window window

	mu    sync.Mutex
	freed bool
	// bound is the region of the last bind, which unbinding names once more.
	bound *lmr
}

// CreateRMR implements rdma.IA.
//
// Implements: ibv_alloc_mw, ibv_dealloc_mw.
func (a *adapter) CreateRMR(id dat.Handle, zone rdma.Object) (rdma.Object, error) {
	h, err := a.life()
	if err != nil {
		return nil, err
	}
	z, ok := zone.(*pz)
	if !ok || z.hw != h {
		return nil, errStale("protection zone")
	}
	if h.limit.maxMW == 0 {
		return nil, &dat.Error{
			Return: dat.RetModelNotSupported,
			Detail: "The device has no memory windows (max_rmrs is 0); give peers the region's own context instead.",
		}
	}
	w, err := z.pd.allocWindow()
	if err != nil {
		return nil, fault("make a memory window", err)
	}
	r := &rmr{window: w}
	release := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.freed = true
		_ = w.free()
	}
	if err := h.own(&r.core, id, rankWindow, release); err != nil {
		release()
		return nil, err
	}
	return r, nil
}

// Free implements rdma.Object.
func (r *rmr) Free() { r.free() }
