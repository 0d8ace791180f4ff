package manager

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// maker is an object that has a part in the provider, which can be made again.
type remakeable interface {
	entity
	// remake makes the part from the recorded image. It gives what was lost for
	// good as a sentence, and the change that says so; both empty where nothing was.
	remake(hw rdma.IA) (lost string, change func(dat.Object), err error)
	// lose empties the part without telling the provider; why is the reason.
	dropPart(why string)
}

// remakeOrder has those that are used before those that use them.
var remakeOrder = []dat.ObjectType{
	dat.TypePZ, dat.TypeEVD, dat.TypeSRQ, dat.TypeLMR, dat.TypeRMR, dat.TypeEndpoint, dat.TypePSP, dat.TypeRSP,
}

// remake makes every living object of an adapter again. It reports false where
// the device was lost once more since its losses were counted, or the Manager closes.
func (m *Manager) remake(ia *adapter, hw rdma.IA, losses uint64, cause string) bool {
	for _, t := range remakeOrder {
		for _, e := range m.entitiesOf(ia, t) {
			if mk, ok := e.(remakeable); ok && !m.remakeUnderLock(mk, hw, losses, cause) {
				return false
			}
		}
	}
	return true
}

// remakeLocked makes one object again under its operation lock, so that no write
// is under way on it; what ended or is ending is left alone. It reports as remake.
func (m *Manager) remakeUnderLock(mk remakeable, hw rdma.IA, losses uint64, cause string) bool {
	o := mk.base()
	if err := o.lock(m.ctx); err != nil {
		return false
	}
	defer o.unlock()
	if o.life.phase() != phaseLiving {
		return true
	}
	if o.ia.device.losses.Load() == losses {
		m.remakeOne(mk, hw, losses, cause)
	}
	if o.ia.device.losses.Load() != losses {
		mk.dropPart(deviceGoneDetail) // what was made belongs to a device that is lost
		return false
	}
	return true
}

// remakeOne makes one object again. What is lost is noted with the given cause;
// what the engine refuses stays listed, with its reason, and can be freed.
func (m *Manager) remakeOne(mk remakeable, hw rdma.IA, losses uint64, cause string) {
	o := mk.base()
	lost, change, err := mk.remake(hw)
	if err != nil && o.ia.device.losses.Load() != losses {
		return // its device was lost meanwhile
	}
	if err != nil {
		d := asError(err)
		m.log.Warn("an object could not be made again", "type", o.typ, "id", o.id, "error", err)
		mk.dropPart(d.Return.String() + ": " + d.Detail)
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

// unmadeChange shows in an endpoint that it could not be made again.
func notRemadeChange(d *dat.Error) func(dat.Object) {
	at := now()
	return func(img dat.Object) {
		if e, ok := img.(*dat.Endpoint); ok {
			e.LastEvent = &dat.LastEvent{Reason: optional(d.Return.String()), At: at, Detail: optional("the engine could not make it again: " + d.Detail)}
		}
	}
}
