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
	f.cuts[pair(a, b)] = true
}

// Mend lets packets pass again; what was sent meanwhile and has retries left arrives.
func (f *Fabric) Mend(a, b string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cuts, pair(a, b))
}

// Kill makes an endpoint dumb and deaf, as if its host had stopped: its peer
// learns nothing until it sends or probes. A reset revives it. False where
// there is no such endpoint.
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
// connections break (T48). False where there is none, or it is gone already.
func (f *Fabric) Remove(ia string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.adapter(ia)
	if a == nil || a.state == dat.IAGone {
		return false
	}
	a.clear(rdma.ReportBroken)
	a.state = dat.IAGone
	a.report(rdma.Report{
		Kind: rdma.ReportDeviceGone, Reason: "DEVICE_REMOVED",
		Detail: "The device was taken out of the soft fabric.",
	})
	return true
}

// Return brings a removed device back, empty (T49). False where it is not gone.
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
// passes; connections live as long as their retries. False where nothing changes.
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

// Plug adds an adapter, which Arrivals delivers; it gives its name, or "" after Close.
func (f *Fabric) Plug() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ""
	}
	a := f.plug()
	f.provider.arrivals.Put(a)
	return a.name
}

// SetDelay makes everything take d to reach the other end from now on; order is kept.
func (f *Fabric) SetDelay(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delay = d
}

// Hold keeps everything that is sent until Release.
func (f *Fabric) Hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = true
	stop(&f.timer)
}

// Release lets what was held go on, in order.
func (f *Fabric) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = false
	f.carry()
}

// Inject reports r on an adapter as if it had happened: late, early and
// repeated events for those that must stand them. False where there is no adapter.
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

// adapter is the adapter of a name, nil where there is none.
func (f *Fabric) adapter(ia string) *adapter {
	for _, a := range f.adapters {
		if a.name == ia {
			return a
		}
	}
	return nil
}

// Census counts what lives on a fabric; all zero when everything was freed.
type Census struct {
	PZs, EVDs, SRQs, LMRs, RMRs, EPs, Listeners int
	// Requests wait for an answer, Connections are set up or being set up (by
	// their ends), Keys are usable by peers, Shared are named memories.
	Requests, Connections, Keys, Shared int
	// Memory is in bytes; Parcels are on the wire; Posted are receives and
	// requests that have not completed.
	Memory  int64
	Parcels int
	Posted  int
}

// Census counts everything on the fabric now.
func (f *Fabric) Census() Census {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := Census{Shared: len(f.shared), Memory: f.memory, Parcels: len(f.wire)}
	for _, a := range f.adapters {
		c.PZs += a.count[kindPZ]
		c.EVDs += a.count[kindEVD]
		c.SRQs += a.count[kindSRQ]
		c.LMRs += a.count[kindLMR]
		c.RMRs += a.count[kindRMR]
		c.EPs += a.count[kindEP]
		c.Listeners += a.count[kindListener]
		c.Requests += len(a.requests)
		c.Keys += len(a.keys)
		for p := range a.live {
			if e, ok := p.(*ep); ok {
				c.Posted += len(e.recvs) + len(e.taken) + len(e.sends)
				if e.conn != nil {
					c.Connections++
				}
			}
		}
	}
	return c
}
