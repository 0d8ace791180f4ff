package manager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

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

// start brings an adapter up with what lived on it: enter, record, make, run.
// Nothing is entered before all that it needs is set: a new adapter is seen by
// nobody until it is recorded.
func (m *Manager) start(ctx context.Context, op openedIA, was *dat.IA, living []dat.Object) error {
	ia, img := m.newAdapter(op, was)
	restored := make([]entity, 0, len(living))
	for _, o := range living {
		if e := newEntity(ia, o); e != nil {
			restored = append(restored, e)
			e.base().publish(o)
		}
	}
	entries, made := m.startEntries(ia, img, was, restored)
	ia.enterStarted(made, restored)
	m.addRestoredRefs(ia, living)
	if err := m.recordStart(ctx, entries); err != nil {
		for _, e := range made {
			m.remove(e)
		}
		return err
	}
	for _, e := range made {
		e.base().move(complete, nil)
	}
	m.loseConnections(ia)
	if op.hw != nil && !m.remake(ia, op.hw, ia.device.losses.Load(), causeRestore) {
		return errClosed()
	}
	for _, e := range m.selected(func(o *object) bool { return o.ia == ia }) {
		if err := e.base().unrecorded.wait(ctx, m.rec); err != nil {
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

// enterStarted enters what is new with the adapter, to be seen when it is recorded,
// and what lived on it.
func (ia *adapter) enterStarted(made, restored []entity) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	starting := &unit{m: ia.m}
	for _, e := range made {
		ia.enterLocked(e, enter, starting)
	}
	for _, e := range restored {
		ia.enterLocked(e, appear, nil)
	}
	if ia.life.phase() == unborn {
		ia.enterLocked(ia, appear, nil)
	}
}

// enterLocked puts an entity into the registry.
func (ia *adapter) enterLocked(e entity, step lifeStep, by *unit) {
	o := e.base()
	o.life.moveLocked(step, by)
	ia.count[o.typ]++
	ia.m.index.Store(o.id, e)
}

// recordStart commits the images of the adapter itself and publishes them.
func (m *Manager) recordStart(ctx context.Context, entries []dat.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	for i, e := range entries {
		entries[i].Published = func(r dat.Recorded) {
			if o := m.objectOf(e.Object.ID); o != nil {
				o.publish(r.Object)
			}
		}
	}
	_, err := m.rec.Record(ctx, entries...)
	var unknown *dat.OutcomeUnknown
	if !errors.As(err, &unknown) {
		return err
	}
	select {
	case outcome := <-unknown.Known:
		return outcome.Err
	case <-ctx.Done():
		return err
	}
}

func (m *Manager) run(ia *adapter, hw rdma.IA) {
	reports := hw.Reports()
	m.spawn(func() { m.pump(ia, reports) })
}

// newAdapter is the adapter and the image that it should have.
func (m *Manager) newAdapter(op openedIA, was *dat.IA) (*adapter, *dat.IA) {
	ia := &adapter{m: m, provider: op.provider, hw: op.hw, requests: map[rdma.ConnRequest]*request{}}
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
		ia.loseDevice()
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

// asyncEVDOf is the EVD for asynchronous events that lived with an adapter, or nil.
func asyncEVDOf(was *dat.IA, restored []entity) *evd {
	if was == nil {
		return nil
	}
	for _, e := range restored {
		if q, ok := e.(*evd); ok && q.id == was.AsyncEVD {
			return q
		}
	}
	return nil
}

// startEntries gives the adapter its async EVD, a new one where there is none, and
// returns the changes of their images and what is new.
func (m *Manager) startEntries(ia *adapter, img, was *dat.IA, restored []entity) (entries []dat.Entry, made []entity) {
	q := asyncEVDOf(was, restored)
	if q == nil {
		streams := []dat.Stream{dat.StreamAsync}
		q = newEVD(ia, newID(), asyncQLen, streams, true)
		e := m.entry(engineCall("made with its adapter"), &q.object, "dat_evd_create")
		e.Apply = becomes(&dat.EVD{Meta: q.meta("", nil), QLen: asyncQLen, Streams: streams, Waitable: true})
		entries, made = append(entries, e), append(made, q)
	}
	ia.asyncEVD, img.AsyncEVD = q, q.id
	q.refs++
	q.users.IAs++
	q.use = q.use.WithOther(dat.StreamAsync)
	if was == nil {
		made = append(made, ia)
	}
	if was != nil && sameIA(was, img) {
		return entries, made
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
	return append(entries, e), made
}

// sameIA compares what is recorded of an adapter.
func sameIA(a, b *dat.IA) bool {
	x, y := a.Clone().(*dat.IA), b.Clone().(*dat.IA)
	x.Meta, y.Meta, x.Usage, y.Usage = dat.Meta{}, dat.Meta{}, dat.IAUsage{}, dat.IAUsage{}
	left, errLeft := json.Marshal(x)
	right, errRight := json.Marshal(y)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}
