package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
)

// register is the only caller of huma.Register: it documents the call, puts the conventions in front of its handler,
// and maps and logs what the handler refuses.
func register[I, O any](a *API, r route, handle func(context.Context, *I) (*O, error)) {
	op := a.operation(r)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			a.noteOutside(ctx, r.id, err)
			return nil, a.refusal(ctx, err)
		}
		if ans, ok := any(out).(*answer); ok && r.method == http.MethodGet {
			ans.answerNotModified(requestOf(ctx).ifNoneMatch)
		}
		return out, nil
	})
	a.finish(r)
}

// operation returns the description of a route for huma.
func (a *API) operation(r route) huma.Operation {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Tags: []string{r.tag},
		Summary: r.summary, Description: r.about,
		DefaultStatus: r.status,
		MaxBodyBytes:  -1, BodyReadTimeout: -1, SkipValidateBody: true, // the conventions read, limit and validate the body
		Responses:   a.schemas.Responses(r.answers()),
		Middlewares: huma.Middlewares{a.checkCall(r)},
	}
}

// finish corrects what huma documented: an answer without a body has none, and a body may have several media types.
func (a *API) finish(r route) {
	op := a.documented(r)
	a.queries[r.id] = queryRulesOf(op)
	a.unrecorded[r.method+" "+r.path] = r.unrecorded
	if r.answer == nil {
		op.Responses[strconv.Itoa(op.DefaultStatus)].Content = nil
	}
	for _, media := range r.otherMedia {
		op.Responses[strconv.Itoa(op.DefaultStatus)].Content[media] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	body := op.RequestBody
	if body == nil {
		return
	}
	for _, media := range r.bodyTypes {
		if first := body.Content[document.MediaJSON]; first != nil {
			body.Content[media] = first
		}
	}
}

// documented returns the operation of a route in the document, or nil if there is none.
func (a *API) documented(r route) *huma.Operation {
	item := a.huma.OpenAPI().Paths[r.path]
	return map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
	}[r.method]
}
