package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

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

// passedOnBatch is a batchBody as it is sent to another node.
type passedOnBatch struct {
	Operations []passedOnOperation `json:"operations"`
}

type passedOnOperation struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// ownerOf returns the node that operation i belongs to, "" where no node has its object or this one is to answer for it.
func (s *sequence) ownerOf(ctx context.Context, i int) string {
	for k := len(s.owners); k <= i; k++ {
		owner, err := s.api.ownerOfOperation(ctx, s.operations[k], s.owners)
		if err != nil {
			owner = "" // the operation itself will say so
		}
		s.owners = append(s.owners, owner)
	}
	return s.owners[i]
}

// isForeign reports whether operation i is to be carried out by another node.
func (s *sequence) isForeign(ctx context.Context, i int) bool {
	if !requestOf(ctx).mayPassOn() {
		return false
	}
	owner := s.ownerOf(ctx, i)
	return owner != "" && owner != s.api.node
}

// runAtOwner carries out operation i, where it belongs to another node, and those after it that go with it, as one batch
// there. It returns how many have their results, 0 where operation i is this node's.
func (s *sequence) runAtOwner(ctx context.Context, i int) (done int) {
	if !s.isForeign(ctx, i) {
		return 0
	}
	if s.results[i].Status != 0 {
		return 1 // the dry run of an operation before it has rehearsed it
	}
	together, body := s.together(ctx, i)
	if len(together) == 0 {
		return 1
	}
	key := ""
	if s.progress.key != nil {
		key = s.progress.key.partAt(i)
	}
	got, p := s.api.forward(ctx, s.ownerOf(ctx, i), batchCall(s.write, key, encode(body)))
	for n, r := range s.resultsOf(ctx, together, got, p) {
		k := together[n]
		s.results[k], s.made[k] = r, createdID(r)
	}
	if s.write.DryRun {
		return 1
	}
	s.progress.committed(ctx, s.results, i+len(together))
	return len(together)
}

// together returns the operations that go to the owner of operation i with it: its neighbours, up to maxGroup. In a dry
// run, in which none has an effect that another sees, they are all of that owner. One that refers to an operation that
// has made nothing gets its result and is none of them.
func (s *sequence) together(ctx context.Context, i int) (together []int, body passedOnBatch) {
	owner := s.ownerOf(ctx, i)
	known := slices.Clone(s.made)
	for k := i; k < len(s.operations) && (s.write.DryRun || k < i+maxGroup); k++ {
		if s.ownerOf(ctx, k) != owner {
			if s.write.DryRun {
				continue
			}
			break
		}
		ready, missing := s.operations[k].withIDs(known[:k])
		if missing < 0 {
			known[k] = fmt.Sprintf("$%d.id", len(together))
			together = append(together, k)
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

// partAt returns the key with which the operations of a batch from i on are passed on.
func (k *retryKey) partAt(i int) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{k.id.Key, strconv.Itoa(i)}, " ")))
	return "batch-" + hex.EncodeToString(sum[:])
}

// resultsOf returns the results of operations that another node has answered for, or p where it has not.
func (s *sequence) resultsOf(ctx context.Context, together []int, got *peerAnswer, p *document.Problem) []batchResult {
	all := make([]batchResult, len(together))
	if p == nil && got.status == http.StatusOK {
		var sent batchResults
		decode(got.body, &sent)
		if len(sent.Results) == len(together) {
			for n, r := range sent.Results {
				all[n] = s.renumbered(ctx, together[n], r)
			}
			return all
		}
		p = s.api.outcomeAtOwner(ctx, got.node, outgoing{})
	}
	for n := range all {
		if p != nil {
			all[n] = problemResult(ctx, p)
		} else {
			all[n] = batchResult{Status: got.status, Body: got.body}
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
