// Package soft is a complete RDMA provider in Go: several interface adapters on
// one fabric in memory. It is the default where there is no hardware, and the
// test double of hardware for every package above it.
//
// Everything happens under one lock, the fabric's, and in the call: a send has
// arrived when Post returns, unless the fabric was told to be slow. Only package
// time moves time, so that testing/synctest makes it deterministic. The only
// goroutines are those that deliver reports, one for each adapter.
//
// provider.go has the provider and its options, adapter.go the IA, attributes.go
// what it declares. object.go has what all objects share, with PZ and EVD; ep.go,
// srq.go, lmr.go, rmr.go and listener.go have the others, memory.go what LMRs and
// RMRs show. request.go has the connection requests and conn.go connections; send.go
// is the sending side of transfers, receive.go the receiving one. fabric.go is the
// wires, fault.go what can be done to them, census.go the count of what there is,
// resource.go lists it as a device would.
package soft

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/feed"
)

// Provider implements rdma.Provider with adapters soft0, soft1, … whose
// addresses are 10.77.0.1, 10.77.0.2, … and fd77::1, fd77::2, …
type Provider struct {
	fabric *Fabric
	// count is how many adapters Open makes.
	count    int
	opened   bool
	arrivals *feed.Queue[rdma.IA]
}

// Option changes what New makes.
type Option func(*Fabric)

// WithLimits changes the attributes of every adapter, to test small limits.
func WithLimits(change func(*dat.IAAttributes)) Option {
	return func(f *Fabric) { f.limits = append(f.limits, change) }
}

// WithMemory caps the memory of all regions together, in bytes; 1 GiB if not given.
func WithMemory(limit int64) Option { return func(f *Fabric) { f.memoryLimit = limit } }

// WithBacklog caps how many requests may wait at one service point; the next
// are rejected by the provider (T26). 1024 if not given.
func WithBacklog(requests int) Option { return func(f *Fabric) { f.backlog = requests } }

// WithRetryTimes sets how long each retry waits for a receiver that is not ready and
// for an answer that does not come; 10 ms and 50 ms if not given.
func WithRetryTimes(receiverNotReady, noAnswer time.Duration) Option {
	return func(f *Fabric) { f.rnrTime, f.ackTime = receiverNotReady, noAnswer }
}

// New returns a provider of n adapters. Nothing runs before Open.
func New(n int, opts ...Option) *Provider {
	f := &Fabric{
		byAddr: map[netip.Addr]*adapter{}, cuts: map[[2]string]bool{}, shared: map[string]*block{},
		memoryLimit: 1 << 30, backlog: 1024, rnrTime: 10 * time.Millisecond, ackTime: 50 * time.Millisecond,
	}
	for _, o := range opts {
		o(f)
	}
	p := &Provider{fabric: f, count: n, arrivals: feed.New[rdma.IA]()}
	f.provider = p
	f.handleFaults()
	return p
}

var _ rdma.Provider = (*Provider)(nil)

// Fabric returns the control of the wires, for tests and demonstrations.
func (p *Provider) Fabric() *Fabric { return p.fabric }

// Name implements rdma.Provider.
func (p *Provider) Name() string { return "soft" }

// Open implements rdma.Provider.
func (p *Provider) Open(context.Context) ([]rdma.IA, error) {
	f := p.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.opened || f.closed {
		return nil, &dat.Error{
			Return: dat.RetProviderInUse,
			Detail: "The soft provider is open or closed already; make another with New.",
		}
	}
	p.opened = true
	ias := make([]rdma.IA, p.count)
	for i := range ias {
		ias[i] = f.addAdapter()
	}
	return ias, nil
}

// Arrivals implements rdma.Provider.
func (p *Provider) Arrivals() <-chan rdma.IA { return p.arrivals.Out() }

// Close implements rdma.Provider.
func (p *Provider) Close() error {
	f := p.fabric
	f.mu.Lock()
	f.closed = true
	f.wire = nil
	stopTimer(&f.timer)
	adapters := slices.Clone(f.adapters)
	f.mu.Unlock()
	for _, a := range adapters {
		_ = a.Close()
	}
	p.arrivals.Close()
	return nil
}

// addAdapter adds the next adapter.
func (f *Fabric) addAdapter() *adapter {
	n := len(f.adapters)
	a := &adapter{
		fabric: f, name: fmt.Sprintf("soft%d", n), addr: address4(n), addr6: address6(n),
		reports: feed.New[rdma.Report](), live: map[freeable]struct{}{},
		listeners: map[int32]*listener{}, keys: map[uint32]*extent{}, requests: map[*request]struct{}{},
		nextPort: firstEphemeral,
	}
	a.attributes, a.provider = attributes(a)
	for _, change := range f.limits {
		change(&a.attributes)
	}
	f.adapters = append(f.adapters, a)
	f.byAddr[a.addr], f.byAddr[a.addr6] = a, a
	return a
}

// address4 returns 10.77.0.1 for the first adapter.
func address4(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 77, byte((n + 1) >> 8), byte(n + 1)})
}

// address6 returns fd77::1 for the first adapter.
func address6(n int) netip.Addr {
	return netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x77, 14: byte((n + 1) >> 8), 15: byte(n + 1)})
}
