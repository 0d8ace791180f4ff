package soft

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/feed"
)

// adapter implements rdma.IA. Its fields belong to the fabric's lock.
type adapter struct {
	fabric      *Fabric
	name        string
	addr, addr6 netip.Addr
	attributes  dat.IAAttributes
	provider    dat.ProviderAttributes
	state       dat.IAState
	closed      bool
	reports     *feed.Queue[rdma.Report]

	live      map[part]struct{}
	count     [numKinds]int
	listeners map[int32]*listener
	keys      map[uint32]*window
	requests  map[*request]struct{}
	lastKey   uint32
	nextPort  int32
}

// Name implements rdma.IA.
func (a *adapter) Name() string { return a.name }

// Device implements rdma.IA: the device has the adapter's name.
func (a *adapter) Device() string { return a.name }

// Port implements rdma.IA: a soft device has one port.
func (a *adapter) Port() int { return 1 }

var stateDetails = [...]string{
	dat.IAUp:   "",
	dat.IADown: "The port was switched off on the soft fabric; switch it on again to use it.",
	dat.IAGone: "The device was taken out of the soft fabric; put it back to use it.",
}

// State implements rdma.IA.
func (a *adapter) State() (dat.IAState, string) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	return a.state, stateDetails[a.state]
}

// Attributes implements rdma.IA.
func (a *adapter) Attributes() (dat.IAAttributes, dat.ProviderAttributes) {
	return a.attributes, a.provider
}

// Reports implements rdma.IA.
func (a *adapter) Reports() <-chan rdma.Report { return a.reports.Out() }

// Close implements rdma.IA.
func (a *adapter) Close() error {
	a.fabric.mu.Lock()
	if !a.closed {
		a.closed = true
		a.clear(rdma.ReportDisconnected)
	}
	a.fabric.mu.Unlock()
	a.reports.Close()
	return nil
}

// clear retires every object, children before parents; the peers of its
// connections see how.
func (a *adapter) clear(how rdma.ReportKind) {
	requests := make([]*request, 0, len(a.requests))
	for r := range a.requests {
		requests = append(requests, r)
	}
	slices.SortFunc(requests, func(x, y *request) int { return int(x.sequence) - int(y.sequence) })
	for _, r := range requests {
		r.take()
		a.fabric.answer(r.conn, rdma.Report{Kind: rdma.ReportUnreachable, Reason: "DEVICE_REMOVED"})
	}
	parts := make([]part, 0, len(a.live))
	for p := range a.live {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(x, y part) int {
		if x.base().kind != y.base().kind {
			return int(x.base().kind) - int(y.base().kind)
		}
		return int(x.base().sequence) - int(y.base().sequence)
	})
	for _, p := range parts {
		if e, ok := p.(*ep); ok && e.conn != nil {
			e.leave(how)
		}
		p.base().retire(p)
	}
}

// kind orders objects so that children come before parents.
type kind uint8

const (
	kindListener kind = iota
	kindEP
	kindRMR
	kindLMR
	kindSRQ
	kindEVD
	kindPZ
	numKinds
)

// core is what all objects of an adapter share.
type core struct {
	ia       *adapter
	id       dat.Handle
	kind     kind
	sequence uint64
	alive    bool
}

// part is an object of an adapter. drop undoes what making it did.
type part interface {
	base() *core
	drop()
}

func (c *core) base() *core { return c }

// free is Free of every object.
func (c *core) free(p part) {
	c.ia.fabric.mu.Lock()
	defer c.ia.fabric.mu.Unlock()
	c.retire(p)
}

func (c *core) retire(p part) {
	if !c.alive {
		return
	}
	c.alive = false
	delete(c.ia.live, p)
	c.ia.count[c.kind]--
	p.drop()
}

// kinds tells the limit of each kind, its name, and what is exhausted beyond it.
var kinds = [numKinds]struct {
	limit   func(*dat.IAAttributes) int32
	name    string
	subtype dat.Subtype
}{
	kindListener: {func(*dat.IAAttributes) int32 { return 65535 }, "qualifiers", dat.SubNone},
	kindEP:       {func(t *dat.IAAttributes) int32 { return t.MaxEPs }, "max_eps", dat.SubResourceTEP},
	kindRMR:      {func(t *dat.IAAttributes) int32 { return t.MaxRMRs }, "max_rmrs", dat.SubResourceMemoryRegion},
	kindLMR:      {func(t *dat.IAAttributes) int32 { return t.MaxLMRs }, "max_lmrs", dat.SubResourceMemoryRegion},
	kindSRQ:      {func(t *dat.IAAttributes) int32 { return t.MaxSRQs }, "max_srqs", dat.SubResourceSRQ},
	kindEVD:      {func(t *dat.IAAttributes) int32 { return t.MaxEVDs }, "max_evds", dat.SubResourceTEVD},
	kindPZ:       {func(t *dat.IAAttributes) int32 { return t.MaxPZs }, "max_pzs", dat.SubResourceProtectionDomain},
}

// usable refuses calls while there is no device.
func (a *adapter) usable() error {
	if a.closed || a.state == dat.IAGone {
		return &dat.Error{
			Return: dat.RetInvalidState, Kind: "ia-gone",
			Detail: "The device of " + a.name + " is gone; the call is possible again when it is back.",
		}
	}
	return nil
}

// admit makes p one of the adapter's objects.
func (a *adapter) admit(p part, k kind, id dat.Handle) error {
	if err := a.usable(); err != nil {
		return err
	}
	if most := kinds[k].limit(&a.attributes); a.count[k] >= int(most) {
		return &dat.Error{
			Return: dat.RetInsufficientResources, Subtype: kinds[k].subtype,
			Detail: fmt.Sprintf("All %d of %s (%s) are in use; free one first.", most, a.name, kinds[k].name),
		}
	}
	a.fabric.sequence++
	*p.base() = core{ia: a, id: id, kind: k, sequence: a.fabric.sequence, alive: true}
	a.live[p] = struct{}{}
	a.count[k]++
	return nil
}

// report queues r unless the adapter is closed.
func (a *adapter) report(r rdma.Report) { a.reports.Put(r) }

// stale is the refusal of a call on an object that died with its device.
func (c *core) stale() error {
	if err := c.ia.usable(); err != nil {
		return err
	}
	if !c.alive {
		return &dat.Error{Return: dat.RetInvalidHandle, Detail: "The object is freed or went with its device; make it again."}
	}
	return nil
}
