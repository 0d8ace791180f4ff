package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// runAtomic carries out all operations as one unit, or none.
func (a *API) runAtomic(ctx context.Context, w Write, operations []operation) (*answer, error) {
	calls := make([]undoableCall, len(operations))
	for i, o := range operations {
		c, ok := undoableCallOf(o)
		if !ok {
			return nil, atOperation(i, document.NewProblem(document.KindNotAtomic,
				fmt.Sprintf("Operation %d, %s %s, cannot be undone. %s", i, o.method, o.path(), document.ExplainProblem(document.KindNotAtomic))))
		}
		calls[i] = c
	}
	if requestOf(ctx).mayPassOn() {
		owner, err := a.ownerOfAtomic(ctx, operations)
		if err != nil {
			return nil, err
		}
		if owner != "" && owner != a.node {
			return a.runAtomicAt(ctx, w, owner)
		}
	}
	targets, n, err := a.targets(ctx, operations, calls)
	if err == nil {
		n, err = a.refuseUsedEndpoints(operations, calls)
	}
	if err != nil {
		return nil, atOperation(n, problemOf(err))
	}
	u, err := a.beginUnit(ctx, w, targets)
	if err != nil {
		return nil, err
	}
	defer u.batch.Cancel()
	made := make([]string, len(operations))
	objects := make([]dat.Object, len(operations))
	for i, o := range operations {
		if objects[i], err = u.prepare(o, calls[i], made); err != nil {
			return nil, atOperation(i, problemOf(a.explainForeignIA(ctx, o.body, err)))
		}
	}
	if w.DryRun {
		if n, err := a.refuseRehearsal(ctx, objects...); err != nil {
			return nil, atOperation(n, problemOf(err))
		}
		return a.ok(batchResults{Results: a.rehearsedResults(callerScope(ctx), operations, calls, objects, made)}), nil
	}
	idle := a.idleTargets(operations, calls)
	results := func(objects []dat.Object) *answer {
		return a.ok(batchResults{Results: a.unitResults(callerScope(ctx), calls, objects, idle)})
	}
	if key := requestOf(ctx).retryKey; key != nil {
		u.batch.StoreAnswer(&manager.BatchAnswer{KeyedAnswer: key.keyed(0, 0), Results: func(objects []dat.Object) (int, map[string]string, []byte) {
			return key.giveRecorder(key.answer(results(objects)))
		}})
	}
	if objects, err = u.batch.Run(ctx); err != nil {
		return nil, err
	}
	return results(objects), nil
}

// refuseUsedEndpoints refuses to free an endpoint that is not UNCONNECTED: undone, it would not be what it was. n is
// the operation.
func (a *API) refuseUsedEndpoints(operations []operation, calls []undoableCall) (n int, err error) {
	for n, o := range operations {
		if calls[n].method != http.MethodDelete || calls[n].typ != dat.TypeEndpoint {
			continue
		}
		found, ok := a.manager.Get(dat.TypeEndpoint, o.id())
		if e, is := found.(*dat.Endpoint); ok && is && e.State != dat.EPUnconnected {
			p := document.NewProblem(document.KindNotAtomic, "The endpoint of operation "+strconv.Itoa(n)+" is "+e.State.String()+". "+document.ExplainProblem(document.KindNotAtomic))
			p.State = &e.State
			return n, p
		}
	}
	return 0, nil
}
