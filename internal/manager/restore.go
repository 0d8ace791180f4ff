package manager

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// now is the present moment as images bear it.
func now() dat.Time { return dat.At(time.Now()) }

// asyncQLen is the length of an adapter's async EVD in events.
const asyncQLen = dat.MinAsyncQLen

const causeRestore = "restore"

// Restore makes every object of this node again, once, after the providers were
// added: endpoints come back UNCONNECTED, or RESERVED with their RSP. A change
// `restore` is recorded only where something was lost, and says what. Adapters
// that are not there any more are GONE, and their objects wait for them. On a
// first start living is nil.
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
		if err := m.start(ctx, op, images[id], byIA[id]); err != nil {
			return fmt.Errorf("adapter %s: %w", id, err)
		}
		delete(images, id)
	}
	for id, img := range images {
		if err := m.start(ctx, openedIA{provider: img.Provider}, img, byIA[id]); err != nil {
			return fmt.Errorf("adapter %s, which is gone: %w", id, err)
		}
	}
	for _, op := range m.takeOpened(true) {
		if err := m.arrive(ctx, op); err != nil {
			return fmt.Errorf("adapter %s: %w", m.iaID(op.hw), err)
		}
	}
	return nil
}

// Reconciled takes an object that the recorder recorded again by itself, because the
// store went back behind what was recorded. It may be called like Published of an entry.
func (m *Manager) Reconciled(r dat.Recorded) {
	if r.Object == nil {
		return
	}
	if o := m.objectOf(r.Object.Head().ID); o != nil {
		o.publish(r.Object)
	}
}

// takeOpened are the adapters that wait for Restore; with the last of them writes
// are taken and adapters run as they come.
func (m *Manager) takeOpened(last bool) []openedIA {
	m.mu.Lock()
	defer m.mu.Unlock()
	opened := m.opened
	m.opened, m.restored = nil, last
	return opened
}

func (m *Manager) iaID(hw rdma.IA) dat.Handle { return dat.Handle(hw.Name() + "@" + m.node) }

// addRestoredRefs counts the references of what lived, now that all of it is there, and
// finds the RSPs that have had their request.
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
			sp.used.Store(!living || !reservedBefore[ep.live.State])
		}
	}
}

// reservedBefore are the states in which an RSP of a former process still waits,
// or waits again, for its request.
var reservedBefore = map[dat.EPState]bool{dat.EPReserved: true, dat.EPPassiveConnectionPending: true}

// newEntity is the empty entity of an image. Connection requests have none: their
// peers did not wait.
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

// loseConnections ends the requests of the last process and brings its endpoints
// back to where a process begins: UNCONNECTED, or RESERVED with an RSP that still
// waits for its request.
func (m *Manager) loseConnections(ia *adapter) {
	for _, e := range m.objectsOf(ia, dat.TypeCR) {
		m.endRequestNow(e.(*request), causeRestore, "the connection request ended with the process")
	}
	reserved := m.reservedOn(ia)
	for _, e := range m.objectsOf(ia, dat.TypeEndpoint) {
		m.restoreState(e.(*endpoint), reserved[e.base().id])
	}
}

// restoreState brings one endpoint back to where a process begins.
func (m *Manager) restoreState(ep *endpoint, reserved bool) {
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
	last := &dat.LastEvent{Reason: ptr("RESTORED"), At: now(), Detail: &detail}
	m.changeLocked(ep, causeRestore, detail, moveTo(dat.Verdict{Kind: dat.Move, Next: to}, last, nil))
}

// reservedOn are the endpoints whose RSP still waits for a request.
func (m *Manager) reservedOn(ia *adapter) map[dat.Handle]bool {
	out := map[dat.Handle]bool{}
	for _, e := range m.objectsOf(ia, dat.TypeRSP) {
		sp := e.(*servicePoint)
		if img, ok := sp.recorded().(*dat.RSP); ok && !sp.used.Load() {
			out[img.Endpoint] = true
		}
	}
	return out
}

// memorySize is what a region takes of the service's memory.
func memorySize(img *dat.LMR) int64 {
	if img.MemType == dat.MemLMR {
		return 0
	}
	return img.Length
}
