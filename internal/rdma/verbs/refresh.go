//go:build verbs

package verbs

import (
	"errors"
	"slices"
	"time"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// networkGroups are the messages of the kernel about network devices and addresses
// (RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR).
const networkGroups = unix.RTMGRP_LINK | unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR

// refreshDelays are when the attributes are read after a request: first when a burst of
// messages is over, then for what follows the messages late. RDMA devices hear of a change of a
// network device after the message about it went out, and the GIDs of its addresses come later.
var refreshDelays = [...]time.Duration{150 * time.Millisecond, 500 * time.Millisecond, 1400 * time.Millisecond}

// openNetwork opens the kernel's messages about network devices and addresses.
func (p *Provider) openNetwork() error {
	c, err := netlink.Dial(unix.NETLINK_ROUTE, &netlink.Config{Groups: networkGroups})
	if err != nil {
		return err
	}
	p.network = c
	p.tasks.Go(p.readNetwork)
	return nil
}

// readNetwork asks for a refresh whenever a network device or an address changes, and
// when messages were lost.
func (p *Provider) readNetwork() {
	for {
		_, err := p.network.Receive()
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		p.requestRefresh("RTNETLINK")
	}
}

// requestRefresh asks for the attributes of all adapters to be read again after an
// event; requests before that begins are one.
func (p *Provider) requestRefresh(event string) {
	p.refreshReason.Store(&event)
	select {
	case p.refreshes <- struct{}{}:
	default:
	}
}

// refreshOnRequest refreshes all adapters after each request, at each of refreshDelays,
// until Close.
func (p *Provider) refreshOnRequest() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	next := len(refreshDelays)
	for {
		select {
		case <-p.quit:
			return
		case <-p.refreshes:
			if next != 0 {
				next = 0
				timer.Reset(refreshDelays[0])
			}
		case <-timer.C:
			if next == len(refreshDelays) {
				continue
			}
			p.refreshAll()
			if next++; next < len(refreshDelays) {
				timer.Reset(refreshDelays[next] - refreshDelays[next-1])
			}
		}
	}
}

// refreshAll starts to refresh every adapter whose device is open.
func (p *Provider) refreshAll() {
	reason := *p.refreshReason.Load()
	host, err := readHostNetwork()
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.adapters {
		if h, err := a.hardware(); err == nil {
			h.startTask(func() { a.refresh(h, host, reason, false) })
		}
	}
}

// reportPort refreshes the adapter immediately after an event that the port came up or
// went down, and reports that in any case.
func (a *adapter) reportPort(h *hardware, event string) {
	a.p.requestRefresh(event)
	h.startTask(func() {
		host, err := readHostNetwork()
		if err != nil {
			a.reports.Put(rdma.Report{Kind: rdma.ReportPort, Reason: event})
			return
		}
		a.refresh(h, host, event, true)
	})
}

// refresh reads the attributes again, lets the service points follow the addresses, and
// reports what differs. Where always is set it reports even if nothing does. reason is the
// event that it follows.
func (a *adapter) refresh(h *hardware, host hostNetwork, reason string, always bool) {
	a.refreshing.Lock()
	defer a.refreshing.Unlock()
	before := a.shown()
	a.readFacts(h, host)
	h.followAddresses()
	detail := difference(before, a.shown())
	if detail != "" {
		detail = reason + ": " + detail + "."
	}
	if always || detail != "" {
		a.reports.Put(rdma.Report{Kind: rdma.ReportPort, Reason: reason, Detail: detail})
	}
}

// readFacts reads what the attributes of an open device are made of. The lock refreshing
// is held.
//
// Implements: ibv_query_port, ibv_query_gid_table; rdma_create_id, rdma_bind_addr and rdma_destroy_id for each
// address that came or went.
func (a *adapter) readFacts(h *hardware, host hostNetwork) {
	port, err := h.ctx.port(a.port)
	facts := portFacts{devicePort: a.devicePort, dev: h.limit, port: port}
	if err != nil {
		facts.noAnswer = err.Error()
	}
	gids, _ := h.ctx.gids(max(port.gids, 1) * h.limit.ports)
	gids = slices.DeleteFunc(gids, func(g gid) bool { return g.port != a.port })
	facts.gids = textOf(gids)
	if netdevs, err := portNetdevs(a.device); err == nil {
		facts.netdev = netdevs[a.port]
	}
	facts.driver, facts.rate = a.driver(sysfsRoot), a.rate(sysfsRoot)
	facts.netdevMTU = host.mtuOf(facts.netdev)
	facts.local = h.bindTo(host.candidates(facts.netdev, gids))
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hw != nil && a.hw != h {
		return // the device went and is there again
	}
	a.facts = facts
	a.attrs, a.provider = facts.iaAttributes(), facts.providerAttributes()
	known := dat.NewFacts(dat.HandleNull, a.attrs, a.provider)
	a.epDefaults = dat.DefaultEPAttributes(&known)
}

// shown returns what the adapter shows of its port.
func (a *adapter) shown() view {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := view{attributes: a.attrs}
	v.state, v.detail = a.facts.state()
	return v
}
