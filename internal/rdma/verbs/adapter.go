//go:build verbs

package verbs

import (
	"net/netip"
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/feed"
)

// adapter is an IA: one port of one device. It outlives the device.
type adapter struct {
	p *Provider
	devicePort
	reports *feed.Queue[rdma.Report]

	mu       sync.Mutex
	hw       *hardware // nil while there is no device
	closed   bool
	gone     bool
	why      string
	facts    portFacts
	local    []address
	attrs    dat.IAAttributes
	provider dat.ProviderAttributes
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

// State implements rdma.IA.
//
// Implements: ibv_query_port.
func (a *adapter) State() (dat.IAState, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.gone:
		return dat.IAGone, "The device " + a.device + " is gone; the IA works again when it is back."
	case a.hw == nil:
		return dat.IADown, a.why
	}
	port, err := a.hw.ctx.port(a.port)
	switch {
	case err != nil:
		return dat.IADown, "The port does not answer: " + err.Error() + "."
	case port.state != portActive:
		return dat.IADown, "The port is " + word(portStates[:], port.state) + "; bring " + a.netdevWord() + " up."
	case len(a.local) == 0:
		return dat.IAUp, "No IP address is on " + a.netdevWord() + ": give it one, or nothing can connect."
	}
	return dat.IAUp, ""
}

func (a *adapter) netdevWord() string {
	if a.facts.netdev == "" {
		return "its network device"
	}
	return "the network device " + a.facts.netdev
}

// Attributes implements rdma.IA.
//
// Implements: ibv_query_device, ibv_query_port.
func (a *adapter) Attributes() (dat.IAAttributes, dat.ProviderAttributes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attrs, a.provider
}

// life is the present life of the device, or the refusal of a call that needs it.
func (a *adapter) life() (*hardware, error) {
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
	detail := a.why
	if detail == "" {
		detail = "The device of " + a.iaName() + " is gone; the call is possible again when it is back."
	}
	return &dat.Error{Return: dat.RetInvalidState, Kind: "ia-gone", Detail: detail}
}

// learn reads what the attributes are made of; the device is open.
func (a *adapter) learn(ctx verbsContext) (deviceAttr, error) {
	dev, err := ctx.query()
	if err != nil {
		return dev, fault("tell its limits", err)
	}
	port, err := ctx.port(a.port)
	if err != nil {
		return dev, fault("tell its port's state", err)
	}
	facts := portFacts{devicePort: a.devicePort, dev: dev, port: port, gids: a.gids(sysfsRoot)}
	if netdevs, err := portNetdevs(a.device); err == nil {
		facts.netdev = netdevs[a.port]
	}
	local := netdevAddresses(facts.netdev)
	for _, l := range local {
		facts.addresses = append(facts.addresses, l.ip)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.facts, a.local = facts, local
	a.attrs, a.provider = facts.iaAttributes(), facts.providerAttributes()
	return dev, nil
}

// open starts a life on the device.
func (a *adapter) open(ctx verbsContext) error {
	dev, err := a.learn(ctx)
	if err != nil {
		return err
	}
	h, err := openHardware(a, ctx, dev)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hw, a.gone, a.why = h, false, ""
	return nil
}

// unusable keeps the reason why the device could not be opened.
func (a *adapter) unusable(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.why = why
}

// lose ends the device's life: everything of it is closed at once, since some
// kernels wait for that.
func (a *adapter) lose() {
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

// bindAddresses are the addresses that service points listen on.
func (a *adapter) bindAddresses() []address {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.local
}

func (a *adapter) parseAddress(s string) (address, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return parseRemote(s, a.facts.netdev)
}

// bindAddressFor is the local address that a peer is reached from.
func (a *adapter) bindAddressFor(peer address) (address, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	from, ok := addressFor(a.local, peer)
	if !ok {
		return from, &dat.Error{
			Return: dat.RetInvalidAddress, Subtype: dat.SubInvalidAddressUnsupported, Field: "remote_ia_address",
			Detail: "The IA has no address of the family of " + peer.String() + "; give " + a.netdevWord() + " one.",
		}
	}
	return from, nil
}

// asyncEvent takes an event of the device that is about this port or one of its objects.
func (a *adapter) asyncEvent(e asyncEvent) {
	h, err := a.life()
	if err != nil || e.kind < 0 || e.kind >= len(asyncTable) || e.port != 0 && e.port != a.port {
		return
	}
	row := asyncTable[e.kind]
	h.mu.RLock()
	c, s, q := h.byKey[e.key], h.srqs[e.key], h.cqs[e.key]
	h.mu.RUnlock()
	r := rdma.Report{Kind: asyncReport[row.action], Event: row.event, Reason: row.name}
	switch {
	case row.action == asyncBreakEP && c != nil:
		h.spawn(func() { c.end(r.Kind, r.Reason, "The adapter reports an error of the endpoint's queue pair.") })
	case row.action == asyncNotifyEP && c != nil:
		c.heardFromPeer()
	case row.action == asyncEVDError && q != nil:
		r.EVD = q.evd
		a.reports.Put(r)
	case (row.action == asyncSRQFails || row.action == asyncSRQLimit) && s != nil:
		r.SRQ = s.id
		a.reports.Put(r)
	case row.action == asyncPort:
		a.reports.Put(r)
	case row.action == asyncAddresses:
		_, _ = a.learn(h.ctx)
	}
}

// addressOf is how an address is shown.
func addressOf(p netip.AddrPort) string { return p.Addr().String() }
