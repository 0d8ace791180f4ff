package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

func (a *API) registerMatrix() {
	register(a, route{
		id: "get-matrix", method: http.MethodGet, path: "/matrix", tag: document.TagService, summary: "Get the rules of DAT as data",
		about:  "The modify matrix, the transition table and the flag rules that judge the calls, with the words that a page shows for them.",
		answer: reflect.TypeFor[dat.MatrixDoc](), versioned: true, refusals: []int{304},
	}, a.getMatrix)
}

func (a *API) getMatrix(context.Context, *Read) (*answer, error) {
	return &answer{Status: http.StatusOK, ContentType: document.MediaJSON, ETag: a.matrix.etag, CacheControl: revalidate, Body: a.matrix.body}, nil
}
