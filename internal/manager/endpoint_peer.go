package manager

import (
	"cmp"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// peerOf is what is known of the other end beyond its address: its endpoint where
// the provider tells, or where it is one of this node.
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

// opposite finds the other end on this node by addresses and qualifiers.
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

// place is where one end of a connection sits: its adapter's address, its own
// qualifier and that of the other end.
type place struct {
	address       string
	local, remote int32
}

func placeOf(e *dat.Endpoint) (place, bool) {
	if e == nil || e.LocalIAAddress == nil || e.LocalPortQual == nil || e.RemotePortQual == nil {
		return place{}, false
	}
	return place{*e.LocalIAAddress, *e.LocalPortQual, *e.RemotePortQual}, true
}

// settled keeps the places: the endpoint's live image is to be is instead of was;
// either may be nil.
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
