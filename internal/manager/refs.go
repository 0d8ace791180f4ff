package manager

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// usesOf are the distinct objects that an image keeps alive. A connection
// request keeps nothing alive: its service point may go before it.
func referencesOf(img dat.Object) []dat.Handle {
	if img == nil || img.Type() == dat.TypeCR {
		return nil
	}
	refs := slices.Clone(img.Refs())
	slices.Sort(refs)
	return slices.Compact(refs)
}

// holdLocked counts the references of an image; the adapter's lock is held.
func (m *Manager) addRefsLocked(img dat.Object) { m.countRefsLocked(img, 1) }

// drop ends the references of an image.
func (m *Manager) dropRefs(img dat.Object) {
	ia := m.adapterOf(img.Head().IA)
	if ia == nil {
		return
	}
	ia.mu.Lock()
	defer ia.mu.Unlock()
	m.countRefsLocked(img, -1)
}

func (m *Manager) countRefsLocked(img dat.Object, by int) {
	for _, h := range referencesOf(img) {
		e, ok := m.index.Load(h)
		if !ok {
			continue
		}
		o := e.(entity).base()
		o.refs += by
		if d, ok := e.(*evd); ok {
			d.countFeederLocked(img, by)
		}
		if s, ok := e.(*srq); ok && img.Type() == dat.TypeEndpoint {
			s.endpoints += by
		}
	}
}

// feedLocked counts what feeds the EVD: the streams of an endpoint or the
// requests of a service point.
func (d *evd) countFeederLocked(img dat.Object, by int) {
	switch user := img.(type) {
	case *dat.Endpoint:
		d.users.Endpoints += by
		if by > 0 {
			d.use = d.use.With(user, d.id)
		} else {
			d.use = d.use.Without(user, d.id)
		}
	case *dat.PSP:
		d.users.PSPs += by
		d.countOtherFeederLocked(dat.StreamCR, by)
	case *dat.RSP:
		d.users.RSPs += by
		d.countOtherFeederLocked(dat.StreamCR, by)
	}
}

func (d *evd) countOtherFeederLocked(s dat.Stream, by int) {
	if by > 0 {
		d.use = d.use.WithOther(s)
	} else {
		d.use = d.use.WithoutOther(s)
	}
}

// usedLocked tells how many living objects use o, those left out that this unit
// of writes ends.
func (u *unit) usersLocked(o *object) int {
	return o.refs - len(u.droppedUsersOf(o.id))
}

// endRefs drops the references of an image when the unit is recorded; for its own
// judges they have ended already.
func (u *unit) dropRefsAtCommit(img dat.Object) {
	u.droppedImages = append(u.droppedImages, img)
	for _, h := range referencesOf(img) {
		u.droppedUsers[h] = append(u.droppedUsers[h], img)
	}
}

// endedUsersOf are the images that used an object until this unit; nil ends none.
func (u *unit) droppedUsersOf(h dat.Handle) []dat.Object {
	if u == nil {
		return nil
	}
	return u.droppedUsers[h]
}

// sight resolves handles for the judges as a unit of writes sees them. Whoever
// uses it holds the adapter's lock.
type resolver struct {
	u  *unit
	ia *adapter
}

// find is the entity of a handle, nil where the handle names none that this
// unit may use. An object of another adapter is found: the judge refuses it.
func (handles resolver) find(h dat.Handle) entity {
	v, ok := handles.u.m.index.Load(h)
	if !ok {
		return nil
	}
	e := v.(entity)
	o := e.base()
	if o.ia == handles.ia && !o.usableLocked(handles.u) {
		return nil
	}
	return e
}

// PZ implements dat.Resolver.
func (handles resolver) PZ(h dat.Handle) (dat.Handle, bool) {
	if z, ok := handles.find(h).(*pz); ok {
		return z.ia.id, true
	}
	return dat.HandleNull, false
}

// EVD implements dat.Resolver.
func (handles resolver) EVD(h dat.Handle) (dat.EVDUse, bool) {
	d, ok := handles.find(h).(*evd)
	if !ok {
		return dat.EVDUse{}, false
	}
	if d.ia != handles.ia {
		return dat.EVDUse{IA: d.ia.id}, true
	}
	use := d.use
	for _, img := range handles.u.droppedUsersOf(h) {
		switch user := img.(type) {
		case *dat.Endpoint:
			use = use.Without(user, h)
		case *dat.PSP, *dat.RSP:
			use = use.WithoutOther(dat.StreamCR)
		}
	}
	return use, true
}

// SRQ implements dat.Resolver.
func (handles resolver) SRQ(h dat.Handle) (*dat.SRQ, bool) {
	q, ok := handles.find(h).(*srq)
	if !ok {
		return nil, false
	}
	img, ok := handles.u.image(&q.object).(*dat.SRQ)
	return img, ok
}

// lmr is the image of a region as this unit of writes sees it, or nil.
func (handles resolver) lmr(h dat.Handle) *dat.LMR {
	if l, ok := handles.find(h).(*lmr); ok {
		img, _ := handles.u.image(&l.object).(*dat.LMR)
		return img
	}
	return nil
}
