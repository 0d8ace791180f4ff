package manager

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// start brings an adapter up with what lived on it: enter, record, make, run.
// Nothing is entered before all that it needs is set: a new adapter is seen by
// nobody until it is recorded.
func (m *Manager) startAdapter(ctx context.Context, op openedIA, was *dat.IA, living []dat.Object) error {
	ia, img := m.newAdapter(op, was)
	restored := make([]entity, 0, len(living))
	for _, o := range living {
		if e := newEntity(ia, o); e != nil {
			restored = append(restored, e)
			e.base().publish(o)
		}
	}
	entries, made := m.startEntries(ia, img, was, restored)
	ia.registerStarted(made, restored)
	m.addRestoredRefs(ia, living)
	if err := m.recordAdapter(ctx, entries); err != nil {
		for _, e := range made {
			m.remove(e)
		}
		return err
	}
	for _, e := range made {
		e.base().advance(stepCreated, nil)
	}
	m.resetConnections(ia)
	if op.hw != nil && !m.remake(ia, op.hw, ia.device.losses.Load(), causeRestore) {
		return errClosed()
	}
	for _, e := range m.entitiesWhere(func(o *object) bool { return o.ia == ia }) {
		if err := e.base().unrecorded.wait(ctx, m.rec); err != nil {
			return err
		}
	}
	m.mu.Lock()
	m.adapters = append(m.adapters, ia)
	m.mu.Unlock()
	if op.hw != nil {
		m.startPump(ia, op.hw)
	}
	return nil
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
		img.State, img.Detail = state, optional(detail)
		ia.object = newObject(ia, dat.TypeIA, m.iaID(op.hw))
	} else {
		ia.markDeviceGone()
		img.State, img.Detail = dat.IAGone, new("the device is not there")
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

// asyncQLen is the length of an adapter's async EVD in events.
const asyncQLen = dat.MinAsyncQLen

// startEntries gives the adapter its async EVD, a new one where there is none, and
// returns the changes of their images and what is new.
func (m *Manager) startEntries(ia *adapter, img, was *dat.IA, restored []entity) (entries []dat.Entry, made []entity) {
	d := asyncEVDOf(was, restored)
	if d == nil {
		streams := []dat.Stream{dat.StreamAsync}
		d = newEVD(ia, newID(), asyncQLen, streams, true)
		e := m.newEntry(engineCall("made with its adapter"), &d.object, "dat_evd_create")
		e.Apply = applyCreate(&dat.EVD{Meta: d.meta("", nil), QLen: asyncQLen, Streams: streams, Waitable: true})
		entries, made = append(entries, e), append(made, d)
	}
	ia.asyncEVD, img.AsyncEVD = d, d.id
	d.refs++
	d.users.IAs++
	d.use = d.use.WithOther(dat.StreamAsync)
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
	e := m.newEntry(engineCall(reason), &ia.object, cause)
	e.Apply = func(before dat.Object) dat.Object {
		next := img.Clone()
		if before != nil {
			*next.Head() = *before.Clone().Head()
		}
		return next
	}
	return append(entries, e), made
}

// asyncEVDOf is the EVD for asynchronous events that lived with an adapter, or nil.
func asyncEVDOf(was *dat.IA, restored []entity) *evd {
	if was == nil {
		return nil
	}
	for _, e := range restored {
		if d, ok := e.(*evd); ok && d.id == was.AsyncEVD {
			return d
		}
	}
	return nil
}

// sameIA compares what is recorded of an adapter.
func sameIA(a, b *dat.IA) bool {
	x, y := a.Clone().(*dat.IA), b.Clone().(*dat.IA)
	x.Meta, y.Meta, x.Usage, y.Usage = dat.Meta{}, dat.Meta{}, dat.IAUsage{}, dat.IAUsage{}
	left, errLeft := json.Marshal(x)
	right, errRight := json.Marshal(y)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// enterStarted enters what is new with the adapter, to be seen when it is recorded,
// and what lived on it.
func (ia *adapter) registerStarted(made, restored []entity) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	starting := &unit{m: ia.m}
	for _, e := range made {
		ia.registerLocked(e, stepCreate, starting)
	}
	for _, e := range restored {
		ia.registerLocked(e, stepAppear, nil)
	}
	if ia.life.phase() == phaseNew {
		ia.registerLocked(ia, stepAppear, nil)
	}
}

// recordStart commits the images of the adapter itself and publishes them.
func (m *Manager) recordAdapter(ctx context.Context, entries []dat.Entry) error {
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
	return err
}
