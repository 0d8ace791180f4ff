package api

import (
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/dat"
)

// undoableCall is one of the calls that can be part of a unit, because they can be undone.
type undoableCall struct {
	method string
	typ    dat.ObjectType
	// below is what comes after the object's path, "" for nothing.
	below string
	// status is that of the call when it is done.
	status int
	do     func(u *unit, id dat.Handle, body json.RawMessage) (dat.Object, error)
}

// undoableCalls are the calls that a unit can take.
var undoableCalls = []undoableCall{
	createCall(dat.TypePZ, func(u *unit, b *pzCreate) (*dat.PZ, error) { return u.batch.CreatePZ(u.call, b.input()) }),
	createCall(dat.TypeEVD, func(u *unit, b *evdCreate) (*dat.EVD, error) { return u.batch.CreateEVD(u.call, b.input()) }),
	createCall(dat.TypeSRQ, func(u *unit, b *srqCreate) (*dat.SRQ, error) { return u.batch.CreateSRQ(u.call, b.input()) }),
	createCall(dat.TypeLMR, func(u *unit, b *lmrCreate) (*dat.LMR, error) { return u.batch.CreateLMR(u.call, b.input()) }),
	createCall(dat.TypeRMR, func(u *unit, b *rmrCreate) (*dat.RMR, error) { return u.batch.CreateRMR(u.call, b.input()) }),
	createCall(dat.TypePSP, func(u *unit, b *pspCreate) (*dat.PSP, error) { return u.batch.CreatePSP(u.call, b.input()) }),
	createCall(dat.TypeRSP, func(u *unit, b *rspCreate) (*dat.RSP, error) { return u.batch.CreateRSP(u.call, b.input()) }),
	createCall(dat.TypeEndpoint, func(u *unit, b *paramBody[endpointCreate]) (*dat.Endpoint, error) {
		in, err := endpointInput(b)
		if err != nil {
			return nil, err
		}
		return u.batch.CreateEP(u.call, in)
	}),
	changeCall(http.MethodPatch, dat.TypeIA, "", func(u *unit, id dat.Handle, b *iaPatch) (*dat.IA, error) {
		in := b.input()
		var err error
		if in.Labels, err = u.mergedLabels(dat.TypeIA, id, b.Labels); err != nil {
			return nil, err
		}
		return u.batch.ModifyIA(u.call, id, in)
	}),
	changeCall(http.MethodPatch, dat.TypeEVD, "", func(u *unit, id dat.Handle, b *evdPatch) (*dat.EVD, error) {
		in := b.input()
		var err error
		if in.Labels, err = u.mergedLabels(dat.TypeEVD, id, b.Labels); err != nil {
			return nil, err
		}
		return u.batch.ModifyEVD(u.call, id, in)
	}),
	changeCall(http.MethodPatch, dat.TypeSRQ, "", func(u *unit, id dat.Handle, b *srqPatch) (*dat.SRQ, error) {
		in := b.input()
		var err error
		if in.Labels, err = u.mergedLabels(dat.TypeSRQ, id, b.Labels); err != nil {
			return nil, err
		}
		return u.batch.ModifySRQ(u.call, id, in)
	}),
	changeCall(http.MethodPatch, dat.TypeEndpoint, "", func(u *unit, id dat.Handle, b *paramBody[endpointPatch]) (*dat.Endpoint, error) {
		in, patch := modifyInput(b)
		var err error
		if in.Labels, err = u.mergedLabels(dat.TypeEndpoint, id, patch); err != nil {
			return nil, err
		}
		return u.batch.ModifyEP(u.call, id, in)
	}),
	changeCall(http.MethodPut, dat.TypeEndpoint, "watermarks", func(u *unit, id dat.Handle, b *watermarksBody) (*dat.Endpoint, error) {
		return u.batch.SetWatermark(u.call, id, b.SoftHigh, b.HardHigh)
	}),
	freeCall(dat.TypePZ), freeCall(dat.TypeEVD), freeCall(dat.TypeSRQ), freeCall(dat.TypeLMR),
	freeCall(dat.TypeRMR), freeCall(dat.TypePSP), freeCall(dat.TypeRSP), freeCall(dat.TypeEndpoint),
}

func createCall[B any, T dat.Object](t dat.ObjectType, do func(*unit, *B) (T, error)) undoableCall {
	return undoableCall{
		method: http.MethodPost, typ: t, status: http.StatusCreated,
		do: func(u *unit, _ dat.Handle, body json.RawMessage) (dat.Object, error) {
			b, err := decodeBody[B](u.api, body)
			if err != nil {
				return nil, err
			}
			return asObject(do(u, b))
		},
	}
}

func changeCall[B any, T dat.Object](method string, t dat.ObjectType, below string, do func(*unit, dat.Handle, *B) (T, error)) undoableCall {
	return undoableCall{
		method: method, typ: t, below: below, status: http.StatusOK,
		do: func(u *unit, id dat.Handle, body json.RawMessage) (dat.Object, error) {
			b, err := decodeBody[B](u.api, body)
			if err != nil {
				return nil, err
			}
			return asObject(do(u, id, b))
		},
	}
}

func freeCall(t dat.ObjectType) undoableCall {
	return undoableCall{
		method: http.MethodDelete, typ: t, status: http.StatusNoContent,
		do: func(u *unit, id dat.Handle, _ json.RawMessage) (dat.Object, error) {
			return nil, u.batch.Free(u.call, t, id)
		},
	}
}

// asObject returns nil for a nil pointer, which in an interface would not be nil.
func asObject[T dat.Object](o T, err error) (dat.Object, error) {
	if err != nil {
		return nil, err
	}
	return o, nil
}

// decodeBody reads the body of an operation, which is judged as closely as the body of a call of its own.
func decodeBody[B any](a *API, body json.RawMessage) (*B, error) {
	if len(body) == 0 {
		body = json.RawMessage("{}")
	}
	if p := a.schemas.ValidateBody(body, a.schemas.Schema(reflect.TypeFor[B](), true, "")); p != nil {
		return nil, p
	}
	b := new(B)
	decode(body, b)
	return b, nil
}

// undoableCallOf returns the call that an operation asks for; ok is false where it cannot be undone, or is no call.
func undoableCallOf(o operation) (call undoableCall, ok bool) {
	for _, c := range undoableCalls {
		if c.method == o.method && c.matches(o.segments) {
			return c, true
		}
	}
	return undoableCall{}, false
}

// matches reports whether the segments of a path are those of the call.
func (c undoableCall) matches(segments []string) bool {
	if "/"+segments[0] != objectKinds[c.typ].path {
		return false
	}
	switch {
	case c.method == http.MethodPost:
		return len(segments) == 1
	case c.below == "":
		return len(segments) == 2
	}
	return len(segments) == 3 && segments[2] == c.below
}
