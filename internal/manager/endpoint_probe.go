package manager

import (
	"fmt"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// The bounds of a liveness probe: the seconds between two probes, and how many may
// fail in a row.
const (
	minProbeInterval = 1
	maxProbeInterval = 86400
	minFailAfter     = 1
	maxFailAfter     = 1000
)

// checkProbe judges the parameters of a liveness probe; nil is no probe. The error
// is DAT_INVALID_PARAMETER.
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

// scheduleProbe starts, changes or stops the liveness probe of an endpoint after
// its parameters changed.
func (m *Manager) scheduleProbe(ep *endpoint) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	m.scheduleProbeLocked(ep)
}

// scheduleProbeLocked sets the timer of the next probe of a connected endpoint:
// after the interval, or earlier if the peer has been silent too long before that.
// The state lock is held.
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

// silenceLeftLocked returns how much longer the peer may be silent. The state lock
// is held.
func (ep *endpoint) silenceLeftLocked(p *dat.Probe) time.Duration {
	limit := time.Duration(p.FailAfter) * time.Duration(p.IntervalS) * time.Second
	if ep.lastProofOfLife == nil {
		return limit
	}
	return limit - time.Since(ep.lastProofOfLife.Time)
}

// probeDue sends a probe, or breaks the connection if the peer has been silent too
// long. It does nothing if the connection is not the attempt that the timer was set
// for.
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

// sendProbe sends one probe. Its outcome is a report.
func (m *Manager) sendProbe(ep *endpoint) {
	if err := ep.callEngine("probe", rdma.EP.Probe); err != nil {
		m.log.Warn("a liveness probe could not be sent", "endpoint", ep.id, "error", err)
		ep.mu.Lock()
		ep.probing = false
		ep.mu.Unlock()
	}
}
