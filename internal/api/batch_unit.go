package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// unit is a number of operations that are committed together, or not at all.
type unit struct {
	api   *API
	batch *manager.Batch
	call  manager.Call
	// labels are those of the objects that the unit has made or changed.
	labels map[dat.Handle]map[string]string
}

// beginUnit locks the objects that the unit's operations change. The caller must cancel the unit's batch, which has no
// effect once it was run.
func (a *API) beginUnit(ctx context.Context, reason string, targets []dat.Handle) (*unit, error) {
	call, err := a.call(ctx, Write{Reason: reason}, nil)
	if err != nil {
		return nil, err
	}
	batch, err := a.manager.BeginBatch(ctx, targets...)
	if err != nil {
		return nil, err
	}
	return &unit{api: a, batch: batch, call: call, labels: map[dat.Handle]map[string]string{}}, nil
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

// unitResults returns the results of calls and the objects that they answer with.
func (a *API) unitResults(calls []undoableCall, objects []dat.Object, dryRun bool) []batchResult {
	results := make([]batchResult, len(calls))
	for i, c := range calls {
		results[i] = batchResult{Status: c.status, Body: json.RawMessage("null")}
		if objects[i] != nil && c.status != http.StatusNoContent {
			shown := a.shown(c.status, objects[i], dryRun, a.recvIdle(c.typ, string(objects[i].Head().ID)))
			results[i].Body, results[i].ETag = shown.Body, nullIfEmpty(shown.ETag)
		}
	}
	return results
}
