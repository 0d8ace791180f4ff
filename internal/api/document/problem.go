package document

import (
	"net/http"
	"strconv"

	"github.com/datapi/datapi/internal/dat"
)

// Problem is the body of every refusal and failure (RFC 9457) with DAT's own members. It is an error, and huma sends
// one as it is.
type Problem struct {
	Type           string         `json:"type" format:"uri-reference" example:"/problems/invalid-state" doc:"A page that explains this kind of problem."`
	Title          string         `json:"title" doc:"The kind of problem in a few words, the same for every occurrence."`
	Status         int            `json:"status" minimum:"400" maximum:"599" example:"409" doc:"The HTTP status."`
	Detail         string         `json:"detail" doc:"What was wrong and what would be right."`
	Instance       string         `json:"instance" format:"uri-reference" example:"/api/v1/endpoints" doc:"The path of the call that was refused."`
	Return         *dat.Return    `json:"dat_return" doc:"The DAT_RETURN, or null where DAT has no word for it."`
	Subtype        dat.Subtype    `json:"dat_subtype" doc:"The subtype of the DAT_RETURN, or null."`
	Field          *string        `json:"field" example:"attributes.max_recv_dtos" doc:"The member that is to blame, or null."`
	State          *dat.EPState   `json:"state" doc:"The endpoint's state that forbids the call, or null."`
	RequestID      string         `json:"request_id" doc:"The request's id, as in X-Request-ID and in the log."`
	CurrentVersion *int64         `json:"current_version,omitempty" doc:"The object's version now, where If-Match did not match it (412)."`
	Object         *MadeRef       `json:"object,omitempty" doc:"What the first request has made, where its answer was not kept because it carried a credential (409)."`
	Address        *string        `json:"address,omitempty" doc:"The address of the node that owns the object (421)."`
	Errors         []ProblemError `json:"errors" doc:"The wrong places of the request, each with its own message."`

	header http.Header
}

// MadeRef names what a request has made.
type MadeRef struct {
	Type string `json:"type" example:"token" doc:"What it is."`
	ID   string `json:"id" doc:"Its id."`
}

// ProblemError is one wrong place in a request.
type ProblemError struct {
	Location string `json:"location" example:"body.attributes.max_recv_dtos" doc:"Where: body, query, header or path, and the member; operations[n] in a batch."`
	Message  string `json:"message" doc:"What is wrong there."`
	Value    any    `json:"value,omitempty" doc:"What was sent, where it is short and no secret."`
}

// NewProblem returns a problem of one of the Kind constants. Where detail is empty, the kind's title and explanation
// stand for it.
func NewProblem(kind, detail string) *Problem { return serviceRows[kind].problem(detail) }

// problem returns a problem of the row's kind.
func (r problemRow) problem(detail string) *Problem {
	p := &Problem{Type: "/problems/" + r.name, Title: r.title, Status: r.status, Detail: detail, Errors: []ProblemError{}}
	if p.Detail == "" {
		p.Detail = r.title + ". " + r.explanation
	}
	if r.ret != dat.RetSuccess {
		ret := r.ret
		p.Return = &ret
	}
	if r.retryAfter > 0 {
		p.SetHeader("Retry-After", strconv.Itoa(r.retryAfter))
	}
	return p
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status (huma.StatusError).
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that belong to the problem, such as Retry-After and Allow (huma.HeadersError).
func (p *Problem) GetHeaders() http.Header { return p.header }

// SetHeader adds a header that belongs to the problem.
func (p *Problem) SetHeader(name, value string) {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
}

// ContentType returns the type of RFC 9457, whatever the request accepts (huma.ContentTypeFilter).
func (p *Problem) ContentType(string) string { return MediaProblem }
