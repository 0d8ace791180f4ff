//go:build verbs

package verbs

import (
	"sync"
	"sync/atomic"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/feed"
)

// adapter implements rdma.IA: it is one port of one device, and outlives the device.
type adapter struct {
	p *Provider
	devicePort
	reports *feed.Queue[rdma.Report]
	// repeats counts the connections that were asked for again (askAgain).
	repeats atomic.Uint64

	// refreshing lets one goroutine at a time read the facts. It is taken before mu.
	refreshing sync.Mutex
	mu         sync.Mutex
	// hw is the open device, nil while there is none. gone: it vanished. reason
	// says why it could not be opened.
	hw       *hardware
	closed   bool
	gone     bool
	reason   string
	facts    portFacts
	attrs    dat.IAAttributes
	provider dat.ProviderAttributes
	// epDefaults are the attributes of an endpoint that is created without any.
	epDefaults dat.EPAttributes
}

func newAdapter(p *Provider, port devicePort) *adapter {
	return &adapter{p: p, devicePort: port, reports: feed.New[rdma.Report]()}
}

// Name implements rdma.IA.
func (a *adapter) Name() string { return a.iaName() }

// Device implements rdma.IA.
func (a *adapter) Device() string { return a.device }

// Port implements rdma.IA.
func (a *adapter) Port() int { return a.port }

// Reports implements rdma.IA.
func (a *adapter) Reports() <-chan rdma.Report { return a.reports.Out() }

// State implements rdma.IA. It was read when the attributes were.
//
// Implements: nothing of the libraries; ibv_query_port is called when the attributes are
// read.
func (a *adapter) State() (dat.IAState, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.gone:
		return dat.IAGone, "The device " + a.device + " is gone; the IA works again when it is back."
	case a.hw == nil:
		return dat.IADown, a.reason
	}
	return a.facts.state()
}

// Attributes implements rdma.IA. They are read when the device is opened, and again when
// the port or the host's network changes.
//
// Implements: nothing of the libraries; ibv_query_device, ibv_query_port and
// ibv_get_device_guid are called when the attributes are read.
func (a *adapter) Attributes() (dat.IAAttributes, dat.ProviderAttributes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attrs, a.provider
}

// requestAttributes returns the attributes of an endpoint that is created for a
// connection request: what the request carries, else the defaults of the provider.
func (a *adapter) requestAttributes(e *cmEvent) *dat.EPAttributes {
	a.mu.Lock()
	defer a.mu.Unlock()
	of := a.epDefaults.Clone()
	of.MaxRDMAReadIn = min(int32(e.responderResources), a.attrs.MaxRDMAReadPerEPIn)
	of.MaxRDMAReadOut = min(int32(e.initiatorDepth), a.attrs.MaxRDMAReadPerEPOut)
	return &of
}

// hardware returns the open device, or the refusal of a call that needs it.
func (a *adapter) hardware() (*hardware, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hw == nil || a.closed {
		return nil, a.errGoneLocked()
	}
	return a.hw, nil
}

func (a *adapter) errGone() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.errGoneLocked()
}

func (a *adapter) errGoneLocked() error {
	detail := a.reason
	if detail == "" {
		detail = "The device of " + a.iaName() + " is gone; the call is possible again when it is back."
	}
	return &dat.Error{Return: dat.RetInvalidState, Kind: "ia-gone", Detail: detail}
}

// open starts the use of the open device. readHost reads the network devices.
func (a *adapter) open(ctx verbsContext, readHost func() (hostNetwork, error)) error {
	dev, err := ctx.query()
	if err != nil {
		return deviceError("tell its limits", err)
	}
	dev.vectors, dev.maxInline = ctx.vectors(), inlineOf(ctx, dev)
	h, err := newHardware(a, ctx, dev)
	if err != nil {
		return err
	}
	host, err := readHost()
	if err != nil {
		h.close()
		return deviceError("tell its addresses", err)
	}
	a.refreshing.Lock()
	defer a.refreshing.Unlock()
	a.readFacts(h, host)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hw, a.gone, a.reason = h, false, ""
	return nil
}

// setReason sets why the device could not be opened.
func (a *adapter) setReason(reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reason = reason
}

// closeGone closes everything of a device that vanished immediately, since some
// kernels wait for that, and reports it.
func (a *adapter) closeGone() {
	a.mu.Lock()
	h := a.hw
	a.hw, a.gone = nil, true
	a.mu.Unlock()
	if h != nil {
		h.close()
		a.reports.Put(rdma.Report{
			Kind: rdma.ReportDeviceGone, Reason: cmNames[cmDeviceRemoval],
			Detail: "The device " + a.device + " is gone.",
		})
	}
}

// Close implements rdma.IA.
//
// Implements: what Free of each object implements, then rdma_destroy_id,
// ibv_destroy_comp_channel, rdma_destroy_event_channel.
func (a *adapter) Close() error {
	a.mu.Lock()
	h := a.hw
	a.hw, a.closed = nil, true
	a.mu.Unlock()
	if h != nil {
		h.close()
	}
	a.reports.Close()
	return nil
}

// bindAddresses returns the addresses that service points listen on.
func (a *adapter) bindAddresses() []localAddress {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.facts.local
}

// parseAddress reads the address of a peer.
func (a *adapter) parseAddress(s string) (address, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return parseRemote(s, a.facts.netdev)
}

// bindAddressFor returns the local address that a peer is reached from.
func (a *adapter) bindAddressFor(peer address) (address, error) {
	a.mu.Lock()
	local, netdev := a.facts.local, a.facts.netdevWord()
	a.mu.Unlock()
	from, ok := sourceFor(local, peer, routeTo)
	if !ok {
		return from, &dat.Error{
			Return: dat.RetInvalidAddress, Subtype: dat.SubInvalidAddressUnsupported, Field: "remote_ia_address",
			Detail: "The IA has no address of the family of " + peer.String() + "; give " + netdev + " one.",
		}
	}
	return from, nil
}
