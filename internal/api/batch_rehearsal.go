package api

import (
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// rehearse is a dry run of an operation that refers to what others made: they are
// made in a unit that is then given up, and it is judged there.
func (l *series) rehearse(ctx context.Context, i int) {
	result, err := l.rehearsal(ctx, append(l.needed(i), i))
	if err != nil {
		p := exchangeOf(ctx).stamp(problemOf(l.api.misdirected(ctx, l.operations[i].body, err)))
		result = batchResult{Status: p.Status, Body: l.api.encode(p)}
	}
	l.results[i] = result
}

// needed are the operations that one refers to, directly or not, in order.
func (l *series) needed(i int) []int {
	wanted := map[int]bool{i: true}
	var all []int
	for n := i; n >= 0; n-- {
		if !wanted[n] {
			continue
		}
		if n != i {
			all = append(all, n)
		}
		for _, m := range l.operations[n].references() {
			wanted[m] = true
		}
	}
	slices.Reverse(all)
	return all
}

// rehearsal prepares operations, of which the last is the one that is asked about.
func (l *series) rehearsal(ctx context.Context, order []int) (batchResult, error) {
	if len(order) > togetherAtMost {
		return batchResult{}, problemOfKind(kindReferenceNotReady, "A dry run follows the references to at most "+number(togetherAtMost)+" operations; check fewer at once.")
	}
	operations, calls := make([]operation, len(order)), make([]atomicCall, len(order))
	for k, n := range order {
		call, ok := atomicOf(l.operations[n])
		if !ok {
			return batchResult{}, problemOfKind(kindReferenceNotReady, "A dry run makes nothing that "+l.operations[n].method+" "+l.operations[n].path()+" could be judged by.")
		}
		operations[k], calls[k] = l.operations[n], call
	}
	targets, _, err := l.api.targets(ctx, operations, calls)
	if err != nil {
		return batchResult{}, err
	}
	call, err := l.api.call(ctx, Write{Reason: l.write.Reason}, nil)
	if err != nil {
		return batchResult{}, err
	}
	batch, err := l.api.manager.BeginBatch(ctx, targets...)
	if err != nil {
		return batchResult{}, err
	}
	defer batch.Cancel()
	u, made := newUnit(l.api, batch, call), make([]string, len(l.operations))
	var object dat.Object
	for k := range operations {
		if object, err = u.prepare(operations[k], calls[k], made); err != nil && k < len(order)-1 {
			return batchResult{}, noReference(order[k])
		}
		if err != nil {
			return batchResult{}, err
		}
	}
	last := len(order) - 1
	return l.api.unitResults(calls[last:], []dat.Object{object}, true)[0], nil
}
