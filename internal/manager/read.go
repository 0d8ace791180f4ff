package manager

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// IAs are the adapters of this node, in the order of their ids.
func (m *Manager) IAs() []*dat.IA {
	m.mu.Lock()
	adapters := slices.Clone(m.adapters)
	m.mu.Unlock()
	out := make([]*dat.IA, 0, len(adapters))
	for _, a := range adapters {
		if img := imageOf[*dat.IA](&a.object); img != nil {
			out = append(out, filled(m, img))
		}
	}
	slices.SortFunc(out, func(a, b *dat.IA) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

// IA is one adapter of this node.
func (m *Manager) IA(id dat.Handle) (*dat.IA, bool) {
	o, ok := m.Get(dat.TypeIA, id)
	if !ok {
		return nil, false
	}
	ia, ok := o.(*dat.IA)
	return ia, ok
}

// Facts are what the judges know of an adapter.
func (m *Manager) Facts(id dat.Handle) (*dat.Facts, bool) {
	if a := m.adapterOf(id); a != nil {
		return &a.facts, true
	}
	return nil, false
}

// Get is the recorded image of a living object with its live members filled in.
func (m *Manager) Get(t dat.ObjectType, id dat.Handle) (dat.Object, bool) {
	o := m.objectOf(id)
	if o == nil || o.typ != t {
		return nil, false
	}
	img := o.recorded()
	if img == nil {
		return nil, false
	}
	return filled(m, img), true
}

// List are all living recorded objects of a type, in the order of their ids.
func (m *Manager) List(t dat.ObjectType) []dat.Object {
	var out []dat.Object
	m.index.Range(func(_, v any) bool {
		if o := v.(entity).base(); o.typ == t {
			if img := o.recorded(); img != nil {
				out = append(out, filled(m, img))
			}
		}
		return true
	})
	slices.SortFunc(out, func(a, b dat.Object) int { return cmp.Compare(a.Head().ID, b.Head().ID) })
	return out
}

// Fill puts the live members into a list of recorded objects: elements that have
// some are replaced by copies. Objects of other nodes stay as they are.
func (m *Manager) Fill(objs []dat.Object) {
	for i, o := range objs {
		if o != nil {
			objs[i] = filled(m, o)
		}
	}
}

// filler is an entity whose representation has live members; fill writes them
// into a copy of the image.
type filler interface{ fill(img dat.Object) }

// fillOne is an image with the live members of its object, a copy where there are any.
func filled[T dat.Object](m *Manager, img T) T {
	if v, ok := m.index.Load(img.Head().ID); ok {
		return filledBy(v, img)
	}
	return img
}

// filled is fillOne by an entity of the index.
func filledBy[T dat.Object](v any, img T) T {
	f, ok := v.(filler)
	if !ok {
		return img
	}
	c := img.Clone()
	f.fill(c)
	return c.(T)
}

// Live is the endpoint as it is now, ahead of the record where events wait for
// it; nil for a handle that names none.
func (m *Manager) Live(id dat.Handle) *dat.Endpoint {
	ep, ok := find[*endpoint](m, id)
	if !ok || ep.recorded() == nil {
		return nil
	}
	return ep.snapshot()
}

// Modifiable are the parameters of an endpoint that dat_ep_modify would take now.
func (m *Manager) Modifiable(id dat.Handle) []string {
	ep, ok := find[*endpoint](m, id)
	if !ok || ep.recorded() == nil {
		return nil
	}
	now := ep.snapshot()
	ep.mu.Lock()
	idle := len(ep.recvs) == 0
	ep.mu.Unlock()
	return dat.Modifiable(now, idle)
}

// EPStatus is dat_ep_get_status: one snapshot under the state lock (S1–S6). It
// never waits for the store. The error is DAT_INVALID_HANDLE (S8).
func (m *Manager) EPStatus(id dat.Handle) (dat.EPStatus, error) {
	ep, ok := find[*endpoint](m, id)
	if !ok || ep.recorded() == nil {
		return dat.EPStatus{}, errHandle(dat.TypeEndpoint, id)
	}
	return ep.status(dat.At(time.Now())), nil
}

// RecvQuery is dat_ep_recv_query: the receives at the endpoint, null where the
// provider cannot tell. The error is DAT_INVALID_HANDLE.
func (m *Manager) RecvQuery(id dat.Handle) (dat.RecvQuery, error) {
	ep, ok := find[*endpoint](m, id)
	if !ok || ep.recorded() == nil {
		return dat.RecvQuery{}, errHandle(dat.TypeEndpoint, id)
	}
	return ep.recvQuery(), nil
}

// Await returns when no event of the object waits for its record, at once for a
// handle that names nothing here. The error is the store's absence or the context's.
func (m *Manager) Await(ctx context.Context, id dat.Handle) error {
	o := m.objectOf(id)
	if o == nil {
		return nil
	}
	return o.unrecorded.wait(ctx, m.rec)
}

// WaitEP returns the recorded endpoint once its live state is settled and every
// event up to then is recorded. Errors: the context's, DAT_INVALID_HANDLE where
// the endpoint ends meanwhile.
func (m *Manager) WaitEP(ctx context.Context, id dat.Handle, settled func(dat.EPState) bool) (*dat.Endpoint, error) {
	ep, ok := find[*endpoint](m, id)
	if !ok || ep.recorded() == nil {
		return nil, errHandle(dat.TypeEndpoint, id)
	}
	for {
		state, changed, freed := ep.watch()
		if freed {
			return nil, errHandle(dat.TypeEndpoint, id)
		}
		if settled(state) {
			if err := ep.unrecorded.wait(ctx, m.rec); err != nil {
				return nil, err
			}
			return filled(m, imageOf[*dat.Endpoint](&ep.object)), nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
