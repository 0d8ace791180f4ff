package api

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// misdirected turns the refusal of an adapter in a body into 421 where it is
// another node's; else it stays with the refusal.
func (a *API) misdirected(ctx context.Context, body []byte, err error) error {
	var refused *dat.Error
	if !errors.As(err, &refused) || refused.Return != dat.RetInvalidHandle || refused.Field != "ia" {
		return err
	}
	var asked struct{ IA dat.Handle }
	if json.Unmarshal(body, &asked) != nil {
		return err
	}
	o, lost := a.store.Get(ctx, dat.TypeIA, asked.IA)
	if lost != nil || o.Head().Node == a.node {
		return err
	}
	return a.elsewhere(ctx, o.Head().Node)
}

// elsewhere is the refusal of a write to another node's object: where its owner
// is, or that the owner is away.
func (a *API) elsewhere(ctx context.Context, node string) error {
	nodes, err := a.store.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.Name != node || n.State != "UP" {
			continue
		}
		p := problemOfKind(kindOtherNode, "The object belongs to node "+node+". Send the call to "+n.Address+".")
		p.Address = &n.Address
		return p
	}
	return problemOfKind(kindNodeAway, "The object belongs to node "+node+", which does not answer now. Only its owner can change it; try again when it is back.")
}
