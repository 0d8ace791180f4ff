package soft

import (
	"cmp"
	"maps"
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
	traffic     traffic

	// live are the objects that are not freed, count how many there are of each kind.
	live  map[freeable]struct{}
	count [numKinds]int
	// listeners are the service points by qualifier, keys the memory that peers can
	// reach by its RMR context, requests the connection requests without an answer.
	listeners map[int32]*listener
	keys      map[uint32]*extent
	requests  map[*request]struct{}
	lastKey   uint32
	// nextPort is the next ephemeral qualifier to try.
	nextPort int32
}

// Name implements rdma.IA.
func (a *adapter) Name() string { return a.name }

// Device implements rdma.IA: the device has the adapter's name.
func (a *adapter) Device() string { return a.name }

// Port implements rdma.IA: a soft device has one port.
func (a *adapter) Port() int { return 1 }

// stateDetails say to a person why an adapter is in a state and what would help.
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
		a.freeAll(rdma.ReportDisconnected)
	}
	a.fabric.mu.Unlock()
	a.reports.Close()
	return nil
}

// freeAll frees every object, children before parents, and ends the requests that
// wait; the peers of its connections are told how they ended.
func (a *adapter) freeAll(how rdma.ReportKind) {
	requests := slices.SortedFunc(maps.Keys(a.requests), func(x, y *request) int { return cmp.Compare(x.sequence, y.sequence) })
	for _, r := range requests {
		r.markAnswered()
		r.conn.endSetup(rdma.Report{Kind: rdma.ReportUnreachable, Reason: "DEVICE_REMOVED"})
	}
	objects := slices.SortedFunc(maps.Keys(a.live), func(x, y freeable) int {
		return cmp.Or(cmp.Compare(x.common().kind, y.common().kind), cmp.Compare(x.common().sequence, y.common().sequence))
	})
	for _, o := range objects {
		if e, ok := o.(*ep); ok && e.conn != nil {
			e.endBoth(how)
		}
		o.common().retire(o)
	}
}

// checkDevice refuses calls while there is no device.
func (a *adapter) checkDevice() error {
	if a.closed || a.state == dat.IAGone {
		return &dat.Error{
			Return: dat.RetInvalidState, Kind: "ia-gone",
			Detail: "The device of " + a.name + " is gone; the call is possible again when it is back.",
		}
	}
	return nil
}

// report queues r unless the adapter is closed.
func (a *adapter) report(r rdma.Report) { a.reports.Put(r) }
