package api

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
)

// How a caller is known.
const (
	byNothing = "none"
	byToken   = "token"
	bySession = "session"
	byNode    = "node"
)

// authenticate finds out who calls. Every call needs a token, or the cookie of a session, but the one that opens a session.
// Writes that a browser sends for a page of another site are refused, unless they bring a token, which such a page does
// not know.
func (a *API) authenticate(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := requestOf(r.Context())
		if r.Header.Get(forwardedHeader) != "" {
			a.authenticateNode(w, r, next)
			return
		}
		if p := a.identify(r, info); p != nil {
			writeProblem(w, r, p)
			return
		}
		if info.by != byToken && protection.Check(r) != nil {
			writeProblem(w, r, document.NewProblem(document.KindForeignOrigin, "A page of another site sent this. Writes are taken from this service's own page, and from clients that are no browsers."))
			return
		}
		if c, ok := r.Context().Value(connectionKey{}).(Connection); ok && info.principal.Kind != "" {
			c.Accept(info.principal.Key())
		}
		next.ServeHTTP(w, r.WithContext(withScope(r.Context())))
	})
}

// identify notes who calls, or returns the refusal of a caller without a good credential.
func (a *API) identify(r *http.Request, info *requestInfo) *document.Problem {
	if a.open {
		info.principal, info.by = access.Anonymous, byNothing
		return nil
	}
	if cookie, err := r.Cookie(a.cookieName(info)); err == nil {
		info.cookie = cookie.Value
	}
	authorization := r.Header.Get("Authorization")
	if scheme, token, ok := strings.Cut(authorization, " "); ok && strings.EqualFold(scheme, "Bearer") {
		info.token = strings.TrimSpace(token)
	}
	switch {
	case info.token != "":
		found, ok, err := a.credentials.Token(r.Context(), info.token)
		return a.take(info, byToken, found, ok, err)
	case authorization != "":
		return a.wrongCredential(info)
	case r.Method == http.MethodPost && r.URL.Path == basePath+sessionPath:
		return nil // who opens a session brings the credential with it
	case info.cookie != "":
		found, ok, err := a.credentials.Session(r.Context(), info.cookie)
		return a.take(info, bySession, found, ok, err)
	}
	return unauthorized()
}

// take notes a credential that was found, or returns the refusal of one that was not.
func (a *API) take(info *requestInfo, by string, found access.Found, ok bool, err error) *document.Problem {
	switch {
	case err != nil:
		return document.NewProblem(document.KindStoreAway, "The database cannot be asked whether the credential is good. The token that the service was started with is taken all the same.")
	case ok:
		info.principal, info.by, info.session, info.unverified = found.Principal, by, found.Session, found.Unverified
		return nil
	case by == byToken:
		return a.wrongCredential(info)
	}
	return unauthorized() // a cookie cannot be guessed, and that of a session that has ended is sent by every open page
}

// wrongCredential counts a wrong credential of an address, and returns its refusal.
func (a *API) wrongCredential(info *requestInfo) *document.Problem {
	a.metrics.wrong.WithLabelValues(wrongToken).Inc()
	if !a.wrong.allow(info.address, time.Now()) {
		return tooManyWrong("Your address has")
	}
	return unauthorized()
}

// unauthorized returns the refusal of a caller without a credential that is good.
func unauthorized() *document.Problem {
	p := document.NewProblem(document.KindUnauthorized, "Say who you are: send Authorization: Bearer <token>, or open a session (POST "+basePath+"/session).")
	p.SetHeader("Www-Authenticate", `Bearer realm="datapi"`)
	return p
}

// tooManyWrong returns the refusal of a wrong credential after too many others of the same origin.
func tooManyWrong(who string) *document.Problem {
	p := document.NewProblem(document.KindWrongCredentials, who+" sent "+strconv.Itoa(maxWrongCredentials)+" wrong credentials within a minute. Send a right token, which is always taken, or wait.")
	p.SetHeader("Retry-After", strconv.Itoa(int(wrongCredentialsIn/maxWrongCredentials/time.Second)))
	return p
}

// authenticateNode takes a call that another node has passed on, for the principal that it names. The other node has
// done what comes after this for its own callers.
func (a *API) authenticateNode(w http.ResponseWriter, r *http.Request, next http.Handler) {
	f, ok := readForwarded(r.Header.Get(forwardedHeader), a.node, a.store.Secret(), time.Now())
	if !ok {
		a.metrics.wrong.WithLabelValues(wrongNode).Inc()
		writeProblem(w, r, document.NewProblem(document.KindUnauthorized, "The header "+forwardedHeader+" is for nodes that pass calls on, and its signature does not hold here. "+
			"A node whose clock differs by more than "+forwardedFor.String()+", or that uses another database, cannot do that."))
		return
	}
	info := requestOf(r.Context())
	info.principal, info.by, info.from, info.signed = f.principal(), byNode, f.From, f
	if c, ok := r.Context().Value(connectionKey{}).(Connection); ok {
		c.Accept("node " + f.From)
	}
	next.ServeHTTP(w, r.WithContext(withScope(r.Context())))
}

// refuseUnsigned refuses a call that another node has passed on where it is not the one that was signed.
func refuseUnsigned(r *http.Request) *document.Problem {
	info := requestOf(r.Context())
	if info.signed.To == "" || info.signed.isOf(r.Method, info.uri, r.Header, info.body) {
		return nil
	}
	return document.NewProblem(document.KindUnauthorized, "The header "+forwardedHeader+" was signed for another call.")
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

// checkReadOnly refuses every write of a read-only service. Sessions may be opened and ended: they change no object.
func (a *API) checkReadOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		collection := collectionOf(r.URL.Path)
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead || collection == "session" || collection == "sessions"
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
