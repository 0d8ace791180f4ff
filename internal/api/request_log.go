package api

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
)

// logRequest counts and logs each request when it has been answered.
func (a *API) logRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		watched := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		a.metrics.running.Inc()
		defer a.metrics.running.Dec()
		r, span := startSpan(r)
		next.ServeHTTP(watched, r)
		took, pattern, info := time.Since(start), patternOf(r), requestOf(r.Context())
		endSpan(span, r.Method, pattern, watched.status, info)
		a.metrics.request(r.Method, pattern, watched.status, info.problem, took)
		a.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", r.Method), slog.String("route", pattern),
			slog.Int("status", watched.status), slog.String("problem", info.problem), slog.Duration("took", took), slog.String("request_id", info.id), slog.String("trace_id", traceOf(r.Context())))
	})
}

// patternOf returns the route of a request. All paths without a route share one word, so that nobody can fill the
// metrics with invented ones.
func patternOf(r *http.Request) string {
	if rc := chi.RouteContext(r.Context()); rc != nil {
		if p := rc.RoutePattern(); p != "" && !strings.HasSuffix(p, "*") {
			return p
		}
	}
	return "other"
}

// recoverPanic turns a panic into an internal error and a line in the log.
func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			caught := recover()
			if caught == nil {
				return
			}
			if err, ok := caught.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(caught)
			}
			a.log.LogAttrs(r.Context(), slog.LevelError, "a call panicked", slog.Any("panic", caught), slog.String("stack", string(debug.Stack())),
				slog.String("request_id", requestOf(r.Context()).id))
			writeProblem(w, r, problemOf(nil))
		}()
		next.ServeHTTP(w, r)
	})
}

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
