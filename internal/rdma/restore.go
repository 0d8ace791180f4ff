package rdma

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

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
	m.mu.Lock()
	opened := m.opened
	m.opened = nil
	m.mu.Unlock()
	byIA := map[dat.Handle][]dat.Object{}
	images := map[dat.Handle]*dat.IA{}
	for _, o := range living {
		if ia, ok := o.(*dat.IA); ok {
			images[ia.ID] = ia
			continue
		}
		byIA[o.Head().IA] = append(byIA[o.Head().IA], o)
	}
	for _, op := range opened {
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
	m.mu.Lock()
	m.restored = true
	m.mu.Unlock()
	return nil
}

func (m *Manager) iaID(hw IA) dat.Handle { return dat.Handle(hw.Name() + "@" + m.node) }

// arrive runs an adapter that appears after Restore: a new one, or one that was
// gone when the process started.
func (m *Manager) arrive(ctx context.Context, op openedIA) error {
	if ia := m.adapterOf(m.iaID(op.hw)); ia != nil {
		ia.mu.Lock()
		ia.hw = op.hw
		ia.mu.Unlock()
		m.deviceBack(ia)
		m.run(ia, op.hw)
		return nil
	}
	return m.start(ctx, op, nil, nil)
}

// start brings an adapter up with what lived on it: enter, make, record, run.
func (m *Manager) start(ctx context.Context, op openedIA, was *dat.IA, living []dat.Object) error {
	ia, img := m.newAdapter(op, was)
	async := asyncOf(was, living)
	m.index.Store(ia.id, ia)
	for _, o := range living {
		m.enter(ia, o)
	}
	m.holdAll(ia, living)
	entries, err := m.startEntries(ia, img, was, async)
	if err != nil {
		return err
	}
	if err := m.recordStart(ctx, entries); err != nil {
		return err
	}
	m.loseConnections(ia)
	if op.hw != nil {
		m.remake(ia, op.hw, causeRestore)
	}
	for _, e := range m.selected(func(o *object) bool { return o.ia == ia }) {
		if err := e.base().notes.wait(ctx, m.rec); err != nil {
			return err
		}
	}
	m.mu.Lock()
	m.adapters = append(m.adapters, ia)
	m.mu.Unlock()
	if op.hw != nil {
		m.run(ia, op.hw)
	}
	return nil
}

// recordStart commits the images of the adapter itself and publishes them.
func (m *Manager) recordStart(ctx context.Context, entries []dat.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	recs, err := m.rec.Record(ctx, entries...)
	if err != nil {
		return err
	}
	for i, r := range recs {
		if o := m.objectOf(entries[i].Object.ID); o != nil {
			o.publish(r.Object)
		}
	}
	return nil
}

func (m *Manager) run(ia *adapter, hw IA) {
	reports := hw.Reports()
	m.goes(func() { m.pump(ia, reports) })
}

// newAdapter is the adapter and the image that it should have.
func (m *Manager) newAdapter(op openedIA, was *dat.IA) (*adapter, *dat.IA) {
	ia := &adapter{m: m, provider: op.provider, hw: op.hw, requests: map[ConnRequest]*request{}}
	img := &dat.IA{}
	if was != nil {
		img = was.Clone().(*dat.IA)
	}
	if op.hw != nil {
		img.Provider, img.Device, img.Port = op.provider, op.hw.Device(), op.hw.Port()
		img.IAAttributes, img.ProviderAttributes = op.hw.Attributes()
		state, detail := op.hw.State()
		img.State, img.Detail = state, ptr(detail)
		ia.object = newObject(ia, dat.TypeIA, m.iaID(op.hw))
	} else {
		ia.gone.Store(true)
		img.State, img.Detail = dat.IAGone, ptr("the device is not there")
		ia.object = newObject(ia, dat.TypeIA, was.ID)
	}
	if was == nil {
		img.Meta = ia.meta(dat.Name(""), nil)
	} else {
		ia.publish(was)
	}
	ia.facts = dat.NewFacts(ia.id, img.IAAttributes, img.ProviderAttributes)
	return ia, img
}

