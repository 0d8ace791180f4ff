package rdma

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// request is a connection request that waits (CR).
type request struct {
	object
	handle ConnRequest
	// endpoint is the one that the request brought, or null; privateData is never recorded.
	endpoint    dat.Handle
	privateData []byte
	// gone, of the adapter's lock, tells that the peer vanished (T46).
	gone bool
}

// fill implements filler.
func (q *request) fill(img dat.Object) {
	if o, ok := img.(*dat.CR); ok {
		o.PrivateData = q.privateData
	}
}

// arrived takes a request that came to a service point (T8–T11). One that nobody
// can be told of is rejected.
func (m *Manager) arrived(r Report) {
	sp, ok := find[*servicePoint](m, r.SP)
	if ok && sp.await(r) {
		return
	}
	if !ok || sp.recorded() == nil || !m.admitRequest(sp, r) {
		r.Request.Reject(false, nil)
	}
}

// admitRequest makes the request, and the endpoint that it brings, and tells the
// consumer. False leaves nothing behind.
func (m *Manager) admitRequest(sp *servicePoint, r Report) bool {
	ia := sp.ia
	q := &request{object: newObject(ia, dat.TypeCR, newID()), handle: r.Request, privateData: r.PrivateData}
	img := &dat.CR{
		Meta: q.meta("", nil), ConnQual: r.LocalQual, RemoteIAAddress: ptr(r.RemoteAddress),
		RemotePortQual: ptr(r.RemoteQual), PrivateDataSize: int32(len(r.PrivateData)),
	}
	switch at := sp.recorded().(type) {
	case *dat.PSP:
		img.PSP = at.ID
		if at.EPCreator == dat.PSPProvider {
			return m.admitTentative(sp, at, q, img, r)
		}
		return m.tell(at.EVD, q, img, r)
	case *dat.RSP:
		img.RSP, img.Endpoint, q.endpoint = at.ID, at.Endpoint, at.Endpoint
		return m.admitReserved(sp, at, q, img, r)
	}
	return false
}

// tell enters the request into the registry, posts its event and notes it.
func (m *Manager) tell(evd dat.Handle, q *request, img *dat.CR, r Report) bool {
	ia := q.ia
	ia.mu.Lock()
	ia.count[dat.TypeCR]++
	m.index.Store(q.id, q)
	ia.requests[q.handle] = q
	ia.mu.Unlock()
	// The note is counted first: who accepts at once waits for the record.
	q.notes.add()
	defer q.notes.done()
	qual := img.ConnQual
	ref := q.ref()
	ev := dat.Event{
		Event: dat.EventConnectionRequest, Stream: dat.StreamCR, Endpoint: img.Endpoint, Object: &ref, Reason: ptr(r.Reason),
		Data: dat.EventData{CR: q.id, ConnQual: &qual, PrivateData: r.PrivateData},
	}
	if !m.emit(evd, queued{ev: ev, wakes: true}) {
		m.dropRequest(q)
		return false
	}
	e := m.entry(engineCall(r.Detail), &q.object, dat.EvRequest.String())
	e.Apply = becomes(img)
	m.note(&q.object, e, nil)
	return true
}

// dropRequest takes a request out of the registry.
func (m *Manager) dropRequest(q *request) {
	q.ia.mu.Lock()
	delete(q.ia.requests, q.handle)
	q.ia.mu.Unlock()
	m.forget(q)
}

// admitReserved moves the endpoint of an RSP to PASSIVE_CONNECTION_PENDING (T8);
// a second request finds it there and is rejected (T9).
func (m *Manager) admitReserved(sp *servicePoint, at *dat.RSP, q *request, img *dat.CR, r Report) bool {
	ep, ok := find[*endpoint](m, at.Endpoint)
	if !ok || sp.used.Load() {
		return false
	}
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if dat.Judge(ep.live.State, dat.EvRequest).Kind != dat.Move || !m.tell(at.EVD, q, img, r) {
		return false
	}
	sp.used.Store(true)
	m.happenedLocked(ep, dat.EvRequest, happening{reason: r.Reason, detail: r.Detail, more: func(e *dat.Endpoint) {
		e.RemoteIAAddress, e.RemotePortQual, e.LocalPortQual = ptr(r.RemoteAddress), ptr(r.RemoteQual), ptr(r.LocalQual)
	}})
	return true
}

