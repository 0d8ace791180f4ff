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

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

const idempotencyHeader = "Idempotency-Key"

// keyed is a request with an Idempotency-Key.
type keyed struct {
	principal, method, path, key string
	hash                         []byte
	// committed is the status of the answer that went into a commit with its
	// change, 0 while none did.
	committed atomic.Int32
}

func newKeyed(request *http.Request, x *exchange, key string) *keyed {
	hash := sha256.New()
	hash.Write([]byte(request.URL.RawQuery + "\n"))
	hash.Write(x.body)
	return &keyed{principal: x.principal.name, method: request.Method, path: request.URL.Path, key: key, hash: hash.Sum(nil)}
}

// keep is the key as the recorder commits it with a change. The recorder may call
// Answer more than once, so that it only makes the answer.
func (k *keyed) keep(show func(dat.Object) *answer) *dat.Kept {
	return &dat.Kept{
		Principal: k.principal, Method: k.method, Path: k.path, Key: k.key, BodyHash: k.hash,
		Answer: func(recorded dat.Object) (int, map[string]string, []byte) {
			ans := show(recorded)
			k.committed.Store(int32(ans.Status))
			return ans.Status, ans.header(), ans.Body
		},
	}
}

// header is what a replay of the answer needs beside status and body.
func (ans *answer) header() map[string]string {
	all := map[string]string{}
	for name, value := range map[string]string{"Content-Type": ans.ContentType, "ETag": ans.ETag, "Location": ans.Location, "Cache-Control": ans.CacheControl} {
		if value != "" {
			all[name] = value
		}
	}
	return all
}

// once lets a request with an Idempotency-Key happen once and gives its
// repetitions the first answer; other requests pass. Dry runs happen nowhere, so
// they are not kept either.
func (a *API) once(r route, ctx huma.Context, next func(huma.Context)) {
	request, w := humachi.Unwrap(ctx)
	keys, present := request.Header[idempotencyHeader]
	if !r.isWrite() || !present || request.URL.Query().Get("dry_run") == "true" {
		next(ctx)
		return
	}
	if len(keys) != 1 || !goodKey(keys[0]) {
		writeProblem(w, request, wrongHeader(idempotencyHeader, "must be 1 to 255 visible ASCII letters, given once"))
		return
	}
	x := exchangeOf(request.Context())
	k := newKeyed(request, x, keys[0])
	first, running, err := a.store.ClaimKey(request.Context(), k.principal, k.method, k.path, k.key)
	switch {
	case err != nil:
		writeProblem(w, request, problemOf(err))
	case running:
		writeProblem(w, request, problemOfKind(kindKeyRunning, "The first request with this Idempotency-Key is still under way. Repeat this one later to get its answer."))
	case first != nil:
		replay(w, request, first, k)
	default:
		defer a.store.ReleaseKey(k.principal, k.method, k.path, k.key)
		x.key = k
		capture := &captured{ResponseWriter: w, status: http.StatusOK}
		next(humachi.NewContext(ctx.Operation(), request, capture))
		a.keepAnswer(request.Context(), k, x, capture)
	}
}

func goodKey(key string) bool {
	for _, c := range key {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return key != "" && len(key) <= 255
}

// replay sends the first answer again, unless the body is another one.
func replay(w http.ResponseWriter, request *http.Request, first *store.StoredAnswer, k *keyed) {
	if !bytes.Equal(first.BodyHash, k.hash) {
		writeProblem(w, request, problemOfKind(kindKeyReused, "This Idempotency-Key was used with another body. Send a new key for a new request."))
		return
	}
	for name, value := range first.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(first.Status)
	_, _ = w.Write(first.Body) // a client that went away is no fault of ours
}

// keepAnswer keeps an answer that came without a change, or that came out other
// than the one that was committed with it. Failures of the service are not kept: a
// repetition tries again.
func (a *API) keepAnswer(ctx context.Context, k *keyed, x *exchange, c *captured) {
	committed := int(k.committed.Load())
	if c.status >= http.StatusInternalServerError || c.status == committed {
		return
	}
	kept := store.StoredAnswer{BodyHash: k.hash, Status: c.status, Header: c.header(), Body: append([]byte{}, c.body.Bytes()...)}
	if x.secret && c.status < http.StatusMultipleChoices {
		kept = secretAnswer(x, k.hash)
	}
	keep := a.store.SaveAnswer
	if committed != 0 {
		keep = a.store.AmendAnswer
	}
	if err := keep(context.WithoutCancel(ctx), k.principal, k.method, k.path, k.key, kept); err != nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "an answer could not be kept for its Idempotency-Key", slog.String("error", err.Error()), slog.String("request_id", x.id))
	}
}

// secretAnswer stands for an answer that carried a credential.
func secretAnswer(x *exchange, hash []byte) store.StoredAnswer {
	p := x.stamp(problemOfKind(kindSecretAnswer, "The first answer carried a credential for "+x.principal.name+" and was not kept. Send the request with a new key."))
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // a problem always has a form
	}
	return store.StoredAnswer{BodyHash: hash, Status: p.Status, Header: map[string]string{"Content-Type": problemType}, Body: body}
}

// captured is a response that is remembered while it is sent.
type captured struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader remembers the status.
func (c *captured) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write remembers the body.
func (c *captured) Write(b []byte) (int, error) {
	c.body.Write(b)
	return c.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *captured) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *captured) header() map[string]string {
	all := map[string]string{}
	for _, name := range []string{"Content-Type", "ETag", "Location", "Cache-Control", "Preference-Applied"} {
		if v := c.Header().Get(name); v != "" {
			all[name] = v
		}
	}
	return all
}
