package manager

import (
	"context"
	"fmt"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// causeRestore is the cause of changes that Restore records.
const causeRestore = "restore"

// Restore makes every recorded object of this node again. It is called once, after
// the providers were added; living are the recorded objects, nil on a first start.
//
// Endpoints come back UNCONNECTED, or RESERVED with their RSP; those that a request
// brought end with it. A change with the cause `restore` is recorded only if
// something was lost, and says what. Adapters that are not there any more are GONE,
// and their objects wait for them. The error is the recorder's.
func (m *Manager) Restore(ctx context.Context, living []dat.Object) error {
	byIA := map[dat.Handle][]dat.Object{}
	images := map[dat.Handle]*dat.IA{}
	for _, o := range living {
		if ia, ok := o.(*dat.IA); ok {
			images[ia.ID] = ia
			continue
		}
		byIA[o.Head().IA] = append(byIA[o.Head().IA], o)
	}
	for _, op := range m.takeOpened(false) {
		id := m.iaID(op.hw)
		if err := m.startAdapter(ctx, op, images[id], byIA[id]); err != nil {
			return fmt.Errorf("adapter %s: %w", id, err)
		}
		delete(images, id)
	}
	for id, img := range images {
		if err := m.startAdapter(ctx, openedIA{provider: img.Provider}, img, byIA[id]); err != nil {
			return fmt.Errorf("adapter %s, which is gone: %w", id, err)
		}
	}
	for _, op := range m.takeOpened(true) {
		if err := m.addAdapter(ctx, op); err != nil {
			return fmt.Errorf("adapter %s: %w", m.iaID(op.hw), err)
		}
	}
	return nil
}

// Reconciled publishes an object that the recorder recorded again by itself, because
// the store went back behind what was recorded. It may be called like Published of an
// entry.
func (m *Manager) Reconciled(r dat.Recorded) {
	if r.Object == nil {
		return
	}
	if o := m.objectOf(r.Object.Head().ID); o != nil {
		o.publish(r.Object)
	}
}

// newEntity returns the entity of a recorded image, or nil for a type that has
// none.
func newEntity(ia *adapter, img dat.Object) entity {
	id := img.Head().ID
	switch o := img.(type) {
	case *dat.PZ:
		return &pz{object: newObject(ia, dat.TypePZ, id)}
	case *dat.EVD:
		return newEVD(ia, id, o.QLen, slices.Clone(o.Streams), o.Waitable)
	case *dat.SRQ:
		return newSRQ(ia, id)
	case *dat.LMR:
		ia.m.memory.Add(memorySize(o))
		return &lmr{object: newObject(ia, dat.TypeLMR, id)}
	case *dat.RMR:
		return &rmr{object: newObject(ia, dat.TypeRMR, id)}
	case *dat.Endpoint:
		ep := newEndpoint(ia, id)
		ep.live = o
		return ep
	case *dat.PSP:
		return &servicePoint{object: newObject(ia, dat.TypePSP, id)}
	case *dat.RSP:
		return &servicePoint{object: newObject(ia, dat.TypeRSP, id)}
	case *dat.CR:
		return &request{object: newObject(ia, dat.TypeCR, id)}
	}
	return nil
}

// addRestoredRefs counts the references of restored objects once all of them are
// registered, and marks the RSPs that had their request.
func (m *Manager) addRestoredRefs(ia *adapter, living []dat.Object) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	for _, img := range living {
		m.addRefsLocked(img)
		rsp, ok := img.(*dat.RSP)
		if !ok {
			continue
		}
		if sp, ok := find[*servicePoint](m, rsp.ID); ok {
			ep, living := find[*endpoint](m, rsp.Endpoint)
			sp.used.Store(!living || !rspAwaitsIn[ep.live.State])
		}
	}
}

// rspAwaitsIn are the states of an endpoint in which its restored RSP waits, or
// waits again, for a request.
var rspAwaitsIn = map[dat.EPState]bool{dat.EPReserved: true, dat.EPPassiveConnectionPending: true}

// resetConnections ends the requests of the last process and moves its endpoints to
// where a process begins.
func (m *Manager) resetConnections(ia *adapter) {
	for _, e := range m.entitiesOf(ia, dat.TypeCR) {
		m.endRequestByEngine(e.(*request), causeRestore, "the connection request ended with the process")
	}
	reserved := m.reservedEndpoints(ia)
	for _, e := range m.entitiesOf(ia, dat.TypeEndpoint) {
		if ep := e.(*endpoint); !m.endLostEndpoint(ep) {
			m.restoreEndpointState(ep, reserved[ep.id])
		}
	}
}

// endLostEndpoint ends a restored endpoint that was only there for a connection
// request, which ended with the process (T18). It reports false for every other
// endpoint.
func (m *Manager) endLostEndpoint(ep *endpoint) bool {
	ep.mu.Lock()
	if dat.Judge(ep.live.State, dat.EvDeviceGone).Kind != dat.End {
		ep.mu.Unlock()
		return false
	}
	m.noteEvent(&ep.object, causeRestore, "the connection request that it was made for ended with the process", applyEnd)
	ep.mu.Unlock()
	ep.advance(stepEnd, nil)
	m.removeEndedEndpoint(ep)
	return true
}

// restoreEndpointState moves a restored endpoint to UNCONNECTED, or to RESERVED if
// its RSP still waits for a request.
func (m *Manager) restoreEndpointState(ep *endpoint, reserved bool) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	from, to := ep.live.State, dat.EPUnconnected
	if reserved {
		to = dat.EPReserved
	}
	if from == to {
		return
	}
	detail := "it was " + from.String() + " when the process ended; its connection and what was posted are lost"
	last := &dat.LastEvent{Reason: new("RESTORED"), At: now(), Detail: &detail}
	m.changeLocked(ep, causeRestore, detail, moveTo(dat.Verdict{Kind: dat.Move, Next: to}, last, nil))
}

// reservedEndpoints returns the endpoints of an adapter whose RSP still waits for a
// request.
func (m *Manager) reservedEndpoints(ia *adapter) map[dat.Handle]bool {
	out := map[dat.Handle]bool{}
	for _, e := range m.entitiesOf(ia, dat.TypeRSP) {
		sp := e.(*servicePoint)
		if img, ok := sp.recorded().(*dat.RSP); ok && !sp.used.Load() {
			out[img.Endpoint] = true
		}
	}
	return out
}
