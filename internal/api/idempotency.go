package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

const idempotencyHeader = "Idempotency-Key"

// retryKey is the Idempotency-Key of a request that is being answered. A key belongs to its principal, method and
// path, and stands for one query and body.
type retryKey struct {
	principal, method, path, key string
	// hash is that of the query and the body.
	hash []byte
	// committedStatus is the status of the answer that was stored in the commit of the request's change; 0 if none was.
	committedStatus atomic.Int32
}

func newRetryKey(request *http.Request, info *requestInfo, key string) *retryKey {
	hash := sha256.New()
	hash.Write([]byte(request.URL.RawQuery + "\n"))
	hash.Write(info.body)
	return &retryKey{principal: info.principal.name, method: request.Method, path: request.URL.Path, key: key, hash: hash.Sum(nil)}
}

// answerInCommit returns what the recorder stores of the request in the commit of its change: show makes the answer of
// the recorded object. The recorder may ask for the answer more than once.
func (k *retryKey) answerInCommit(show func(dat.Object) *answer) *dat.Kept {
	return &dat.Kept{
		Principal: k.principal, Method: k.method, Path: k.path, Key: k.key, BodyHash: k.hash,
		Answer: func(recorded dat.Object) (int, map[string]string, []byte) {
			ans := show(recorded)
			k.committedStatus.Store(int32(ans.Status))
			return ans.Status, ans.header(), ans.Body
		},
	}
}

// answerOnce carries out a request with an Idempotency-Key once, and answers its repetitions with the first answer.
// Requests without a key are passed on, and so are reads and dry runs, which change nothing.
func (a *API) answerOnce(r route, ctx huma.Context, next func(huma.Context)) {
	request, w := humachi.Unwrap(ctx)
	keys, present := request.Header[idempotencyHeader]
	if !r.isWrite() || !present || request.URL.Query().Get("dry_run") == "true" {
		next(ctx)
		return
	}
	if len(keys) != 1 || !isVisibleASCII(keys[0], 255) {
		writeProblem(w, request, wrongHeader(idempotencyHeader, "must be 1 to 255 visible ASCII letters, given once"))
		return
	}
	info := requestOf(request.Context())
	k := newRetryKey(request, info, keys[0])
	first, running, err := a.store.ClaimKey(request.Context(), k.principal, k.method, k.path, k.key)
	switch {
	case err != nil:
		writeProblem(w, request, problemOf(err))
	case running:
		writeProblem(w, request, document.NewProblem(document.KindKeyRunning, "The first request with this Idempotency-Key is still under way. Repeat this one later to get its answer."))
	case first != nil:
		replay(w, request, first, k)
	default:
		defer a.store.ReleaseKey(k.principal, k.method, k.path, k.key)
		info.retryKey = k
		recorded := &recordedResponse{ResponseWriter: w, status: http.StatusOK}
		next(humachi.NewContext(ctx.Operation(), request, recorded))
		a.storeAnswer(request.Context(), k, info, recorded)
	}
}

// replay sends the first answer again, unless the query or the body is another one.
func replay(w http.ResponseWriter, request *http.Request, first *store.StoredAnswer, k *retryKey) {
	if !bytes.Equal(first.BodyHash, k.hash) {
		writeProblem(w, request, document.NewProblem(document.KindKeyReused, "This Idempotency-Key was used with another body. Send a new key for a new request."))
		return
	}
	for name, value := range first.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(first.Status)
	_, _ = w.Write(first.Body) // the client may be gone
}

// storeAnswer stores an answer for the repetitions of its request, where the commit of a change has not stored it
// already: the request changed nothing, or waited, so that its answer is another than the one in the commit. Failures
// of the service are not stored, so that a repetition tries again.
func (a *API) storeAnswer(ctx context.Context, k *retryKey, info *requestInfo, sent *recordedResponse) {
	committed := int(k.committedStatus.Load())
	if sent.status >= http.StatusInternalServerError || sent.status == committed {
		return
	}
	stored := store.StoredAnswer{BodyHash: k.hash, Status: sent.status, Header: sent.header(), Body: bytes.Clone(sent.body.Bytes())}
	if info.secretAnswer && sent.status < http.StatusMultipleChoices {
		stored = inPlaceOfSecret(info, k.hash)
	}
	save := a.store.SaveAnswer
	if committed != 0 {
		save = a.store.AmendAnswer
	}
	if err := save(context.WithoutCancel(ctx), k.principal, k.method, k.path, k.key, stored); err != nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "an answer could not be kept for its Idempotency-Key", slog.String("error", err.Error()), slog.String("request_id", info.id))
	}
}

// inPlaceOfSecret returns the answer to the repetitions of a request whose answer carried a credential.
func inPlaceOfSecret(info *requestInfo, hash []byte) store.StoredAnswer {
	p := info.complete(document.NewProblem(document.KindSecretAnswer, "The first answer carried a credential for "+info.principal.name+" and was not kept. Send the request with a new key."))
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // every problem can be encoded
	}
	return store.StoredAnswer{BodyHash: hash, Status: p.Status, Header: map[string]string{"Content-Type": document.MediaProblem}, Body: body}
}

// recordedResponse remembers a response while it is sent.
type recordedResponse struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader remembers the status.
func (r *recordedResponse) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Write remembers the body.
func (r *recordedResponse) Write(b []byte) (int, error) {
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recordedResponse) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// storedHeaders are the headers that a stored answer is sent again with.
var storedHeaders = []string{"Content-Type", "ETag", "Location", "Cache-Control", "Preference-Applied"}

func (r *recordedResponse) header() map[string]string {
	all := map[string]string{}
	for _, name := range storedHeaders {
		if v := r.Header().Get(name); v != "" {
			all[name] = v
		}
	}
	return all
}