// asyncOf is the async EVD that lived with an adapter, or nil.
func asyncOf(was *dat.IA, living []dat.Object) *dat.EVD {
	if was == nil {
		return nil
	}
	for _, o := range living {
		if q, ok := o.(*dat.EVD); ok && q.ID == was.AsyncEVD {
			return q
		}
	}
	return nil
}

// startEntries makes the async EVD where there is none and gives the changes of the
// adapter's own images.
func (m *Manager) startEntries(ia *adapter, img, was *dat.IA, async *dat.EVD) ([]dat.Entry, error) {
	var entries []dat.Entry
	var q *evd
	if async == nil {
		streams := []dat.Stream{dat.StreamAsync}
		q = newEVD(ia, newID(), asyncQLen, streams, true)
		made := &dat.EVD{Meta: q.meta("", nil), QLen: asyncQLen, Streams: streams, Waitable: true}
		if ia.hw != nil {
			if err := q.make(ia.hw, made); err != nil {
				return nil, err
			}
		}
		ia.count[dat.TypeEVD]++
		m.index.Store(q.id, q)
		e := m.entry(engineCall("made with its adapter"), &q.object, "dat_evd_create")
		e.Apply = becomes(made)
		entries = append(entries, e)
	} else {
		q, _ = find[*evd](m, async.ID)
	}
	ia.async, img.AsyncEVD = q, q.id
	q.refs++
	q.users.IAs++
	q.use = q.use.WithOther(dat.StreamAsync)
	if was != nil && sameIA(was, img) {
		return entries, nil
	}
	cause, reason := "dat_ia_open", ""
	if was != nil {
		cause, reason = causeRestore, "the adapter is not as it was"
	}
	e := m.entry(engineCall(reason), &ia.object, cause)
	e.Apply = func(before dat.Object) dat.Object {
		next := img.Clone()
		if before != nil {
			*next.Head() = *before.Clone().Head()
		}
		return next
	}
	return append(entries, e), nil
}

// sameIA compares what is recorded of an adapter.
func sameIA(a, b *dat.IA) bool {
	x, y := a.Clone().(*dat.IA), b.Clone().(*dat.IA)
	x.Meta, y.Meta, x.Usage, y.Usage = dat.Meta{}, dat.Meta{}, dat.IAUsage{}, dat.IAUsage{}
	left, errLeft := json.Marshal(x)
	right, errRight := json.Marshal(y)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// enter puts a living object into the registry; its provider's part comes later.
func (m *Manager) enter(ia *adapter, img dat.Object) {
	e := newEntity(ia, img)
	if e == nil {
		return
	}
	o := e.base()
	o.publish(img)
	ia.mu.Lock()
	defer ia.mu.Unlock()
	ia.count[o.typ]++
	m.index.Store(o.id, e)
}

// holdAll counts the references of what lived, now that all of it is there, and
// finds the RSPs that have had their request.
func (m *Manager) holdAll(ia *adapter, living []dat.Object) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	for _, img := range living {
		m.holdLocked(img)
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
	for _, e := range m.objectsOf(ia, dat.TypeEndpoint) {
		m.restoreState(e.(*endpoint))
	}
}

// restoreState brings one endpoint back to where a process begins.
func (m *Manager) restoreState(ep *endpoint) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	from, to := ep.live.State, dat.EPUnconnected
	if m.reservedBy(ep) != nil {
		to = dat.EPReserved
	}
	if from == to {
		return
	}
	detail := "it was " + from.String() + " when the process ended; its connection and what was posted are lost"
	last := &dat.LastEvent{Reason: ptr("RESTORED"), At: now(), Detail: &detail}
	m.changeLocked(ep, causeRestore, detail, transition(from, dat.Verdict{Kind: dat.Move, Next: to}, last, nil))
}

// reservedBy is the RSP that still waits for a request for the endpoint, or nil.
func (m *Manager) reservedBy(ep *endpoint) *servicePoint {
	for _, e := range m.objectsOf(ep.ia, dat.TypeRSP) {
		sp := e.(*servicePoint)
		if img, ok := sp.recorded().(*dat.RSP); ok && img.Endpoint == ep.id && !sp.used.Load() {
			return sp
		}
	}
	return nil
}

// memorySize is what a region takes of the service's memory.
func memorySize(img *dat.LMR) int64 {
	if img.MemType == dat.MemLMR {
		return 0
	}
	return img.Length
}
