package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/api/document"
)

// limiter gives every principal a number of requests per second: a bucket that
// fills by time and holds two seconds' worth.
type rateLimiter struct {
	rate    float64
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	last   time.Time
}

// newRateLimiter makes a limiter of so many requests per second; 0 is no limit.
func newRateLimiter(rate int) *rateLimiter {
	return &rateLimiter{rate: float64(rate), buckets: map[string]*bucket{}}
}

// allow takes one request of a principal.
func (l *rateLimiter) allow(who string, now time.Time) bool {
	if l.rate <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[who]
	if b == nil {
		b = &bucket{tokens: 2 * l.rate, last: now}
		l.buckets[who] = b
	}
	b.tokens = min(2*l.rate, b.tokens+l.rate*now.Sub(b.last).Seconds())
	b.last = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// limited refuses what is beyond the principal's rate.
func (a *API) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.limiter.allow(requestOf(r.Context()).principal.name, time.Now()) {
			writeProblem(w, r, document.NewProblem(document.KindRateLimited, "This service takes "+strconv.Itoa(int(a.limiter.rate))+" requests per second of one caller. Send fewer."))
			return
		}
		next.ServeHTTP(w, r)
	})
}
