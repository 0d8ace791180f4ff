//go:build verbs

package verbs

import (
	"math/bits"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pz is a protection zone: a PD, and the pool of the provider's own buffers in it.
type pz struct {
	object
	pd   protection
	part heldPart

	mu    sync.Mutex
	freed bool
	slabs []slab
	// idle are the buffers that are not in use, by size as a power of two.
	idle [bits.UintSize][]buffer
}

// slab is memory that was registered in one piece.
type slab struct {
	memory []byte
	mr     region
}

const (
	// smallestBuffer is the size of the smallest buffers as a power of two, in bytes.
	smallestBuffer = 8
	// slabSize is the least size of a slab, in bytes.
	slabSize = 1 << 17
)

// CreatePZ implements rdma.IA.
//
// Implements: ibv_alloc_pd.
func (a *adapter) CreatePZ(id dat.Handle) (rdma.Object, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	pd, err := h.ctx.allocPD()
	if err != nil {
		return nil, deviceError("make a protection domain", err)
	}
	z := &pz{pd: pd}
	z.part.destroy = z.destroy
	if err := h.add(&z.object, id, rankPZ, z.release); err != nil {
		z.release()
		return nil, err
	}
	return z, nil
}

// Free implements rdma.Object.
//
// Implements: ibv_dereg_mr for the buffers, ibv_dealloc_pd.
func (z *pz) Free() { z.free() }

func (z *pz) release() {
	z.mu.Lock()
	z.freed = true
	z.mu.Unlock()
	z.part.freePart()
}

// destroy gives the zone and its buffers back to the device.
func (z *pz) destroy() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, s := range z.slabs {
		_ = s.mr.free()
		_ = unix.Munmap(s.memory)
	}
	z.slabs, z.idle = nil, [bits.UintSize][]buffer{}
	_ = z.pd.free()
}

// classOf returns the size of a buffer for size bytes as a power of two.
func classOf(size int64) int { return max(smallestBuffer, bits.Len64(uint64(max(size, 1)-1))) }

// takeBuffer returns registered memory of at least size bytes, which its pool takes back.
func (z *pz) takeBuffer(size int64) (buffer, error) {
	class := classOf(size)
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.freed {
		return buffer{}, &dat.Error{Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandlePZ, Detail: "The protection zone is freed."}
	}
	if len(z.idle[class]) == 0 {
		if err := z.grow(class); err != nil {
			return buffer{}, err
		}
	}
	idle := z.idle[class]
	b := idle[len(idle)-1]
	z.idle[class] = idle[:len(idle)-1]
	b.pool = z
	return b, nil
}

// putBuffer makes a buffer idle again.
func (z *pz) putBuffer(b buffer) {
	class := classOf(int64(len(b.data)))
	z.mu.Lock()
	defer z.mu.Unlock()
	if !z.freed {
		z.idle[class] = append(z.idle[class], b)
	}
}

// grow registers a slab of buffers of one size.
func (z *pz) grow(class int) error {
	memory, mr, err := z.registerNew(int64(max(slabSize, 1<<class)), accessLocalWrite)
	if err != nil {
		return err
	}
	z.slabs = append(z.slabs, slab{memory, mr})
	for at := 0; at+1<<class <= len(memory); at += 1 << class {
		z.idle[class] = append(z.idle[class], buffer{data: memory[at : at+1<<class : at+1<<class], lkey: mr.lkey()})
	}
	return nil
}

// registerNew maps and registers memory of the zone's own.
func (z *pz) registerNew(size int64, access uint) ([]byte, region, error) {
	memory, err := newMemory(size)
	if err != nil {
		return nil, region{}, err
	}
	mr, err := z.pd.register(memory, access)
	if err != nil {
		_ = unix.Munmap(memory)
		return nil, region{}, deviceError("register memory", err)
	}
	return memory, mr, nil
}

// newMemory returns zeroed memory outside of Go's heap, which a device may write at any time.
func newMemory(size int64) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, deviceError("map memory", err)
	}
	return memory, nil
}
