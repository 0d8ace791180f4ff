package api

import (
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
)

const (
	// maxCallers bounds how many callers the limiter tells apart; those beyond share one limit.
	maxCallers = 10_000
	// maxWrongCredentials is how many wrong credentials may come from one address in wrongCredentialsIn: a person who
	// mistypes stays below it, and a guesser gets nowhere.
	maxWrongCredentials = 10
	wrongCredentialsIn  = time.Minute
	// dropEvery is how often callers that send nothing are dropped, dropEveryFull where there is no room for a new one.
	dropEvery, dropEveryFull = time.Minute, time.Second
)

// rateLimiter allows each caller a number of requests in a time, and so many at once.
type rateLimiter struct {
	// limit is in requests per second; 0 is no limit.
	limit rate.Limit
	burst int

	mu      sync.Mutex
	callers map[string]*rate.Limiter
	// others is the limit that callers share for whom there is no room.
	others *rate.Limiter
	// dropped is when idle callers were last dropped.
	dropped time.Time
}

// newRateLimiter returns a limiter of so many requests per second, and twice that number at once; 0 is no limit.
func newRateLimiter(perSecond int) *rateLimiter {
	return newLimiter(rate.Limit(perSecond), 2*perSecond)
}

// newWrongCredentials returns a limiter of wrong credentials.
func newWrongCredentials() *rateLimiter {
	return newLimiter(rate.Every(wrongCredentialsIn/maxWrongCredentials), maxWrongCredentials)
}

func newLimiter(limit rate.Limit, burst int) *rateLimiter {
	l := &rateLimiter{limit: limit, burst: burst, callers: map[string]*rate.Limiter{}}
	l.others = l.newCaller()
	return l
}

func (l *rateLimiter) newCaller() *rate.Limiter { return rate.NewLimiter(l.limit, l.burst) }

// allow takes a request that counts as cost requests. One that counts as more than may come at once is taken when the
// caller has sent nothing for a while; the rest is owed, so that the caller's next request must wait for it.
func (l *rateLimiter) allow(caller string, cost int, now time.Time) bool {
	if l.limit <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter, burst := l.limiter(caller, now), l.burst
	if !limiter.AllowN(now, min(cost, burst)) {
		return false
	}
	for owed := cost - burst; owed > 0; owed -= burst {
		limiter.ReserveN(now, min(owed, burst))
	}
	return true
}

// refund gives back what allow has taken for a request that turned out not to count.
func (l *rateLimiter) refund(caller string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.limiter(caller, now); known.TokensAt(now) < float64(l.burst) {
		known.AllowN(now, -1)
	}
}

// limiter returns the caller's limiter, which it makes at the caller's first request. l.mu is held.
func (l *rateLimiter) limiter(caller string, now time.Time) *rate.Limiter {
	if known, ok := l.callers[caller]; ok {
		return known
	}
	since := now.Sub(l.dropped)
	if full := len(l.callers) >= maxCallers; since >= dropEvery || full && since >= dropEveryFull {
		l.dropIdle(now)
	}
	if len(l.callers) >= maxCallers {
		return l.others
	}
	made := l.newCaller()
	l.callers[caller] = made
	return made
}

// dropIdle drops the limiters that allow as much as a new one. l.mu is held.
func (l *rateLimiter) dropIdle(now time.Time) {
	l.dropped = now
	for caller, limiter := range l.callers {
		if limiter.TokensAt(now) >= float64(l.burst) {
			delete(l.callers, caller)
		}
	}
}

// callerOf returns whose requests are counted together: a principal's, or where nobody is asked who they are, those of
// one address.
func callerOf(p access.Principal, remoteAddr string) string {
	if p.Kind == access.KindToken || p.Kind == access.KindUser {
		return p.Key()
	}
	return "address " + AddressOf(remoteAddr)
}

// AddressOf returns the address of a client's address and port, by which clients are counted: IPv6 counts by networks of
// 64 bits, of which one host can use every address. What is no address and port is returned as it is.
func AddressOf(remote string) string {
	host, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	addr := host.Addr().Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, 64).Masked().String()
}

// limitRate refuses the requests that a caller sends too fast.
func (a *API) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passedOn := requestOf(r.Context()).from != "" // it was counted where it came from
		if !passedOn && !a.limiter.allow(callerOf(requestOf(r.Context()).principal, r.RemoteAddr), 1, time.Now()) {
			writeProblem(w, r, document.NewProblem(document.KindRateLimited, "This service takes "+strconv.Itoa(int(a.limiter.limit))+" requests per second of one caller. Send fewer."))
			return
		}
		next.ServeHTTP(w, r)
	})
}
