package soft

import (
	"cmp"
	"net/netip"
	"os"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// Resources implements rdma.IA: its own objects, as a device with these would show them.
// The numbers of queue pairs are those of endpoints; the others count objects in the order
// of their creation.
func (a *adapter) Resources(kinds ...dat.ResourceKind) ([]dat.Resource, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	if err := a.checkDevice(); err != nil {
		return nil, err
	}
	if len(kinds) == 0 {
		kinds = dat.ResourceKinds()
	}
	all := []dat.Resource{{Kind: dat.ResourceCtx, Number: 1}}
	for o := range a.live {
		all = append(all, resourcesOf(o)...)
	}
	all = slices.DeleteFunc(all, func(r dat.Resource) bool { return !slices.Contains(kinds, r.Kind) })
	order := dat.ResourceKinds()
	slices.SortFunc(all, func(x, y dat.Resource) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)),
			cmp.Compare(x.Number, y.Number),
		)
	})
	pid, comm := int32(os.Getpid()), "datapi"
	for i := range all {
		all[i].PID, all[i].Comm, all[i].Owner = &pid, &comm, dat.OwnerDatapi
	}
	return all, nil
}

// resourceKinds are what the objects of an adapter are on a device; windows are listed by
// no kernel.
var resourceKinds = map[kind]dat.ResourceKind{
	kindPZ: dat.ResourcePD, kindEVD: dat.ResourceCQ, kindSRQ: dat.ResourceSRQ, kindLMR: dat.ResourceMR,
}

// resourcesOf returns what an object is on a device.
func resourcesOf(f freeable) []dat.Resource {
	o := f.common()
	switch x := f.(type) {
	case *ep:
		return x.resources()
	case *listener:
		source := netip.AddrPortFrom(o.ia.addr, uint16(x.qual)).String()
		return []dat.Resource{{
			Kind: dat.ResourceCMID, Number: uint32(o.sequence), Type: new("TCP"), State: new("LISTEN"), Source: &source,
		}}
	}
	if k, ok := resourceKinds[o.kind]; ok {
		return []dat.Resource{{Kind: k, Number: uint32(o.sequence)}}
	}
	return nil
}

// resources returns the queue pair of an endpoint and its id at the connection manager,
// while it has a connection or its setup.
func (e *ep) resources() []dat.Resource {
	c := e.conn
	if c == nil {
		return nil
	}
	number, state := e.qpNum, e.qpState
	source := netip.AddrPortFrom(e.ia.addr, uint16(e.port)).String()
	qp := dat.Resource{Kind: dat.ResourceQP, Number: number, Type: new("RC"), State: &state, Endpoint: e.id}
	id := dat.Resource{
		Kind: dat.ResourceCMID, Number: uint32(e.sequence), Type: new("TCP"), State: new("CONNECT"), Source: &source, Endpoint: e.id,
	}
	if p := c.peer(e); p != nil {
		qp.RemoteNumber = new(p.qpNum)
		id.Destination = new(netip.AddrPortFrom(p.ia.addr, uint16(p.port)).String())
	}
	return []dat.Resource{qp, id}
}

// traffic counts what an adapter has sent and received.
type traffic struct {
	sentMessages, sentBytes, receivedMessages, receivedBytes uint64
}

// Counters implements rdma.IA. There is no kernel, so the names are the provider's own.
func (a *adapter) Counters() (map[string]uint64, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	if err := a.checkDevice(); err != nil {
		return nil, err
	}
	return map[string]uint64{
		"sent_messages": a.traffic.sentMessages, "sent_bytes": a.traffic.sentBytes,
		"received_messages": a.traffic.receivedMessages, "received_bytes": a.traffic.receivedBytes,
	}, nil
}

// countTransfer counts a request that was served at e: a message, or memory that was
// written or read.
func (e *ep) countTransfer(w *work) {
	from, to := &w.ep.ia.traffic, &e.ia.traffic
	if w.Kind == dat.KindRDMARead {
		from, to = to, from
	}
	from.sentMessages++
	from.sentBytes += uint64(w.length)
	to.receivedMessages++
	to.receivedBytes += uint64(w.length)
}

// Limits implements rdma.IA: what the fabric gives to the regions of all its adapters.
func (a *adapter) Limits() []dat.ResourceLimit {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	return []dat.ResourceLimit{{
		Name: "registered_memory", Unit: "bytes", Used: a.fabric.memory, Max: new(a.fabric.memoryLimit),
		Remedy: "Free regions: the soft adapters share this memory.",
	}}
}
