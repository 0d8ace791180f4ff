package manager

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// usesOf are the distinct objects that an image keeps alive. A connection
// request keeps nothing alive: its service point may go before it.
func usesOf(img dat.Object) []dat.Handle {
	if img == nil || img.Type() == dat.TypeCR {
		return nil
	}
	refs := slices.Clone(img.Refs())
	slices.Sort(refs)
	return slices.Compact(refs)
}

// holdLocked counts the references of an image; the adapter's lock is held.
func (m *Manager) addRefsLocked(img dat.Object) { m.countLocked(img, 1) }

// drop ends the references of an image.
func (m *Manager) dropRefs(img dat.Object) {
	ia := m.adapterOf(img.Head().IA)
	if ia == nil {
		return
	}
	ia.mu.Lock()
	defer ia.mu.Unlock()
	m.countLocked(img, -1)
}

func (m *Manager) countLocked(img dat.Object, by int) {
	for _, h := range usesOf(img) {
		e, ok := m.index.Load(h)
		if !ok {
			continue
		}
		o := e.(entity).base()
		o.refs += by
		if q, ok := e.(*evd); ok {
			q.feedLocked(img, by)
		}
		if s, ok := e.(*srq); ok && img.Type() == dat.TypeEndpoint {
			s.endpoints += by
		}
	}
}

// feedLocked counts what feeds the EVD: the streams of an endpoint or the
// requests of a service point.
func (q *evd) feedLocked(img dat.Object, by int) {
	switch user := img.(type) {
	case *dat.Endpoint:
		q.users.Endpoints += by
		if by > 0 {
			q.use = q.use.With(user, q.id)
		} else {
			q.use = q.use.Without(user, q.id)
		}
	case *dat.PSP:
		q.users.PSPs += by
		q.feedOtherLocked(dat.StreamCR, by)
	case *dat.RSP:
		q.users.RSPs += by
		q.feedOtherLocked(dat.StreamCR, by)
	}
}

func (q *evd) feedOtherLocked(s dat.Stream, by int) {
	if by > 0 {
		q.use = q.use.WithOther(s)
	} else {
		q.use = q.use.WithoutOther(s)
	}
}

// usedLocked tells how many living objects use o, those left out that this unit
// of writes ends.
func (u *unit) usersLocked(o *object) int {
	return o.refs - len(u.endedUsersOf(o.id))
}

// endRefs drops the references of an image when the unit is recorded; for its own
// judges they have ended already.
func (u *unit) endRefs(img dat.Object) {
	u.endedImages = append(u.endedImages, img)
	for _, h := range usesOf(img) {
		u.endedUsers[h] = append(u.endedUsers[h], img)
	}
}

// endedUsersOf are the images that used an object until this unit; nil ends none.
func (u *unit) endedUsersOf(h dat.Handle) []dat.Object {
	if u == nil {
		return nil
	}
	return u.endedUsers[h]
}

// sight resolves handles for the judges as a unit of writes sees them. Whoever
// uses it holds the adapter's lock.
type resolver struct {
	u  *unit
	ia *adapter
}

// find is the entity of a handle, nil where the handle names none that this
// unit may use. An object of another adapter is found: the judge refuses it.
func (s resolver) find(h dat.Handle) entity {
	v, ok := s.u.m.index.Load(h)
	if !ok {
		return nil
	}
	e := v.(entity)
	o := e.base()
	if o.ia == s.ia && !o.usableLocked(s.u) {
		return nil
	}
	return e
}

// PZ implements dat.Resolver.
func (s resolver) PZ(h dat.Handle) (dat.Handle, bool) {
	if z, ok := s.find(h).(*pz); ok {
		return z.ia.id, true
	}
	return dat.HandleNull, false
}

// EVD implements dat.Resolver.
func (s resolver) EVD(h dat.Handle) (dat.EVDUse, bool) {
	q, ok := s.find(h).(*evd)
	if !ok {
		return dat.EVDUse{}, false
	}
	if q.ia != s.ia {
		return dat.EVDUse{IA: q.ia.id}, true
	}
	use := q.use
	for _, img := range s.u.endedUsersOf(h) {
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
func (s resolver) SRQ(h dat.Handle) (*dat.SRQ, bool) {
	q, ok := s.find(h).(*srq)
	if !ok {
		return nil, false
	}
	img, ok := s.u.now(&q.object).(*dat.SRQ)
	return img, ok
}
