package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// typesByPath are the types of objects by the first segment of their paths.
var typesByPath = func() map[string]dat.ObjectType {
	all := map[string]dat.ObjectType{}
	for t, kind := range objectKinds {
		all[strings.TrimPrefix(kind.path, "/")] = dat.ObjectType(t)
	}
	return all
}()

// ownerOfCall returns the node that a call belongs to, by the segments of its path: that of the object that the path
// names, else that of the adapter that the body of a creation names. It is "" where no node has it, or the call is about
// no object.
func (a *API) ownerOfCall(ctx context.Context, segments []string, body []byte) (string, error) {
	t, known := typesByPath[segments[0]]
	switch {
	case !known:
		return "", nil
	case len(segments) > 1:
		return a.ownerOf(ctx, t, segments[1])
	}
	var sent struct{ IA json.RawMessage }
	var ia string
	if json.Unmarshal(body, &sent) != nil || len(sent.IA) == 0 || sent.IA[0] != '"' || json.Unmarshal(sent.IA, &ia) != nil {
		return "", nil
	}
	return a.ownerOf(ctx, dat.TypeIA, ia)
}

// ownerOf returns the node of an object, "" where there never was one; that of a freed object still has the answers to
// repetitions. Of the objects of this node it asks nobody.
func (a *API) ownerOf(ctx context.Context, t dat.ObjectType, id string) (string, error) {
	if !isID(t, id) {
		return "", nil
	}
	if a.manager.Owns(t, dat.Handle(id)) {
		return a.node, nil
	}
	o, freed, err := a.store.GetFreed(ctx, t, dat.Handle(id))
	switch {
	case isUnknownHandle(err):
		return "", nil
	case err != nil:
		return "", err
	case !freed.IsZero():
		return a.ownerOfFreed(ctx, o.Head().Node)
	}
	return o.Head().Node, nil
}

// ownerOfFreed returns the node that had a freed object, "" where that was retired: nobody answers for it.
func (a *API) ownerOfFreed(ctx context.Context, node string) (string, error) {
	nodes, err := a.store.Nodes(ctx)
	if err != nil || !slices.ContainsFunc(nodes, func(n store.Node) bool { return n.Name == node }) {
		return "", err
	}
	return node, nil
}
