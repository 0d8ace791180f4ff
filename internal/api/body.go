package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

const (
	maxBody      = 1 << 20
	maxBatchBody = 16 << 20
	// bodyTime is what a client has for sending a body.
	bodyTime = 30 * time.Second
)

// readBody reads the body of a call within its limit and judges what huma does
// not: its type, null where the document has none, numbers that do not fit, text
// that cannot be kept. The body is then there again for huma and for the hash of
// an idempotency key.
func (a *API) readBody(w http.ResponseWriter, request *http.Request, r route, op *huma.Operation) *Problem {
	limit := r.maxBody
	if limit == 0 {
		limit = maxBody
	}
	body, p := readLimited(w, request, limit)
	if p != nil {
		return p
	}
	exchangeOf(request.Context()).body = body
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ContentLength = int64(len(body))
	if op.RequestBody == nil {
		return refuseBody(body, r)
	}
	if len(body) == 0 {
		if op.RequestBody.Required && op.RequestBody.Content[octetsType] == nil {
			return problemOfKind(kindInvalidRequest, "The call needs a body: a JSON object as the document describes it.")
		}
		return nil
	}
	media, p := mediaType(request, op)
	if p != nil || media == octetsType {
		return p
	}
	return a.checkJSON(body, op.RequestBody.Content[media].Schema)
}

func readLimited(w http.ResponseWriter, request *http.Request, limit int64) ([]byte, *Problem) {
	if request.Body == nil || request.Body == http.NoBody {
		return nil, nil
	}
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTime)); err == nil {
		defer func() { _ = control.SetReadDeadline(time.Time{}) }() // what could be set can be taken back
	}
	if request.ContentLength > limit {
		swallow(request.Body)
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, limit+1))
	if int64(len(body)) > limit {
		swallow(request.Body)
		return nil, tooLarge(limit)
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return nil, problemOfKind(kindSlowBody, "")
	}
	if err != nil {
		return nil, problemOfKind(kindInvalidRequest, "The body ended before it was complete. Send as many bytes as Content-Length says.")
	}
	return body, nil
}

// swallow reads what is left of a body that is refused, within reason: a client
// that is still sending when the connection closes never sees the refusal.
func swallow(body io.Reader) {
	_, _ = io.CopyN(io.Discard, body, 2*maxBatchBody) // an error ends it, as the end does
}

func tooLarge(limit int64) *Problem {
	return problemOfKind(kindTooLarge, "The body may have at most "+strconv.FormatInt(limit, 10)+" bytes.")
}

// refuseBody refuses a body where the call takes none; {} says nothing and passes.
func refuseBody(body []byte, r route) *Problem {
	if rest := bytes.TrimSpace(body); len(rest) == 0 || string(rest) == "{}" {
		return nil
	}
	return problemOfKind(kindInvalidRequest, r.method+" "+r.path+" takes no body. Leave it out.")
}

// mediaType is the body's type; JSON where the header is left out.
func mediaType(request *http.Request, op *huma.Operation) (string, *Problem) {
	accepted := sortedKeys(op.RequestBody.Content)
	header := request.Header.Get("Content-Type")
	if header == "" {
		return accepted[0], nil
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil && slices.Contains(accepted, media) {
		return media, nil
	}
	p := problemOfKind(kindMediaType, "Content-Type must be "+strings.Join(accepted, " or ")+", not "+header+".")
	name := "Accept"
	switch request.Method {
	case http.MethodPost:
		name = "Accept-Post"
	case http.MethodPatch:
		name = "Accept-Patch"
	}
	p.header = http.Header{name: {strings.Join(accepted, ", ")}}
	return "", p
}

// checkJSON refuses what is no JSON (400) and what the schema does not let
// through although huma would (422).
func (a *API) checkJSON(body []byte, schema *huma.Schema) *Problem {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return notJSON(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return problemOfKind(kindInvalidRequest, "The body must be one JSON value and nothing after it.")
	}
	walk := strictness{schemas: a.schemas}
	if at := doubledMember(body); at != "" {
		walk.refuse(at, "must be there once")
	}
	walk.check("body", v, schema)
	if len(walk.places) == 0 {
		return nil
	}
	p := problemOfKind(kindInvalidMember, sentence("", walk.places))
	p.Errors = walk.places
	p.Field = fieldOf(walk.places)
	return p
}

// fieldOf is the member that the first of the places is, nil where it is the whole
// body.
func fieldOf(places []ProblemError) *string {
	if len(places) == 0 {
		return nil
	}
	if _, member, ok := strings.Cut(places[0].Location, "."); ok {
		return &member
	}
	return nil
}

func notJSON(err error) *Problem {
	where := "it ends too early"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		where = "it is wrong at byte " + strconv.FormatInt(syntax.Offset, 10)
	}
	p := problemOfKind(kindInvalidRequest, "The body must be JSON, but "+where+".")
	p.Errors = []ProblemError{{Location: "body", Message: "is not JSON: " + where}}
	return p
}
