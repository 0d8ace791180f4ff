package api

import (
	"context"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/datapi/datapi/internal/manager"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

const requestIDHeader = "X-Request-ID"

// exchange is what the service knows of the request that it answers.
type exchange struct {
	id        string
	path      string
	principal principal
	// cookie is the session's value where the request came with one.
	cookie string
	// secure tells that the client speaks TLS.
	secure bool
	// key is the Idempotency-Key under way, nil where there is none.
	key *keyed
	// known is If-None-Match.
	known string
	// body is what the request brought.
	body []byte
	// secret tells that the answer carries a credential and must not be kept.
	secret bool
}

type exchangeKey struct{}

// exchangeOf is the exchange of a request's context; a context without one gets
// an empty one.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// withExchange starts the exchange of a request and returns its id to the client.
func withExchange(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{id: r.Header.Get(requestIDHeader), path: r.URL.Path, secure: r.TLS != nil, known: r.Header.Get("If-None-Match")}
		if !goodRequestID(x.id) {
			x.id = uuid.Must(uuid.NewV7()).String()
		}
		w.Header().Set(requestIDHeader, x.id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	})
}

// goodRequestID takes 1 to 128 visible ASCII letters.
func goodRequestID(id string) bool {
	for _, c := range id {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// stamp completes a problem with what the exchange knows.
func (x *exchange) stamp(p *Problem) *Problem {
	p.RequestID, p.Instance = x.id, x.path
	return p
}

// call is who asks, why, and on what condition. keep, where set, makes the answer
// of the recorded object, which is then committed with the change.
func (a *API) call(ctx context.Context, w Write, keep func(dat.Object) *answer) (manager.Call, error) {
	x := exchangeOf(ctx)
	c := manager.Call{Actor: x.principal.name, RequestID: x.id, Reason: headerText(w.Reason), DryRun: w.DryRun, Operator: true}
	match, err := w.match()
	if err != nil {
		return c, err
	}
	c.Match = match
	if x.key != nil && keep != nil && !w.DryRun {
		c.Keep = x.key.keep(keep)
	}
	return c, nil
}

// headerText reads a header as UTF-8, and as Latin-1 where it is not that.
func headerText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// positive reads a whole number from 1.
func positive(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > 0
}

func number(n int) string { return strconv.Itoa(n) }

func quoted(s string) string { return strconv.Quote(s) }
