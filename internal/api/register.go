package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// route is one call of the API: a line of the lists that the files of the
// resources hand to register.
type route struct {
	// id is verb-noun in kebab case, path is relative to /api/v1.
	id, method, path string
	tag              string
	summary, about   string
	// status is that of the call when it is done (200 where 0).
	status int
	// later tells that the call may also answer 202 before it is done, or 200
	// after a wait (Prefer: wait=N).
	later bool
	// answer is the Go type of the body, nil where there is none.
	answer reflect.Type
	// answerType is the body's media type, JSON where empty.
	answerType string
	// bodyTypes are the media types that the call takes beside JSON.
	bodyTypes []string
	// maxBody is in bytes, 1 MiB where 0.
	maxBody int64
	// versioned answers carry an ETag, made ones a Location.
	versioned, makes bool
	// mayBeEmpty are query parameters that may be present and empty.
	mayBeEmpty []string
	// open calls need no credential.
	open bool
	// refusals are statuses that this call has beside those of its kind.
	refusals []int
}

// answer is what every call but the streams gives back: encoded already, so that
// it can be sent, kept for a retry and cached alike.
type answer struct {
	Status       int
	ETag         string   `header:"ETag" hidden:"true"`
	Location     string   `header:"Location" hidden:"true"`
	CacheControl string   `header:"Cache-Control" hidden:"true"`
	ContentType  string   `header:"Content-Type" hidden:"true"`
	Preference   string   `header:"Preference-Applied" hidden:"true"`
	SetCookie    []string `header:"Set-Cookie" hidden:"true"`
	Body         []byte
}

// unlessKnown makes the answer a 304 where the client has it already and it may be
// kept.
func (ans *answer) unlessKnown(x *exchange) {
	if ans.CacheControl != noStore && notModified(x.known, ans.ETag) {
		*ans = answer{Status: http.StatusNotModified, ETag: ans.ETag, CacheControl: ans.CacheControl}
	}
}

// isWrite tells the methods that change something.
func (r route) isWrite() bool { return r.method != http.MethodGet }

// register is the only door to huma.Register: it documents the call, puts the
// conventions around its handler, and maps and logs what the handler refuses.
func register[I, O any](a *API, r route, handle func(context.Context, *I) (*O, error)) {
	op := a.operation(r)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, a.refusal(ctx, err)
		}
		if ans, ok := any(out).(*answer); ok && r.method == http.MethodGet {
			ans.unlessKnown(exchangeOf(ctx))
		}
		return out, nil
	})
	a.finish(r)
}

// operation is the huma description of a route.
func (a *API) operation(r route) huma.Operation {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.maxBody == 0 {
		r.maxBody = maxBody
	}
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Tags: []string{r.tag},
		Summary: r.summary, Description: r.about,
		DefaultStatus: r.status,
		MaxBodyBytes:  -1, BodyReadTimeout: -1, // the body is read and limited before huma
		Responses: a.responses(r),
	}
	if r.open {
		op.Security = []map[string][]string{{}}
	}
	op.Middlewares = huma.Middlewares{a.conventions(r)}
	return op
}

// finish completes what huma documented: no body where there is none, and the
// media types of the call's own.
func (a *API) finish(r route) {
	op := a.documented(r)
	a.queries[r.id] = queryRulesOf(op)
	if r.answer == nil {
		op.Responses[strconv.Itoa(op.DefaultStatus)].Content = nil
	}
	body := op.RequestBody
	if body == nil {
		return
	}
	for _, media := range r.bodyTypes {
		if first := body.Content[jsonType]; first != nil {
			body.Content[media] = first
		}
	}
}

// documented finds the operation of a route in the document.
func (a *API) documented(r route) *huma.Operation {
	item := a.huma.OpenAPI().Paths[r.path]
	return map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
	}[r.method]
}

const (
	jsonType       = "application/json"
	mergePatchType = "application/merge-patch+json"
	octetsType     = "application/octet-stream"
	eventsType     = "text/event-stream"
)

// responses documents the answers of a route: its own and its refusals.
func (a *API) responses(r route) map[string]*huma.Response {
	all := map[string]*huma.Response{}
	done := &huma.Response{Description: http.StatusText(r.status), Headers: responseHeaders(r)}
	if r.answer != nil {
		media := r.answerType
		if media == "" {
			media = jsonType
		}
		done.Content = map[string]*huma.MediaType{media: {Schema: a.answerSchema(r)}}
	}
	all[strconv.Itoa(r.status)] = done
	if r.later {
		now := *done
		now.Description = "The outcome, where the call waited for it (Prefer: wait=N)."
		all["200"] = &now
	}
	a.documentRefusals(r, all)
	return all
}

// documentRefusals documents the problems of a route, one answer for those of the
// caller and one for the others, so that clients get one type and not twenty.
func (a *API) documentRefusals(r route, all map[string]*huma.Response) {
	statuses := map[string][]string{}
	for _, status := range slices.Sorted(slices.Values(r.refusalStatuses())) {
		if status == http.StatusNotModified {
			all["304"] = &huma.Response{Description: "The copy that the client has is still right (If-None-Match)."}
			continue
		}
		class := strconv.Itoa(status/100) + "XX"
		statuses[class] = append(statuses[class], strconv.Itoa(status)+" "+http.StatusText(status))
	}
	problem := map[string]*huma.MediaType{problemType: {Schema: a.schemas.Schema(reflect.TypeFor[Problem](), true, "")}}
	for class, list := range statuses {
		all[class] = &huma.Response{Description: "A problem that says why: " + strings.Join(list, ", ") + ".", Content: problem, Headers: map[string]*huma.Param{
			requestIDHeader: responseHeaders(r)[requestIDHeader],
		}}
	}
	all["5XX"].Headers["Retry-After"] = &huma.Param{Description: "When to try again, in seconds (503).", Schema: &huma.Schema{Type: huma.TypeInteger}}
}

func (a *API) answerSchema(r route) *huma.Schema {
	switch r.answerType {
	case octetsType:
		return &huma.Schema{Type: huma.TypeString, Format: "binary"}
	case eventsType:
		return &huma.Schema{Type: huma.TypeString, Description: "Server-Sent Events."}
	}
	return a.schemas.Schema(r.answer, true, r.id)
}

// refusalStatuses are the statuses of the problems that a route can answer.
func (r route) refusalStatuses() []int {
	all := []int{400, 401, 403, 406, 429, 500, 503}
	if hasID(r.path) {
		all = append(all, 404)
	}
	if r.isWrite() {
		all = append(all, 409, 412, 413, 415, 421, 422, 501, 507)
	}
	return append(all, r.refusals...)
}

func responseHeaders(r route) map[string]*huma.Param {
	headers := map[string]*huma.Param{
		requestIDHeader: {Description: "The request's id, taken or made.", Schema: &huma.Schema{Type: huma.TypeString}},
	}
	if r.versioned {
		headers["ETag"] = &huma.Param{Description: "The object's version in quotes.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"1"`}}}
	}
	if r.makes {
		headers["Location"] = &huma.Param{Description: "The path of what was made.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"}}
	}
	return headers
}

// hasID tells whether a path names one object.
func hasID(path string) bool { return strings.Contains(path, "{") }
