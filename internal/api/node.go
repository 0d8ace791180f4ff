package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

func (a *API) registerNodes() {
	register(a, route{
		id: "list-nodes", method: http.MethodGet, path: "/nodes", tag: document.TagService, summary: "List the nodes that share the database",
		answer: reflect.TypeFor[PageOf[store.Node]](),
	}, a.listNodes)
}

func (a *API) listNodes(ctx context.Context, _ *Read) (*answer, error) {
	position := a.store.Log().Position()
	nodes, partial, err := a.store.NodesKnown(ctx)
	if err != nil {
		return nil, err
	}
	return a.ok(PageOf[store.Node]{Items: nodes, Position: position.String(), Partial: partial}), nil
}

// refuseForeign returns the refusal of a call for an object that another node owns: where that node is (421), or that
// it does not answer now (503).
func (a *API) refuseForeign(ctx context.Context, owner string) error {
	n, err := a.nodeThatIsUp(ctx, owner)
	if err != nil {
		return err
	}
	p := document.NewProblem(document.KindOtherNode, "The object belongs to node "+owner+". Send the call to "+n.Address+".")
	p.Address = &n.Address
	return p
}

// explainForeignIA replaces the Manager's refusal of an unknown adapter by refuseForeign where the adapter of the body
// is another node's. Other errors are returned as they are.
func (a *API) explainForeignIA(ctx context.Context, body []byte, err error) error {
	var refused *dat.Error
	if !errors.As(err, &refused) || refused.Return != dat.RetInvalidHandle || refused.Field != "ia" {
		return err
	}
	var sent struct{ IA dat.Handle }
	if json.Unmarshal(body, &sent) != nil {
		return err
	}
	ia, unknown := a.store.Get(ctx, dat.TypeIA, sent.IA)
	if unknown != nil || ia.Head().Node == a.node {
		return err
	}
	return a.refuseForeign(ctx, ia.Head().Node)
}
