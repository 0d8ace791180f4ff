package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// whoami is what the service knows of the caller and of itself.
type whoami struct {
	Name      string      `json:"name" example:"admin" doc:"Who calls; the actor of the caller's changes."`
	Kind      access.Kind `json:"kind" enum:"user,token,anonymous" doc:"What that is; anonymous where the service asks for no credential."`
	Role      string      `json:"role" enum:"viewer,operator,admin" doc:"What the caller may do: a viewer reads, an operator also changes objects, an admin also manages who may, and the nodes."`
	Scope     *scope      `json:"scope" doc:"To what the caller is restricted; null for everything."`
	ExpiresAt *dat.Time   `json:"expires_at" doc:"When the token or the session ends, null for never."`
	By        string      `json:"authenticated_by" enum:"none,token,session" doc:"How the caller is known; none where the service asks for no credential."`
	Node      string      `json:"node" example:"alpha" doc:"The node that answers."`
	Version   string      `json:"version" doc:"The program's version."`
	ReadOnly  bool        `json:"read_only" doc:"Whether every write is refused."`
}

func (a *API) registerWhoami() {
	register(a, route{
		id: "get-whoami", method: http.MethodGet, path: "/whoami", tag: document.TagAccess, summary: "Get who the caller is",
		answer: reflect.TypeFor[whoami](),
	}, a.getWhoami)
}

func (a *API) getWhoami(ctx context.Context, _ *Read) (*answer, error) {
	return a.ok(a.whoami(requestOf(ctx))), nil
}

// whoami returns what is known of the caller.
func (a *API) whoami(info *requestInfo) whoami {
	p := info.principal
	return whoami{
		Name: p.Name, Kind: p.Kind, Role: p.Role.String(), Scope: scopeOf(p.Scope), ExpiresAt: timeOrNull(p.ExpiresAt), By: info.by,
		Node: a.node, Version: a.version, ReadOnly: a.readOnly,
	}
}

// timeOrNull returns a time on the wire, nil for the zero time.
func timeOrNull(t time.Time) *dat.Time {
	if t.IsZero() {
		return nil
	}
	at := dat.At(t)
	return &at
}
