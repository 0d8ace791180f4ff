//go:build verbs

package verbs

import (
	"context"
	"errors"
	"os"
	"sync"

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
	uevents  *os.File
	tasks    sync.WaitGroup
	changes  chan struct{}
	quit     chan struct{}

	mu       sync.Mutex
	closed   bool
	adapters map[devicePort]*adapter
	devices  map[string]*device
	list     deviceList
	nodes    map[string]string // character device (uverbs0) to device
}

// device is an open device; its ports share it.
type device struct {
	ctx   verbsContext
	async *watcher
}

// New makes the provider. Nothing is opened before Open.
//
// Implements: nothing of the libraries yet.
func New() *Provider {
	return &Provider{
		arrivals: feed.New[rdma.IA](), blocks: blocks{shared: map[string]*block{}},
		changes: make(chan struct{}, 1), quit: make(chan struct{}),
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
// Implements: rdma_get_devices.
func (p *Provider) Open(context.Context) ([]rdma.IA, error) {
	if err := openLibraries(); err != nil {
		return nil, &dat.Error{
			Return: dat.RetProviderNotFound, Cause: err,
			Detail: "The verbs libraries cannot be opened (" + err.Error() + "); install libibverbs1, ibverbs-providers and librdmacm1.",
		}
	}
	if err := p.listen(); err != nil {
		return nil, fault("watch for devices", err)
	}
	var ias []rdma.IA
	for _, a := range p.scan() {
		ias = append(ias, a)
	}
	p.tasks.Go(p.follow)
	return ias, nil
}

// listen opens the kernel's device messages.
func (p *Provider) listen() error {
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

// readUevents wakes the scan when a device comes, and ends a device's life when
// its character device goes: the kernel says that before it waits for us.
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
			p.changed()
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
			p.changed()
		}
	}
}

// changed asks for a scan.
func (p *Provider) changed() {
	select {
	case p.changes <- struct{}{}:
	default:
	}
}

// follow scans whenever something changed.
func (p *Provider) follow() {
	for {
		select {
		case <-p.quit:
			return
		case <-p.changes:
			for _, a := range p.scan() {
				p.arrivals.Put(a)
			}
		}
	}
}

// deviceGone closes everything of a device, beside the caller.
func (p *Provider) deviceGone(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.devices[name]
	if d == nil || p.closed {
		return
	}
	delete(p.devices, name)
	var lost []*adapter
	for port, a := range p.adapters {
		if port.device == name {
			lost = append(lost, a)
		}
	}
	p.tasks.Go(func() {
		for _, a := range lost {
			a.lose()
		}
		d.async.close()
		d.ctx.abandon()
		p.changed()
	})
}

// Close implements rdma.Provider.
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
