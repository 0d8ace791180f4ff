//go:build verbs

package verbs

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// blocks is the memory of the regions; it finds shared blocks by their id.
type blocks struct {
	mu     sync.Mutex
	shared map[string]*block
}

// block is memory that one or more regions show; it is unmapped with the last of them.
type block struct {
	memory []byte
	// users counts the regions.
	users int
	// shared is its id as MemSharedVirtual, "" for memory of another type.
	shared string
}

// acquire returns the block that spec asks for with one user more, and the part of it
// that the region shows.
func (s *blocks) acquire(spec rdma.LMRSpec) (*block, []byte, error) {
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

// release takes one user from a block.
func (s *blocks) release(b *block) {
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

// lmr implements rdma.LMR: an MR on a part of a block.
type lmr struct {
	object
	mr    region
	block *block
	// offset is where the region begins in the block.
	offset int64

	// mu keeps the memory mapped while it is read or written here. view is the part of
	// the block, nil when the region is freed.
	mu   sync.RWMutex
	view []byte
}

// CreateLMR implements rdma.IA. Where the device has memory windows, a region may
// be bound to one.
//
// Implements: ibv_reg_mr_iova2.
func (a *adapter) CreateLMR(id dat.Handle, spec rdma.LMRSpec) (rdma.LMR, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	zone, err := h.zoneOf(spec.PZ)
	if err != nil {
		return nil, err
	}
	b, view, err := a.p.blocks.acquire(spec)
	if err != nil {
		return nil, err
	}
	access := accessOf(spec.Privileges)
	if h.limit.maxMW > 0 {
		access |= accessBindWindow
	}
	m := &lmr{block: b, view: view, offset: int64(cap(b.memory) - cap(view))}
	if m.mr, err = zone.register(view, access); err != nil {
		a.p.blocks.release(b)
		return nil, err
	}
	release := func() {
		m.mu.Lock()
		m.view = nil
		m.mu.Unlock()
		_ = m.mr.free()
		a.p.blocks.release(b)
	}
	if err := h.add(&m.object, id, rankRegion, release); err != nil {
		release()
		return nil, err
	}
	return m, nil
}

// register registers memory that the zone does not own.
func (z *pz) register(memory []byte, access uint) (region, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.freed {
		return region{}, errStale("protection zone")
	}
	mr, err := z.pd.register(memory, access)
	return mr, deviceError("register memory", err)
}

// Free implements rdma.Object.
//
// Implements: ibv_dereg_mr.
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
