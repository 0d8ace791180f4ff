package rdma

import (
	"context"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// endpoint is an Endpoint: the recorded image in object, and what happens to it
// now under its own lock.
type endpoint struct {
	object

	// calls serialises the calls of hw.
	calls sync.Mutex
	hw    part[EP]

	// mu is the state lock. Everything below belongs to it.
	mu   sync.Mutex
	live *dat.Endpoint // replaced, never changed
	// recvs are the receives at the endpoint: posted to it, or taken from its SRQ,
	// and not completed; requests likewise.
	recvs, requests map[uint64]work
	counters        dat.DTOCounters
	proof           *dat.Time
	// attempt counts connections, so that timers of an old one do nothing.
	attempt uint64
	timer   *time.Timer
	probes  *time.Timer
	probing bool
	// stale counts the resets whose report has not been read yet: until then
	// reports speak of a connection that is over.
	stale int
	// ending asks for the provider's Disconnect, see act.
	ending bool
	// loose are binds that will not complete; act lets go of their regions.
	loose   []*binding
	changed chan struct{}
	freed   bool
}

// work is an outstanding DTO or RMR bind.
type work struct {
	kind   dat.DTOKind
	cookie string
	flags  []dat.CompletionFlag
	srq    *srq
	bind   *binding
}

func newEndpoint(ia *adapter, id dat.Handle) *endpoint {
	return &endpoint{
		object: newObject(ia, dat.TypeEndpoint, id),
		recvs:  map[uint64]work{}, requests: map[uint64]work{}, changed: make(chan struct{}),
	}
}

// now is the live image under the recorded object's head.
func (ep *endpoint) now() *dat.Endpoint {
	ep.mu.Lock()
	e := ep.live.Copy()
	ep.mu.Unlock()
	if img := imageOf[*dat.Endpoint](&ep.object); img != nil {
		e.Meta = img.Copy().Meta
	}
	return e
}

// status is one snapshot (S1).
func (ep *endpoint) status(now dat.Time) dat.EPStatus {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return dat.EPStatus{
		State: ep.live.State, RecvIdle: len(ep.recvs) == 0, RequestIdle: len(ep.requests) == 0,
		ObservedAt: now, LastProofOfLife: ep.proof,
		Recvs: int32(len(ep.recvs)), Requests: int32(len(ep.requests)), Counters: ep.counters,
	}
}

// recvQuery is dat_ep_recv_query: receives of an endpoint are whole buffers in
// order, so the span is their number.
func (ep *endpoint) recvQuery() dat.RecvQuery {
	ep.mu.Lock()
	n, shared := int32(len(ep.recvs)), ep.live.SRQ != dat.HandleNull
	ep.mu.Unlock()
	var out dat.RecvQuery
	a := &ep.ia.facts.Provider
	known := !shared || a.SRQWatermarksSupported.SRQEPSoftHigh || a.SRQWatermarksSupported.SRQEPHardHigh
	if a.EPRecvInfoSupported.NBufsAllocated && known {
		out.NBufsAllocated = &n
	}
	if a.EPRecvInfoSupported.BufsAllocSpan && known {
		out.BufsAllocSpan = &n
	}
	return out
}

// watch gives the live state, what is closed at its next change, and whether the
// endpoint is freed.
func (ep *endpoint) watch() (dat.EPState, <-chan struct{}, bool) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.live.State, ep.changed, ep.freed
}

// setLocked replaces the live image and wakes who watches the state.
func (ep *endpoint) setLocked(e *dat.Endpoint) {
	moved := ep.live == nil || ep.live.State != e.State
	ep.live = e
	if moved {
		close(ep.changed)
		ep.changed = make(chan struct{})
	}
}

// stop ends the timers; it tells whether the endpoint had a connection.
func (ep *endpoint) stop() bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.stopTimersLocked()
	return ep.live != nil && ep.live.State.HasConnection()
}

func (ep *endpoint) stopTimersLocked() {
	for _, t := range []*time.Timer{ep.timer, ep.probes} {
		if t != nil {
			t.Stop()
		}
	}
	ep.timer, ep.probes, ep.probing = nil, nil, false
}

// engine is the provider's part, or the refusal of a call that needs it.
func (ep *endpoint) engine() (EP, error) {
	hw, ok := ep.hw.get()
	if !ok || ep.ia.gone.Load() {
		return nil, errMissing(&ep.object, ep.hw.reason())
	}
	return hw, nil
}

// CreateEP is dat_ep_create, or with an SRQ dat_ep_create_with_srq (T1). Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_MODEL_NOT_SUPPORTED,
// DAT_INSUFFICIENT_RESOURCES with DAT_RESOURCE_TEP.
func (m *Manager) CreateEP(ctx context.Context, c Call, in EPCreate) (*dat.Endpoint, error) {
	return write(ctx, m, c, in.IA, createCause(in), func(t *tx) (*object, *dat.Endpoint, error) {
		return t.createEP(c, in)
	})
}

func createCause(in EPCreate) string {
	if in.SRQ != dat.HandleNull {
		return "dat_ep_create_with_srq"
	}
	return "dat_ep_create"
}

