package manager

import (
	"cmp"
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// find returns the entity with a handle if it is of type T. Whether it may be used
// is for the caller to test.
func find[T entity](m *Manager, id dat.Handle) (T, bool) {
	v, _ := m.index.Load(id)
	e, ok := v.(T)
	return e, ok
}

// lookup returns the recorded object with a handle for a call outside any unit of
// writes. The error is DAT_INVALID_HANDLE. field names the member of the body that
// contains the handle; it is empty for the object that the call is about.
func lookup[T entity](m *Manager, typ dat.ObjectType, id dat.Handle, field string) (T, error) {
	e, ok := find[T](m, id)
	if !ok || e.base().recorded() == nil {
		var none T
		return none, errBodyHandle(typ, id, field)
	}
	return e, nil
}

// lookupLocked is lookup with the object's operation lock taken; the caller unlocks
// it. Errors: DAT_INVALID_HANDLE, the context's.
func lookupLocked[T entity](ctx context.Context, m *Manager, typ dat.ObjectType, id dat.Handle) (T, error) {
	var none T
	e, err := lookup[T](m, typ, id, "")
	if err != nil {
		return none, err
	}
	o := e.base()
	if err := o.lock(ctx); err != nil {
		return none, err
	}
	if !o.usable(nil) {
		o.unlock()
		return none, errHandle(typ, id)
	}
	return e, nil
}

// objectOf returns the shared part of the entity with a handle, or nil if there is
// none.
func (m *Manager) objectOf(id dat.Handle) *object {
	if v, ok := m.index.Load(id); ok {
		return v.(entity).base()
	}
	return nil
}

// entitiesWhere returns the entities that want reports true for, the oldest first:
// their ids are UUIDv7, which sort by age.
func (m *Manager) entitiesWhere(want func(*object) bool) []entity {
	var out []entity
	m.index.Range(func(_, v any) bool {
		if e := v.(entity); want(e.base()) {
			out = append(out, e)
		}
		return true
	})
	slices.SortFunc(out, func(a, b entity) int { return cmp.Compare(a.base().id, b.base().id) })
	return out
}

// entitiesOf returns the objects of one type on an adapter that have an image, the
// oldest first.
func (m *Manager) entitiesOf(ia *adapter, t dat.ObjectType) []entity {
	return m.entitiesWhere(func(o *object) bool { return o.ia == ia && o.typ == t && o.recorded() != nil })
}

// admit judges a creation under the registry's lock and registers the object if
// judge permits it. Errors: judge's, those of admitLocked.
func (u *unit) admit(ia *adapter, e entity, judge func(resolver) (dat.Object, *dat.Error)) (dat.Object, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	img, err := judge(resolver{u: u, ia: ia})
	if err != nil {
		return nil, err
	}
	if err := ia.admitLocked(u, e, img); err != nil {
		return nil, err
	}
	u.created = append(u.created, e)
	u.undo = append(u.undo, func() { ia.m.dropRefs(img) })
	return img, nil
}

// admitLocked registers a new object and counts the references of its image, unless
// the adapter has reached its limit. u is nil if the engine makes the object. The
// registry's lock is held.
func (ia *adapter) admitLocked(u *unit, e entity, img dat.Object) *dat.Error {
	o := e.base()
	if l, ok := o.typ.Limit(); ok {
		most := l.Max(&ia.facts.Load().Attributes)
		if ia.count[o.typ] >= int(most) && ia.count[o.typ]-u.endingCount(ia, o.typ) >= int(most) {
			return errExhausted(ia, o.typ, l, most)
		}
	}
	if err := ia.checkSRQUsersLocked(u, img); err != nil {
		return err
	}
	step := stepCreate
	if u == nil {
		step = stepAppear
	}
	ia.registerLocked(e, step, u)
	ia.m.addRefsLocked(img)
	return nil
}

// endingCount returns the number of objects of a type that this unit ends; for a
// nil unit it is 0.
func (u *unit) endingCount(ia *adapter, t dat.ObjectType) int {
	if u == nil {
		return 0
	}
	n := 0
	for _, e := range u.ending {
		if o := e.base(); o.ia == ia && o.typ == t {
			n++
		}
	}
	return n
}

// checkSRQUsersLocked tests max_ep_per_srq for a new endpoint. The registry's lock
// is held.
func (ia *adapter) checkSRQUsersLocked(u *unit, img dat.Object) *dat.Error {
	ep, ok := img.(*dat.Endpoint)
	if !ok || ep.SRQ == dat.HandleNull {
		return nil
	}
	s, ok := find[*srq](ia.m, ep.SRQ)
	if !ok {
		return nil
	}
	users := s.endpoints
	for _, was := range u.droppedUsersOf(s.id) {
		if was.Type() == dat.TypeEndpoint {
			users--
		}
	}
	return dat.CheckSRQUsers(ia.facts.Load(), &dat.SRQ{Meta: dat.Meta{ID: s.id}}, users)
}

// registerLocked puts an entity into the registry. The registry's lock is held.
func (ia *adapter) registerLocked(e entity, step lifeStep, by *unit) {
	o := e.base()
	o.life.advanceLocked(step, by)
	ia.count[o.typ]++
	ia.m.index.Store(o.id, e)
}

// remove takes an entity out of the registry; it does nothing if the entity has
// left it already.
func (m *Manager) remove(e entity) {
	o := e.base()
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	if o.life.advanceLocked(stepRemove, nil) {
		m.index.Delete(o.id)
		o.ia.count[o.typ]--
		m.names.update(o.recorded(), nil)
		if req, ok := e.(*request); ok {
			delete(o.ia.requests, req.hw)
		}
	}
}
