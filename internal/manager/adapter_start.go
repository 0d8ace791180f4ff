package manager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// startAdapter brings up an adapter and the objects that were recorded on it: it
// registers them, records what is new, and makes everything in the engine again.
// op.hw is nil if the device is not there; was is the adapter's recorded image, nil
// for a new adapter.
//
// Nobody sees a new adapter before all that it needs is set and recorded.
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
	if err := m.recordAdapter(ctx, entries, made); err != nil {
		for _, e := range made {
			m.remove(e)
		}
		return err
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

// newAdapter returns an adapter that is not registered yet, and the image that it
// should have.
func (m *Manager) newAdapter(op openedIA, was *dat.IA) (*adapter, *dat.IA) {
	ia := &adapter{m: m, provider: op.provider, hw: op.hw, requests: map[rdma.ConnRequest]*request{}}
	img := &dat.IA{EndpointDefaults: dat.NoEndpointDefaults()}
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
		img.State, img.Detail = dat.IAGone, new(m.missingDetail(op.provider))
		ia.object = newObject(ia, dat.TypeIA, was.ID)
	}
	if was == nil {
		img.Meta = ia.meta(dat.Name(""), nil)
	} else {
		ia.publish(was)
	}
	ia.setFacts(img.IAAttributes, img.ProviderAttributes)
	ia.metrics = m.metrics.of(ia.id)
	return ia, img
}

// asyncQLen is the length of an adapter's async EVD in events.
const asyncQLen = dat.MinAsyncQLen

// startEntries sets the async EVD of an adapter, a new one if it has none. It
// returns the changes to record and the entities that are new.
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

// asyncEVDOf returns the async EVD that was restored with an adapter, or nil if
// there is none.
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

// sameIA reports whether two images of an adapter are the same but for their head
// and usage.
func sameIA(a, b *dat.IA) bool {
	x, y := a.Clone().(*dat.IA), b.Clone().(*dat.IA)
	x.Meta, y.Meta, x.Usage, y.Usage = dat.Meta{}, dat.Meta{}, dat.IAUsage{}, dat.IAUsage{}
	left, errLeft := json.Marshal(x)
	right, errRight := json.Marshal(y)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// registerStarted registers what startAdapter brings up. Restored objects are
// visible immediately, new ones when they are recorded.
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

// recordAdapter commits the images of an adapter and its async EVD, and publishes
// them. Whoever sees the adapter can use it: the last image is published when what is
// new lives.
func (m *Manager) recordAdapter(ctx context.Context, entries []dat.Entry, made []entity) error {
	if len(entries) == 0 {
		return nil
	}
	for i, e := range entries {
		entries[i].Published = func(r dat.Recorded) {
			if i == len(entries)-1 {
				for _, e := range made {
					e.base().advance(stepCreated, nil)
				}
			}
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
