package manager

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// referencesOf returns the distinct objects that an image keeps in use. A
// connection request keeps nothing in use: its service point may be freed before
// it.
func referencesOf(img dat.Object) []dat.Handle {
	if img == nil || img.Type() == dat.TypeCR {
		return nil
	}
	refs := slices.Clone(img.Refs())
	slices.Sort(refs)
	return slices.Compact(refs)
}

// addRefsLocked counts the references of an image. The registry's lock is held.
func (m *Manager) addRefsLocked(img dat.Object) { m.countRefsLocked(img, 1) }

// dropRefs ends the references of an image.
func (m *Manager) dropRefs(img dat.Object) {
	ia := m.adapterOf(img.Head().IA)
	if ia == nil {
		return
	}
	ia.mu.Lock()
	defer ia.mu.Unlock()
	m.countRefsLocked(img, -1)
}

// countRefsLocked adds by, 1 or -1, to the counts of what an image refers to. The
// registry's lock is held.
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

// countFeederLocked counts an object that feeds the EVD: an endpoint with its
// streams, or a service point with its requests. The registry's lock is held.
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

// usersLocked returns how many living objects use o, without those that this unit
// ends. The registry's lock is held.
func (u *unit) usersLocked(o *object) int {
	return o.refs - len(u.droppedUsersOf(o.id))
}

// maxUsersNamed is how many users of an object a refusal to free it names.
const maxUsersNamed = 3

// usersOf returns up to most objects that use one, of those that the unit's caller may see.
func (u *unit) usersOf(o *object, most int) (users []dat.Object) {
	u.m.index.Range(func(_, e any) bool {
		img := e.(entity).base().recorded()
		if img != nil && slices.Contains(img.Refs(), o.id) && (u.scope == nil || u.scope(img)) {
			users = append(users, img)
		}
		return len(users) < most
	})
	return users
}

// dropRefsAtCommit ends the references of an image when the unit is recorded. For
// the unit's own judges they end immediately.
func (u *unit) dropRefsAtCommit(img dat.Object) {
	u.droppedImages = append(u.droppedImages, img)
	for _, h := range referencesOf(img) {
		u.droppedUsers[h] = append(u.droppedUsers[h], img)
	}
}

// droppedUsersOf returns the images that stop using an object with this unit; none
// for a nil unit.
func (u *unit) droppedUsersOf(h dat.Handle) []dat.Object {
	if u == nil {
		return nil
	}
	return u.droppedUsers[h]
}

// resolver resolves handles for the judges of package dat as a unit of writes sees
// them. The registry's lock is held while it is used.
type resolver struct {
	u  *unit
	ia *adapter
}

// find returns the entity with a handle, or nil if there is none that the unit may
// use. An object of another adapter is found, so that the judge refuses it by that.
func (handles resolver) find(h dat.Handle) entity {
	v, ok := handles.u.m.index.Load(h)
	if !ok {
		return nil
	}
	e := v.(entity)
	o := e.base()
	if o.ia == handles.ia && !o.usableLocked(handles.u) || !handles.u.holds(o) {
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
	s, ok := handles.find(h).(*srq)
	if !ok {
		return nil, false
	}
	img, ok := handles.u.image(&s.object).(*dat.SRQ)
	return img, ok
}

// lmr returns the image of a region as the unit sees it, or nil if there is none.
func (handles resolver) lmr(h dat.Handle) *dat.LMR {
	if l, ok := handles.find(h).(*lmr); ok {
		img, _ := handles.u.image(&l.object).(*dat.LMR)
		return img
	}
	return nil
}
