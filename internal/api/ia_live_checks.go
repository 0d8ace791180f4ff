package api

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// liveChecks are the checks that ask the adapter itself: of what nobody owns, of connections with one end, and of the
// limits of the operating system. None can be made while the device is gone, which the check of the port tells.
func (a *API) liveChecks(ctx context.Context, ia *dat.IA) []check {
	orphans, err := a.orphanCheck(ia.ID)
	if err != nil {
		return nil
	}
	checks := []check{orphans, a.halfOpenCheck(ctx, ia)}
	limits, err := a.manager.Limits(ia.ID)
	if err != nil {
		return checks
	}
	for _, l := range limits {
		checks = append(checks, systemLimitCheck(l))
	}
	return checks
}

// maxNamed is how many objects the text of a check names.
const maxNamed = 5

// orphanCheck counts the queue pairs that this service made and that no endpoint has.
func (a *API) orphanCheck(ia dat.Handle) (check, error) {
	found, err := a.manager.Resources(ia, dat.ResourceQP)
	if err != nil {
		return check{}, err
	}
	var numbers []string
	for _, r := range found {
		if r.Owner == dat.OwnerOrphan {
			numbers = append(numbers, strconv.FormatUint(uint64(r.Number), 10))
		}
	}
	c := check{Name: "orphans", Status: "PASS", Detail: "Every queue pair that this service made belongs to an endpoint."}
	if len(numbers) > 0 {
		c.Status, c.Detail = "WARN", fmt.Sprintf("%d of the queue pairs that this service made belong to no endpoint: %s.", len(numbers), namesOf(numbers))
		c.Remedy = nullIfEmpty("They end with the service's process; restart it when its connections allow it.")
	}
	return c, nil
}

// namesOf returns the first names of a list as words.
func namesOf(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:maxNamed], ", ") + " and others"
}

// halfOpenCheck counts the connections of the adapter whose other end is gone.
func (a *API) halfOpenCheck(ctx context.Context, ia *dat.IA) check {
	found := a.findHalfOpen(ctx, ia)
	c := check{Name: "half_open", Status: "PASS", Detail: fmt.Sprintf("%d connections have both ends", found.whole)}
	if found.unknown > 0 {
		c.Detail += fmt.Sprintf("; the other ends of %d more cannot be seen from here", found.unknown)
	}
	c.Detail += "."
	if n := len(found.halfOpen); n > 0 {
		c.Status = "WARN"
		c.Detail = fmt.Sprintf("%d connections have lost their other end: %s. %s", n, namesOf(found.halfOpen), c.Detail)
		c.Remedy = nullIfEmpty("Disconnect and reset these endpoints; a probe finds such connections by itself.")
	}
	return c
}

// systemLimitCheck warns when nine tenths of a limit are in use.
func systemLimitCheck(l dat.ResourceLimit) check {
	c := check{Name: l.Name, Status: "PASS", Detail: fmt.Sprintf("%d %s are in use, and there is no limit.", l.Used, l.Unit)}
	if l.Max == nil {
		return c
	}
	c.Detail = fmt.Sprintf("%d of %d %s are in use; %d are left.", l.Used, *l.Max, l.Unit, max(0, *l.Max-l.Used))
	if l.Used*10 >= *l.Max*9 {
		c.Status, c.Remedy = "WARN", nullIfEmpty(l.Remedy)
	}
	return c
}

// connectionEnds are the connections of an adapter by what is known of their other ends.
type connectionEnds struct {
	whole, unknown int
	// halfOpen are the endpoints whose other end is gone, by name or id.
	halfOpen []string
}

// findHalfOpen looks for the other end of each connection of an adapter: on this host among everything that the kernel
// has, on other nodes among their endpoints.
func (a *API) findHalfOpen(ctx context.Context, ia *dat.IA) connectionEnds {
	var found connectionEnds
	connected := a.manager.Connected(ia.ID)
	if len(connected) == 0 {
		return found
	}
	ends := &otherEnds{
		api: a, adapters: a.adaptersByAddress(ctx),
		local: map[dat.Handle]*localEnds{}, remote: map[dat.Handle]map[uint32]uint32{},
	}
	suspects := map[dat.Handle]bool{}
	for _, e := range connected {
		switch ends.lookFor(ctx, e) {
		case endThere:
			found.whole++
		case endGone:
			suspects[e.ID] = true
		default:
			found.unknown++
		}
	}
	if len(suspects) == 0 {
		return found
	}
	// An endpoint that has meanwhile heard of the end of its connection is no longer half open.
	for _, e := range a.manager.Connected(ia.ID) {
		switch {
		case suspects[e.ID] && holds(callerScope(ctx), e):
			found.halfOpen = append(found.halfOpen, cmp.Or(string(e.Name), string(e.ID)))
		case suspects[e.ID]:
			found.halfOpen = append(found.halfOpen, "one outside of your scope")
		}
	}
	return found
}

// adaptersByAddress returns the adapters of all nodes by their addresses.
func (a *API) adaptersByAddress(ctx context.Context) map[netip.Addr]*dat.IA {
	all := map[netip.Addr]*dat.IA{}
	for cursor := ""; ; {
		found, err := a.store.List(ctx, store.Query{Type: dat.TypeIA, Limit: 1000, Cursor: cursor})
		if err != nil {
			return all
		}
		for _, o := range found.Items {
			ia := o.(*dat.IA)
			for _, s := range []string{valueOr(ia.IAAttributes.IAAddress, ""), ia.IAAttributes.TransportAttr["ipv4_address"], ia.IAAttributes.TransportAttr["ipv6_address"]} {
				if address, err := netip.ParseAddr(s); err == nil {
					all[address] = ia
				}
			}
		}
		if cursor = found.Next; cursor == "" {
			return all
		}
	}
}

