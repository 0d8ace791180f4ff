package soft

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// lmr implements rdma.LMR.
type lmr struct {
	object
	extent
	// key is its RMR context.
	key uint32
}

// CreateLMR implements rdma.IA.
func (a *adapter) CreateLMR(id dat.Handle, spec rdma.LMRSpec) (rdma.LMR, error) {
	f := a.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := a.checkDevice(); err != nil {
		return nil, err
	}
	memory, offset, err := f.acquire(spec)
	if err != nil {
		return nil, err
	}
	l := &lmr{extent: extent{asPZ(spec.PZ), memory, offset, spec.Length, rightsOf(spec.Privileges)}}
	if err := a.add(l, kindLMR, id); err != nil {
		f.release(memory)
		return nil, err
	}
	l.key = a.addKey(&l.extent)
	return l, nil
}

// Free implements rdma.Object.
func (l *lmr) Free() { l.free(l) }

func (l *lmr) release() {
	delete(l.ia.keys, l.key)
	l.ia.fabric.release(l.memory)
}

// Context implements rdma.LMR.
func (l *lmr) Context() (uint32, uint64) { return l.key, l.address() }

// ReadAt implements rdma.LMR.
func (l *lmr) ReadAt(p []byte, off int64) (int, error) {
	return l.withMemory(off, int64(len(p)), func(memory []byte) int { return copy(p, memory) })
}

// WriteAt implements rdma.LMR.
func (l *lmr) WriteAt(p []byte, off int64) (int, error) {
	return l.withMemory(off, int64(len(p)), func(memory []byte) int { return copy(memory, p) })
}

// withMemory lets move copy length bytes from off, and returns what it returns.
func (l *lmr) withMemory(off, length int64, move func([]byte) int) (n int, err error) {
	err = l.whileAlive(func() error {
		memory, ok := l.bytes(off, length)
		if !ok {
			return errOutside("offset", l.length)
		}
		n = move(memory)
		return nil
	})
	return n, err
}
