package manager

import (
	"cmp"
	"slices"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
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

// selected are the entities that want holds for, the oldest first (UUIDv7 sort by age).
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
	e := m.newEntry(engineCall(lost), o, cause)
	e.Apply = applyChange(func(img dat.Object) {
		if change != nil {
			change(img)
		}
	})
	m.note(o, e)
}

// unmadeChange shows in an endpoint that it could not be made again.
func notRemadeChange(d *dat.Error) func(dat.Object) {
	at := now()
	return func(img dat.Object) {
		if e, ok := img.(*dat.Endpoint); ok {
			e.LastEvent = &dat.LastEvent{Reason: ptr(d.Return.String()), At: at, Detail: ptr("the engine could not make it again: " + d.Detail)}
		}
	}
}

func (z *pz) dropPart(why string)  { z.hw.take(why) }
func (d *evd) dropPart(why string) { d.hw.take(why) }
func (s *srq) dropPart(why string) { s.hw.take(why); s.forgetPosted() }
func (l *lmr) dropPart(why string) { l.hw.take(why) }
func (w *rmr) dropPart(why string) { w.hw.take(why); w.m().replaceBinding(w, nil) }
func (ep *endpoint) dropPart(why string) {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	ep.hw.take(why)
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.unreportedResets = 0
}
func (sp *servicePoint) dropPart(why string) { sp.hw.take(why) }

func (z *pz) remake(hw rdma.IA) (string, func(dat.Object), error) { return "", nil, z.create(hw) }

func (d *evd) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, d.create(hw, imageOf[*dat.EVD](&d.object))
}

func (s *srq) remake(hw rdma.IA) (string, func(dat.Object), error) {
	img := imageOf[*dat.SRQ](&s.object)
	if err := s.create(hw, img); err != nil {
		return "", nil, err
	}
	if img.State == dat.SRQOperational {
		return "", nil, nil
	}
	return "its error state", func(o dat.Object) { o.(*dat.SRQ).State = dat.SRQOperational }, nil
}

// remake of a region: its contents and its key are new.
func (l *lmr) remake(hw rdma.IA) (string, func(dat.Object), error) {
	made := imageOf[*dat.LMR](&l.object).Clone().(*dat.LMR)
	if err := l.create(hw, made); err != nil {
		return "", nil, err
	}
	return "the contents of the memory and its rmr_context", func(o dat.Object) {
		r := o.(*dat.LMR)
		r.RMRContext, r.TargetAddress = made.RMRContext, made.TargetAddress
	}, nil
}

func (w *rmr) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, w.create(hw, imageOf[*dat.RMR](&w.object))
}

func (ep *endpoint) remake(hw rdma.IA) (string, func(dat.Object), error) {
	return "", nil, ep.create(hw, ep.snapshot())
}

func (sp *servicePoint) remake(hw rdma.IA) (string, func(dat.Object), error) {
	switch img := sp.recorded().(type) {
	case *dat.PSP:
		_, err := sp.listen(hw, img.ConnQual, false)
		return "", nil, err
	case *dat.RSP:
		if sp.used.Load() {
			return "", nil, nil
		}
		_, err := sp.listen(hw, img.ConnQual, true)
		return "", nil, err
	}
	return "", nil, nil
}

// clear forgets what is on the queue: the receives went with the device.
func (s *srq) forgetPosted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outstanding -= len(s.posted)
	clear(s.posted)
}
