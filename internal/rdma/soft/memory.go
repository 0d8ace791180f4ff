package soft

import (
	"fmt"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// block is memory that one or more regions and bound windows show.
type block struct {
	data []byte
	// base is the address of the first byte.
	base uint64
	// users counts the regions and bound windows; the memory goes with the last one.
	users int
	// shared is its id as MemSharedVirtual, "" for memory of another type.
	shared string
}

// rights is a set of privileges.
type rights uint8

// rightsOf returns the set of the privileges.
func rightsOf(privileges []dat.Privilege) rights {
	var r rights
	for _, p := range privileges {
		r |= 1 << p
	}
	return r
}

func (r rights) has(p dat.Privilege) bool { return r&(1<<p) != 0 }

// allowWindow reports whether a window with the rights want may be bound to memory
// with the rights r: what peers read must be readable here, what they write writable.
func (r rights) allowWindow(want rights) bool {
	reads := want.has(dat.PrivRemoteRead) || want.has(dat.PrivLocalRead)
	writes := want.has(dat.PrivRemoteWrite) || want.has(dat.PrivLocalWrite)
	return (!reads || r.has(dat.PrivLocalRead)) && (!writes || r.has(dat.PrivLocalWrite))
}

// extent is a stretch of a block with the zone and the rights that its users need.
type extent struct {
	zone   *pz
	memory *block
	offset int64
	length int64
	rights rights
}

// address returns where peers see the first byte.
func (x *extent) address() uint64 { return x.memory.base + uint64(x.offset) }

// bytes returns length bytes from off; inside is false where the extent has fewer.
func (x *extent) bytes(off, length int64) (data []byte, inside bool) {
	if off < 0 || length < 0 || off > x.length || length > x.length-off {
		return nil, false
	}
	start := x.offset + off
	return x.memory.data[start : start+length], true
}

// acquire returns the block that spec asks for with one user more, and the offset in
// it. The lock is held.
func (f *Fabric) acquire(spec rdma.LMRSpec) (*block, int64, error) {
	switch spec.MemType {
	case dat.MemLMR:
		of, ok := spec.Of.(*lmr)
		if !ok || !of.alive {
			return nil, 0, &dat.Error{
				Return: dat.RetInvalidHandle, Subtype: dat.SubInvalidHandleLMR, Field: "lmr",
				Detail: "The region to register again is gone; name a living one.",
			}
		}
		if _, inside := of.bytes(spec.Offset, spec.Length); !inside {
			return nil, 0, errOutside("length", of.length)
		}
		of.memory.users++
		return of.memory, of.offset + spec.Offset, nil
	case dat.MemSharedVirtual:
		if b := f.shared[spec.SharedID]; b != nil {
			if spec.Length > int64(len(b.data)) {
				return nil, 0, errOutside("length", int64(len(b.data)))
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

// errOutside refuses a range that is not inside of memory of length bytes.
func errOutside(field string, length int64) error {
	return &dat.Error{
		Return: dat.RetInvalidParameter, Field: field,
		Detail: fmt.Sprintf("The memory has only %d bytes; the new region must lie inside.", length),
	}
}

// allocate returns a block of zeroed memory at an address of its own, with one user.
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

// release takes one user from a block.
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

// addKey returns a key for peers to an extent that no other has.
func (a *adapter) addKey(x *extent) uint32 {
	for {
		a.lastKey++
		if _, used := a.keys[a.lastKey]; !used && a.lastKey != 0 {
			a.keys[a.lastKey] = x
			return a.lastKey
		}
	}
}
