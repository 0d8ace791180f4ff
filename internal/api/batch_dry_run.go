package api

import (
	"context"
	"slices"
	"strconv"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// dryRunWithReferences returns the result of a dry run of operation i, which refers to what other operations make.
func (s *sequence) dryRunWithReferences(ctx context.Context, i int) batchResult {
	result, err := s.dryRunInUnit(ctx, append(s.dependencies(i), i))
	if err != nil {
		return problemResult(ctx, problemOf(s.api.explainForeignIA(ctx, s.operations[i].body, err)))
	}
	return result
}

// dependencies returns the operations that operation i refers to, directly or not, in order.
func (s *sequence) dependencies(i int) []int {
	wanted := map[int]bool{i: true}
	var all []int
	for n := i; n >= 0; n-- {
		if !wanted[n] {
			continue
		}
		if n != i {
			all = append(all, n)
		}
		for _, m := range s.operations[n].references() {
			wanted[m] = true
		}
	}
	slices.Reverse(all)
	return all
}

// dryRunInUnit prepares the operations in a unit that is then cancelled, and returns the result of the last one.
func (s *sequence) dryRunInUnit(ctx context.Context, order []int) (batchResult, error) {
	if len(order) > maxGroup {
		return batchResult{}, document.NewProblem(document.KindReferenceNotReady, "A dry run follows the references to at most "+strconv.Itoa(maxGroup)+" operations; check fewer at once.")
	}
	operations, calls := make([]operation, len(order)), make([]undoableCall, len(order))
	for k, n := range order {
		call, ok := undoableCallOf(s.operations[n])
		if !ok {
			return batchResult{}, document.NewProblem(document.KindReferenceNotReady, "A dry run makes nothing that "+s.operations[n].method+" "+s.operations[n].path()+" could be judged by.")
		}
		operations[k], calls[k] = s.operations[n], call
	}
	targets, _, err := s.api.targets(ctx, operations, calls)
	if err != nil {
		return batchResult{}, err
	}
	u, err := s.api.beginUnit(ctx, s.write, targets)
	if err != nil {
		return batchResult{}, err
	}
	defer u.batch.Cancel()
	made := make([]string, len(s.operations))
	last := len(order) - 1
	objects := make([]dat.Object, len(order))
	for k := range operations {
		if objects[k], err = u.prepare(operations[k], calls[k], made); err != nil && k < last {
			return batchResult{}, missingReference(order[k])
		}
		if err != nil {
			return batchResult{}, err
		}
	}
	if _, err := s.api.refuseRehearsal(ctx, objects...); err != nil {
		return batchResult{}, err
	}
	return s.api.rehearsedResults(callerScope(ctx), operations, calls, objects, made)[last], nil
}
