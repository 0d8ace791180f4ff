package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
)

const (
	// maxBody and maxBatchBody are in bytes.
	maxBody      = 1 << 20
	maxBatchBody = 16 << 20
	// smallBody is how many bytes of JSON are checked without waiting for others: that takes a millisecond.
	smallBody = 64 << 10
)

// readBody reads the body of a call within its limit and refuses what huma would let pass: another media type, and
// what Schemas.CheckBody refuses. The body can then be read again, by huma and for the hash of an Idempotency-Key.
func (a *API) readBody(request *http.Request, r route, op *huma.Operation) *document.Problem {
	limit := r.maxBody
	if limit == 0 {
		limit = maxBody
	}
	body, p := readLimited(request, limit)
	if p != nil {
		return p
	}
	info := requestOf(request.Context())
	info.body, info.checked = body, nil
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
	checked, p := a.checkBody(request.Context(), body, op.RequestBody.Content[media].Schema)
	info.checked = checked
	return p
}

// checkBody is Schemas.CheckBody. Large bodies are checked one at a time: that takes a processor for as long as a
// second, and others want to be answered meanwhile.
func (a *API) checkBody(ctx context.Context, body []byte, schema *huma.Schema) (*document.CheckedBody, *document.Problem) {
	if len(body) > smallBody {
		select {
		case a.checking <- struct{}{}:
			defer func() { <-a.checking }()
		case <-ctx.Done():
			return nil, problemOf(ctx.Err())
		}
	}
	return a.schemas.CheckBody(body, schema)
}

// readLimited reads the body; boundExchange bounds how long that takes.
func readLimited(request *http.Request, limit int64) ([]byte, *document.Problem) {
	if request.Body == nil || request.Body == http.NoBody {
		return nil, nil
	}
	if request.ContentLength > limit {
		discard(request.Body)
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, limit+1))
	switch {
	case int64(len(body)) > limit:
		discard(request.Body)
		return nil, tooLarge(limit)
	case errors.Is(err, errMemoryFull):
		discard(request.Body)
		return nil, problemOf(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, document.NewProblem(document.KindSlowBody, "")
	case err != nil:
		return nil, document.NewProblem(document.KindInvalidRequest, "The body ended before it was complete. Send as many bytes as Content-Length says.")
	}
	return body, nil
}

// discard reads what is left of a refused body, up to a limit: a client that is still sending when the connection
// closes never sees the refusal.
func discard(body io.Reader) {
	if counted, ok := body.(*boundedBody); ok {
		counted.drop()
	}
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
