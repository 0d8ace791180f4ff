package api

import (
	"context"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// fabricAge is how old what is known of other nodes may be, and fabricLimit how long it is asked for.
const (
	fabricAge   = time.Second
	fabricLimit = 2 * time.Second
)

// fabric remembers for a moment what the database says of the nodes, for the lists that show objects of many.
type fabric struct {
	mu    sync.Mutex
	asked time.Time
	nodes map[string]store.Node
}

// node returns what is known of a node; of one that was never known, that it is suspect.
func (f *fabric) node(ctx context.Context, s *store.Store, name string) store.Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh(ctx, s)
	if n, ok := f.nodes[name]; ok {
		return n
	}
	return store.Node{Name: name, State: store.NodeSuspect}
}

// states returns how many nodes are in each state.
func (f *fabric) states(ctx context.Context, s *store.Store) map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh(ctx, s)
	all := map[string]int{store.NodeUp: 0, store.NodeSuspect: 0, store.NodeDown: 0, store.NodeLeft: 0}
	for _, n := range f.nodes {
		all[n.State]++
	}
	return all
}

// refresh reads the nodes where what is known of them is old. Where the database does not answer, that stays. The lock
// is held.
func (f *fabric) refresh(ctx context.Context, s *store.Store) {
	if time.Since(f.asked) >= fabricAge {
		ctx, cancel := context.WithTimeout(ctx, fabricLimit)
		defer cancel()
		if all, err := s.Nodes(ctx); err == nil {
			f.nodes = make(map[string]store.Node, len(all))
			for _, n := range all {
				f.nodes[n.Name] = n
			}
		}
		f.asked = time.Now()
	}
}

// nodeMembers are the members of every object that are about its node.
type nodeMembers struct {
	NodeState string    `json:"node_state"`
	KnownAt   *dat.Time `json:"known_at"`
}

// ownMembers are those of this node's objects.
var ownMembers = nodeMembers{NodeState: store.NodeUp}

// membersOf returns the members that are about a node: it is UP and its record is what is shown, or what is shown is
// of the time when it was heard last.
func (a *API) membersOf(node string) nodeMembers {
	if node == a.node {
		return ownMembers
	}
	n := a.fabric.node(a.alive, a.store, node)
	m := nodeMembers{NodeState: n.State}
	if n.State != store.NodeUp && !n.LastSeen.IsZero() {
		m.KnownAt = &n.LastSeen
	}
	return m
}

// appendTo returns an encoded object with the members.
func (m nodeMembers) appendTo(object []byte) []byte {
	members := encode(m)
	members[0] = ','
	return append(object[:len(object)-1:len(object)-1], members...)
}

// foreignForm returns what of another node's object is encoded: what only its node knows is null, and where that is not
// UP nothing can be done with the object.
func foreignForm(o dat.Object, m nodeMembers, recvIdle bool) any {
	switch o := o.(type) {
	case *dat.IA:
		return foreignIA{IA: o}
	case *dat.EVD:
		return foreignEVD{EVD: o}
	case *dat.Endpoint:
		if m.NodeState != store.NodeUp {
			return Endpoint{Endpoint: o, Operations: []string{}, Modifiable: []string{}}
		}
	}
	return wireForm(o, recvIdle)
}

// foreignIA is an adapter of another node, whose objects are not counted here.
type foreignIA struct {
	*dat.IA
	Usage *dat.IAUsage `json:"usage"`
}

// foreignEVD is an EVD of another node, whose queue is not seen here.
type foreignEVD struct {
	*dat.EVD
	Depth   *int32        `json:"depth"`
	Dropped *int64        `json:"dropped"`
	Mode    *dat.EVDMode  `json:"mode"`
	InUseBy *dat.EVDUsers `json:"in_use_by"`
}
