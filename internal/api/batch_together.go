package api

import (
	"context"
	"net/http"

	"github.com/datapi/datapi/internal/dat"
)

// togetherAtMost bounds how many operations of a loose batch are one commit.
const togetherAtMost = 256

// together carries operations from i on out as one unit, as far as they can be
// undone: that is one commit for many. It tells how many it settled; 0 leaves
// operation i to be carried out by itself. The unit ends before a refusal, whose
// problem is then that operation's result.
func (l *series) together(ctx context.Context, i int) int {
	calls := l.run(i)
	if len(calls) < 2 {
		return 0
	}
	settled, refusal := l.commit(ctx, i, calls)
	if refusal == nil || settled >= len(calls) {
		return settled
	}
	if settled > 0 {
		if again, _ := l.commit(ctx, i, calls[:settled]); again != settled {
			l.alone = i + len(calls)
			return 0
		}
	}
	if p := problemOf(l.api.misdirected(ctx, l.operations[i+settled].body, refusal)); p.Status < http.StatusInternalServerError {
		p = exchangeOf(ctx).stamp(p)
		l.results[i+settled] = batchResult{Status: p.Status, Body: l.api.encode(p)}
		return settled + 1
	}
	l.alone = i + settled + 1
	return settled
}

// run is the calls of the operations from i on that one unit can take: creations,
// and changes of one object. Ends are left out, because alone they may do more.
func (l *series) run(i int) []atomicCall {
	var calls []atomicCall
	for _, o := range l.operations[i:min(i+togetherAtMost, len(l.operations))] {
		c, ok := atomicOf(o)
		if !ok || c.method == http.MethodDelete || c.typ == dat.TypeRSP {
			break
		}
		calls = append(calls, c)
	}
	return calls
}

// commit prepares and commits a run. Where operation n of it is refused, nothing
// is done, and n and the refusal are returned.
func (l *series) commit(ctx context.Context, i int, calls []atomicCall) (settled int, refusal error) {
	call, err := l.api.call(ctx, Write{Reason: l.write.Reason}, nil)
	if err != nil {
		return 0, err
	}
	targets, n, err := l.api.targets(ctx, l.operations[i:i+len(calls)], calls)
	if err != nil {
		return n, err
	}
	batch, err := l.api.manager.BeginBatch(ctx, targets...)
	if err != nil {
		return 0, err
	}
	defer batch.Cancel()
	u := newUnit(l.api, batch, call)
	made := append([]string{}, l.made...)
	for n, c := range calls {
		if _, err := u.prepare(l.operations[i+n], c, made); err != nil {
			return n, err
		}
	}
	objects, err := batch.Run(ctx)
	if err != nil {
		l.alone = i + len(calls) // one of them is refused by the record: found out one by one
		return 0, nil
	}
	copy(l.made, made)
	copy(l.results[i:], l.api.unitResults(calls, objects, false))
	return len(calls), nil
}

// targets are the living objects that a run changes, to be locked before it. Where
// operation n of it names none of ours, n and the refusal are returned.
func (a *API) targets(ctx context.Context, operations []operation, calls []atomicCall) (all []dat.Handle, n int, err error) {
	for n, o := range operations {
		if len(o.segments) < 2 {
			continue
		}
		if _, isReference := referenced(o.segments[1]); isReference {
			continue
		}
		if err := a.ours(ctx, calls[n].typ, o.segments[1]); err != nil {
			return nil, n, err
		}
		all = append(all, dat.Handle(o.segments[1]))
	}
	return all, 0, nil
}

// prepare judges and does one operation of a unit, and notes the id that it made.
func (u *unit) prepare(o operation, c atomicCall, made []string) (dat.Object, error) {
	ready, missing := o.resolved(made)
	if missing >= 0 {
		return nil, noReference(missing)
	}
	id := dat.HandleNull
	if len(ready.segments) > 1 {
		id = dat.Handle(ready.segments[1])
	}
	object, err := c.do(u, id, ready.body)
	if err == nil && c.status == http.StatusCreated {
		made[o.index] = string(object.Head().ID)
	}
	if object != nil {
		u.labels[object.Head().ID] = object.Head().Labels
	}
	return object, err
}
