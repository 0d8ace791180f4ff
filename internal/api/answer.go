package api

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/datapi/datapi/internal/api/document"
)

// answer is what every call but the streams returns. Its body is encoded already, so that it can be sent, stored for
// a retry, and put into a batch's results alike.
type answer struct {
	Status       int
	ETag         string   `header:"ETag" hidden:"true"`
	Location     string   `header:"Location" hidden:"true"`
	CacheControl string   `header:"Cache-Control" hidden:"true"`
	ContentType  string   `header:"Content-Type" hidden:"true"`
	Preference   string   `header:"Preference-Applied" hidden:"true"`
	Replayed     string   `header:"Idempotency-Replayed" hidden:"true"`
	SetCookie    []string `header:"Set-Cookie" hidden:"true"`
	RetryAfter   string   `header:"Retry-After" hidden:"true"`
	// Node is the node that has answered where that is another one.
	Node string `header:"Datapi-Node" hidden:"true"`
	Body []byte
}

// The values of Cache-Control: a cache keeps no copy, or asks before each use whether its copy is still right.
const (
	noStore    = "no-store"
	revalidate = "no-cache"
)

// ok returns an answer of 200 that no cache keeps.
func (a *API) ok(v any) *answer {
	return &answer{Status: http.StatusOK, ContentType: document.MediaJSON, CacheControl: noStore, Body: encode(v)}
}

// noContent returns the answer to a call that has nothing to show.
func noContent() *answer { return &answer{Status: http.StatusNoContent} }

// answerNotModified makes the answer a 304 where the client's If-None-Match names it and caches may keep it.
func (ans *answer) answerNotModified(ifNoneMatch string) {
	if ans.CacheControl != noStore && notModified(ifNoneMatch, ans.ETag) {
		*ans = answer{Status: http.StatusNotModified, ETag: ans.ETag, CacheControl: ans.CacheControl}
	}
}

// header returns the headers that a stored answer needs to be sent again.
func (ans *answer) header() map[string]string {
	all := map[string]string{}
	for name, value := range map[string]string{"Content-Type": ans.ContentType, "ETag": ans.ETag, "Location": ans.Location, "Cache-Control": ans.CacheControl} {
		if value != "" {
			all[name] = value
		}
	}
	return all
}

// etag returns the entity tag of a version.
func etag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

// encode returns v as JSON. It panics where that fails: the service itself has built v.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// emptyIfNil returns the list, which JSON must not show as null.
func emptyIfNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// nullIfEmpty returns a pointer to s, or nil where s is empty.
func nullIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// valueOr returns the value, or where the member was left out another one.
func valueOr[T any](v *T, other T) T {
	if v == nil {
		return other
	}
	return *v
}
