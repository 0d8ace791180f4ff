package api

import (
	"fmt"
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
	// rateWindow is the time, in seconds, whose requests may all be sent at once.
	rateWindow = 2
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
	return newLimiter(rate.Limit(perSecond), rateWindow*perSecond)
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

// allow takes a request, or reports that the caller sends too many.
func (l *rateLimiter) allow(caller string, now time.Time) bool { return l.take(caller, now) == 0 }

// take takes a request, or returns how long the caller must send nothing until the next one is taken. Nothing else than
// what is owed makes a caller wait: how much a request turns out to count as is charged afterwards.
func (l *rateLimiter) take(caller string, now time.Time) (wait time.Duration) {
	if l.limit <= 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.limiter(caller, now).ReserveN(now, 1)
	if wait = next.DelayFrom(now); wait > 0 {
		next.CancelAt(now)
	}
	return wait
}

// charge counts a request that was taken as so many more; what is more than the caller has is owed.
func (l *rateLimiter) charge(caller string, more int, now time.Time) {
	if l.limit <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.limiter(caller, now)
	for ; more > 0; more -= l.burst {
		limiter.ReserveN(now, min(more, l.burst))
	}
}

// remaining returns how many requests of a caller are taken at once now, and in how long it is as many as ever; with a
// limit only.
func (l *rateLimiter) remaining(caller string, now time.Time) (requests int, whole time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens := l.limiter(caller, now).TokensAt(now)
	return max(0, int(tokens)), time.Duration((float64(l.burst) - tokens) / float64(l.limit) * float64(time.Second))
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
func callerOf(info *requestInfo) string {
	if p := info.principal; p.Kind == access.KindToken || p.Kind == access.KindUser {
		return p.Key()
	}
	return "address " + info.address
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

// limitRate refuses the requests that a caller sends too fast, and tells each caller how many it has left.
func (a *API) limitRate(next http.Handler) http.Handler {
	if a.limiter.limit <= 0 {
		return next
	}
	policy := fmt.Sprintf(`"principal";q=%d;w=%d`, a.limiter.burst, rateWindow)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := requestOf(r.Context())
		if info.from != "" { // it was counted where it came from
			next.ServeHTTP(w, r)
			return
		}
		caller, now := callerOf(info), time.Now()
		wait := a.limiter.take(caller, now)
		left, whole := a.limiter.remaining(caller, now)
		w.Header().Set(document.RateLimitPolicyHeader, policy)
		w.Header().Set(document.RateLimitHeader, fmt.Sprintf(`"principal";r=%d;t=%d`, left, seconds(whole)))
		if wait > 0 {
			p := document.NewProblem(document.KindRateLimited, fmt.Sprintf("This service takes %d requests per second of one caller, and a batch counts as what it holds. Send the next one in %d s.", int(a.limiter.limit), seconds(wait)))
			p.SetHeader("Retry-After", strconv.Itoa(seconds(wait)))
			writeProblem(w, r, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// countBatch counts a batch as the operations that it holds.
func (a *API) countBatch(info *requestInfo, operations int) {
	if info.from == "" {
		a.limiter.charge(callerOf(info), operations-1, time.Now())
	}
}

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
