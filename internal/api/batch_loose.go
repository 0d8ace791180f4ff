package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
)

// looseBatch carries operations out in order and goes on after a refusal. What can
// be undone is committed many at once, the rest as calls of their own.
func (a *API) looseBatch(ctx context.Context, w Write, operations []operation) (*answer, error) {
	l := series{api: a, write: w, operations: operations, results: make([]batchResult, len(operations)), made: make([]string, len(operations))}
	for i := 0; i < len(operations); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		done := 0
		if !w.DryRun && i >= l.alone {
			done = l.together(ctx, i)
		}
		if done == 0 {
			l.single(ctx, i)
			done = 1
		}
		i += done
	}
	return a.ok(batchResults{Results: l.results}), nil
}

// series is a batch that goes on after a refusal, on its way.
type series struct {
	api        *API
	write      Write
	operations []operation
	results    []batchResult
	made       []string
	// alone is the operation before which all are carried out one by one, because
	// they could not be committed together.
	alone int
}

func (l *series) single(ctx context.Context, i int) {
	if l.write.DryRun && len(l.operations[i].references()) > 0 {
		l.rehearse(ctx, i)
		return
	}
	ready, missing := l.operations[i].resolved(l.made)
	if missing >= 0 {
		l.results[i] = l.api.unready(ctx, missing)
		return
	}
	l.results[i] = l.api.inside(ctx, l.write, ready)
	l.made[i] = madeID(l.results[i])
}

// unready is the result of an operation whose reference has no value.
func (a *API) unready(ctx context.Context, n int) batchResult {
	p := exchangeOf(ctx).stamp(noReference(n))
	return batchResult{Status: p.Status, Body: a.encode(p)}
}

// noReference is the refusal of a reference to an operation that made nothing.
func noReference(n int) *Problem {
	return problemOfKind(kindReferenceNotReady, "Operation "+number(n)+" made no object that could be referred to.")
}

// madeID is the id of what an operation made.
func madeID(r batchResult) string {
	if r.Status != http.StatusCreated {
		return ""
	}
	var object struct {
		ID string `json:"id"`
	}
	decode(r.Body, &object)
	return object.ID
}

// inside carries one operation out as a call of the same client: through the
// calls' own conventions, but past sign-in, limits and log, which the batch had.
func (a *API) inside(ctx context.Context, w Write, o operation) batchResult {
	x := *exchangeOf(ctx)
	x.key, x.path = nil, basePath+o.path()
	u := url.URL{Path: o.path()}
	if w.DryRun {
		u.RawQuery = "dry_run=true"
	}
	ctx = context.WithValue(context.WithValue(ctx, chi.RouteCtxKey, nil), exchangeKey{}, &x)
	request, err := http.NewRequestWithContext(ctx, o.method, u.String(), bytes.NewReader(o.body))
	if err != nil {
		p := x.stamp(problemOfKind(kindInvalidMember, "The path of the operation is not one of the API."))
		return batchResult{Status: p.Status, Body: a.encode(p)}
	}
	if len(o.body) > 0 {
		request.Header.Set("Content-Type", jsonType)
	}
	if w.Reason != "" {
		request.Header.Set("X-Change-Reason", w.Reason)
	}
	response := &buffered{head: http.Header{}, status: http.StatusOK}
	a.v1.ServeHTTP(response, request)
	return response.result()
}

// buffered is a response that is only remembered.
type buffered struct {
	head   http.Header
	status int
	body   bytes.Buffer
}

// Header is the response's header.
func (b *buffered) Header() http.Header { return b.head }

// WriteHeader remembers the status.
func (b *buffered) WriteHeader(status int) { b.status = status }

// Write remembers the body.
func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }

func (b *buffered) result() batchResult {
	r := batchResult{Status: b.status, ETag: orNull(b.head.Get("ETag")), Body: json.RawMessage("null")}
	if body := bytes.TrimSpace(b.body.Bytes()); json.Valid(body) {
		r.Body = body
	}
	return r
}
