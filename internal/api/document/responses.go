package document

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// RequestIDHeader is the header with a request's id, in requests and in all answers.
const RequestIDHeader = "X-Request-ID"

// The headers that tell a caller of a service with a limit how many requests it has left (draft-ietf-httpapi-ratelimit-headers).
const (
	RateLimitPolicyHeader = "RateLimit-Policy"
	RateLimitHeader       = "RateLimit"
)

// NodeHeader is the header with the name of the node that has answered a call in place of the one that was asked.
const NodeHeader = "Datapi-Node"

// Answers says what a call answers, for the document.
type Answers struct {
	// Call is the call's id.
	Call string
	// Status is that of the call when it is done.
	Status int
	// Later reports that the call may also answer 200 with the outcome, after a wait.
	Later bool
	// Body is the Go type of the body, nil where there is none.
	Body reflect.Type
	// Media is the body's media type.
	Media string
	// Replayable answers to a repetition with the same Idempotency-Key say that they are one.
	Replayable bool
	// PassedOn answers may be those of another node, which owns the object.
	PassedOn bool
	// Versioned answers carry an ETag; Creates reports that the answer names what was made in Location.
	Versioned, Creates bool
	// Refusals are the statuses of the problems that the call can answer with, and 304.
	Refusals []int
}

// Responses returns the responses of a call by status, refusals as 4XX and 5XX.
func (s *Schemas) Responses(a Answers) map[string]*huma.Response {
	done := &huma.Response{Description: http.StatusText(a.Status), Headers: a.headers()}
	if a.Body != nil {
		done.Content = map[string]*huma.MediaType{a.Media: {Schema: s.answerSchema(a)}}
	}
	all := map[string]*huma.Response{strconv.Itoa(a.Status): done}
	if a.Later {
		outcome := *done
		outcome.Description = "The outcome, where the call waited for it (Prefer: wait=N)."
		all["200"] = &outcome
	}
	s.addRefusals(a, all)
	return all
}

// addRefusals adds the problems of a call: one response for the caller's faults and one for the service's, so that a
// generated client has two types for them and not twenty.
func (s *Schemas) addRefusals(a Answers, all map[string]*huma.Response) {
	statuses := map[string][]string{}
	for _, status := range slices.Sorted(slices.Values(a.Refusals)) {
		if status == http.StatusNotModified {
			all["304"] = &huma.Response{Description: "The copy that the client has is still right (If-None-Match)."}
			continue
		}
		class := strconv.Itoa(status/100) + "XX"
		statuses[class] = append(statuses[class], strconv.Itoa(status)+" "+http.StatusText(status))
	}
	problem := map[string]*huma.MediaType{MediaProblem: {Schema: s.Schema(reflect.TypeFor[Problem](), true, "")}}
	for class, list := range statuses {
		all[class] = &huma.Response{
			Description: "A problem that says why: " + strings.Join(list, ", ") + ".", Content: problem,
			Headers: commonHeaders(),
		}
	}
	all["4XX"].Headers["Retry-After"] = &huma.Param{Description: "When to try again, in seconds (429).", Schema: &huma.Schema{Type: huma.TypeInteger}}
	all["5XX"].Headers["Retry-After"] = &huma.Param{Description: "When to try again, in seconds (503).", Schema: &huma.Schema{Type: huma.TypeInteger}}
}

// answerSchema returns the schema of the body, which JSON alone describes by its Go type.
func (s *Schemas) answerSchema(a Answers) *huma.Schema {
	switch a.Media {
	case MediaOctets:
		return &huma.Schema{Type: huma.TypeString, Format: "binary"}
	case MediaEvents:
		return &huma.Schema{Type: huma.TypeString, Description: "Server-Sent Events."}
	}
	return s.Schema(a.Body, true, a.Call)
}

func (a Answers) headers() map[string]*huma.Param {
	headers := commonHeaders()
	if a.Replayable {
		headers["Idempotency-Replayed"] = &huma.Param{
			Description: "true where this is the stored answer to an earlier request with the same Idempotency-Key, or a batch that goes on after what that request has done.",
			Schema:      &huma.Schema{Type: huma.TypeString, Enum: []any{"true"}},
		}
	}
	if a.PassedOn {
		headers[NodeHeader] = &huma.Param{
			Description: "The node that owns the object and has answered, where that is another one than the node that was asked.",
			Schema:      &huma.Schema{Type: huma.TypeString},
		}
	}
	if a.Versioned {
		headers["ETag"] = &huma.Param{Description: "The object's version in quotes.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"1"`}}}
	}
	if a.Creates {
		headers["Location"] = &huma.Param{Description: "The path of what was made.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"}}
	}
	return headers
}

// commonHeaders returns the headers of every answer, which sharedHeaders describes once.
func commonHeaders() map[string]*huma.Param {
	headers := map[string]*huma.Param{}
	for name := range sharedHeaders() {
		headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
	return headers
}

// sharedHeaders returns the headers of every answer as the document's components have them.
func sharedHeaders() map[string]*huma.Param {
	text := func(about, example string) *huma.Param {
		return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}}}
	}
	return map[string]*huma.Param{
		RequestIDHeader:       {Description: "The request's id, taken or made.", Schema: &huma.Schema{Type: huma.TypeString}},
		RateLimitPolicyHeader: text("How many requests (q) of one principal are taken in so many seconds (w). Where the service has a limit (--rate-limit) only.", `"principal";q=20;w=2`),
		RateLimitHeader:       text("How many requests are left (r), and the seconds until there are q again (t). A batch counts as what it holds. Where the service has a limit only.", `"principal";r=19;t=1`),
	}
}
