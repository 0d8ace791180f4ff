package api

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// scope is what a principal is restricted to, on the wire.
type scope struct {
	IAs    []string          `json:"ias" nullable:"false" doc:"Ids of adapters, or their names, which mean those of every node; empty does not restrict."`
	Labels map[string]string `json:"labels" doc:"Labels that objects must have, all of them; empty does not restrict."`
}

// scopeCreate is a scope in a request.
type scopeCreate struct {
	IAs    []string          `json:"ias,omitempty" nullable:"false" maxItems:"64" doc:"Ids of adapters (soft0@alpha), or their names (soft0), which mean those of every node; empty or left out does not restrict."`
	Labels map[string]string `json:"labels,omitempty" doc:"Labels that objects must have, all of them; empty or left out does not restrict."`
}

// adapterName is the form of an adapter's id, or of its name.
var adapterName = regexp.MustCompile(`^[^@\s]{1,63}(@[^@\s]{1,253})?$`)

// input returns the scope, nil for everything. The error refuses what can be no adapter's id or name.
func (s *scopeCreate) input() (*access.Scope, error) {
	if s == nil {
		return nil, nil
	}
	for _, ia := range s.IAs {
		if !adapterName.MatchString(ia) {
			return nil, &dat.Error{Return: dat.RetInvalidParameter, Field: "scope.ias", Detail: "scope.ias has ids of adapters, such as soft0@alpha, or their names, such as soft0"}
		}
	}
	return access.NewScope(s.IAs, s.Labels), nil
}

// scopeOf returns a scope on the wire, nil for everything.
func scopeOf(s *access.Scope) *scope {
	if s == nil {
		return nil
	}
	return &scope{IAs: s.IAs, Labels: s.Labels}
}

// callerScope returns to what the caller is restricted, nil for everything.
func callerScope(ctx context.Context) *access.Scope { return requestOf(ctx).principal.Scope }

// holds reports whether an object lies in a scope.
func holds(s *access.Scope, o dat.Object) bool {
	return s == nil || s.Holds(string(o.Head().IA), o.Head().Labels)
}

// withScope returns the context of a caller's request, in which the Manager knows the caller's scope too.
func withScope(ctx context.Context) context.Context {
	scope := callerScope(ctx)
	if scope == nil {
		return ctx
	}
	return manager.WithScope(ctx, func(o dat.Object) bool { return holds(scope, o) })
}

// refuseOutside refuses a call about an object outside of the caller's scope, as for one that is not there, and the
// creation of one on an adapter outside of it. It is asked for every call, before another node is. What is not there any
// more is the call's own to refuse: of that there may be a history.
func (a *API) refuseOutside(request *http.Request) *document.Problem {
	ctx := request.Context()
	scope := callerScope(ctx)
	if scope == nil {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(strings.TrimPrefix(request.URL.Path, basePath), "/"), "/")
	t, known := typesByPath[segments[0]]
	switch {
	case !known:
		return nil
	case len(segments) > 1:
		if o, err := a.anyObject(ctx, t, segments[1]); err == nil && !holds(scope, o) {
			return problemOf(noSuch(t))
		}
		return nil
	case request.Method != http.MethodPost:
		return nil
	}
	return a.refuseOutsideAdapter(ctx, requestOf(ctx).body)
}

// refuseOutsideAdapter refuses the creation of an object on an adapter outside of the caller's scope: by the adapter's name
// whether it is there or not, by its labels as for an adapter that is not there.
func (a *API) refuseOutsideAdapter(ctx context.Context, body []byte) *document.Problem {
	scope := callerScope(ctx)
	var sent struct{ IA json.RawMessage }
	var ia string
	if scope == nil || json.Unmarshal(body, &sent) != nil || len(sent.IA) == 0 || json.Unmarshal(sent.IA, &ia) != nil || ia == "" {
		return nil
	}
	if !scope.HoldsIA(ia) {
		return document.NewProblem(document.KindNoRight, "The adapter lies outside of your scope. Name one of your scope; GET /whoami tells which they are.")
	}
	if o, err := a.anyObject(ctx, dat.TypeIA, ia); err == nil && !holds(scope, o) {
		return problemOf(dat.InvalidHandle(dat.TypeIA, dat.Handle(ia), "ia"))
	}
	return nil
}

