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

const (
	idempotencyHeader = "Idempotency-Key"
	// replayedHeader is in answers that were stored, or that go on after what was stored.
	replayedHeader = "Idempotency-Replayed"
	replayed       = "true"
)

// retryKey is the Idempotency-Key of a request that is being answered. A key belongs to its principal, method and
// path, and stands for one query and body.
type retryKey struct {
	id store.AnswerKey
	// hash is that of the query and the body.
	hash []byte
	// parts are what is stored of the answer to a batch that was begun before, in the order of its operations.
	parts []store.StoredAnswer
	// stored reports that the call has stored its answer itself.
	stored bool
	// inCommit is the answer that the recorder was given to store in the commit of the request's change; nil if it was
	// given none. The commit may have failed.
	inCommit atomic.Pointer[store.StoredAnswer]
}

func newRetryKey(request *http.Request, info *requestInfo, key string) *retryKey {
	hash := sha256.New()
	hash.Write([]byte(request.URL.RawQuery + "\n"))
	hash.Write(withoutSecretMembers(request.URL.Path, info.body))
	return &retryKey{
		id:   store.AnswerKey{Principal: info.principal.Key(), Method: request.Method, Path: request.URL.Path, Key: key},
		hash: hash.Sum(nil),
	}
}

// secretMembers are those of bodies about who may that no hash is kept of: one could try passwords against it.
var secretMembers = []string{"password", "current_password", "token", "link"}

// withoutSecretMembers returns a body as it is told from others.
func withoutSecretMembers(path string, body []byte) []byte {
	collection := collectionOf(path)
	var members map[string]json.RawMessage
	if collection != "session" && collection != "users" || json.Unmarshal(body, &members) != nil {
		return body
	}
	for _, name := range secretMembers {
		delete(members, name)
	}
	return encode(members)
}

// answer returns a whole answer as it is stored.
func (k *retryKey) answer(ans *answer) store.StoredAnswer {
	return store.StoredAnswer{BodyHash: k.hash, Status: ans.Status, Header: ans.header(), Body: ans.Body}
}

// keyed returns what the recorder needs to know to store an answer, or a part of one, in a commit.
func (k *retryKey) keyed(from, to int) dat.KeyedAnswer {
	return dat.KeyedAnswer{Principal: k.id.Principal, Method: k.id.Method, Path: k.id.Path, Key: k.id.Key, BodyHash: k.hash, From: from, To: to}
}

// giveRecorder hands an answer to the recorder, which stores it in its commit and may ask for it more than once.
func (k *retryKey) giveRecorder(stored store.StoredAnswer) (status int, header map[string]string, body []byte) {
	k.inCommit.Store(&stored)
	return stored.Status, stored.Header, stored.Body
}

// commitAnswer is how the answer to one change is stored in its commit: whole, or as a part of the answer to a batch.
type commitAnswer interface {
	// answerInCommit returns what the recorder stores in the commit of a change: show makes the answer of the recorded
	// object.
	answerInCommit(show func(dat.Object) *answer) *dat.KeyedAnswer
}

func (k *retryKey) answerInCommit(show func(dat.Object) *answer) *dat.KeyedAnswer {
	stored := k.keyed(0, 0)
	stored.Make = func(recorded dat.Object) (int, map[string]string, []byte) {
		return k.giveRecorder(k.answer(show(recorded)))
	}
	return &stored
}

