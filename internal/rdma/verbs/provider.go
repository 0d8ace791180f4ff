//go:build verbs

package verbs

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/feed"
)

// Provider opens every port of every RDMA device of this machine as an IA, those
// that are there and those that come.
type Provider struct {
	arrivals *feed.Queue[rdma.IA]
	blocks   blocks
	// uevents are the kernel's messages about devices.
	uevents *os.File
	// network are the kernel's messages about network devices and addresses.
	network *netlink.Conn
	// lastKey is the last key that was given out; see newKey.
	lastKey atomic.Uint64
	// tasks are the goroutines that Close waits for.
	tasks sync.WaitGroup
	// scans asks for a scan, quit ends the goroutine that scans.
	scans chan struct{}
	quit  chan struct{}
	// refreshes asks for the attributes of all adapters to be read again.
	refreshes chan struct{}
	// refreshReason is the event that asked last.
	refreshReason atomic.Pointer[string]

	// mu guards what follows.
	mu       sync.Mutex
	closed   bool
	adapters map[devicePort]*adapter
	devices  map[string]*device
	// list holds the open devices open.
	list deviceList
	// nodes are the devices by their character devices (uverbs0).
	nodes map[string]string
}

// device is an open device; its ports share it.
type device struct {
	ctx   verbsContext
	async *watcher
}

// New returns the provider. Nothing is opened before Open.
//
// Implements: nothing of the libraries.
func New() *Provider {
	return &Provider{
		arrivals: feed.New[rdma.IA](), blocks: blocks{shared: map[string]*block{}},
		scans: make(chan struct{}, 1), quit: make(chan struct{}), refreshes: make(chan struct{}, 1),
		adapters: map[devicePort]*adapter{}, devices: map[string]*device{}, nodes: map[string]string{},
	}
}

var _ rdma.Provider = (*Provider)(nil)

// Name implements rdma.Provider.
func (p *Provider) Name() string { return "verbs" }

// Arrivals implements rdma.Provider.
func (p *Provider) Arrivals() <-chan rdma.IA { return p.arrivals.Out() }

// Open implements rdma.Provider. Errors: DAT_PROVIDER_NOT_FOUND where a library is
// missing. A device that cannot be opened is an IA that says why.
//
// Implements: rdma_get_devices, rdma_free_devices, ibv_get_device_name,
// ibv_query_device, ibv_get_device_guid, ibv_query_port, rdma_create_event_channel,
// ibv_create_comp_channel, rdma_create_id, rdma_bind_addr.
func (p *Provider) Open(context.Context) ([]rdma.IA, error) {
	if err := openLibraries(); err != nil {
		return nil, &dat.Error{
			Return: dat.RetProviderNotFound, Cause: err,
			Detail: "The verbs libraries cannot be opened (" + err.Error() + "); install libibverbs1, ibverbs-providers and librdmacm1.",
		}
	}
	if err := p.openUevents(); err != nil {
		return nil, deviceError("watch for devices", err)
	}
	if err := p.openNetwork(); err != nil {
		return nil, deviceError("watch the network devices", err)
	}
	var ias []rdma.IA
	for _, a := range p.scan() {
		ias = append(ias, a)
	}
	p.tasks.Go(p.scanOnRequest)
	p.tasks.Go(p.refreshOnRequest)
	return ias, nil
}

// openUevents opens the kernel's messages about devices.
func (p *Provider) openUevents() error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1}); err != nil {
		_ = unix.Close(fd)
		return err
	}
	p.uevents = os.NewFile(uintptr(fd), "uevents")
	p.tasks.Go(p.readUevents)
	return nil
}

// readUevents asks for a scan when a device comes, and closes a device when its
// character device goes: the kernel says that before it waits for the closing.
func (p *Provider) readUevents() {
	b := make([]byte, 8192)
	for {
		n, err := p.uevents.Read(b)
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		u, ok := parseUevent(b[:max(n, 0)])
		switch {
		case err != nil:
			p.requestScan()
		case !ok || !u.concernsRDMA():
		case u.action == "remove":
			p.mu.Lock()
			name := u.name
			if d, ok := p.nodes[name]; ok {
				name = d
			}
			p.mu.Unlock()
			p.deviceGone(name)
		default:
			p.requestScan()
		}
	}
}

// requestScan asks for a scan; requests before the scan begins are one.
func (p *Provider) requestScan() {
	select {
	case p.scans <- struct{}{}:
	default:
	}
}

// scanOnRequest scans whenever that is asked for, until Close.
func (p *Provider) scanOnRequest() {
	for {
		select {
		case <-p.quit:
			return
		case <-p.scans:
			for _, a := range p.scan() {
				p.arrivals.Put(a)
			}
			p.requestRefresh("DEVICE_ADDED")
		}
	}
}

// deviceGone closes everything of a device in a goroutine of its own.
func (p *Provider) deviceGone(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.devices[name]
	if d == nil || p.closed {
		return
	}
	delete(p.devices, name)
	lost := p.adaptersOfLocked(name)
	p.tasks.Go(func() {
		for _, a := range lost {
			a.closeGone()
		}
		d.async.close()
		d.ctx.abandon()
		p.requestScan()
	})
}

// adaptersOf returns the adapters of a device's ports, in no order.
func (p *Provider) adaptersOf(device string) []*adapter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.adaptersOfLocked(device)
}

// adaptersOfLocked is adaptersOf with the lock held.
func (p *Provider) adaptersOfLocked(device string) (all []*adapter) {
	for port, a := range p.adapters {
		if port.device == device {
			all = append(all, a)
		}
	}
	return all
}

// Close implements rdma.Provider.
//
// Implements: rdma_free_devices, and what Close of each adapter implements.
func (p *Provider) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.tasks.Wait()
		return nil
	}
	p.closed = true
	adapters, devices := p.adapters, p.devices
	close(p.quit)
	if p.uevents != nil {
		_ = p.uevents.Close()
	}
	if p.network != nil {
		_ = p.network.Close()
	}
	p.mu.Unlock()
	// The library gives up its own protection domain with the last id, if nothing
	// else holds the device by then.
	p.list.free()
	for _, a := range adapters {
		_ = a.Close()
	}
	for _, d := range devices {
		d.async.close()
	}
	p.tasks.Wait()
	p.arrivals.Close()
	return nil
}