// admitTentative makes the endpoint of a PROVIDER service point (T10): PZ and EVDs
// are null, its attributes those of the request as far as it carries them.
func (m *Manager) admitTentative(sp *servicePoint, at *dat.PSP, q *request, img *dat.CR, r Report) bool {
	ia := sp.ia
	hw, err := ia.device()
	if err != nil {
		return false
	}
	ep := newEndpoint(ia, newID())
	e := &dat.Endpoint{Meta: ep.meta("", nil), State: dat.EPTentativeConnectionPending, Attributes: dat.DefaultEPAttributes(&ia.facts)}
	if r.Attributes != nil {
		e.Attributes = r.Attributes.Clone()
	}
	e.Watermarks, _ = e.Watermarks.Set(dat.WatermarkInfinite, dat.WatermarkInfinite, 0, false)
	e.LocalIAAddress = ia.facts.Attributes.IAAddress
	e.RemoteIAAddress, e.RemotePortQual = ptr(r.RemoteAddress), ptr(r.RemoteQual)
	e.LocalPortQual = ptr(r.LocalQual)
	ep.live = e
	ia.mu.Lock()
	refusal := ia.admitLocked(nil, ep, e)
	ia.mu.Unlock()
	if refusal != nil {
		m.log.Warn("a request is rejected", "psp", sp.id, "error", refusal)
		return false
	}
	if err := ep.make(hw, e); err != nil {
		m.log.Warn("a request is rejected", "psp", sp.id, "error", err)
		m.forget(ep)
		return false
	}
	ep.notes.add()
	defer ep.notes.done()
	img.Endpoint, q.endpoint = ep.id, ep.id
	if !m.tell(at.EVD, q, img, r) {
		ep.unmake("")
		m.forget(ep)
		return false
	}
	entry := m.entry(engineCall("made for the connection request "+string(q.id)), &ep.object, dat.EvRequest.String())
	entry.Apply = becomes(e)
	m.note(&ep.object, entry, nil)
	return true
}

// vanished notes that the peer of a waiting request is gone: the request stays,
// and accepting it fails later (T46, T15).
func (m *Manager) vanished(ia *adapter, r Report) {
	ia.mu.Lock()
	q := ia.requests[r.Request]
	if q != nil {
		q.gone = true
	}
	ia.mu.Unlock()
	if q == nil {
		return
	}
	if ep, ok := find[*endpoint](m, q.endpoint); ok {
		m.happened(ep, dat.EvRequestGone, happening{reason: r.Reason, detail: firstOf(r.Detail, "the peer of the connection request vanished")})
		return
	}
	e := m.entry(engineCall(firstOf(r.Detail, "the peer of the connection request vanished")), &q.object, dat.EvRequestGone.String())
	e.Apply = edit(func(*dat.CR) {})
	m.note(&q.object, e, nil)
}

// answer locks a request and the endpoint that answers it.
func (t *tx) answer(c Call, id dat.Handle, with dat.Handle) (*request, *endpoint, error) {
	q, ok := find[*request](t.m, id)
	if !ok {
		return nil, nil, errHandle(dat.TypeCR, id)
	}
	locks := []*object{&q.object}
	ep, ok := find[*endpoint](t.m, with)
	if ok {
		locks = append(locks, &ep.object)
	} else if with != dat.HandleNull {
		return nil, nil, errBodyHandle(dat.TypeEndpoint, with, "endpoint")
	}
	if err := t.lock(locks...); err != nil {
		return nil, nil, err
	}
	return q, ep, t.match(c, &q.object)
}

// endRequest enters the end of a request.
func (t *tx) endRequest(c Call, q *request, cause string) {
	t.ended = append(t.ended, q)
	t.add(c, &q.object, cause, gone, func() { t.m.dropRequest(q) })
}

// AcceptCR is dat_cr_accept (T12, T13, T16): with the request's own endpoint or one
// of the consumer. The outcome is an event. Errors: DAT_INVALID_HANDLE,
// DAT_INVALID_PARAMETER, DAT_INVALID_STATE; the request then stays usable.
func (m *Manager) AcceptCR(ctx context.Context, c Call, id dat.Handle, in CRAccept) (*dat.Endpoint, error) {
	return write(ctx, m, c, id, "dat_cr_accept", func(t *tx) (*object, *dat.Endpoint, error) {
		q, ok := find[*request](m, id)
		if !ok {
			return nil, nil, errHandle(dat.TypeCR, id)
		}
		with, op, err := q.acceptWith(in.Endpoint)
		if err != nil {
			return nil, nil, err
		}
		q, ep, err := t.answer(c, id, with)
		if err != nil {
			return nil, nil, err
		}
		return t.accept(c, q, ep, op, in.PrivateData)
	})
}

// acceptWith is the endpoint that an accept uses.
func (q *request) acceptWith(given dat.Handle) (dat.Handle, dat.Input, error) {
	switch {
	case q.endpoint != dat.HandleNull && given != dat.HandleNull && given != q.endpoint:
		return "", 0, errParameter(dat.SubInvalidArg2, "endpoint", "The request brought the endpoint "+string(q.endpoint)+"; leave endpoint out.")
	case q.endpoint != dat.HandleNull:
		return q.endpoint, dat.OpAcceptOwn, nil
	case given == dat.HandleNull:
		return "", 0, errParameter(dat.SubInvalidArg2, "endpoint", "The request brought no endpoint; name an UNCONNECTED one with a PZ.")
	}
	return given, dat.OpAccept, nil
}

