package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// unit is an atomic batch while it is prepared.
type unit struct {
	api   *API
	batch *manager.Batch
	call  manager.Call
	// labels are those of the objects that the batch has made or changed.
	labels map[dat.Handle]map[string]string
}

func newUnit(a *API, batch *manager.Batch, call manager.Call) *unit {
	return &unit{api: a, batch: batch, call: call, labels: map[dat.Handle]map[string]string{}}
}

// atomicCall is one of the calls that an atomic batch takes.
type atomicCall struct {
	method, collection string
	// status is that of the call when it is done; below is the last segment of
	// its path.
	status int
	below  string
	typ    dat.ObjectType
	do     func(u *unit, id dat.Handle, body json.RawMessage) (dat.Object, error)
}

// atomicCalls are all calls that can be undone.
var atomicCalls = []atomicCall{
	making("pzs", dat.TypePZ, func(u *unit, b *pzCreate) (*dat.PZ, error) { return u.batch.CreatePZ(u.call, b.input()) }),
	making("evds", dat.TypeEVD, func(u *unit, b *evdCreate) (*dat.EVD, error) { return u.batch.CreateEVD(u.call, b.input()) }),
	making("srqs", dat.TypeSRQ, func(u *unit, b *srqCreate) (*dat.SRQ, error) { return u.batch.CreateSRQ(u.call, b.input()) }),
	making("lmrs", dat.TypeLMR, func(u *unit, b *lmrCreate) (*dat.LMR, error) { return u.batch.CreateLMR(u.call, b.input()) }),
	making("rmrs", dat.TypeRMR, func(u *unit, b *rmrCreate) (*dat.RMR, error) { return u.batch.CreateRMR(u.call, b.input()) }),
	making("psps", dat.TypePSP, func(u *unit, b *pspCreate) (*dat.PSP, error) { return u.batch.CreatePSP(u.call, b.input()) }),
	making("rsps", dat.TypeRSP, func(u *unit, b *rspCreate) (*dat.RSP, error) { return u.batch.CreateRSP(u.call, b.input()) }),
	making("endpoints", dat.TypeEndpoint, func(u *unit, b *paramBody[endpointCreate]) (*dat.Endpoint, error) {
		in, err := endpointInput(b)
		if err != nil {
			return nil, err
		}
		return u.batch.CreateEP(u.call, in)
	}),
	changing(http.MethodPatch, "evds", "", dat.TypeEVD, func(u *unit, id dat.Handle, b *evdPatch) (*dat.EVD, error) {
		in := b.input()
		in.Labels = u.relabelled(dat.TypeEVD, id, b.Labels)
		return u.batch.ModifyEVD(u.call, id, in)
	}),
	changing(http.MethodPatch, "srqs", "", dat.TypeSRQ, func(u *unit, id dat.Handle, b *srqPatch) (*dat.SRQ, error) {
		in := b.input()
		in.Labels = u.relabelled(dat.TypeSRQ, id, b.Labels)
		return u.batch.ModifySRQ(u.call, id, in)
	}),
	changing(http.MethodPatch, "endpoints", "", dat.TypeEndpoint, func(u *unit, id dat.Handle, b *paramBody[endpointPatch]) (*dat.Endpoint, error) {
		in, patch := modifyInput(b)
		in.Labels = u.relabelled(dat.TypeEndpoint, id, patch)
		return u.batch.ModifyEP(u.call, id, in)
	}),
	changing(http.MethodPut, "endpoints", "watermarks", dat.TypeEndpoint, func(u *unit, id dat.Handle, b *watermarksBody) (*dat.Endpoint, error) {
		return u.batch.SetWatermark(u.call, id, b.SoftHigh, b.HardHigh)
	}),
	freeing("pzs", dat.TypePZ), freeing("evds", dat.TypeEVD), freeing("srqs", dat.TypeSRQ), freeing("lmrs", dat.TypeLMR),
	freeing("rmrs", dat.TypeRMR), freeing("psps", dat.TypePSP), freeing("rsps", dat.TypeRSP), freeing("endpoints", dat.TypeEndpoint),
}

func making[B any, T dat.Object](collection string, t dat.ObjectType, do func(*unit, *B) (T, error)) atomicCall {
	return atomicCall{
		method: http.MethodPost, collection: collection, typ: t, status: http.StatusCreated,
		do: func(u *unit, _ dat.Handle, raw json.RawMessage) (dat.Object, error) {
			b, err := readAs[B](u.api, raw)
			if err != nil {
				return nil, err
			}
			return asObject(do(u, b))
		},
	}
}

