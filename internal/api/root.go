package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// root is the whole HTTP side: what holds for every request comes first.
func (a *API) root(cfg Config) http.Handler {
	r := chi.NewMux()
	r.Use(withExchange, a.observed, a.recovered, middleware.GetHead)
	r.Group(func(open chi.Router) {
		open.Get("/livez", a.livez)
		open.Get("/readyz", a.readyz)
		if cfg.Metrics {
			open.Handle("/metrics", a.Metrics)
		} else {
			open.Get("/metrics", http.NotFound) // they have an address of their own; the page is no answer
		}
		for path, d := range a.docs {
			open.Get(path, d.serve)
		}
		open.Get(guidesPath+"*", a.noGuide)
		open.Get("/problems/{name}", a.problemPage)
		open.Get("/problems", a.problemPage)
	})
	r.Route("/api", func(api chi.Router) {
		api.NotFound(a.noRoute)
		api.MethodNotAllowed(a.wrongMethod)
		api.Use(apiHeaders, a.knownHost, a.authenticated, a.limited, a.writable)
		api.Mount("/v1", a.v1)
	})
	if cfg.Web != nil {
		r.NotFound(cfg.Web.ServeHTTP)
		r.MethodNotAllowed(a.wrongMethod)
	}
	return r
}

// apiHeaders are what every answer of the API bears.
func apiHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", noStore)
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into a problem and a line in the log.
func (a *API) recovered(next http.Handler) http.Handler {
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
				slog.String("request_id", exchangeOf(r.Context()).id))
			writeProblem(w, r, problemOf(nil))
		}()
		next.ServeHTTP(w, r)
	})
}

// writeProblem sends a problem.
func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	body, err := json.Marshal(exchangeOf(r.Context()).stamp(p))
	if err != nil {
		panic(err) // a problem always has a form
	}
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", problemType)
	w.Header().Set("Cache-Control", noStore)
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // a client that went away is no fault of ours
}

// noRoute answers for paths that are none of the API's.
func (a *API) noRoute(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, r, problemOfKind(kindNoRoute, "The API has no "+exchangeOf(r.Context()).path+". The reference page, /docs, lists all paths."))
}

var methods = []string{http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut}

// wrongMethod answers for methods that a path does not have.
func (a *API) wrongMethod(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), basePath)
	var allowed []string
	for _, m := range methods {
		if a.v1.Match(chi.NewRouteContext(), m, path) {
			allowed = append(allowed, m)
			if m == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	if len(allowed) == 0 {
		allowed = []string{http.MethodGet, http.MethodHead}
	}
	p := problemOfKind(kindMethodNotAllowed, "This path takes "+strings.Join(allowed, ", ")+", not "+r.Method+".")
	p.header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	writeProblem(w, r, p)
}

// serve sends prebuilt bytes, or 304 where the client has them.
func (d document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", d.etag)
	h.Set("Cache-Control", revalidate)
	h.Set("X-Content-Type-Options", "nosniff")
	if strings.HasPrefix(d.contentType, "text/html") {
		h.Set("Content-Security-Policy", pagePolicy)
	}
	if notModified(r.Header.Get("If-None-Match"), d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.contentType)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(d.body) // a client that went away is no fault of ours
	}
}

// livez answers while the process lives; it touches nothing.
func (a *API) livez(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") }

// readyz tells whether the service can do its work; ?verbose names each check.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	status, lines := http.StatusOK, []string{}
	for _, c := range []struct {
		name string
		err  error
	}{{"store", a.store.Ready(r.Context())}, {"writes", a.store.Recorder().Away()}, {"ias", a.anyIA()}} {
		if c.err == nil {
			lines = append(lines, "[+] "+c.name+" ok")
			continue
		}
		status = http.StatusServiceUnavailable
		lines = append(lines, "[-] "+c.name+": "+reason(c.err))
	}
	text := map[int]string{http.StatusOK: "ok\n", http.StatusServiceUnavailable: "not ready\n"}[status]
	if _, verbose := r.URL.Query()["verbose"]; verbose || status != http.StatusOK {
		text = strings.Join(lines, "\n") + "\n" + text
	}
	writeText(w, status, text)
}

func (a *API) anyIA() error {
	if len(a.manager.IAs()) == 0 {
		return errors.New("no interface adapter is open")
	}
	return nil
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", noStore)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // a client that went away is no fault of ours
}

// observed counts and logs a request when it is answered.
func (a *API) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		took, pattern := time.Since(start), patternOf(r)
		a.metrics.request(r.Method, pattern, seen.status, took)
		a.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", r.Method), slog.String("route", pattern),
			slog.Int("status", seen.status), slog.Duration("took", took), slog.String("request_id", exchangeOf(r.Context()).id))
	})
}

// patternOf is the route of a request; paths of no route share one word, so that
// nobody can fill the metrics.
func patternOf(r *http.Request) string {
	if rc := chi.RouteContext(r.Context()); rc != nil {
		if p := rc.RoutePattern(); p != "" && !strings.HasSuffix(p, "*") {
			return p
		}
	}
	return "other"
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
