package soft

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// rmr is a remote memory region, a window that binds open and close for peers.
type rmr struct {
	object
	zone *pz
	// key is its RMR context and of the region that it is bound to; 0 and nil while
	// it is unbound.
	key uint32
	of  *lmr
}

// CreateRMR implements rdma.IA.
func (a *adapter) CreateRMR(id dat.Handle, zone rdma.Object) (rdma.Object, error) {
	w := &rmr{zone: asPZ(zone)}
	if err := a.create(w, kindRMR, id); err != nil {
		return nil, err
	}
	return w, nil
}

// Free implements rdma.Object.
func (w *rmr) Free() { w.free(w) }

func (w *rmr) release() { w.unbind() }

// unbind ends the use of the present key.
func (w *rmr) unbind() {
	if w.key != 0 {
		delete(w.ia.keys, w.key)
		w.ia.fabric.release(w.of.memory)
		w.key, w.of = 0, nil
	}
}

// bind binds the window as q asks and returns its new key and address; the old key is
// useless from now on. ok is false where the bind is not allowed. No privileges unbind.
func (w *rmr) bind(e *ep, q *rdma.Request) (key uint32, address uint64, ok bool) {
	if !w.alive || w.zone != e.zone() {
		return 0, 0, false
	}
	if len(q.Privileges) == 0 || q.Length == 0 {
		w.unbind()
		return 0, 0, true
	}
	l, isLMR := q.LMR.(*lmr)
	if !isLMR || !l.alive || l.zone != w.zone || !l.rights.allowWindow(rightsOf(q.Privileges)) {
		return 0, 0, false
	}
	if _, inside := l.bytes(q.Offset, q.Length); !inside {
		return 0, 0, false
	}
	w.unbind()
	l.memory.users++
	w.of = l
	part := &extent{w.zone, l.memory, l.offset + q.Offset, q.Length, rightsOf(q.Privileges)}
	w.key = w.ia.addKey(part)
	return w.key, part.address(), true
}
