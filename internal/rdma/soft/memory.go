package soft

import (
	"fmt"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// block is memory that one or more regions show.
type block struct {
	data   []byte
	base   uint64
	users  int
	shared string
}

// rights is a set of privileges.
type rights uint8

func rightsOf(privileges []dat.Privilege) rights {
	var r rights
	for _, p := range privileges {
		r |= 1 << p
	}
	return r
}

func (r rights) has(p dat.Privilege) bool { return r&(1<<p) != 0 }

// cover tells whether a window with the rights want may lie on memory with the
// rights r: what peers read must be readable here, what they write writable.
func (r rights) cover(want rights) bool {
	reads := want.has(dat.PrivRemoteRead) || want.has(dat.PrivLocalRead)
	writes := want.has(dat.PrivRemoteWrite) || want.has(dat.PrivLocalWrite)
	return (!reads || r.has(dat.PrivLocalRead)) && (!writes || r.has(dat.PrivLocalWrite))
}

// window is a stretch of memory with who may use it and how.
type window struct {
	zone   *pz
	memory *block
	offset int64
	length int64
	rights rights
}

// address is where peers and registrations see the first byte.
func (w *window) address() uint64 { return w.memory.base + uint64(w.offset) }

// span gives length bytes from off, or nothing where they are not all inside.
func (w *window) span(off, length int64) ([]byte, bool) {
	if off < 0 || length < 0 || off > w.length || length > w.length-off {
		return nil, false
	}
	start := w.offset + off
	return w.memory.data[start : start+length], true
}

// lmr is registered memory.
type lmr struct {
	core
	window
	key uint32
}

// CreateLMR implements rdma.IA.
func (a *adapter) CreateLMR(id dat.Handle, spec rdma.LMRSpec) (rdma.LMR, error) {
	f := a.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := a.usable(); err != nil {
		return nil, err
	}
	memory, offset, err := f.find(spec)
	if err != nil {
		return nil, err
	}
	l := &lmr{window: window{asPZ(spec.PZ), memory, offset, spec.Length, rightsOf(spec.Privileges)}}
	if err := a.admit(l, kindLMR, id); err != nil {
		f.release(memory)
		return nil, err
	}
	l.key = a.addKey(&l.window)
	return l, nil
}

// find gives the memory that spec speaks of, with one user more.
func (f *Fabric) find(spec rdma.LMRSpec) (*block, int64, error) {
	switch spec.MemType {
	case dat.MemLMR:
		of, ok := spec.Of.(*lmr)
		if !ok || !of.alive {
			return nil, 0, &dat.Error{
				Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleLMR, Field: "lmr",
				Detail: "The region to register again is gone; name a living one.",
			}
		}
		if _, inside := of.span(spec.Offset, spec.Length); !inside {
			return nil, 0, outside("length", of.length)
		}
		of.memory.users++
		return of.memory, of.offset + spec.Offset, nil
	case dat.MemSharedVirtual:
		if b := f.shared[spec.SharedID]; b != nil {
			if spec.Length > int64(len(b.data)) {
				return nil, 0, outside("length", int64(len(b.data)))
			}
			b.users++
			return b, 0, nil
		}
		b, err := f.allocate(spec.Length)
		if err == nil {
			b.shared = spec.SharedID
			f.shared[b.shared] = b
		}
		return b, 0, err
	default:
		b, err := f.allocate(spec.Length)
		return b, 0, err
	}
}

func outside(field string, length int64) error {
	return &dat.Error{
		Return: dat.RetInvalidParameter, Field: field,
		Detail: fmt.Sprintf("The memory has only %d bytes; the new region must lie inside.", length),
	}
}

// allocate gives zeroed memory at an address of its own.
func (f *Fabric) allocate(length int64) (*block, error) {
	if length < 0 || length > f.memoryLimit-f.memory {
		return nil, &dat.Error{
			Return: dat.RetInsufficientResources, Subtype: dat.SubResourceMemory, Field: "length",
			Detail: fmt.Sprintf("Of the %d bytes for registered memory %d are left; free a region or ask for less.",
				f.memoryLimit, f.memoryLimit-f.memory),
		}
	}
	if f.nextAddress == 0 {
		f.nextAddress = firstAddress
	}
	b := &block{data: make([]byte, length), base: f.nextAddress, users: 1}
	// A page without memory lies between any two blocks.
	f.nextAddress += (uint64(length)+0x1fff)&^0xfff + 0x1000
	f.memory += length
	return b, nil
}

func (f *Fabric) release(b *block) {
	b.users--
	if b.users > 0 {
		return
	}
	f.memory -= int64(len(b.data))
	if b.shared != "" {
		delete(f.shared, b.shared)
	}
}

// addKey gives peers a key for w that was not used before.
func (a *adapter) addKey(w *window) uint32 {
	for {
		a.lastKey++
		if _, used := a.keys[a.lastKey]; !used && a.lastKey != 0 {
			a.keys[a.lastKey] = w
			return a.lastKey
		}
	}
}

// Free implements rdma.Object.
func (l *lmr) Free() { l.free(l) }

func (l *lmr) drop() {
	delete(l.ia.keys, l.key)
	l.ia.fabric.release(l.memory)
}

// Context implements rdma.LMR.
func (l *lmr) Context() (uint32, uint64) { return l.key, l.address() }

// ReadAt implements rdma.LMR.
func (l *lmr) ReadAt(p []byte, off int64) (int, error) {
	return l.reach(off, int64(len(p)), func(memory []byte) int { return copy(p, memory) })
}

// WriteAt implements rdma.LMR.
func (l *lmr) WriteAt(p []byte, off int64) (int, error) {
	return l.reach(off, int64(len(p)), func(memory []byte) int { return copy(memory, p) })
}

func (l *lmr) reach(off, length int64, move func([]byte) int) (int, error) {
	l.ia.fabric.mu.Lock()
	defer l.ia.fabric.mu.Unlock()
	if err := l.stale(); err != nil {
		return 0, err
	}
	memory, ok := l.span(off, length)
	if !ok {
		return 0, outside("offset", l.length)
	}
	return move(memory), nil
}

// rmr is a window that binds make and unmake.
type rmr struct {
	core
	zone *pz
	key  uint32
	of   *lmr
}

// CreateRMR implements rdma.IA.
func (a *adapter) CreateRMR(id dat.Handle, zone rdma.Object) (rdma.Object, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	w := &rmr{zone: asPZ(zone)}
	if err := a.admit(w, kindRMR, id); err != nil {
		return nil, err
	}
	return w, nil
}

// Free implements rdma.Object.
func (w *rmr) Free() { w.free(w) }

func (w *rmr) drop() { w.unbind() }

// unbind makes the present key useless.
func (w *rmr) unbind() {
	if w.key != 0 {
		delete(w.ia.keys, w.key)
		w.ia.fabric.release(w.of.memory)
		w.key, w.of = 0, nil
	}
}

// bind gives the window a new key; the old one is useless from now on.
func (w *rmr) bind(e *ep, q *rdma.Request) (key uint32, address uint64, ok bool) {
	if !w.alive || w.zone != e.zone() {
		return 0, 0, false
	}
	if len(q.Privileges) == 0 || q.Length == 0 {
		w.unbind()
		return 0, 0, true
	}
	l, isLMR := q.LMR.(*lmr)
	if !isLMR || !l.alive || l.zone != w.zone || !l.rights.cover(rightsOf(q.Privileges)) {
		return 0, 0, false
	}
	if _, inside := l.span(q.Offset, q.Length); !inside {
		return 0, 0, false
	}
	w.unbind()
	l.memory.users++
	w.of = l
	part := &window{w.zone, l.memory, l.offset + q.Offset, q.Length, rightsOf(q.Privileges)}
	w.key = w.ia.addKey(part)
	return w.key, part.address(), true
}
