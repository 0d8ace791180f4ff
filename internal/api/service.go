package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

type plainRead struct {
	Read
}

// whoami is what the service knows of the caller and of itself.
type whoami struct {
	Name     string `json:"name" example:"admin" doc:"Who calls; the actor of the caller's changes."`
	Role     string `json:"role" enum:"operator" doc:"What the caller may do."`
	By       string `json:"authenticated_by" enum:"none,token,session" doc:"How the caller is known; none where the service asks for no credential."`
	Node     string `json:"node" example:"alpha" doc:"The node that answers."`
	Version  string `json:"version" doc:"The program's version."`
	ReadOnly bool   `json:"read_only" doc:"Whether every write is refused."`
}

func (a *API) registerService() {
	register(a, route{
		id: "list-nodes", method: http.MethodGet, path: "/nodes", tag: tagService, summary: "List the nodes that share the database",
		answer: reflect.TypeFor[PageOf[store.Node]](),
	}, a.listNodes)
	register(a, route{
		id: "get-whoami", method: http.MethodGet, path: "/whoami", tag: tagService, summary: "Get who the caller is",
		answer: reflect.TypeFor[whoami](),
	}, a.getWhoami)
	register(a, route{
		id: "get-matrix", method: http.MethodGet, path: "/matrix", tag: tagService, summary: "Get the rules of DAT as data",
		about:  "The modify matrix, the transition table and the flag rules that judge the calls, with the words that a page shows for them.",
		answer: reflect.TypeFor[dat.MatrixDoc](), versioned: true, refusals: []int{304},
	}, a.getMatrix)
	a.registerSession()
}

func (a *API) listNodes(ctx context.Context, _ *plainRead) (*answer, error) {
	nodes, err := a.store.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	return a.ok(PageOf[store.Node]{Items: nodes}), nil
}

func (a *API) getWhoami(ctx context.Context, _ *plainRead) (*answer, error) {
	p := exchangeOf(ctx).principal
	return a.ok(whoami{Name: p.name, Role: "operator", By: p.by, Node: a.node, Version: a.version, ReadOnly: a.readOnly}), nil
}

func (a *API) getMatrix(context.Context, *plainRead) (*answer, error) {
	return &answer{Status: http.StatusOK, ContentType: jsonType, ETag: a.matrix.etag, CacheControl: revalidate, Body: a.matrix.body}, nil
}