// answerOnce carries out a request with an Idempotency-Key once, and answers its repetitions with the first answer.
// Requests without a key are passed on, and so are reads and dry runs, which change nothing.
func (a *API) answerOnce(r route, ctx huma.Context, next func(huma.Context)) {
	request, w := humachi.Unwrap(ctx)
	info := requestOf(request.Context())
	keys, present := request.Header[idempotencyHeader]
	if !r.isWrite() || !present || info.dryRun {
		next(ctx)
		return
	}
	if len(keys) != 1 || !isVisibleASCII(keys[0], 255) {
		writeProblem(w, request, wrongHeader(idempotencyHeader, "must be 1 to 255 visible ASCII letters, given once"))
		return
	}
	k := newRetryKey(request, info, keys[0])
	stored, running, err := a.store.ClaimKey(request.Context(), k.id)
	if err != nil {
		writeProblem(w, request, problemOf(err))
		return
	}
	if running {
		writeProblem(w, request, document.NewProblem(document.KindKeyRunning, "The first request with this Idempotency-Key is still under way. Repeat this one later to get its answer."))
		return
	}
	defer a.store.ReleaseKey(k.id)
	if len(stored) > 0 && !bytes.Equal(stored[0].BodyHash, k.hash) {
		writeProblem(w, request, document.NewProblem(document.KindKeyReused, "This Idempotency-Key was used with another body. Send a new key for a new request."))
		return
	}
	if len(stored) > 0 && !stored[0].IsPart() {
		replay(w, stored[0])
		return
	}
	k.parts, info.retryKey, info.inCommit = stored, k, k
	sent := &recordedResponse{ResponseWriter: w, status: http.StatusOK}
	next(humachi.NewContext(ctx.Operation(), request, sent))
	a.storeAnswer(request.Context(), k, info, sent)
}

// replay sends a stored answer again.
func replay(w http.ResponseWriter, stored store.StoredAnswer) {
	for name, value := range stored.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set(replayedHeader, replayed)
	w.WriteHeader(stored.Status)
	_, _ = w.Write(stored.Body) // the client may be gone
}

// neverStored are the statuses of answers that only say where or when to ask: a repetition asks anew.
var neverStored = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusRequestTimeout: true,
	http.StatusMisdirectedRequest: true, http.StatusTooManyRequests: true,
}

// isFinal reports whether an answer of a status is one for the repetitions of its request as well: not a failure of
// the service, and none that only says where or when to ask.
func isFinal(status int) bool { return status < http.StatusInternalServerError && !neverStored[status] }

// storeAnswer stores an answer for the repetitions of its request, where the commit of a change has not stored it
// already: the request changed nothing, or waited, so that its answer is another than the one in the commit. Where
// the database does not take it, this process remembers it.
func (a *API) storeAnswer(ctx context.Context, k *retryKey, info *requestInfo, sent *recordedResponse) {
	if k.stored || !isFinal(sent.status) || sent.Header().Get("Retry-After") != "" {
		return
	}
	stored := store.StoredAnswer{BodyHash: k.hash, Status: sent.status, Header: sent.header(), Body: bytes.Clone(sent.body.Bytes())}
	if info.secretAnswer && sent.status < http.StatusMultipleChoices {
		stored = inPlaceOfSecret(info, k.hash)
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	switch committed := k.inCommit.Load(); {
	case committed == nil:
		err = a.store.SaveAnswer(ctx, k.id, stored)
	case committed.Status != stored.Status || !bytes.Equal(committed.Body, stored.Body):
		err = a.store.AmendAnswer(ctx, k.id, stored)
	}
	if err != nil {
		a.store.RememberAnswer(k.id, stored)
		a.warnNotStored(ctx, info, err)
	}
}

// warnNotStored logs that an answer is in the memory of this process only.
func (a *API) warnNotStored(ctx context.Context, info *requestInfo, err error) {
	a.log.LogAttrs(ctx, slog.LevelWarn, "an answer could not be kept for its Idempotency-Key", slog.String("error", err.Error()), slog.String("request_id", info.id))
}

// inPlaceOfSecret returns the answer to the repetitions of a request whose answer carried a credential.
func inPlaceOfSecret(info *requestInfo, hash []byte) store.StoredAnswer {
	p := info.complete(document.NewProblem(document.KindSecretAnswer, "The first answer carried a credential for "+info.principal.Name+" and was not kept. Send the request with a new key."))
	p.Object = info.made
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // every problem can be encoded
	}
	return store.StoredAnswer{BodyHash: hash, Status: p.Status, Header: map[string]string{"Content-Type": document.MediaProblem}, Body: body}
}