// endState says what is known of the other end of a connection.
type endState uint8

const (
	endUnknown endState = iota
	endThere
	endGone
)

// otherEnds looks for the other ends of connections; what it has asked of an adapter it keeps.
type otherEnds struct {
	api      *API
	adapters map[netip.Addr]*dat.IA
	local    map[dat.Handle]*localEnds
	// remote are the queue pairs of connected endpoints on other nodes and those of their peers.
	remote map[dat.Handle]map[uint32]uint32
}

// localEnds are the ends of connections on an adapter of this host, of all processes.
type localEnds struct {
	// peers are the peers' queue pairs by the number of the queue pair, 0 where the kernel does not tell.
	peers map[uint32]uint32
	// pairs are the addresses, of the end and of its peer, of what is connected.
	pairs map[[2]string]bool
}

// lookFor looks for the other end of the connection of an endpoint.
func (o *otherEnds) lookFor(ctx context.Context, e *dat.Endpoint) endState {
	address, err := netip.ParseAddr(valueOr(e.RemoteIAAddress, ""))
	ia := o.adapters[address]
	if err != nil || ia == nil {
		return endUnknown
	}
	if ia.Node == o.api.node {
		return o.lookHere(ia.ID, e)
	}
	return o.lookOnNode(ctx, ia.ID, e)
}

// lookHere looks for the other end on an adapter of this host: by the numbers of both queue pairs, or, where the
// transport does not tell the peer's (iWARP), by both addresses and ports.
func (o *otherEnds) lookHere(ia dat.Handle, e *dat.Endpoint) endState {
	if _, asked := o.local[ia]; !asked {
		o.local[ia] = o.api.endsOn(ia)
	}
	here := o.local[ia]
	if here == nil {
		return endUnknown
	}
	if p := e.Peer; p != nil && p.QPNum != nil && e.Transport.QPNum != nil {
		peer, there := here.peers[*p.QPNum]
		if there && (peer == 0 || peer == *e.Transport.QPNum) {
			return endThere
		}
		return endGone
	}
	if e.LocalIAAddress == nil || e.LocalPortQual == nil || e.RemotePortQual == nil {
		return endUnknown
	}
	pair := [2]string{placeOn(*e.RemoteIAAddress, *e.RemotePortQual), placeOn(*e.LocalIAAddress, *e.LocalPortQual)}
	if here.pairs[pair] {
		return endThere
	}
	return endGone
}

// placeOn returns an address and a port as a list of resources shows them.
func placeOn(address string, port int32) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	return netip.AddrPortFrom(ip.WithZone(""), uint16(port)).String()
}

// endsOn lists the ends of connections on an adapter of this host; nil where the device does not answer.
func (a *API) endsOn(ia dat.Handle) *localEnds {
	found, err := a.manager.Resources(ia, dat.ResourceQP, dat.ResourceCMID)
	if err != nil {
		return nil
	}
	ends := &localEnds{peers: map[uint32]uint32{}, pairs: map[[2]string]bool{}}
	for _, r := range found {
		switch {
		case r.Kind == dat.ResourceQP && slices.Contains([]string{"RTR", "RTS", "SQD"}, valueOr(r.State, "")):
			ends.peers[r.Number] = valueOr(r.RemoteNumber, 0)
		case r.Kind == dat.ResourceCMID && valueOr(r.State, "") == "CONNECT":
			ends.pairs[[2]string{valueOr(r.Source, ""), valueOr(r.Destination, "")}] = true
		}
	}
	return ends
}

// lookOnNode looks for the other end among the connected endpoints of another node. One that is not there may be of
// another program, which that node alone can see.
func (o *otherEnds) lookOnNode(ctx context.Context, ia dat.Handle, e *dat.Endpoint) endState {
	if e.Peer == nil || e.Peer.QPNum == nil || e.Transport.QPNum == nil {
		return endUnknown
	}
	if _, asked := o.remote[ia]; !asked {
		o.remote[ia] = o.api.endsOnNode(ctx, ia)
	}
	peer, there := o.remote[ia][*e.Peer.QPNum]
	switch {
	case !there:
		return endUnknown
	case peer == *e.Transport.QPNum:
		return endThere
	default:
		return endGone
	}
}

// endsOnNode returns the queue pairs of the connected endpoints of an adapter, with those of their peers.
func (a *API) endsOnNode(ctx context.Context, ia dat.Handle) map[uint32]uint32 {
	all := map[uint32]uint32{}
	q := store.Query{Type: dat.TypeEndpoint, Limit: 1000, Filters: map[string][]string{"ia": {string(ia)}, "state": {"CONNECTED"}}}
	for {
		found, err := a.store.List(ctx, q)
		if err != nil {
			return all
		}
		for _, o := range found.Items {
			if e := o.(*dat.Endpoint); e.Transport.QPNum != nil && e.Peer != nil && e.Peer.QPNum != nil {
				all[*e.Transport.QPNum] = *e.Peer.QPNum
			}
		}
		if q.Cursor = found.Next; q.Cursor == "" {
			return all
		}
	}
}
