package manager

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// IAs returns the adapters of this node in the order of their ids.
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

// IA returns an adapter of this node, and whether there is one.
func (m *Manager) IA(id dat.Handle) (*dat.IA, bool) {
	o, ok := m.Get(dat.TypeIA, id)
	if !ok {
		return nil, false
	}
	ia, ok := o.(*dat.IA)
	return ia, ok
}

// Facts returns what the judges know of an adapter now, and whether there is one. What
// it returned does not change with the adapter's attributes.
func (m *Manager) Facts(id dat.Handle) (*dat.Facts, bool) {
	if a := m.adapterOf(id); a != nil {
		return a.facts.Load(), true
	}
	return nil, false
}

// Get returns the recorded image of a living object with its live members, and
// whether there is one.
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

// List returns all living recorded objects of a type in the order of their ids,
// with their live members.
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

// Owns reports whether a handle is that of a living object of the type on this node.
func (m *Manager) Owns(t dat.ObjectType, id dat.Handle) bool {
	o := m.objectOf(id)
	return o != nil && o.typ == t
}

// Fill puts the live members into a list of recorded objects: elements that have
// any are replaced by copies. Objects of other nodes stay as they are.
func (m *Manager) Fill(objs []dat.Object) {
	for i, o := range objs {
		if o != nil {
			objs[i] = filled(m, o)
		}
	}
}

// Await returns when no event of the object waits for its record, immediately for a
// handle that names nothing on this node. The error is the store's absence or the
// context's.
func (m *Manager) Await(ctx context.Context, id dat.Handle) error {
	o := m.objectOf(id)
	if o == nil {
		return nil
	}
	return o.unrecorded.wait(ctx, m.rec)
}

// filler is an entity whose image has live members: what is true now and never
// recorded, such as the depth of a queue.
type filler interface{ fill(img dat.Object) }

// filled returns an image with the live members of its object, a copy if there are
// any.
func filled[T dat.Object](m *Manager, img T) T {
	if v, ok := m.index.Load(img.Head().ID); ok {
		return filledBy(v, img)
	}
	return img
}

// filledBy is filled by an entity of the index.
func filledBy[T dat.Object](v any, img T) T {
	f, ok := v.(filler)
	if !ok {
		return img
	}
	c := img.Clone()
	f.fill(c)
	return c.(T)
}
