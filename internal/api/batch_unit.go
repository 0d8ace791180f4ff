package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// unit is a number of operations that are committed together, or not at all.
type unit struct {
	api   *API
	batch *manager.Batch
	call  manager.Call
	// refuse refuses the creation of an object on an adapter outside of the caller's scope.
	refuse func(body []byte) *document.Problem
	// labels are those of the objects that the unit has made or changed.
	labels map[dat.Handle]map[string]string
}

// beginUnit locks the objects that the unit's operations change. The caller must cancel the unit's batch, which has no
// effect once it was run.
func (a *API) beginUnit(ctx context.Context, w Write, targets []dat.Handle) (*unit, error) {
	call, err := a.call(ctx, Write{Reason: w.Reason}, nil)
	if err != nil {
		return nil, err
	}
	batch, err := a.manager.BeginBatch(ctx, targets...)
	if err != nil {
		return nil, err
	}
	if w.DryRun {
		batch.Rehearse()
	}
	refuse := func(body []byte) *document.Problem { return a.refuseOutsideAdapter(ctx, body) }
	return &unit{api: a, batch: batch, call: call, refuse: refuse, labels: map[dat.Handle]map[string]string{}}, nil
}

// targets returns the living objects that operations change. Where an operation's object is not there or another
// node's, n is that operation.
func (a *API) targets(ctx context.Context, operations []operation, calls []undoableCall) (all []dat.Handle, n int, err error) {
	for n, o := range operations {
		if len(o.segments) < 2 {
			continue
		}
		id := o.segments[1]
		if _, isReference := parseReference(id); isReference {
			continue
		}
		if err := a.requireOwn(ctx, calls[n].typ, id); err != nil {
			return nil, n, err
		}
		all = append(all, dat.Handle(id))
	}
	return all, 0, nil
}

// prepare judges and does one operation, and notes in made the id of the object that it makes.
func (u *unit) prepare(o operation, c undoableCall, made []string) (dat.Object, error) {
	ready, missing := o.withIDs(made)
	if missing >= 0 {
		return nil, missingReference(missing)
	}
	if c.status == http.StatusCreated {
		if p := u.refuse(ready.body); p != nil {
			return nil, p
		}
	}
	object, err := c.do(u, ready.id(), ready.body)
	if err == nil && c.status == http.StatusCreated {
		made[o.index] = string(object.Head().ID)
	}
	if object != nil {
		u.labels[object.Head().ID] = object.Head().Labels
	}
	return object, err
}

// mergedLabels returns an object's labels after a patch, nil where the patch has none. They are as the unit has left
// them, else as they are recorded; the object is locked. The error is that of merged.
func (u *unit) mergedLabels(t dat.ObjectType, id dat.Handle, patch labelPatch) (*map[string]string, error) {
	if !patch.present {
		return nil, nil
	}
	now, known := u.labels[id]
	if o, ok := u.api.manager.Get(t, id); ok && !known {
		now = o.Head().Labels
	}
	after, err := patch.merged(now)
	return &after, err
}

// idleTargets reports for each operation whether no receive is outstanding at the endpoint that it changes; true for
// what is made, and for other types.
func (a *API) idleTargets(operations []operation, calls []undoableCall) []bool {
	idle := make([]bool, len(calls))
	for i, c := range calls {
		idle[i] = a.recvIdle(c.typ, string(operations[i].id()))
	}
	return idle
}

// unitResults returns the results of calls and the objects that they answer with, for a caller with a scope. It takes no
// lock.
func (a *API) unitResults(scope *access.Scope, calls []undoableCall, objects []dat.Object, idle []bool) []batchResult {
	results := make([]batchResult, len(calls))
	for i, c := range calls {
		ans := &answer{Status: c.status}
		if objects[i] != nil && c.status != http.StatusNoContent {
			ans = a.shown(c.status, withoutPeer(scope, objects[i]), false, idle[i])
		}
		results[i] = resultOf(ans)
	}
	return results
}

// rehearsedResults returns the results of a dry run of calls, whose objects are as they would be. made are the ids that
// they would have.
func (a *API) rehearsedResults(scope *access.Scope, operations []operation, calls []undoableCall, objects []dat.Object, made []string) []batchResult {
	results := make([]batchResult, len(calls))
	idle := a.idleTargets(operations, calls)
	latest := map[dat.Handle]dat.Object{}
	var ids []string
	for _, id := range made {
		if id != "" {
			ids = append(ids, id, string(notMade))
		}
	}
	notMadeIDs := strings.NewReplacer(ids...)
	for i, c := range calls {
		ans := &answer{Status: c.status}
		if o := objects[i]; o != nil && c.status != http.StatusNoContent {
			before, seen := latest[o.Head().ID]
			if !seen {
				before = a.recordedOf(o)
			}
			after := withVersion(o, before)
			latest[o.Head().ID] = after
			ans = rehearsed(c.status, withoutPeer(scope, unasked(after, operations[i])), idle[i])
			ans.Body = []byte(notMadeIDs.Replace(string(ans.Body)))
		}
		results[i] = resultOf(ans)
	}
	return results
}

// unasked returns the object that an operation of a dry run prepared, without what the device gave to it and the caller
// did not ask for.
func unasked(o dat.Object, by operation) dat.Object {
	if by.method != http.MethodPost {
		return o
	}
	o = o.Clone()
	switch o := o.(type) {
	case *dat.PSP:
		var asked struct {
			ConnQual *int32 `json:"conn_qual"`
		}
		if decode(by.body, &asked); asked.ConnQual == nil {
			o.ConnQual = 0
		}
	case *dat.LMR:
		o.TargetAddress, o.RMRContext = "", ""
	case *dat.RMR:
		o.TargetAddress, o.RMRContext = nil, nil
	}
	return o
}

// resultOf returns the result of an operation that was answered.
func resultOf(ans *answer) batchResult {
	r := batchResult{Status: ans.Status, ETag: nullIfEmpty(ans.ETag), Body: ans.Body}
	if len(r.Body) == 0 {
		r.Body = json.RawMessage("null")
	}
	return r
}
