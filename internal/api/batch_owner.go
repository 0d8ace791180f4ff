package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/datapi/datapi/internal/api/document"
)

// ownerOfOperation returns the node that an operation belongs to, "" where no node has its object. owners are those of
// the operations before it.
func (a *API) ownerOfOperation(ctx context.Context, o operation, owners []string) (string, error) {
	if len(o.segments) > 1 {
		if n, ok := parseReference(o.segments[1]); ok {
			return owners[n], nil // what operation n makes is where operation n is carried out
		}
	}
	return a.ownerOfCall(ctx, o.segments, o.body)
}

// ownerOfAtomic returns the one node that the operations of an atomic batch belong to, "" where none has their objects.
// Operations of several nodes are refused: no commit is theirs together.
func (a *API) ownerOfAtomic(ctx context.Context, operations []operation) (string, error) {
	owners, first := make([]string, len(operations)), -1
	for i, o := range operations {
		owner, err := a.ownerOfOperation(ctx, o, owners)
		if err != nil {
			return "", err
		}
		if owners[i] = owner; owner == "" {
			continue
		}
		if first < 0 {
			first = i
		}
		if owner != owners[first] {
			return "", atOperation(i, document.NewProblem(document.KindNotAtomic, fmt.Sprintf(
				"Operation %d belongs to node %s and operation %d to node %s. An atomic batch is carried out by one node: send one for each, or leave atomic out.", first, owners[first], i, owner)))
		}
	}
	if first < 0 {
		return "", nil
	}
	return owners[first], nil
}

// runAtomicAt has a whole atomic batch carried out by the node that owns its objects, which keeps its answer too.
func (a *API) runAtomicAt(ctx context.Context, w Write, owner string) (*answer, error) {
	info := requestOf(ctx)
	if info.retryKey != nil {
		info.retryKey.stored = true
	}
	got, p := a.forward(ctx, owner, batchCall(w, w.Key, info.body))
	if p != nil {
		return nil, p
	}
	return &answer{
		Status: got.status, ContentType: got.header.Get("Content-Type"), CacheControl: noStore, Body: got.body,
		Replayed: got.header.Get(replayedHeader), Node: got.node, RetryAfter: got.header.Get("Retry-After"),
	}, nil
}

// batchCall returns the call of a batch to another node.
func batchCall(w Write, key string, body []byte) outgoing {
	header := http.Header{"Content-Type": {document.MediaJSON}}
	for name, value := range map[string]string{idempotencyHeader: key, "X-Change-Reason": w.Reason} {
		if value != "" {
			header.Set(name, value)
		}
	}
	return outgoing{method: http.MethodPost, uri: basePath + "/batch?dry_run=" + strconv.FormatBool(w.DryRun), header: header, body: body, limit: forwardLimit}
}

// ownerOf returns the node that operation i belongs to, "" where no node has its object.
func (s *sequence) ownerOf(ctx context.Context, i int) (string, error) {
	for k := len(s.owners); k <= i; k++ {
		owner, err := s.api.ownerOfOperation(ctx, s.operations[k], s.owners)
		if err != nil {
			return "", err
		}
		s.owners = append(s.owners, owner)
	}
	return s.owners[i], nil
}

// isForeign reports whether operation i is to be carried out by another node. One whose owner cannot be found out is not
// to be carried out here either.
func (s *sequence) isForeign(ctx context.Context, i int) bool {
	if !requestOf(ctx).mayPassOn() {
		return false
	}
	owner, err := s.ownerOf(ctx, i)
	return err != nil || owner != "" && owner != s.api.node
}

// runAtOwner carries out operation i, where it belongs to another node, and those after it that go with it. It returns
// how many have their results, 0 where operation i is this node's.
func (s *sequence) runAtOwner(ctx context.Context, i int) (done int) {
	if !s.isForeign(ctx, i) {
		return 0
	}
	owner, err := s.ownerOf(ctx, i)
	switch {
	case s.results[i].Status != 0:
		return 1 // the dry run of an operation before it has rehearsed it
	case err != nil:
		s.results[i] = problemResult(ctx, problemOf(err))
	case s.progress.key != nil:
		s.runKeyed(ctx, i, owner)
	default:
		return s.runTogether(ctx, i, owner)
	}
	s.progress.committed(ctx, s.results, i+1)
	return 1
}