func (t *tx) accept(c Call, q *request, ep *endpoint, in dat.Input, privateData []byte) (*object, *dat.Endpoint, error) {
	if ep.ia != q.ia {
		return nil, nil, errBodyHandle(dat.TypeEndpoint, ep.id, "endpoint")
	}
	now := ep.now()
	if err := judge(now, in); err != nil {
		return nil, nil, err
	}
	if err := dat.CheckPrivateData(&ep.ia.facts, in, len(privateData)); err != nil {
		return nil, nil, err
	}
	if _, err := ep.engine(); err != nil {
		return nil, nil, err
	}
	cr := imageOf[*dat.CR](&q.object)
	v := dat.Judge(now.State, in)
	h := happening{more: func(e *dat.Endpoint) {
		qual := cr.ConnQual
		e.RemoteIAAddress, e.RemotePortQual, e.LocalPortQual = cr.RemoteIAAddress, cr.RemotePortQual, &qual
	}}
	if c.DryRun {
		after := now.Copy()
		transition(now.State, v, nil, h.more)(after)
		return &ep.object, after, nil
	}
	moved := t.addMove(c, ep, in, now.State, v, h)
	kept := c
	kept.Keep = nil
	t.endRequest(kept, q, in.String())
	t.after = append(t.after, func() { t.m.acceptNow(q, ep, moved, privateData) })
	return &ep.object, now, nil
}

// acceptNow acts. What the engine refuses now fails as what it cannot finish later:
// ACCEPT_COMPLETION_ERROR, and the endpoint is never stuck (T15, D18).
func (m *Manager) acceptNow(q *request, ep *endpoint, moved *moved, privateData []byte) {
	q.ia.mu.Lock()
	gone := q.gone
	q.ia.mu.Unlock()
	if !moved.took {
		q.handle.Reject(false, nil)
		return
	}
	if gone {
		m.happened(ep, dat.EvAcceptFailed, happening{reason: "REQUEST_GONE", detail: "the peer of the connection request vanished before it was accepted"})
		return
	}
	hw, err := ep.engine()
	if err == nil {
		ep.calls.Lock()
		err = q.handle.Accept(hw, privateData)
		ep.calls.Unlock()
	}
	if err != nil {
		d := asError(err)
		m.happened(ep, dat.EvAcceptFailed, happening{reason: d.Return.String(), detail: d.Detail})
	}
}

// RejectCR is dat_cr_reject: the peer gets PEER_REJECTED; the endpoint of an RSP is
// UNCONNECTED again (T17), a provider's endpoint is gone (T18). Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER (private data).
func (m *Manager) RejectCR(ctx context.Context, c Call, id dat.Handle, privateData []byte) error {
	return m.dismiss(ctx, c, id, dat.OpReject, func(f *dat.Facts) *dat.Error {
		return dat.CheckPrivateData(f, dat.OpReject, len(privateData))
	}, func(q *request) { q.handle.Reject(true, privateData) })
}

// HandoffCR is dat_cr_handoff: the request goes to another qualifier of this adapter
// (T19, T47). Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
func (m *Manager) HandoffCR(ctx context.Context, c Call, id dat.Handle, connQual int64) error {
	return m.dismiss(ctx, c, id, dat.OpHandoff, func(*dat.Facts) *dat.Error {
		return dat.CheckHandoff(connQual)
	}, func(q *request) { q.handle.Handoff(int32(connQual)) })
}

// dismiss ends a request without this endpoint: one record for both, then the act.
func (m *Manager) dismiss(ctx context.Context, c Call, id dat.Handle, in dat.Input, check func(*dat.Facts) *dat.Error, act func(*request)) error {
	return free(ctx, m, c, id, in.String(), func(t *tx) error {
		q, ok := find[*request](m, id)
		if !ok {
			return errHandle(dat.TypeCR, id)
		}
		q, ep, err := t.answer(c, id, q.endpoint)
		if err != nil {
			return err
		}
		if err := check(&q.ia.facts); err != nil {
			return err
		}
		t.endRequest(c, q, in.String())
		if ep != nil {
			if err := t.letGo(c, ep, in); err != nil {
				return err
			}
		}
		t.after = append(t.after, func() { act(q) })
		return nil
	})
}

// letGo enters what a dismissed request does to the endpoint that it brought.
func (t *tx) letGo(c Call, ep *endpoint, in dat.Input) error {
	c.Keep = nil
	now := ep.now()
	v := dat.Judge(now.State, in)
	switch v.Kind {
	case dat.Move:
		t.addMove(c, ep, in, now.State, v, happening{})
	case dat.End:
		if err := t.end(ep, nil); err != nil {
			return err
		}
		t.add(c, &ep.object, in.String(), gone, ep.markFreed)
		t.after = append(t.after, func() { ep.unmake("") })
	}
	return nil
}
