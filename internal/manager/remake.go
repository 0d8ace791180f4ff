package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// remakeable is an entity whose part in the engine can be made again: after a
// restart, and on a device that returns.
type remakeable interface {
	entity
	// remake makes the engine's part from the recorded image. lost says what is lost
	// for good, and change writes that into the image; both are empty if nothing is.
	remake(hw rdma.IA) (lost string, change func(dat.Object), err error)
	// dropPart frees the part and forgets what belongs to it; why is the reason.
	dropPart(why string)
}

var _ = []remakeable{
	(*pz)(nil), (*evd)(nil), (*srq)(nil), (*lmr)(nil), (*rmr)(nil), (*endpoint)(nil), (*servicePoint)(nil),
}

// remake makes every living object of an adapter again on hw. It reports false if
// the device was lost once more since losses was read, or if the Manager closes.
func (m *Manager) remake(ia *adapter, hw rdma.IA, losses uint64, cause string) bool {
	for _, t := range dat.RemakeOrder() {
		for _, e := range m.entitiesOf(ia, t) {
			if r, ok := e.(remakeable); ok && !m.remakeUnderLock(r, hw, losses, cause) {
				return false
			}
		}
	}
	return true
}

// remakeUnderLock makes one object again under its operation lock, so that no write
// is under way on it. Objects that are ending or have ended are left alone. It
// reports the same as remake.
func (m *Manager) remakeUnderLock(r remakeable, hw rdma.IA, losses uint64, cause string) bool {
	o := r.base()
	if err := o.lock(m.ctx); err != nil {
		return false
	}
	defer o.unlock()
	if o.life.phase() != phaseLiving {
		return true
	}
	if o.ia.device.losses.Load() == losses {
		m.remakeOne(r, hw, losses, cause)
	}
	if o.ia.device.losses.Load() != losses {
		// The part may have been made on the lost device, or on the one after it.
		r.dropPart(deviceGoneDetail)
		return false
	}
	return true
}

// remakeOne makes one object again and notes what was lost with that. An object
// that the engine refuses stays listed with the reason, and can be freed.
func (m *Manager) remakeOne(r remakeable, hw rdma.IA, losses uint64, cause string) {
	o := r.base()
	// A creation that was under way when the device was lost may have made its object
	// on the device that returns, before the loss was noticed.
	r.dropPart(deviceGoneDetail)
	lost, change, err := r.remake(hw)
	if err != nil && o.ia.device.losses.Load() != losses {
		return // its device was lost meanwhile
	}
	if err != nil {
		d := asError(err)
		m.log.Warn("an object could not be made again", "type", o.typ, "id", o.id, "error", err)
		r.dropPart(d.Return.String() + ": " + d.Detail)
		lost, change = "the engine could not make it again: "+d.Return.String()+": "+d.Detail, notRemadeChange(d)
	}
	if lost == "" {
		return
	}
	m.noteEvent(o, cause, lost, applyChange(func(img dat.Object) {
		if change != nil {
			change(img)
		}
	}))
}

// notRemadeChange returns the change that shows in an endpoint's image that it
// could not be made again.
func notRemadeChange(d *dat.Error) func(dat.Object) {
	at := now()
	return func(img dat.Object) {
		if e, ok := img.(*dat.Endpoint); ok {
			e.LastEvent = &dat.LastEvent{Reason: new(d.Return.String()), At: at, Detail: new("the engine could not make it again: " + d.Detail)}
		}
	}
}
