package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
)

// batchOperation is one write of a batch.
type batchOperation struct {
	Method string           `json:"method" enum:"POST,PUT,PATCH,DELETE" doc:"The method."`
	Path   string           `json:"path" maxLength:"1024" example:"/endpoints" doc:"The path below /api/v1; a segment \"$3.id\" is the id that operation 3 (from 0) made."`
	Body   document.AnyJSON `json:"body,omitempty" doc:"The body; a member's value \"$3.id\" is the id that operation 3 (from 0) made."`
}

// batchBody is the body of a batch.
type batchBody struct {
	Atomic     bool             `json:"atomic,omitempty" doc:"All or nothing. Takes only what can be undone."`
	Operations []batchOperation `json:"operations" minItems:"1" maxItems:"10000" doc:"The writes, in order."`
}

// batchResult is the outcome of one write.
type batchResult struct {
	Status int             `json:"status" doc:"The HTTP status of the write."`
	ETag   *string         `json:"etag" doc:"The ETag of its answer, or null."`
	Body   json.RawMessage `json:"body" doc:"Its answer: an object, a problem, or null."`
}

// batchResults are the outcomes of a batch, in the order of its operations.
type batchResults struct {
	Results []batchResult `json:"results" doc:"In the order of the operations."`
}

type runBatch struct {
	Write
	Body batchBody
}

func (a *API) registerBatch() {
	register(a, route{
		id: "run-batch", method: http.MethodPost, path: "/batch", tag: document.TagChange, summary: "Carry out many writes in order",
		about: "Without atomic it goes on after a refusal, and each result has its own status. With atomic it takes only what can be undone: " +
			"creates, PATCH, watermarks, DELETE of an UNCONNECTED endpoint or an unused object; the first refusal is the answer, and nothing is done.",
		answer: reflect.TypeFor[batchResults](), maxBody: maxBatchBody, refusals: []int{404},
	}, a.runBatch)
}

func (a *API) runBatch(ctx context.Context, in *runBatch) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	operations, err := readOperations(in.Body.Operations)
	if err != nil {
		return nil, err
	}
	a.countBatch(requestOf(ctx), len(operations))
	if in.Body.Atomic {
		return a.runAtomic(ctx, in.Write, operations)
	}
	return a.runSequence(ctx, in.Write, operations)
}

// problemResult returns the result of an operation that is refused.
func problemResult(ctx context.Context, p *document.Problem) batchResult {
	return batchResult{Status: p.Status, Body: encode(requestOf(ctx).complete(p))}
}

// createdID returns the id of the object that an operation has made, "" if it made none.
func createdID(r batchResult) string {
	if r.Status != http.StatusCreated {
		return ""
	}
	var object struct {
		ID string `json:"id"`
	}
	decode(r.Body, &object)
	return object.ID
}
