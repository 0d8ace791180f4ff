package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// maxGroup bounds how many operations of a sequence are one commit.
const maxGroup = 256

// runGroup carries out operations from i on as one unit, as far as they can be: that is one commit for many. It
// returns how many operations have their results; 0 leaves operation i to runSingly. Where an operation is refused,
// those before it are committed without it, and the refusal is its result.
func (s *sequence) runGroup(ctx context.Context, i int) (done int) {
	calls := s.groupFrom(ctx, i)
	if len(calls) < 2 {
		return 0
	}
	done, refusal := s.commit(ctx, i, calls)
	if refusal == nil || done >= len(calls) {
		return done
	}
	if done > 0 {
		if again, _ := s.commit(ctx, i, calls[:done]); again != done {
			s.singlyBefore = i + len(calls)
			return 0
		}
		if s.progress.halted {
			return done
		}
	}
	if p := problemOf(s.api.explainForeignIA(ctx, s.operations[i+done].body, refusal)); p.Status < http.StatusInternalServerError {
		s.results[i+done] = problemResult(ctx, p)
		return done + 1
	}
	s.singlyBefore = i + done + 1
	return done
}

// groupFrom returns the calls of the operations from i on that one unit can take: creations, and changes of one
// object. Frees are left out: alone they may free what a unit would refuse.
func (s *sequence) groupFrom(ctx context.Context, i int) []undoableCall {
	var calls []undoableCall
	for _, o := range s.operations[i:min(i+maxGroup, len(s.operations))] {
		c, ok := undoableCallOf(o)
		if !ok || c.method == http.MethodDelete || c.typ == dat.TypeRSP || s.isForeign(ctx, o.index) {
			break
		}
		calls = append(calls, c)
	}
	return calls
}

// commit prepares and commits the operations from i on whose calls are given, and sets their results. Where one is
// refused nothing is done: done is how many come before it, and refusal says why.
func (s *sequence) commit(ctx context.Context, i int, calls []undoableCall) (done int, refusal error) {
	operations := s.operations[i : i+len(calls)]
	targets, n, err := s.api.targets(ctx, operations, calls)
	if err != nil {
		return n, err
	}
	u, err := s.api.beginUnit(ctx, s.write, targets)
	if err != nil {
		return 0, err
	}
	defer u.batch.Cancel()
	made := slices.Clone(s.made)
	for n, c := range calls {
		if _, err := u.prepare(operations[n], c, made); err != nil {
			return n, err
		}
	}
	idle, scope := s.api.idleTargets(operations, calls), callerScope(ctx)
	u.batch.StoreAnswer(s.progress.commitOfGroup(s.results, i, len(calls), func(objects []dat.Object) []batchResult {
		return s.api.unitResults(scope, calls, objects, idle)
	}))
	objects, err := u.batch.Run(ctx)
	if err != nil {
		return s.groupFailed(ctx, i, len(calls), problemOf(err)), nil
	}
	copy(s.made, made)
	copy(s.results[i:], s.api.unitResults(scope, calls, objects, idle))
	s.progress.committed(ctx, s.results, i+len(calls))
	return len(calls), nil
}

// groupFailed handles n operations from i on whose commit failed, and returns how many of them have their results.
// Those of an unknown outcome are not done again. Else the record has refused one of them, and done singly they show
// which.
func (s *sequence) groupFailed(ctx context.Context, i, n int, p *document.Problem) (done int) {
	failed := problemResult(ctx, p)
	keyed := s.progress.key != nil && isAway(failed)
	if !keyed && p.Type != "/problems/"+document.KindOutcomeUnknown {
		s.singlyBefore = i + n
		s.progress.failed()
		return 0
	}
	for k := i; k < i+n; k++ {
		s.results[k] = failed
	}
	s.progress.committed(ctx, s.results, i+n)
	return n
}
