package api

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// requestInfo is what the service knows of a request while it answers it. One goroutine at a time uses it.
type requestInfo struct {
	// id is the X-Request-ID, taken or made.
	id        string
	path      string
	principal access.Principal
	// by is how the principal is known: none, token, session, or node where another node says so.
	by string
	// token is the token that the client has sent, "" for none; session is the id of the session of its cookie.
	token, session string
	// unverified reports that the database could not be asked lately whether the credential is still good.
	unverified bool
	// address is where the request came from, host the name or address by which the client knows the service.
	address, host string
	// from is the node that has passed the request on, "" where it came from its client; signed is what that node says.
	from   string
	signed forwarded
	// key is the Idempotency-Key that the client sent, "" for none.
	key string
	// uri is the path with the query as they came.
	uri string
	// unforwarded reports that no other node is to be asked.
	unforwarded bool
	// cookie is the session's, "" if there is none.
	cookie string
	// tls reports that the client speaks TLS.
	tls bool
	// retryKey is the Idempotency-Key of the request, nil if there is none.
	retryKey *retryKey
	// inCommit stores the request's answer in the commit of its change; nil where no answer is stored.
	inCommit commitAnswer
	// ifNoneMatch is the header of this name.
	ifNoneMatch string
	// body is what the request brought.
	body []byte
	// dryRun reports that the request only asks what a write would do; readDryRun alone sets it.
	dryRun bool
	// checked is the body for its validation, nil where there is none or it is no JSON.
	checked *document.CheckedBody
	// answer is the memory that the answer takes while the client has not taken it; nil where it goes to no client.
	answer *memoryShare
	// secretAnswer reports that the answer carries a credential and must not be stored; made is what it made.
	secretAnswer bool
	made         *document.MadeRef
}

type requestInfoKey struct{}

// requestOf returns what is known of the request of a context; a context without a request gets an empty one.
func requestOf(ctx context.Context) *requestInfo {
	if info, ok := ctx.Value(requestInfoKey{}).(*requestInfo); ok {
		return info
	}
	return &requestInfo{}
}

// withRequestInfo gives the request its requestInfo, and the client the request's id.
func withRequestInfo(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := &requestInfo{
			id: r.Header.Get(document.RequestIDHeader), path: r.URL.Path, uri: r.URL.RequestURI(), key: r.Header.Get(idempotencyHeader), tls: r.TLS != nil, ifNoneMatch: r.Header.Get("If-None-Match"), address: AddressOf(r.RemoteAddr), host: r.Host,
		}
		if !isVisibleASCII(info.id, 128) {
			info.id = uuid.Must(uuid.NewV7()).String()
		}
		w.Header().Set(document.RequestIDHeader, info.id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestInfoKey{}, info)))
	})
}

// complete adds to a problem which request it answers.
func (info *requestInfo) complete(p *document.Problem) *document.Problem {
	p.RequestID, p.Instance = info.id, info.path
	return p
}

// call returns who asks the Manager for a write, why, and on what condition. show, which may be nil, makes the answer
// from the recorded object: it is then stored in the commit of the change, for a retry with the same Idempotency-Key.
func (a *API) call(ctx context.Context, w Write, show func(dat.Object) *answer) (manager.Call, error) {
	info := requestOf(ctx)
	c := manager.Call{Actor: info.principal.Name, ActorKind: string(info.principal.Kind), RequestID: info.id, Reason: headerText(w.Reason), DryRun: w.DryRun}
	match, err := w.match()
	if err != nil {
		return c, err
	}
	c.Match = match
	if info.inCommit != nil && show != nil && !w.DryRun {
		c.Answer = info.inCommit.answerInCommit(show)
	}
	return c, nil
}

// headerText returns a header's value read as UTF-8, or as Latin-1 where it is not that.
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

// isVisibleASCII reports whether s has 1 to limit characters, all of them visible ASCII.
func isVisibleASCII(s string, limit int) bool {
	for _, c := range s {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return s != "" && len(s) <= limit
}
