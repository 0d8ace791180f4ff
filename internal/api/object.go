package api

import (
	"context"
	"net/http"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// object returns an object of any node, or the refusal of an id that no object in the caller's scope has. Of this node's
// objects it is the Manager's, with the members that change without a version; of other nodes' it is what is recorded.
func (a *API) object(ctx context.Context, t dat.ObjectType, id string) (dat.Object, error) {
	o, err := a.anyObject(ctx, t, id)
	if scope := callerScope(ctx); scope != nil && (isUnknownHandle(err) || err == nil && !holds(scope, o)) {
		return nil, noSuch(t) // in the same words
	}
	return o, err
}

// anyObject is object for all scopes.
func (a *API) anyObject(ctx context.Context, t dat.ObjectType, id string) (dat.Object, error) {
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

// requireOwn refuses an object that is not there (404) or that another node owns (421, 503).
func (a *API) requireOwn(ctx context.Context, t dat.ObjectType, id string) error {
	o, err := a.object(ctx, t, id)
	if err != nil {
		return err
	}
	if node := o.Head().Node; node != a.node {
		return a.refuseForeign(ctx, node)
	}
	return nil
}

// get answers with one object of any node.
func (a *API) get(ctx context.Context, t dat.ObjectType, id string) (*answer, error) {
	o, err := a.object(ctx, t, id)
	if err != nil {
		return nil, err
	}
	if !seesSecrets(ctx) {
		o = withoutSecrets(o)
	}
	o = a.withPeersInScope(ctx, o)[0]
	return a.shown(http.StatusOK, o, false, a.recvIdle(t, id)), nil
}

// create carries out a POST that makes an object, and answers with it.
func create[T dat.Object](ctx context.Context, a *API, w Write, do func(manager.Call) (T, error)) (*answer, error) {
	if err := w.refuseVersion(); err != nil {
		return nil, err
	}
	show := func(o dat.Object) *answer { return a.shown(http.StatusCreated, o, w.DryRun, true) }
	c, err := a.call(ctx, w, show)
	if err != nil {
		return nil, err
	}
	o, err := do(c)
	if err != nil {
		return nil, a.explainForeignIA(ctx, requestOf(ctx).body, err)
	}
	if w.DryRun {
		if _, err := a.refuseRehearsal(ctx, o); err != nil {
			return nil, err
		}
	}
	return show(o), nil
}

// change carries out a write to one object and answers with it, as it is after the write.
func change[T dat.Object](ctx context.Context, a *API, w Write, t dat.ObjectType, id string, do func(manager.Call) (T, error)) (*answer, error) {
	return changeWithStatus(ctx, a, w, t, id, http.StatusOK, do)
}

// changeWithStatus is change with another status of the answer.
func changeWithStatus[T dat.Object](ctx context.Context, a *API, w Write, t dat.ObjectType, id string, status int, do func(manager.Call) (T, error)) (*answer, error) {
	if err := a.requireOwn(ctx, t, id); err != nil {
		return nil, err
	}
	idle := a.recvIdle(t, id)
	scope := callerScope(ctx)
	show := func(o dat.Object) *answer { return a.shown(status, withoutPeer(scope, o), w.DryRun, idle) }
	c, err := a.call(ctx, w, show)
	if err != nil {
		return nil, err
	}
	o, err := do(c)
	if err != nil {
		return nil, err
	}
	if w.DryRun {
		if _, err := a.refuseRehearsal(ctx, o); err != nil {
			return nil, err
		}
	}
	return show(o), nil
}

// free carries out a DELETE, or another write after which the object is gone.
func (a *API) free(ctx context.Context, w Write, t dat.ObjectType, id string, do func(context.Context, manager.Call, dat.Handle) error) (*answer, error) {
	if err := a.requireOwn(ctx, t, id); err != nil {
		return nil, err
	}
	show := func(dat.Object) *answer { return &answer{Status: http.StatusNoContent} }
	c, err := a.call(ctx, w, show)
	if err != nil {
		return nil, err
	}
	if err := do(ctx, c, dat.Handle(id)); err != nil {
		return nil, err
	}
	if w.DryRun {
		if _, err := a.refuseRehearsal(ctx); err != nil {
			return nil, err
		}
	}
	return show(nil), nil
}

// recvIdle reports whether no receive of an endpoint is outstanding, as far as this node knows; true for other types.
func (a *API) recvIdle(t dat.ObjectType, id string) bool {
	if t != dat.TypeEndpoint {
		return true
	}
	s, err := a.manager.EPStatus(dat.Handle(id))
	return err != nil || s.RecvIdle
}
