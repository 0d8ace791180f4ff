package manager

import (
	"context"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

const goneDetail = "the device vanished"

// deviceGone takes the loss of a device (T48): connections break, requests end,
// everything else stays and waits for its return.
func (m *Manager) deviceGone(ia *adapter, r rdma.Report) {
	if ia.gone.Swap(true) {
		return
	}
	why := firstOf(r.Detail, goneDetail)
	m.noteIA(ia, "device_gone", why, dat.IAGone, why)
	ref := ia.ref()
	ia.asyncEvent(dat.Event{Event: dat.EventAsyncErrorIACatastrophic, Object: &ref, Reason: ptr("DAT_IA_CATASTROPHIC_ERROR")})
	for _, e := range m.objectsOf(ia, dat.TypeCR) {
		m.endRequestNow(e.(*request), dat.EvDeviceGone.Word(), why)
	}
	for _, e := range m.objectsOf(ia, dat.TypeEndpoint) {
		m.loseEndpoint(e.(*endpoint), why)
	}
	for _, t := range remakeOrder {
		for _, e := range m.objectsOf(ia, t) {
			if l, ok := e.(maker); ok {
				l.lose(why)
			}
		}
	}
}

// endRequestNow ends a request that nobody can answer any more.
func (m *Manager) endRequestNow(q *request, cause, why string) {
	m.dropRequest(q)
	e := m.entry(engineCall(why), &q.object, cause)
	e.Apply = gone
	m.note(&q.object, e)
}

// loseEndpoint moves an endpoint as T48 says. One that is gone with its request
// ends in the record too.
func (m *Manager) loseEndpoint(ep *endpoint, why string) {
	ep.mu.Lock()
	v := dat.Judge(ep.live.State, dat.EvDeviceGone)
	if v.Kind == dat.End {
		e := m.entry(engineCall(why), &ep.object, dat.EvDeviceGone.Word())
		e.Apply = gone
		m.note(&ep.object, e)
	} else if v.Kind == dat.Move {
		m.happenedLocked(ep, dat.EvDeviceGone, happening{reason: "DEVICE_GONE", detail: why})
	}
	ep.mu.Unlock()
	if v.Kind == dat.End {
		ep.over.Store(true)
		m.goes(func() { m.bury(ep) })
		return
	}
	m.act(ep)
	ep.mu.Lock()
	m.flushLocked(ep)
	ep.mu.Unlock()
	m.act(ep)
}

// bury takes an endpoint that ended by itself out of the registry, after the write
// that may be under way on it: that one settles what the endpoint uses.
func (m *Manager) bury(ep *endpoint) {
	if err := ep.lock(context.Background()); err != nil {
		return
	}
	defer ep.unlock()
	m.drop(ep.now())
	m.forget(ep)
	ep.markFreed()
}

// deviceBack takes the return of a device (T49): its objects are made again.
func (m *Manager) deviceBack(ia *adapter) {
	hw := ia.hardware()
	if hw == nil || !ia.gone.Load() {
		return
	}
	ia.returning.Store(true)
	ia.gone.Store(false)
	m.remake(ia, hw, dat.EvDeviceBack.Word())
	ia.returning.Store(false)
	state, detail := hw.State()
	m.noteIA(ia, "device_back", "the device is there again", state, detail)
}

// hardware is the provider's adapter, also while the device is gone.
func (ia *adapter) hardware() rdma.IA {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	return ia.hw
}

// objectsOf are the objects of an adapter of one type, the oldest first.
func (m *Manager) objectsOf(ia *adapter, t dat.ObjectType) []entity {
	return m.selected(func(o *object) bool { return o.ia == ia && o.typ == t && o.recorded() != nil })
}
