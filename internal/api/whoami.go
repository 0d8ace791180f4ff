package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
)

// whoami is what the service knows of the caller and of itself.
type whoami struct {
	Name     string `json:"name" example:"admin" doc:"Who calls; the actor of the caller's changes."`
	Role     string `json:"role" enum:"operator" doc:"What the caller may do."`
	By       string `json:"authenticated_by" enum:"none,token,session" doc:"How the caller is known; none where the service asks for no credential."`
	Node     string `json:"node" example:"alpha" doc:"The node that answers."`
	Version  string `json:"version" doc:"The program's version."`
	ReadOnly bool   `json:"read_only" doc:"Whether every write is refused."`
}

func (a *API) registerWhoami() {
	register(a, route{
		id: "get-whoami", method: http.MethodGet, path: "/whoami", tag: document.TagService, summary: "Get who the caller is",
		answer: reflect.TypeFor[whoami](),
	}, a.getWhoami)
}

func (a *API) getWhoami(ctx context.Context, _ *Read) (*answer, error) {
	p := requestOf(ctx).principal
	return a.ok(whoami{Name: p.name, Role: "operator", By: p.by, Node: a.node, Version: a.version, ReadOnly: a.readOnly}), nil
}
