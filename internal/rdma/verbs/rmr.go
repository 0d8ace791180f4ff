//go:build verbs

package verbs

import (
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// rmr is a remote memory region: a memory window of the kind that ibv_bind_mw binds
// (type 1).
type rmr struct {
	object
	window window

	mu    sync.Mutex
	freed bool
	// bound is the region of the last bind, which unbinding names again.
	bound *lmr
}

// CreateRMR implements rdma.IA.
//
// Implements: ibv_alloc_mw.
func (a *adapter) CreateRMR(id dat.Handle, zone rdma.Object) (rdma.Object, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	z, err := h.zoneOf(zone)
	if err != nil {
		return nil, err
	}
	if h.limit.maxMW == 0 {
		return nil, &dat.Error{
			Return: dat.RetModelNotSupported,
			Detail: "The device has no memory windows (max_rmrs is 0); give peers the region's own context instead.",
		}
	}
	w, err := z.pd.allocWindow()
	if err != nil {
		return nil, deviceError("make a memory window", err)
	}
	r := &rmr{window: w}
	release := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.freed = true
		_ = w.free()
	}
	if err := h.add(&r.object, id, rankWindow, release); err != nil {
		release()
		return nil, err
	}
	return r, nil
}

// Free implements rdma.Object.
//
// Implements: ibv_dealloc_mw.
func (r *rmr) Free() { r.free() }