// sameForAllOutside returns the refusal of an object that is not there to a caller with a scope: in the same words as of one
// outside of it, so that nobody learns which it is.
func sameForAllOutside(ctx context.Context, p *document.Problem) *document.Problem {
	if callerScope(ctx) == nil || p.Status != http.StatusNotFound || p.Return == nil || *p.Return != dat.RetInvalidHandle {
		return p
	}
	if t, known := typesByPath[collectionOf(requestOf(ctx).path)]; known {
		return problemOf(noSuch(t))
	}
	return p
}

// refuseScoped refuses what is about the whole service to whoever is restricted to a scope.
func refuseScoped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if callerScope(r.Context()) != nil {
			writeProblem(w, r, document.NewProblem(document.KindNoRight, "This is about the whole service; your rights are restricted to a scope."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withoutPeer returns an object as it is shown to a caller with a scope: the peer of an endpoint may lie outside of it, so
// that only its address is shown.
func withoutPeer(scope *access.Scope, o dat.Object) dat.Object {
	e, ok := o.(*dat.Endpoint)
	if scope == nil || !ok || e.Peer == nil {
		return o
	}
	e = e.Copy()
	e.Peer.Endpoint, e.Peer.Node, e.Peer.Name = dat.HandleNull, nil, nil
	return e
}

// changeFor returns a change as it is shown to a caller with a scope: without who the peer of an endpoint is.
func changeFor(scope *access.Scope, c dat.Change) dat.Change {
	if scope != nil && c.Object.Type == dat.TypeEndpoint {
		c.Before, c.After = withoutPeerIn(c.Before), withoutPeerIn(c.After)
	}
	return c
}

// withoutPeerIn returns the part of an endpoint that a change has, without who its peer is.
func withoutPeerIn(part json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var peer map[string]json.RawMessage
	if json.Unmarshal(part, &members) != nil || json.Unmarshal(members["peer"], &peer) != nil || peer == nil {
		return part
	}
	for _, name := range []string{"endpoint", "node", "name"} {
		peer[name] = json.RawMessage("null")
	}
	members["peer"] = encode(peer)
	return encode(members)
}

// eventsInScope returns events as they are shown to a caller with a scope: of what lies outside of it neither who it is nor
// what it received. What is not there any more has no labels.
func (a *API) eventsInScope(ctx context.Context, events []dat.Event) []dat.Event {
	scope := callerScope(ctx)
	if scope == nil {
		return events
	}
	shown := slices.Clone(events)
	for i := range shown {
		e := &shown[i]
		outside := false
		if e.Endpoint != dat.HandleNull && !a.inScope(scope, dat.TypeEndpoint, e.Endpoint, e.IA) {
			e.Endpoint, outside = dat.HandleNull, true
		}
		if e.Object != nil && !a.inScope(scope, e.Object.Type, e.Object.ID, e.IA) {
			e.Object, outside = nil, true
		}
		if outside {
			e.Data.Cookie, e.Data.Payload, e.Data.PrivateData, e.Data.CR = nil, nil, nil, dat.HandleNull
		}
	}
	return shown
}

// inScope reports whether an object of an adapter of this node lies in a scope.
func (a *API) inScope(scope *access.Scope, t dat.ObjectType, id, ia dat.Handle) bool {
	if o, ok := a.manager.Get(t, id); ok {
		return holds(scope, o)
	}
	return scope.Holds(string(ia), nil)
}

// withPeersInScope returns objects as they are shown to the caller: endpoints whose peers lie outside of the caller's scope
// without who these are.
func (a *API) withPeersInScope(ctx context.Context, objects ...dat.Object) []dat.Object {
	scope := callerScope(ctx)
	if scope == nil {
		return objects
	}
	var peers []string
	for _, o := range objects {
		if e, ok := o.(*dat.Endpoint); ok && e.Peer != nil && e.Peer.Endpoint != dat.HandleNull {
			peers = append(peers, string(e.Peer.Endpoint))
		}
	}
	held := map[string]bool{}
	if len(peers) > 0 {
		var err error
		if held, err = a.store.InScope(ctx, dat.TypeEndpoint, peers, scope); err != nil {
			held = nil // while the database is away none is shown
		}
	}
	shown := make([]dat.Object, len(objects))
	for i, o := range objects {
		if e, ok := o.(*dat.Endpoint); !ok || e.Peer == nil || !held[string(e.Peer.Endpoint)] {
			o = withoutPeer(scope, o)
		}
		shown[i] = o
	}
	return shown
}
