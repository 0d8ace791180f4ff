package soft

import (
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// Cut stops every packet between two adapters, named like `soft0`. Connections
// stay until something is sent over them; what is sent fails after its retries
// (DAT_DTO_ERR_TRANSPORT), and connecting finds the peer unreachable (T24).
func (f *Fabric) Cut(a, b string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cuts[cutKey(a, b)] = true
}

// Mend lets packets pass again; what was sent meanwhile and has retries left arrives.
func (f *Fabric) Mend(a, b string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cuts, cutKey(a, b))
}

// Kill makes an endpoint silent, as if its host had stopped: its peer learns nothing
// until it sends or probes. A reset revives it. It reports whether there is such an
// endpoint.
func (f *Fabric) Kill(endpoint dat.Handle) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.adapters {
		for p := range a.live {
			if e, ok := p.(*ep); ok && e.id == endpoint {
				e.silent = true
				return true
			}
		}
	}
	return false
}

// Remove takes the device of an adapter away: its objects die, its peers'
// connections break (T48). It reports whether the device was there.
func (f *Fabric) Remove(ia string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.adapter(ia)
	if a == nil || a.state == dat.IAGone {
		return false
	}
	a.freeAll(rdma.ReportBroken)
	a.state = dat.IAGone
	a.report(rdma.Report{
		Kind: rdma.ReportDeviceGone, Reason: "DEVICE_REMOVED",
		Detail: "The device was taken out of the soft fabric.",
	})
	return true
}

// Return brings a removed device back, without objects (T49). It reports whether the
// device was gone.
func (f *Fabric) Return(ia string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.adapter(ia)
	if a == nil || a.state != dat.IAGone || a.closed {
		return false
	}
	a.state = dat.IAUp
	a.report(rdma.Report{Kind: rdma.ReportDeviceBack, Detail: "The device is in the soft fabric again."})
	return true
}

// SetPort switches the port of an adapter on or off. While it is off nothing
// passes; connections live as long as their retries. It reports whether that changed
// anything.
func (f *Fabric) SetPort(ia string, up bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, state := f.adapter(ia), dat.IADown
	if up {
		state = dat.IAUp
	}
	if a == nil || a.state == state || a.state == dat.IAGone {
		return false
	}
	a.state = state
	a.report(rdma.Report{Kind: rdma.ReportPort, Detail: stateDetails[state]})
	return true
}

// Plug adds an adapter, which Arrivals delivers. It returns its name, or "" after Close.
func (f *Fabric) Plug() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ""
	}
	a := f.addAdapter()
	f.provider.arrivals.Put(a)
	return a.name
}

// SetDelay makes everything take d to reach the other end from now on; order is kept.
func (f *Fabric) SetDelay(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delay = d
}

// Hold keeps everything that is sent on its way until Release.
func (f *Fabric) Hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = true
	stopTimer(&f.timer)
}

// Release lets what was held go on, in order.
func (f *Fabric) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = false
	f.deliverDue()
}

// Inject makes an adapter report r, for tests of late, early and repeated reports. It
// reports whether there is such an adapter.
func (f *Fabric) Inject(ia string, r rdma.Report) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.adapter(ia)
	if a == nil {
		return false
	}
	a.report(r)
	return true
}

// adapter returns the adapter of a name, nil if there is none.
func (f *Fabric) adapter(ia string) *adapter {
	for _, a := range f.adapters {
		if a.name == ia {
			return a
		}
	}
	return nil
}