func (t *tx) createEP(c Call, in EPCreate) (*object, *dat.Endpoint, error) {
	ia, err := t.m.adapterFor(in.IA)
	if err != nil {
		return nil, nil, err
	}
	hw, err := ia.device()
	if err != nil {
		return nil, nil, err
	}
	if err := checkProbe(in.Probe); err != nil {
		return nil, nil, err
	}
	ep := newEndpoint(ia, newID())
	made, err := t.admit(ia, ep, func(s sight) (dat.Object, *dat.Error) {
		e, err := dat.CheckEPCreate(in.Values, in.SRQ, &ia.facts, s)
		if err != nil {
			return nil, err
		}
		e.Meta = ep.meta(in.Name, in.Labels)
		e.LocalIAAddress, e.Probe = ia.facts.Attributes.IAAddress, in.Probe
		return e, nil
	})
	if err != nil {
		return nil, nil, err
	}
	img := made.(*dat.Endpoint)
	ep.live = img
	if c.DryRun {
		return &ep.object, scrub(c, img), nil
	}
	if err := ep.make(hw, img); err != nil {
		return nil, nil, asError(err)
	}
	t.undo = append(t.undo, func() { ep.unmake("") })
	t.add(c, &ep.object, createCause(in), becomes(img), nil)
	return &ep.object, img, nil
}

// make gives the endpoint its part of the provider.
func (ep *endpoint) make(hw IA, img *dat.Endpoint) error {
	params, err := ep.ia.m.params(img)
	if err != nil {
		return err
	}
	made, err := hw.CreateEP(ep.id, params)
	if err == nil {
		ep.hw.set(made)
	}
	return err
}

func (ep *endpoint) unmake(why string) {
	ep.calls.Lock()
	defer ep.calls.Unlock()
	if hw, ok := ep.hw.take(why); ok {
		hw.Free()
	}
}

// params are the provider's parameters of an image.
func (m *Manager) params(img *dat.Endpoint) (EPParams, error) {
	p := EPParams{Attributes: img.Attributes}
	var err error
	if p.PZ, err = m.zone(img.PZ); err != nil {
		return p, err
	}
	if p.RecvEVD, err = m.dispatcher(img.RecvEVD); err != nil {
		return p, err
	}
	if p.RequestEVD, err = m.dispatcher(img.RequestEVD); err != nil {
		return p, err
	}
	p.SRQ, err = m.sharedQueue(img.SRQ)
	return p, err
}

// FreeEP is dat_ep_free (T2, T3): a connection ends with it. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_STATE in RESERVED, PASSIVE_CONNECTION_PENDING
// and TENTATIVE_CONNECTION_PENDING.
func (m *Manager) FreeEP(ctx context.Context, c Call, id dat.Handle) error {
	return free(ctx, m, c, id, "dat_ep_free", func(t *tx) error { return t.freeEP(c, id, false) })
}

// freeEP ends an endpoint; unconnected asks that it be UNCONNECTED (batch).
func (t *tx) freeEP(c Call, id dat.Handle, unconnected bool) error {
	ep, err := target[*endpoint](t, dat.TypeEndpoint, id)
	if err != nil {
		return err
	}
	if err := t.match(c, &ep.object); err != nil {
		return err
	}
	now := ep.now()
	if v := dat.Judge(now.State, dat.OpFree); v.Kind != dat.End {
		return ep.holder(v.Err(now.State, dat.OpFree))
	}
	if unconnected && now.State != dat.EPUnconnected {
		return errNotUnused(now.State)
	}
	if err := t.end(ep, nil); err != nil {
		return err
	}
	t.add(c, &ep.object, "dat_ep_free", gone, ep.markFreed)
	t.after = append(t.after, func() { ep.unmake("") })
	return nil
}

func errNotUnused(s dat.EPState) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidState, State: &s,
		Detail: "An atomic batch frees an endpoint only while it is UNCONNECTED, because a connection cannot be undone; free it outside of the batch.",
	}
}

// holder adds to a refusal what keeps the endpoint: its RSP or its request.
func (ep *endpoint) holder(err *dat.Error) error {
	ep.ia.m.index.Range(func(_, v any) bool {
		switch o := v.(type) {
		case *request:
			if o.endpoint == ep.id {
				err.Detail += " Reject the connection request " + string(o.id) + " first."
				return false
			}
		case *servicePoint:
			if img, ok := o.recorded().(*dat.RSP); ok && img.Endpoint == ep.id && !o.used.Load() {
				err.Detail += " Free the RSP " + string(o.id) + " first."
				return false
			}
		}
		return true
	})
	return err
}

// markFreed ends the live part: timers stop, nothing is outstanding, watchers wake.
func (ep *endpoint) markFreed() {
	ep.mu.Lock()
	ep.freed, ep.ending = true, false
	ep.stopTimersLocked()
	ep.dropWorksLocked()
	close(ep.changed)
	ep.changed = make(chan struct{})
	ep.mu.Unlock()
	ep.m().act(ep)
}

// dropWorksLocked forgets what is outstanding: its completions are lost (T2, T39).
func (ep *endpoint) dropWorksLocked() {
	for _, set := range []map[uint64]work{ep.recvs, ep.requests} {
		for _, w := range set {
			w.reap()
			if w.bind != nil {
				ep.loose = append(ep.loose, w.bind)
			}
		}
		clear(set)
	}
}
