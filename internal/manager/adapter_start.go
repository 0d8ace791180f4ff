package manager

import (
	"bytes"
	"context"
	"encoding/json"

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

func (m *Manager) run(ia *adapter, hw rdma.IA) {
	reports := hw.Reports()
	m.goes(func() { m.pump(ia, reports) })
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
