package api

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/datapi/datapi/internal/api/document"
)

// root returns the handler of the whole HTTP side. Under /api each middleware may end a request; health, documents
// and the page need no credential.
func (a *API) root(cfg Config) http.Handler {
	r := chi.NewMux()
	r.Use(withRequestInfo, a.boundExchange, a.logRequest, a.recoverPanic, middleware.GetHead)
	r.Group(func(open chi.Router) {
		open.Get("/livez", a.livez)
		open.Get("/readyz", a.readyz())
		if cfg.Metrics {
			open.With(a.checkHost, a.authenticate, refuseScoped).Handle("/metrics", a.metrics.handler())
		} else {
			open.Get("/metrics", http.NotFound) // they have a listener of their own; the page must not answer here
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
		api.Use(setAPIHeaders, a.checkHost, a.authenticate, a.limitRate, a.checkReadOnly)
		api.Mount("/v1", a.v1)
	})
	if cfg.Web != nil {
		r.NotFound(cfg.Web.ServeHTTP)
		r.MethodNotAllowed(a.wrongMethod)
	}
	return r
}

// setAPIHeaders sets the headers of every answer of the API.
func setAPIHeaders(next http.Handler) http.Handler {
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

// collectionOf returns the first part of a call's path, which names what it is about.
func collectionOf(path string) string {
	collection, _, _ := strings.Cut(strings.TrimPrefix(path, basePath+"/"), "/")
	return collection
}

// noRoute answers for paths that the API does not have.
func (a *API) noRoute(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, r, document.NewProblem(document.KindNoRoute, "The API has no "+requestOf(r.Context()).path+". The reference page, /docs, lists all paths."))
}

// methods are those that calls have; HEAD goes with GET.
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
	list := strings.Join(allowed, ", ")
	p := document.NewProblem(document.KindMethodNotAllowed, "This path takes "+list+", not "+r.Method+".")
	p.SetHeader("Allow", list)
	writeProblem(w, r, p)
}
