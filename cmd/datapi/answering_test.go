package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// answers are what a service says to each request, which is a method and a target.
type answers map[string]string

// serve starts a service that answers so, and 404 to what it does not know.
func (a answers) serve(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := a[r.Method+" "+r.URL.RequestURI()]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"title":"The handle is not valid","detail":"there is no `+r.URL.Path+`"}`)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
