package manager

import (
	"fmt"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// The bounds of a liveness probe: seconds between two, and how many in a row.
const (
	minProbeInterval = 1
	maxProbeInterval = 86400
	minFailAfter     = 1
	maxFailAfter     = 1000
)

// checkProbe judges a liveness probe; nil is none.
func checkProbe(p *dat.Probe) error {
	switch {
	case p == nil:
		return nil
	case p.IntervalS < minProbeInterval || p.IntervalS > maxProbeInterval:
		return errParameter(dat.SubNone, "probe.interval_s",
			fmt.Sprintf("interval_s is %d; it must be %d to %d seconds.", p.IntervalS, minProbeInterval, maxProbeInterval))
	case p.FailAfter < minFailAfter || p.FailAfter > maxFailAfter:
		return errParameter(dat.SubNone, "probe.fail_after",
			fmt.Sprintf("fail_after is %d; it must be %d to %d probes in a row.", p.FailAfter, minFailAfter, maxFailAfter))
	}
	return nil
}

// rearm starts, changes or ends the liveness probe of an endpoint.
func (m *Manager) scheduleProbe(ep *endpoint) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	m.scheduleProbeLocked(ep)
}

// rearmLocked schedules the next look at a connected endpoint's peer: after the
// interval, or earlier when the last probe that may fail ends before.
func (m *Manager) scheduleProbeLocked(ep *endpoint) {
	if ep.probeTimer != nil {
		ep.probeTimer.Stop()
		ep.probeTimer = nil
	}
	p := ep.live.Probe
	if p == nil || ep.hasEnded() || ep.live.State != dat.EPConnected {
		return
	}
	next := time.Duration(p.IntervalS) * time.Second
	if left := ep.silenceLeftLocked(p); left < next {
		next = max(left, 0)
	}
	attempt := ep.attempt
	ep.probeTimer = time.AfterFunc(next, func() { m.probeDue(ep, attempt) })
}

// silenceLeftLocked is how long the peer may still be silent.
func (ep *endpoint) silenceLeftLocked(p *dat.Probe) time.Duration {
	limit := time.Duration(p.FailAfter) * time.Duration(p.IntervalS) * time.Second
	if ep.lastProofOfLife == nil {
		return limit
	}
	return limit - time.Since(ep.lastProofOfLife.Time)
}

// look probes the peer, or breaks the connection where it was silent too long.
func (m *Manager) probeDue(ep *endpoint, attempt uint64) {
	send := false
	m.withState(ep, func() {
		p := ep.live.Probe
		if p == nil || ep.hasEnded() || ep.attempt != attempt || ep.live.State != dat.EPConnected || m.stopping() {
			return
		}
		if ep.silenceLeftLocked(p) <= 0 {
			m.handleEventLocked(ep, dat.EvBroken, eventDetails{
				reason: "PROBE_TIMEOUT", detail: fmt.Sprintf("no proof of life from the peer for %d probes, %d seconds", p.FailAfter, p.FailAfter*p.IntervalS), derived: true,
			})
			return
		}
		send = !ep.probing
		ep.probing = true
		m.scheduleProbeLocked(ep)
	})
	if send {
		m.sendProbe(ep)
	}
}

func (m *Manager) sendProbe(ep *endpoint) {
	if err := ep.callEngine(rdma.EP.Probe); err != nil {
		m.log.Warn("a liveness probe could not be sent", "endpoint", ep.id, "error", err)
		ep.mu.Lock()
		ep.probing = false
		ep.mu.Unlock()
	}
}
