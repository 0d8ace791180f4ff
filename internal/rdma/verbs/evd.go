//go:build verbs

package verbs

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// evd implements rdma.EVD; it has a completion queue where DTOs or binds feed it.
type evd struct {
	object
	cq *cq
}

// CreateEVD implements rdma.IA.
//
// Implements: ibv_create_cq, ibv_req_notify_cq, where DTOs or binds feed it.
func (a *adapter) CreateEVD(id dat.Handle, qlen int32, streams []dat.Stream) (rdma.EVD, error) {
	h, err := a.hardware()
	if err != nil {
		return nil, err
	}
	e := &evd{}
	if slices.Contains(streams, dat.StreamDTO) || slices.Contains(streams, dat.StreamRMRBind) {
		if e.cq, err = h.newCQ(id, int(qlen), false, anyVector); err != nil {
			return nil, err
		}
	}
	release := func() {
		if e.cq != nil {
			e.cq.free()
		}
	}
	if err := h.add(&e.object, id, rankEVD, release); err != nil {
		release()
		return nil, err
	}
	return e, nil
}

// Free implements rdma.Object.
//
// Implements: ibv_destroy_cq.
func (e *evd) Free() { e.free() }

// Resize implements rdma.EVD. The Manager queues the events, so a device that
// cannot resize loses nothing: a connection that finds no room gets a queue of its own.
//
// Implements: ibv_resize_cq.
func (e *evd) Resize(qlen int32) error {
	if e.cq == nil {
		return nil
	}
	e.cq.mu.Lock()
	defer e.cq.mu.Unlock()
	before := e.cq.q.size()
	if e.cq.freed || int(qlen) <= before {
		return nil
	}
	if e.cq.q.resize(int(qlen)) == nil {
		e.cq.room += e.cq.q.size() - before
	}
	return nil
}