func changing[B any, T dat.Object](method, collection, below string, t dat.ObjectType, do func(*unit, dat.Handle, *B) (T, error)) atomicCall {
	return atomicCall{
		method: method, collection: collection, below: below, typ: t, status: http.StatusOK,
		do: func(u *unit, id dat.Handle, raw json.RawMessage) (dat.Object, error) {
			b, err := readAs[B](u.api, raw)
			if err != nil {
				return nil, err
			}
			return asObject(do(u, id, b))
		},
	}
}

func freeing(collection string, t dat.ObjectType) atomicCall {
	return atomicCall{
		method: http.MethodDelete, collection: collection, typ: t, status: http.StatusNoContent,
		do: func(u *unit, id dat.Handle, _ json.RawMessage) (dat.Object, error) {
			return nil, u.batch.Free(u.call, t, id)
		},
	}
}

func asObject[T dat.Object](o T, err error) (dat.Object, error) {
	if err != nil {
		return nil, err
	}
	return o, nil
}

// readAs reads a body as the call of its own would: strictness, schema, value.
func readAs[B any](a *API, raw json.RawMessage) (*B, error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	schema := a.schemas.Schema(reflect.TypeFor[B](), true, "")
	if p := a.checkJSON(raw, schema); p != nil {
		return nil, p
	}
	if wrong := validated(a.schemas, schema, "body", raw); len(wrong) > 0 {
		return nil, problemOfHuma(http.StatusUnprocessableEntity, "validation failed", wrong)
	}
	b := new(B)
	decode(raw, b)
	return b, nil
}

// atomicOf finds the call of an operation.
func atomicOf(o operation) (atomicCall, bool) {
	for _, c := range atomicCalls {
		segments := 2
		if c.method == http.MethodPost {
			segments = 1
		}
		if c.below != "" {
			segments = 3
		}
		if c.method == o.method && c.collection == o.segments[0] && len(o.segments) == segments && (c.below == "" || c.below == o.segments[2]) {
			return c, true
		}
	}
	return atomicCall{}, false
}

// atomicBatch carries all operations out as one unit, or none.
func (a *API) atomicBatch(ctx context.Context, w Write, operations []operation) (*answer, error) {
	calls := make([]atomicCall, len(operations))
	for i, o := range operations {
		c, ok := atomicOf(o)
		if !ok {
			return nil, atOperation(i, problemOfKind(kindNotAtomic, fmt.Sprintf("Operation %d, %s %s, cannot be undone. %s", i, o.method, o.path(), kinds[kindNotAtomic].about)))
		}
		calls[i] = c
	}
	targets, n, err := a.targets(ctx, operations, calls)
	if err == nil {
		n, err = a.undoable(operations, calls)
	}
	if err != nil {
		return nil, atOperation(n, problemOf(err))
	}
	call, err := a.call(ctx, Write{Reason: w.Reason}, nil)
	if err != nil {
		return nil, err
	}
	batch, err := a.manager.BeginBatch(ctx, targets...)
	if err != nil {
		return nil, err
	}
	defer batch.Cancel()
	u := newUnit(a, batch, call)
	made := make([]string, len(operations))
	objects := make([]dat.Object, len(operations))
	for i, o := range operations {
		if objects[i], err = u.prepare(o, calls[i], made); err != nil {
			return nil, atOperation(i, problemOf(a.misdirected(ctx, o.body, err)))
		}
	}
	if !w.DryRun {
		if objects, err = batch.Run(ctx); err != nil {
			return nil, err
		}
	}
	return a.ok(batchResults{Results: a.unitResults(calls, objects, w.DryRun)}), nil
}

// undoable refuses the end of an endpoint that has been connected: it cannot be
// made again as it was. n is its operation.
func (a *API) undoable(operations []operation, calls []atomicCall) (n int, err error) {
	for n, o := range operations {
		if calls[n].method != http.MethodDelete || calls[n].typ != dat.TypeEndpoint {
			continue
		}
		found, ok := a.manager.Get(dat.TypeEndpoint, dat.Handle(o.segments[1]))
		if e, is := found.(*dat.Endpoint); ok && is && e.State != dat.EPUnconnected {
			p := problemOfKind(kindNotAtomic, "The endpoint of operation "+number(n)+" is "+e.State.String()+". "+kinds[kindNotAtomic].about)
			p.State = &e.State
			return n, p
		}
	}
	return 0, nil
}

func (a *API) unitResults(calls []atomicCall, objects []dat.Object, dryRun bool) []batchResult {
	results := make([]batchResult, len(calls))
	for i, c := range calls {
		results[i] = batchResult{Status: c.status, Body: json.RawMessage("null")}
		if objects[i] != nil && c.status != http.StatusNoContent {
			shown := a.shown(c.status, objects[i], dryRun, a.recvIdle(c.typ, string(objects[i].Head().ID)))
			results[i].Body, results[i].ETag = shown.Body, orNull(shown.ETag)
		}
	}
	return results
}
