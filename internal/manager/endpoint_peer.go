package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// peerOf returns what is known of the other end beyond its address: its endpoint if
// the provider reports it or if it is on this node.
func (m *Manager) peerOf(ep *endpoint, r rdma.Report) *dat.Peer {
	p := &dat.Peer{Endpoint: r.PeerEP, QPNum: r.PeerQPNum}
	other, ok := find[*endpoint](m, r.PeerEP)
	if !ok {
		other, ok = m.oppositeEnd(ep, r)
	}
	if ok {
		node := m.node
		p.Endpoint, p.Node = other.id, &node
		if img := imageOf[*dat.Endpoint](&other.object); img != nil {
			p.Name = optional(string(img.Name))
		}
	}
	return p
}

// oppositeEnd finds the other end of a connection on this node by addresses and
// qualifiers.
func (m *Manager) oppositeEnd(ep *endpoint, r rdma.Report) (*endpoint, bool) {
	ep.mu.Lock()
	mine := ep.live
	ep.mu.Unlock()
	v, ok := m.places.Load(place{
		address: cmp.Or(r.RemoteAddress, deref(mine.RemoteIAAddress)),
		local:   cmp.Or(r.RemoteQual, deref(mine.RemotePortQual)),
		remote:  cmp.Or(r.LocalQual, deref(mine.LocalPortQual)),
	})
	if !ok || v.(*endpoint) == ep {
		return nil, false
	}
	return v.(*endpoint), true
}

// place is where one end of a connection is: the address of its adapter, its own
// qualifier and that of the other end.
type place struct {
	address       string
	local, remote int32
}

// placeOf returns the place of an endpoint's image, and whether it has one.
func placeOf(e *dat.Endpoint) (place, bool) {
	if e == nil || e.LocalIAAddress == nil || e.LocalPortQual == nil || e.RemotePortQual == nil {
		return place{}, false
	}
	return place{*e.LocalIAAddress, *e.LocalPortQual, *e.RemotePortQual}, true
}

// updatePlace updates the index of places when the live image of an endpoint
// changes from was to is; either may be nil.
func (m *Manager) updatePlace(ep *endpoint, was, is *dat.Endpoint) {
	old, had := placeOf(was)
	at, has := placeOf(is)
	if had == has && old == at {
		return
	}
	if had {
		m.places.CompareAndDelete(old, ep)
	}
	if has {
		m.places.Store(at, ep)
	}
}
