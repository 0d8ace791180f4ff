package manager

import (
	"sync"
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
	async *evd
	// gone tells that the device is not there (T48).
	gone atomic.Bool
	// returning tells that its objects are being made again (T49): new ones wait for
	// that, so that none is made twice.
	returning atomic.Bool
	// nextWR gives the ids of work requests; they never repeat.
	nextWR atomic.Uint64

	// mu is the registry's lock: object ownership, references, use counts. It is
	// short: no provider, no recorder and no other lock but those of endpoint
	// state and queues is ever waited for under it.
	mu    sync.Mutex
	hw    rdma.IA
	count [dat.TypeCR + 1]int
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
	if l, ok := limits[o.typ]; ok && ia.count[o.typ] >= int(l.max(&ia.facts.Attributes)) {
		return errExhausted(ia, o.typ, l.subtype, l.field, l.max(&ia.facts.Attributes))
	}
	if err := ia.roomOnSRQLocked(img); err != nil {
		return err
	}
	ia.count[o.typ]++
	o.owner = u
	ia.m.index.Store(o.id, e)
	ia.m.holdLocked(img)
	return nil
}

// roomOnSRQLocked tests max_ep_per_srq for a new endpoint.
func (ia *adapter) roomOnSRQLocked(img dat.Object) *dat.Error {
	ep, ok := img.(*dat.Endpoint)
	if !ok || ep.SRQ == dat.HandleNull {
		return nil
	}
	s, ok := find[*srq](ia.m, ep.SRQ)
	if !ok {
		return nil
	}
	return dat.CheckSRQUsers(&ia.facts, &dat.SRQ{Meta: dat.Meta{ID: s.id}}, s.endpoints)
}

// admit judges under the registry's lock and enters the object if it may be.
func (u *unit) admit(ia *adapter, e entity, judge func(sight) (dat.Object, *dat.Error)) (dat.Object, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	img, err := judge(sight{t: u, ia: ia})
	if err != nil {
		return nil, err
	}
	if err := ia.admitLocked(u, e, img); err != nil {
		return nil, err
	}
	u.made = append(u.made, e)
	u.undo = append(u.undo, func() { ia.m.drop(img) })
	return img, nil
}

// end marks an object as ending unless it is in use.
func (u *unit) end(e entity, inUse func(n int) *dat.Error) error {
	o := e.base()
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	if o.freeing != nil {
		return errGoneHandle(o)
	}
	if n := u.usedLocked(o); inUse != nil && n > 0 {
		return inUse(n)
	}
	o.freeing = u
	u.ended = append(u.ended, e)
	u.releases = append(u.releases, u.now(o))
	return nil
}

// forget takes an object out of the registry.
func (m *Manager) forget(e entity) {
	o := e.base()
	o.ia.mu.Lock()
	defer o.ia.mu.Unlock()
	o.dead = true
	if _, ok := m.index.LoadAndDelete(o.id); ok {
		o.ia.count[o.typ]--
		m.names.renamed(o.recorded(), nil)
	}
}

// device is the provider's adapter, or the refusal of a call that needs it.
func (ia *adapter) device() (rdma.IA, error) {
	ia.mu.Lock()
	defer ia.mu.Unlock()
	if ia.gone.Load() || ia.returning.Load() || ia.hw == nil {
		return nil, errIAGone(ia)
	}
	return ia.hw, nil
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
func (ia *adapter) wr(c Call, n int) uint64 {
	if c.DryRun {
		return ia.nextWR.Load() + 1
	}
	return ia.nextWR.Add(uint64(n)) - uint64(n) + 1
}
