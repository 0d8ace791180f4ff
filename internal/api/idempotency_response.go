package api

import (
	"bytes"
	"net/http"
)

// recordedResponse remembers a response while it is sent.
type recordedResponse struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader remembers the status.
func (r *recordedResponse) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Write remembers the body.
func (r *recordedResponse) Write(b []byte) (int, error) {
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recordedResponse) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// storedHeaders are the headers that a stored answer is sent again with.
var storedHeaders = []string{"Content-Type", "ETag", "Location", "Cache-Control", "Preference-Applied"}

func (r *recordedResponse) header() map[string]string {
	all := map[string]string{}
	for _, name := range storedHeaders {
		if v := r.Header().Get(name); v != "" {
			all[name] = v
		}
	}
	return all
}
