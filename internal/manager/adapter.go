package manager

import (
	"sync/atomic"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// adapter is an open IA with the registry of its objects.
type adapter struct {
	object
	m        *Manager
	provider string
	// facts never change after the adapter was opened.
	facts dat.Facts
	// async is the EVD for asynchronous events, set before the adapter is seen.
	asyncEVD *evd
	// device is whether the device is there.
	device deviceState
	// nextWR gives the ids of work requests; they never repeat.
	nextWR atomic.Uint64

	// mu is the registry's lock: object ownership, references, use counts. It is
	// short: no provider, no recorder and no other lock but those of endpoint
	// state and queues is ever waited for under it.
	mu    registryMutex
	hw    rdma.IA
	count [dat.TypeCR + 1]int
	// creations counts the units that are making something on the device;
	// noCreations, where set, is closed when there is none left.
	creations   int
	noCreations chan struct{}
	// requests finds a waiting connection request by the provider's handle.
	requests map[rdma.ConnRequest]*request
}

// limits are the attributes that bound the number of objects of a type, and the
// subtype of the refusal. Types without one are unbounded.
var limits = map[dat.ObjectType]struct {
	max     func(*dat.IAAttributes) int32
	subtype dat.Subtype
	field   string
}{
	dat.TypeEndpoint: {func(a *dat.IAAttributes) int32 { return a.MaxEPs }, dat.SubResourceTEP, "max_eps"},
	dat.TypePZ:       {func(a *dat.IAAttributes) int32 { return a.MaxPZs }, dat.SubResourceProtectionDomain, "max_pzs"},
	dat.TypeEVD:      {func(a *dat.IAAttributes) int32 { return a.MaxEVDs }, dat.SubResourceTEVD, "max_evds"},
	dat.TypeSRQ:      {func(a *dat.IAAttributes) int32 { return a.MaxSRQs }, dat.SubResourceSRQ, "max_srqs"},
	dat.TypeLMR:      {func(a *dat.IAAttributes) int32 { return a.MaxLMRs }, dat.SubResourceMemoryRegion, "max_lmrs"},
	dat.TypeRMR:      {func(a *dat.IAAttributes) int32 { return a.MaxRMRs }, dat.SubResourceMemoryRegion, "max_rmrs"},
}

// admitLocked enters a new object into the registry with the references of its
// image; the adapter's lock is held. t is nil for what the engine makes.
func (ia *adapter) admitLocked(u *unit, e entity, img dat.Object) *dat.Error {
	o := e.base()
	if l, ok := limits[o.typ]; ok && ia.count[o.typ] >= int(l.max(&ia.facts.Attributes)) &&
		ia.count[o.typ]-u.endingCount(ia, o.typ) >= int(l.max(&ia.facts.Attributes)) {
		return errExhausted(ia, o.typ, l.subtype, l.field, l.max(&ia.facts.Attributes))
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

// roomOnSRQLocked tests max_ep_per_srq for a new endpoint.
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
	return dat.CheckSRQUsers(&ia.facts, &dat.SRQ{Meta: dat.Meta{ID: s.id}}, users)
}

// endedOf is the number of objects of a type that this unit of writes ends; nil ends none.
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

// admit judges under the registry's lock and enters the object if it may be.
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

// remove takes an object out of the registry, once.
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

// fill implements filler.
func (ia *adapter) fill(img dat.Object) {
	if o, ok := img.(*dat.IA); ok {
		o.Usage = ia.usage()
	}
}

// usage counts the living objects.
func (ia *adapter) usage() dat.IAUsage {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	return dat.IAUsage{
		Endpoints: ia.count[dat.TypeEndpoint], PZs: ia.count[dat.TypePZ], EVDs: ia.count[dat.TypeEVD],
		SRQs: ia.count[dat.TypeSRQ], LMRs: ia.count[dat.TypeLMR], RMRs: ia.count[dat.TypeRMR],
		PSPs: ia.count[dat.TypePSP], RSPs: ia.count[dat.TypeRSP],
	}
}

// wr gives the first of n new ids of work requests. A dry run takes none and gets
// what the call itself would.
func (ia *adapter) reserveWorkRequests(c Call, n int) uint64 {
	if c.DryRun {
		return ia.nextWR.Load() + 1
	}
	return ia.nextWR.Add(uint64(n)) - uint64(n) + 1
}
