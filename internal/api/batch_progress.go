package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/store"
)

// progress stores the results of a batch that goes on after a refusal, with each commit those that there are, so that
// a repetition goes on after the last operation that was committed. The answer's parts follow each other without a
// gap. Without an Idempotency-Key nothing is stored.
type progress struct {
	api *API
	// key is nil where the batch has none.
	key *retryKey
	// next is the first operation whose result is not stored.
	next int
	// halted reports that no further operation is carried out, because the repetition must not miss what became of
	// those before it.
	halted bool
}

// resume returns the results that are stored already. What was begun and left no result may have been carried out: it
// is not done again.
func (p *progress) resume(ctx context.Context) []batchResult {
	if p.key == nil {
		return nil
	}
	var all []batchResult
	unknownUpTo := func(n int) {
		for len(all) < n {
			all = append(all, problemResult(ctx, document.NewProblem(document.KindOutcomeUnknown, "The operation may have been carried out before the service ended. "+
				"There is no record of it, and it was not carried out again. Look before sending it anew.")))
		}
	}
	for _, part := range p.key.parts {
		unknownUpTo(part.From)
		if len(part.Body) > 0 {
			var results []batchResult
			decode(part.Body, &results)
			all = append(all, results...)
		}
		unknownUpTo(part.To)
	}
	p.next = len(all)
	return all
}

// part returns the results of the operations from next on, up to but not including to, as they are stored.
func (p *progress) part(results []batchResult, to int) store.StoredAnswer {
	return store.StoredAnswer{BodyHash: p.key.hash, Status: http.StatusOK, Body: encode(results), From: p.next, To: to}
}

// commitOf returns what stores the result of operation i in its commit, with those before it that are not stored.
func (p *progress) commitOf(results []batchResult, i int) commitAnswer {
	if p.key == nil {
		return nil
	}
	return &operationKey{retryKey: p.key, progress: p, before: results[p.next:i], to: i + 1}
}

// operationKey stores the result of one operation of a batch in the commit of its change.
type operationKey struct {
	*retryKey
	progress *progress
	before   []batchResult
	to       int
}

func (k *operationKey) answerInCommit(show func(dat.Object) *answer) *dat.KeyedAnswer {
	stored := k.keyed(k.progress.next, k.to)
	stored.Make = func(recorded dat.Object) (int, map[string]string, []byte) {
		return k.giveRecorder(k.progress.part(append(k.before[:len(k.before):len(k.before)], resultOf(show(recorded))), k.to))
	}
	return &stored
}

// commitOfGroup returns what stores the results of n operations from i on in their commit, with those before them that
// are not stored; nil for nothing. show makes their results of the recorded objects.
func (p *progress) commitOfGroup(results []batchResult, i, n int, show func([]dat.Object) []batchResult) *manager.BatchAnswer {
	if p.key == nil {
		return nil
	}
	before := results[p.next:i:i]
	return &manager.BatchAnswer{
		KeyedAnswer: p.key.keyed(p.next, i+n),
		Results: func(objects []dat.Object) (int, map[string]string, []byte) {
			return p.key.giveRecorder(p.part(append(before, show(objects)...), i+n))
		},
	}
}

// failed forgets the answer of a commit that was refused.
func (p *progress) failed() {
	if p.key != nil {
		p.key.inCommit.Store(nil)
	}
}

// committed brings the stored results up to date after a call that may have committed the operations before to.
// results are those of the whole batch so far.
func (p *progress) committed(ctx context.Context, results []batchResult, to int) {
	if p.key == nil {
		return
	}
	inCommit := p.key.inCommit.Swap(nil)
	last := results[to-1]
	if isAway(last) {
		p.halted = true // what became of the commit is known to the repetition
	}
	if inCommit == nil || p.halted {
		return
	}
	if part := p.part(results[p.next:to], to); !bytes.Equal(part.Body, inCommit.Body) {
		p.store(ctx, p.api.store.AmendAnswer, part)
	}
	p.next = to
}

// begin stores that the operations before to, which leave no record, may have been carried out, and the results before
// them. It returns why they may not be, where that cannot be stored; else nil.
func (p *progress) begin(ctx context.Context, results []batchResult, from, to int) *document.Problem {
	if p.key == nil {
		return nil
	}
	var parts []store.StoredAnswer
	if from > p.next {
		parts = append(parts, p.part(results[p.next:from], from))
	}
	parts = append(parts, store.StoredAnswer{BodyHash: p.key.hash, Status: http.StatusOK, From: from, To: to})
	if err := p.api.store.SaveAnswer(ctx, p.key.id, parts...); err != nil {
		p.halted = true
		p.api.store.WithdrawAnswers(p.key.id, from) // nothing was begun, although the database may have it
		return problemOf(err)
	}
	p.next = from
	return nil
}

// ended stores the results of the operations before to, for which begin was called. Those at the end that failed with
// the service are left to a repetition.
func (p *progress) ended(ctx context.Context, results []batchResult, to int) {
	if p.key == nil {
		return
	}
	p.halted = isAway(results[to-1])
	for to > p.next && !isFinal(results[to-1].Status) {
		to--
	}
	if to > p.next {
		p.store(ctx, p.api.store.AmendAnswer, p.part(results[p.next:to], to))
	} else if err := p.api.store.DropAnswers(context.WithoutCancel(ctx), p.key.id, p.next); err != nil {
		p.api.warnNotStored(ctx, requestOf(ctx), err) // after a restart, a repetition takes them for begun
	}
	p.next = to
}

// finish stores the results that no commit has stored, except where an operation is to be tried again.
func (p *progress) finish(ctx context.Context, results []batchResult) {
	if p.key == nil {
		return
	}
	p.key.stored = true
	to := p.next
	for to < len(results) && results[to].Status != 0 && isFinal(results[to].Status) {
		to++
	}
	if to > p.next && !p.halted {
		p.store(ctx, p.api.store.SaveAnswer, p.part(results[p.next:to], to))
	}
}

// store stores a part, or remembers it where the database does not take it.
func (p *progress) store(ctx context.Context, save func(context.Context, store.AnswerKey, ...store.StoredAnswer) error, part store.StoredAnswer) {
	if err := save(context.WithoutCancel(ctx), p.key.id, part); err != nil {
		p.api.store.RememberAnswer(p.key.id, part)
		p.api.warnNotStored(ctx, requestOf(ctx), err)
	}
}

// isAway reports whether an operation failed because the database or the node that it belongs to is away: a
// repetition carries it out, or tells that it was.
func isAway(r batchResult) bool {
	return isProblem(r, document.KindStoreAway) || isProblem(r, document.KindNodeAway) || isProblem(r, document.KindOutcomeUnknown)
}

// isProblem reports whether a result is a problem of the kind.
func isProblem(r batchResult, kind string) bool {
	if r.Status < http.StatusBadRequest {
		return false
	}
	var p struct{ Type string }
	return json.Unmarshal(r.Body, &p) == nil && p.Type == "/problems/"+kind
}

// notTried returns the result of an operation before which the batch was halted.
func notTried(ctx context.Context) batchResult {
	return problemResult(ctx, document.NewProblem(document.KindStoreAway,
		"The operation was not carried out, because the database, or the node of an operation before it, is away. Repeat the batch with its Idempotency-Key to go on."))
}
