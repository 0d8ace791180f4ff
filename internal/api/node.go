package api

import (
	"context"
)

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
