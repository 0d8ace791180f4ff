package api

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
)

const (
	// maxBody and maxBatchBody are in bytes.
	maxBody      = 1 << 20
	maxBatchBody = 16 << 20
	// bodyTimeout is the time that a client has for sending a body.
	bodyTimeout = 30 * time.Second
)

// readBody reads the body of a call within its limit and refuses what huma would let pass: another media type, and
// what Schemas.CheckBody refuses. The body can then be read again, by huma and for the hash of an Idempotency-Key.
func (a *API) readBody(w http.ResponseWriter, request *http.Request, r route, op *huma.Operation) *document.Problem {
	limit := r.maxBody
	if limit == 0 {
		limit = maxBody
	}
	body, p := readLimited(w, request, limit)
	if p != nil {
		return p
	}
	requestOf(request.Context()).body = body
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ContentLength = int64(len(body))
	if op.RequestBody == nil {
		return refuseBody(body, r)
	}
	if len(body) == 0 {
		if op.RequestBody.Required && op.RequestBody.Content[document.MediaOctets] == nil {
			return document.NewProblem(document.KindInvalidRequest, "The call needs a body: a JSON object as the document describes it.")
		}
		return nil
	}
	media, p := mediaType(request, op)
	if p != nil || media == document.MediaOctets {
		return p
	}
	return a.schemas.CheckBody(body, op.RequestBody.Content[media].Schema)
}

// readLimited reads the body, which must arrive within bodyTimeout.
func readLimited(w http.ResponseWriter, request *http.Request, limit int64) ([]byte, *document.Problem) {
	if request.Body == nil || request.Body == http.NoBody {
		return nil, nil
	}
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTimeout)); err == nil {
		defer func() { _ = control.SetReadDeadline(time.Time{}) }() // setting it worked before
	}
	if request.ContentLength > limit {
		discard(request.Body)
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, limit+1))
	if int64(len(body)) > limit {
		discard(request.Body)
		return nil, tooLarge(limit)
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return nil, document.NewProblem(document.KindSlowBody, "")
	}
	if err != nil {
		return nil, document.NewProblem(document.KindInvalidRequest, "The body ended before it was complete. Send as many bytes as Content-Length says.")
	}
	return body, nil
}

// discard reads what is left of a refused body, up to a limit: a client that is still sending when the connection
// closes never sees the refusal.
func discard(body io.Reader) {
	_, _ = io.CopyN(io.Discard, body, 2*maxBatchBody) // an error ends it, as the end does
}

func tooLarge(limit int64) *document.Problem {
	return document.NewProblem(document.KindTooLarge, "The body may have at most "+strconv.FormatInt(limit, 10)+" bytes.")
}

// refuseBody refuses a body where the call takes none; {} is as good as none.
func refuseBody(body []byte, r route) *document.Problem {
	if rest := bytes.TrimSpace(body); len(rest) == 0 || string(rest) == "{}" {
		return nil
	}
	return document.NewProblem(document.KindInvalidRequest, r.method+" "+r.path+" takes no body. Leave it out.")
}

// mediaType returns the body's media type, the first that the call takes where Content-Type is left out.
func mediaType(request *http.Request, op *huma.Operation) (string, *document.Problem) {
	accepted := slices.Sorted(maps.Keys(op.RequestBody.Content))
	header := request.Header.Get("Content-Type")
	if header == "" {
		return accepted[0], nil
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil && slices.Contains(accepted, media) {
		return media, nil
	}
	p := document.NewProblem(document.KindMediaType, "Content-Type must be "+strings.Join(accepted, " or ")+", not "+header+".")
	name := "Accept"
	switch request.Method {
	case http.MethodPost:
		name = "Accept-Post"
	case http.MethodPatch:
		name = "Accept-Patch"
	}
	p.SetHeader(name, strings.Join(accepted, ", "))
	return "", p
}