// runKeyed carries out operation i of a batch with an Idempotency-Key at its owner: as a call of its own, whose key is the
// same in every repetition of the batch, wherever that begins.
func (s *sequence) runKeyed(ctx context.Context, i int, owner string) {
	ready, missing := s.operations[i].withIDs(s.made)
	if missing >= 0 {
		s.results[i] = problemResult(ctx, missingReference(missing))
		return
	}
	call := batchCall(s.write, s.progress.key.partAt(i), ready.body)
	call.method, call.uri = ready.method, (&url.URL{Path: basePath + ready.path()}).String()
	if len(ready.body) == 0 {
		call.header.Del("Content-Type")
	}
	got, p := s.api.forward(ctx, owner, call)
	switch {
	case p != nil:
		s.results[i] = problemResult(ctx, p)
	default:
		s.results[i] = got.result()
	}
	if isProblem(s.results[i], document.KindKeyRunning) { // an earlier request of this batch has sent it
		s.results[i] = problemResult(ctx, s.api.outcomeAtOwner(ctx, owner))
	}
	s.made[i] = createdID(s.results[i])
}

// result returns the answer as the result of an operation.
func (p *peerAnswer) result() batchResult {
	r := batchResult{Status: p.status, ETag: nullIfEmpty(p.header.Get("ETag")), Body: json.RawMessage("null")}
	if json.Valid(p.body) {
		r.Body = p.body
	}
	return r
}

// runTogether carries out operation i and those that go with it as one batch at their owner, and returns how many from i
// on have their results.
func (s *sequence) runTogether(ctx context.Context, i int, owner string) (done int) {
	together, body := s.together(ctx, i, owner)
	if len(together) > 0 {
		got, p := s.api.forward(ctx, owner, batchCall(s.write, "", plainJSON(body)))
		for n, r := range s.resultsOf(ctx, owner, together, got, p) {
			k := together[n]
			s.results[k], s.made[k] = r, createdID(r)
		}
	}
	if s.write.DryRun {
		return 1
	}
	return max(1, len(together))
}

// maxTogether is how long the bodies of operations may be that are passed on together, in bytes.
const maxTogether = maxBatchBody / 2

// together returns the operations that go to the owner of operation i with it: its neighbours, up to maxGroup. In a dry
// run, in which none has an effect that another sees, they are all of that owner. One that refers to an operation that
// has made nothing gets its result and is none of them.
func (s *sequence) together(ctx context.Context, i int, owner string) (together []int, body passedOnBatch) {
	known, length := slices.Clone(s.made), 0
	for k := i; k < len(s.operations) && (s.write.DryRun || k < i+maxGroup && length < maxTogether); k++ {
		if of, err := s.ownerOf(ctx, k); err != nil || of != owner {
			if s.write.DryRun && err == nil {
				continue
			}
			break
		}
		ready, missing := s.operations[k].withIDs(known[:k])
		if missing < 0 {
			known[k] = fmt.Sprintf("$%d.id", len(together))
			together, length = append(together, k), length+len(ready.body)
			body.Operations = append(body.Operations, passedOnOperation{Method: ready.method, Path: ready.path(), Body: ready.body})
			continue
		}
		if s.write.DryRun || k == i {
			s.results[k] = problemResult(ctx, missingReference(missing))
		}
		if !s.write.DryRun {
			break
		}
	}
	return together, body
}

// passedOnBatch is a batchBody as it is sent to another node.
type passedOnBatch struct {
	Operations []passedOnOperation `json:"operations"`
}

type passedOnOperation struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// plainJSON returns v as JSON that is no longer than it must be: nothing is escaped for HTML.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the bodies were read as JSON
	}
	return b.Bytes()
}

// partAt returns the key with which operation i of a batch is passed on.
func (k *retryKey) partAt(i int) string {
	sum := sha256.Sum256([]byte(k.id.Key + " " + strconv.Itoa(i)))
	return "batch-" + hex.EncodeToString(sum[:])
}

// resultsOf returns the results of operations that another node has answered for, or p where it has not.
func (s *sequence) resultsOf(ctx context.Context, owner string, together []int, got *peerAnswer, p *document.Problem) []batchResult {
	all := make([]batchResult, len(together))
	var sent batchResults
	if p == nil && got.status == http.StatusOK {
		if json.Unmarshal(got.body, &sent) == nil && len(sent.Results) == len(together) {
			for n, r := range sent.Results {
				all[n] = s.renumbered(ctx, together[n], r)
			}
			return all
		}
		p = s.api.outcomeAtOwner(ctx, owner)
	}
	for n := range all {
		if p != nil {
			all[n] = problemResult(ctx, p)
		} else {
			all[n] = got.result()
		}
	}
	return all
}

// renumbered returns the result of operation i, which another node knows by another number: a refusal that names the
// operation it refers to names it as this batch does.
func (s *sequence) renumbered(ctx context.Context, i int, r batchResult) batchResult {
	if !isProblem(r, document.KindReferenceNotReady) {
		return r
	}
	for _, n := range s.operations[i].references() {
		if s.made[n] == "" {
			return problemResult(ctx, missingReference(n))
		}
	}
	return r
}
