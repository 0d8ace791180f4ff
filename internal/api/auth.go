package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/api/document"
)

// principal is who calls: the name is the actor of the caller's changes, by is how the caller is known.
type principal struct{ name, by string }

// The principals of a service without accounts.
var (
	anonymous = principal{"anonymous", "none"}
	byToken   = principal{"admin", "token"}
	bySession = principal{"admin", "session"}
)

// authenticate finds out who calls. Where the service has a token, every call needs it, or the cookie of a session
// that was opened with it. Writes that a browser sends for a page of another site are refused, unless they bring the
// token, which such a page does not know.
func (a *API) authenticate(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := requestOf(r.Context())
		if r.Header.Get(forwardedHeader) != "" {
			a.authenticateNode(w, r, next)
			return
		}
		caller, ok := a.identify(r, info)
		if !ok && r.Header.Get("Authorization") != "" && !a.wrong.allow(AddressOf(r.RemoteAddr), 1, time.Now()) {
			writeProblem(w, r, tooManyWrong())
			return
		}
		if !ok {
			p := document.NewProblem(document.KindUnauthorized, "This service asks for its token: send Authorization: Bearer <token>, or open a session with it (POST "+basePath+"/session).")
			p.SetHeader("Www-Authenticate", `Bearer realm="datapi"`)
			writeProblem(w, r, p)
			return
		}
		if caller != byToken && protection.Check(r) != nil {
			writeProblem(w, r, document.NewProblem(document.KindForeignOrigin, "A page of another site sent this. Writes are taken from this service's own page, and from clients that are no browsers."))
			return
		}
		info.principal = caller
		if c, ok := r.Context().Value(connectionKey{}).(Connection); ok {
			c.Accept(caller.name)
		}
		next.ServeHTTP(w, r)
	})
}

// authenticateNode takes a call that another node has passed on, for the principal that it names. The other node has
// done what comes after this for its own callers.
func (a *API) authenticateNode(w http.ResponseWriter, r *http.Request, next http.Handler) {
	f, ok := readForwarded(r.Header.Get(forwardedHeader), a.node, a.store.Secret(), time.Now())
	if !ok {
		writeProblem(w, r, document.NewProblem(document.KindUnauthorized, "The header "+forwardedHeader+" is for nodes that pass calls on, and its signature does not hold here. "+
			"A node whose clock differs by more than "+forwardedFor.String()+", or that uses another database, cannot do that."))
		return
	}
	info := requestOf(r.Context())
	info.principal, info.from, info.signed = principal{f.Principal, "node"}, f.From, f
	if c, ok := r.Context().Value(connectionKey{}).(Connection); ok {
		c.Accept("node " + f.From)
	}
	next.ServeHTTP(w, r)
}

// refuseUnsigned refuses a call that another node has passed on where it is not the one that was signed.
func refuseUnsigned(r *http.Request) *document.Problem {
	info := requestOf(r.Context())
	if info.signed.To == "" || info.signed.isOf(r.Method, info.uri, info.body) {
		return nil
	}
	return document.NewProblem(document.KindUnauthorized, "The header "+forwardedHeader+" was signed for another call.")
}

// tooManyWrong returns the refusal of a wrong credential after too many others from its address. A session's cookie does
// not count as one: it cannot be guessed, and that of a session that has ended is sent by every open page.
func tooManyWrong() *document.Problem {
	p := document.NewProblem(document.KindWrongCredentials, "Your address has sent "+strconv.Itoa(maxWrongCredentials)+" wrong credentials within a minute. Send the right one, which is always taken, or wait.")
	p.SetHeader("Retry-After", strconv.Itoa(int(wrongCredentialsIn/maxWrongCredentials/time.Second)))
	return p
}

// Connection is the connection that a request came on, as far as the server that bounds connections wants to know.
type Connection interface {
	// Accept notes that the service has taken a request of a principal on the connection.
	Accept(principal string)
}

type connectionKey struct{}

// WithConnection returns a context for the requests of a connection (http.Server.ConnContext).
func WithConnection(ctx context.Context, c Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// identify returns who calls; ok is false for a caller without the credential that the service needs. It notes the
// session's cookie in info.
func (a *API) identify(r *http.Request, info *requestInfo) (caller principal, ok bool) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		info.cookie = cookie.Value
	}
	if a.token == "" {
		return anonymous, true
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return byToken, equalSecrets(strings.TrimSpace(token), a.token)
	}
	return bySession, info.cookie != "" && r.Header.Get("Authorization") == "" && a.sessions.isOpen(info.cookie, time.Now())
}

// equalSecrets compares in a time that tells neither the texts nor their lengths.
func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// checkReadOnly refuses every write of a read-only service. Sessions may be opened and ended: they change no object.
func (a *API) checkReadOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.URL.Path == basePath+sessionPath
		if a.readOnly && !reads {
			writeProblem(w, r, document.NewProblem(document.KindReadOnly, "This service was started with --read-only; it answers reads only."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkHost refuses requests under a name that is not the service's: a page of another site can reach a service on
// loopback by a name of its own (DNS rebinding).
func (a *API) checkHost(next http.Handler) http.Handler { return checkHost(a.hosts, next) }

func checkHost(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isHost(hosts, r.Host) {
			writeProblem(w, r, document.NewProblem(document.KindForeignOrigin, "The Host header names "+strconv.Quote(r.Host)+", which is not this service. Address it by its own name or address."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isHost reports whether a Host header is an address, localhost, or one of the given names; none allow any.
func isHost(hosts []string, hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if len(hosts) == 0 || host == "" || strings.EqualFold(host, "localhost") || net.ParseIP(strings.Trim(host, "[]")) != nil {
		return true
	}
	return slices.ContainsFunc(hosts, func(known string) bool { return strings.EqualFold(known, host) })
}
