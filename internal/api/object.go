package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/datapi/datapi/internal/manager"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

const basePath = "/api/v1"

// collections are the paths of the lists, by the type of their objects.
var collections = map[dat.ObjectType]string{
	dat.TypeIA: "/ias", dat.TypePZ: "/pzs", dat.TypeEVD: "/evds", dat.TypeSRQ: "/srqs", dat.TypeLMR: "/lmrs", dat.TypeRMR: "/rmrs",
	dat.TypeEndpoint: "/endpoints", dat.TypePSP: "/psps", dat.TypeRSP: "/rsps", dat.TypeCR: "/crs",
}

// handleSubtypes name the object of a path that is not there.
var handleSubtypes = map[dat.ObjectType]dat.Subtype{
	dat.TypeIA: dat.SubInvalidHandleIA, dat.TypePZ: dat.SubInvalidHandlePZ, dat.TypeSRQ: dat.SubInvalidHandleSRQ,
	dat.TypeLMR: dat.SubInvalidHandleLMR, dat.TypeRMR: dat.SubInvalidHandleRMR, dat.TypeEndpoint: dat.SubInvalidHandleEP,
	dat.TypePSP: dat.SubInvalidHandlePSP, dat.TypeRSP: dat.SubInvalidHandleRSP, dat.TypeCR: dat.SubInvalidHandleCR,
}

// noSuch is the refusal of an object in the path that is not there.
func noSuch(t dat.ObjectType) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: handleSubtypes[t],
		Detail: "There is no such " + t.String() + " (any more). GET " + basePath + collections[t] + " lists those that live.",
	}
}

// isID tells what can be an id of the type: UUIDs, and anything for an IA.
func isID(t dat.ObjectType, id string) bool {
	if t == dat.TypeIA {
		return id != ""
	}
	_, err := uuid.Parse(id)
	return err == nil && len(id) == 36
}

// object is an object of any node: the Manager's with its live members where it
// is ours, else the recorded one.
func (a *API) object(ctx context.Context, t dat.ObjectType, id string) (dat.Object, error) {
	if !isID(t, id) {
		return nil, noSuch(t)
	}
	if o, ok := a.manager.Get(t, dat.Handle(id)); ok {
		return o, nil
	}
	if err := a.manager.Await(ctx, dat.Handle(id)); err != nil {
		return nil, err
	}
	if o, ok := a.manager.Get(t, dat.Handle(id)); ok {
		return o, nil
	}
	return a.store.Get(ctx, t, dat.Handle(id))
}

// ours refuses a write to what is not there (404) or another node's (421).
func (a *API) ours(ctx context.Context, t dat.ObjectType, id string) error {
	o, err := a.object(ctx, t, id)
	if err != nil {
		return err
	}
	if node := o.Head().Node; node != a.node {
		return a.elsewhere(ctx, node)
	}
	return nil
}

// create carries out a POST that makes an object.
func create[T dat.Object](ctx context.Context, a *API, w Write, do func(manager.Call) (T, error)) (*answer, error) {
	if err := w.refuseMatch(); err != nil {
		return nil, err
	}
	show := func(o dat.Object) *answer { return a.shown(http.StatusCreated, o, w.DryRun, true) }
	c, err := a.call(ctx, w, show)
	if err != nil {
		return nil, err
	}
	o, err := do(c)
	if err != nil {
		return nil, a.misdirected(ctx, exchangeOf(ctx).body, err)
	}
	return show(o), nil
}

// change carries out a write to one object and answers with it.
func change[T dat.Object](ctx context.Context, a *API, w Write, t dat.ObjectType, id string, do func(manager.Call) (T, error)) (*answer, error) {
	return changeTo(ctx, a, w, t, id, http.StatusOK, do)
}

func changeTo[T dat.Object](ctx context.Context, a *API, w Write, t dat.ObjectType, id string, status int, do func(manager.Call) (T, error)) (*answer, error) {
	if err := a.ours(ctx, t, id); err != nil {
		return nil, err
	}
	idle := a.recvIdle(t, id)
	show := func(o dat.Object) *answer { return a.shown(status, o, w.DryRun, idle) }
	c, err := a.call(ctx, w, show)
	if err != nil {
		return nil, err
	}
	o, err := do(c)
	if err != nil {
		return nil, err
	}
	return show(o), nil
}

// free carries out a DELETE.
func (a *API) free(ctx context.Context, w Write, t dat.ObjectType, id string, do func(context.Context, manager.Call, dat.Handle) error) (*answer, error) {
	if err := a.ours(ctx, t, id); err != nil {
		return nil, err
	}
	gone := func(dat.Object) *answer { return &answer{Status: http.StatusNoContent} }
	c, err := a.call(ctx, w, gone)
	if err != nil {
		return nil, err
	}
	if err := do(ctx, c, dat.Handle(id)); err != nil {
		return nil, err
	}
	return gone(nil), nil
}

// live types have members that change without a version, so that a copy of them
// must not be kept.
var live = map[dat.ObjectType]bool{dat.TypeIA: true, dat.TypeEndpoint: true, dat.TypeEVD: true, dat.TypeSRQ: true}

// shown is an object as an answer. It takes no lock: the recorder calls it too,
// for the answer that is kept for a retry.
func (a *API) shown(status int, o dat.Object, dryRun, recvIdle bool) *answer {
	body := a.encode(represent(o, recvIdle))
	if dryRun {
		return &answer{Status: status, ContentType: jsonType, CacheControl: noStore, Body: a.withoutRecord(body)}
	}
	head := o.Head()
	ans := &answer{Status: status, ContentType: jsonType, ETag: etag(head.Version), CacheControl: cacheOf(o.Type()), Body: body}
	if status == http.StatusCreated {
		ans.Location = basePath + collections[o.Type()] + "/" + string(head.ID)
	}
	return ans
}

const (
	noStore    = "no-store"
	revalidate = "no-cache"
)

func cacheOf(t dat.ObjectType) string {
	if live[t] {
		return noStore
	}
	return revalidate
}

// represent is the wire form of an object.
func represent(o dat.Object, recvIdle bool) any {
	if e, ok := o.(*dat.Endpoint); ok {
		return Endpoint{Endpoint: e, Operations: notNil(dat.Operations(e)), Modifiable: notNil(dat.Modifiable(e, recvIdle))}
	}
	return o
}

// givenByDevice are the members whose value only a device gives, with what a dry
// run has in their place.
var givenByDevice = map[string]string{"rmr_context": `""`, "target_address": `""`, "conn_qual": "0"}

// withoutRecord takes away what only a real call gives.
func (a *API) withoutRecord(body []byte) []byte {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return body
	}
	for _, name := range []string{"id", "version", "created_at", "updated_at"} {
		delete(members, name)
	}
	for name, unknown := range givenByDevice {
		if string(members[name]) == unknown {
			delete(members, name)
		}
	}
	return a.encode(members)
}

// encode makes JSON of what the service itself built; that cannot fail, unless
// the service is wrong.
func (a *API) encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// ok is an answer of 200 that must not be kept.
func (a *API) ok(v any) *answer {
	return &answer{Status: http.StatusOK, ContentType: jsonType, CacheControl: noStore, Body: a.encode(v)}
}

func etag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
