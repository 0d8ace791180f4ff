package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// NodePath is the path of one node.
type NodePath struct {
	Name string `path:"name" maxLength:"512" example:"alpha" doc:"The node's name."`
}

type getNode struct {
	Read
	NodePath
}

type retireNode struct {
	Write
	NodePath
}

func (a *API) registerNodes() {
	register(a, route{
		id: "list-nodes", method: http.MethodGet, path: "/nodes", tag: document.TagService, summary: "List the nodes that share the database",
		about:  "Those that were not retired, by name. Each move of a node from one state to another is a change of type node.",
		answer: reflect.TypeFor[PageOf[store.Node]](),
	}, a.listNodes)
	register(a, route{
		id: "get-node", method: http.MethodGet, path: "/nodes/{name}", tag: document.TagService, summary: "Get a node",
		answer: reflect.TypeFor[store.Node](), versioned: true,
	}, a.getNode)
	register(a, route{
		id: "retire-node", method: http.MethodDelete, path: "/nodes/{name}", tag: document.TagService, summary: "Retire a node that will not come back",
		about: "For a node that is DOWN or LEFT; X-Change-Reason is required. Its objects are freed with the cause node_retired, those that use others first, and its names are free. " +
			"It leaves the list, its history stays. Its process, should it live, never writes again; one that starts under its name later is another node. " +
			"Where the call is cut off, the node is still listed, and a repetition goes on.",
		status: http.StatusNoContent, role: access.Admin,
	}, a.retireNode)
}

func (a *API) getNode(ctx context.Context, in *getNode) (*answer, error) {
	nodes, _, err := a.store.NodesKnown(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if n.Name == in.Name {
			ans := a.ok(n)
			ans.ETag = etag(n.StateVersion)
			return ans, nil
		}
	}
	return nil, store.NoNode(in.Name)
}

func (a *API) retireNode(ctx context.Context, in *retireNode) (*answer, error) {
	if headerText(in.Reason) == "" {
		return nil, wrongHeader("X-Change-Reason", "is required: say why the node is retired")
	}
	c, err := a.call(ctx, in.Write, func(dat.Object) *answer { return noContent() })
	if err != nil {
		return nil, err
	}
	err = a.store.RetireNode(ctx, in.Name, store.Retirement{
		Match: c.Match, DryRun: c.DryRun, Answer: c.Answer, Actor: c.Actor, ActorKind: c.ActorKind, RequestID: c.RequestID, Reason: c.Reason,
	})
	if err != nil {
		return nil, err
	}
	if !in.DryRun {
		e := auditEntry(requestOf(ctx), "retire-node", in.Reason)
		e.Object = in.Name
		a.audit.note(e)
	}
	return noContent(), nil
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
	if unknown != nil || ia.Head().Node == a.node || !holds(callerScope(ctx), ia) {
		return err
	}
	return a.refuseForeign(ctx, ia.Head().Node)
}
