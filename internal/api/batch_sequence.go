package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/datapi/datapi/internal/api/document"
)

// runSequence carries operations out in order and goes on after a refusal. Neighbours that can be undone are committed
// in groups, the others are calls of their own. With an Idempotency-Key it goes on after what an earlier request has
// done.
func (a *API) runSequence(ctx context.Context, w Write, operations []operation) (*answer, error) {
	s := &sequence{
		api: a, write: w, operations: operations, results: make([]batchResult, len(operations)), made: make([]string, len(operations)),
		progress: progress{api: a, key: requestOf(ctx).retryKey},
	}
	done := s.progress.resume(ctx)
	for i, r := range done {
		s.results[i], s.made[i] = r, createdID(r)
	}
	defer func() { s.progress.finish(ctx, s.results) }()
	for i := len(done); i < len(operations); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i += s.run(ctx, i)
	}
	ans := a.ok(batchResults{Results: s.results})
	if len(done) > 0 {
		ans.Replayed = replayed
	}
	return ans, nil
}

// sequence is a batch that goes on after a refusal, while it is carried out.
type sequence struct {
	api        *API
	write      Write
	operations []operation
	results    []batchResult
	// made are the ids of the objects that the operations have made, by operation; "" where there is none.
	made []string
	// singlyBefore is the operation before which all are carried out singly, because they could not be committed as a
	// group.
	singlyBefore int
	// owners are the nodes of the operations as far as they were asked for; "" where none has the object.
	owners   []string
	progress progress
}

// run carries out operation i, and as many after it as go together with it. It returns how many have their results.
func (s *sequence) run(ctx context.Context, i int) (done int) {
	if s.progress.halted {
		s.results[i] = notTried(ctx)
		return 1
	}
	if n := s.runAtOwner(ctx, i); n > 0 {
		return n
	}
	if s.write.DryRun {
		s.runSingly(ctx, i)
		return 1
	}
	if n := s.unrecordedFrom(ctx, i); n > 0 {
		s.runUnrecorded(ctx, i, n)
		return n
	}
	if i >= s.singlyBefore {
		if done = s.runGroup(ctx, i); done > 0 || s.progress.halted {
			return done
		}
	}
	s.runSingly(ctx, i)
	s.progress.committed(ctx, s.results, i+1)
	return 1
}

// unrecordedFrom returns how many operations from i on leave no record, up to maxGroup.
func (s *sequence) unrecordedFrom(ctx context.Context, i int) (n int) {
	for n = 0; n < maxGroup && i+n < len(s.operations); n++ {
		o := s.operations[i+n]
		route := chi.NewRouteContext()
		if !s.api.v1.Match(route, o.method, o.path()) || !s.api.unrecorded[o.method+" "+route.RoutePattern()] || s.isForeign(ctx, i+n) {
			break
		}
	}
	return n
}

// runUnrecorded carries out n operations from i on that leave no record.
func (s *sequence) runUnrecorded(ctx context.Context, i, n int) {
	refusal := s.progress.begin(ctx, s.results, i, i+n)
	for k := i; k < i+n; k++ {
		if refusal == nil {
			s.runSingly(ctx, k)
		} else {
			s.results[k] = problemResult(ctx, refusal)
		}
	}
	if refusal == nil {
		s.progress.ended(ctx, s.results, i+n)
	}
}

// runSingly carries operation i out as a call of its own.
func (s *sequence) runSingly(ctx context.Context, i int) {
	o := s.operations[i]
	if s.write.DryRun && len(o.references()) > 0 {
		s.results[i] = s.dryRunWithReferences(ctx, i)
		return
	}
	ready, missing := o.withIDs(s.made)
	if missing >= 0 {
		s.results[i] = problemResult(ctx, missingReference(missing))
		return
	}
	s.results[i] = s.api.serveOperation(ctx, s.write, ready, s.progress.commitOf(s.results, i))
	s.made[i] = createdID(s.results[i])
}

// serveOperation carries an operation out as a request of the batch's caller. It goes through the conventions of its
// call; sign-in, rate limit and log were the batch's. inCommit, which may be nil, stores its answer.
func (a *API) serveOperation(ctx context.Context, w Write, o operation, inCommit commitAnswer) batchResult {
	info := *requestOf(ctx)
	info.retryKey, info.inCommit, info.path, info.signed = nil, inCommit, basePath+o.path(), forwarded{}
	ctx = context.WithValue(context.WithValue(ctx, chi.RouteCtxKey, nil), requestInfoKey{}, &info)
	u := url.URL{Path: o.path()}
	if w.DryRun {
		u.RawQuery = "dry_run=true"
	}
	request, err := http.NewRequestWithContext(ctx, o.method, u.String(), bytes.NewReader(o.body))
	if err != nil {
		return problemResult(ctx, document.NewProblem(document.KindInvalidMember, "The path of the operation is not one of the API."))
	}
	if len(o.body) > 0 {
		request.Header.Set("Content-Type", document.MediaJSON)
	}
	if w.Reason != "" {
		request.Header.Set("X-Change-Reason", w.Reason)
	}
	response := &bufferedResponse{header: http.Header{}, status: http.StatusOK}
	a.v1.ServeHTTP(response, request)
	return response.result()
}

// bufferedResponse remembers a response and sends it nowhere.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the response's header.
func (b *bufferedResponse) Header() http.Header { return b.header }

// WriteHeader remembers the status.
func (b *bufferedResponse) WriteHeader(status int) { b.status = status }

// Write remembers the body.
func (b *bufferedResponse) Write(p []byte) (int, error) { return b.body.Write(p) }

func (b *bufferedResponse) result() batchResult {
	r := batchResult{Status: b.status, ETag: nullIfEmpty(b.header.Get("ETag")), Body: json.RawMessage("null")}
	if body := bytes.TrimSpace(b.body.Bytes()); json.Valid(body) {
		r.Body = body
	}
	return r
}
