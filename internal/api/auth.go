package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// principal is who calls.
type principal struct{ name, by string }

// The principals that there are without accounts.
var (
	anonymous = principal{"anonymous", "none"}
	byToken   = principal{"admin", "token"}
	bySession = principal{"admin", "session"}
)

// authenticated finds out who calls. Where the service has a token, every call
// needs it, or the cookie of a session that was opened with it.
func (a *API) authenticated(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		who, ok := a.whoCalls(r, x)
		if !ok {
			p := problemOfKind(kindUnauthorized, "This service asks for its token: send Authorization: Bearer <token>, or open a session with it (POST "+basePath+"/session).")
			p.header = http.Header{"Www-Authenticate": {`Bearer realm="datapi"`}}
			writeProblem(w, r, p)
			return
		}
		if who.by != byToken.by && protection.Check(r) != nil {
			writeProblem(w, r, problemOfKind(kindForeignOrigin, "A page of another site sent this. Writes are taken from this service's own page, and from clients that are no browsers."))
			return
		}
		x.principal = who
		next.ServeHTTP(w, r)
	})
}

func (a *API) whoCalls(r *http.Request, x *exchange) (principal, bool) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		x.cookie = cookie.Value
	}
	if a.token == "" {
		return anonymous, true
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return byToken, sameSecret(strings.TrimSpace(token), a.token)
	}
	return bySession, x.cookie != "" && r.Header.Get("Authorization") == "" && a.sessions.lives(x.cookie, time.Now())
}

// sameSecret compares in a time that tells nothing of either.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// writable refuses every write of a read-only service; sessions are no writes of
// DAT's.
func (a *API) writable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.URL.Path == basePath+"/session"
		if a.readOnly && !reads {
			writeProblem(w, r, problemOfKind(kindReadOnly, "This service was started with --read-only; it answers reads only."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost refuses requests under a name that is not the service's, which is how
// a page of another site reaches a service on loopback (DNS rebinding).
func (a *API) knownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.isHost(r.Host) {
			writeProblem(w, r, problemOfKind(kindForeignOrigin, "The Host header names "+quoted(r.Host)+", which is not this service. Address it by its own name or address."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isHost tells whether the Host header is an address, localhost, or a known name.
func (a *API) isHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if len(a.hosts) == 0 || host == "" || strings.EqualFold(host, "localhost") || net.ParseIP(strings.Trim(host, "[]")) != nil {
		return true
	}
	return slices.ContainsFunc(a.hosts, func(known string) bool { return strings.EqualFold(known, host) })
}
