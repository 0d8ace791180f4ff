package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// Live returns an endpoint as it is now, ahead of its record while events wait for
// theirs, or nil if the handle names none.
func (m *Manager) Live(id dat.Handle) *dat.Endpoint {
	ep, err := lookup[*endpoint](m, dat.TypeEndpoint, id, "")
	if err != nil {
		return nil
	}
	return ep.snapshot()
}

// Modifiable returns the parameters of an endpoint that dat_ep_modify would accept
// now.
func (m *Manager) Modifiable(id dat.Handle) []string {
	ep, err := lookup[*endpoint](m, dat.TypeEndpoint, id, "")
	if err != nil {
		return nil
	}
	return dat.Modifiable(ep.snapshot(), ep.recvCount() == 0)
}

// EPStatus is dat_ep_get_status: one snapshot under the state lock (S1–S6). It
// never waits for the store. The error is DAT_INVALID_HANDLE (S8).
func (m *Manager) EPStatus(id dat.Handle) (dat.EPStatus, error) {
	ep, err := lookup[*endpoint](m, dat.TypeEndpoint, id, "")
	if err != nil {
		return dat.EPStatus{}, err
	}
	return ep.status(now()), nil
}

// status returns the status as observed at a time.
func (ep *endpoint) status(at dat.Time) dat.EPStatus {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return dat.EPStatus{
		State: ep.live.State, RecvIdle: len(ep.recvs) == 0, RequestIdle: len(ep.requests) == 0,
		ObservedAt: at, LastProofOfLife: ep.lastProofOfLife,
		Recvs: int32(len(ep.recvs)), Requests: int32(len(ep.requests)), Counters: ep.counters,
	}
}

// RecvQuery is dat_ep_recv_query: the receives at the endpoint, null if the
// provider cannot tell. The error is DAT_INVALID_HANDLE.
func (m *Manager) RecvQuery(id dat.Handle) (dat.RecvQuery, error) {
	ep, err := lookup[*endpoint](m, dat.TypeEndpoint, id, "")
	if err != nil {
		return dat.RecvQuery{}, err
	}
	return ep.recvQuery(), nil
}

// recvQuery returns the answer of RecvQuery. Receives of an endpoint are whole
// buffers in order, so the span is their number.
func (ep *endpoint) recvQuery() dat.RecvQuery {
	ep.mu.Lock()
	n, shared := int32(len(ep.recvs)), ep.live.SRQ != dat.HandleNull
	ep.mu.Unlock()
	var out dat.RecvQuery
	a := &ep.ia.facts.Load().Provider
	known := !shared || a.SRQWatermarksSupported.SRQEPSoftHigh || a.SRQWatermarksSupported.SRQEPHardHigh
	if a.EPRecvInfoSupported.NBufsAllocated && known {
		out.NBufsAllocated = &n
	}
	if a.EPRecvInfoSupported.BufsAllocSpan && known {
		out.BufsAllocSpan = &n
	}
	return out
}

// WaitEP returns the recorded endpoint once reached reports true for its live state
// and every event up to then is recorded. Errors: the context's, DAT_INVALID_HANDLE
// if the endpoint ends meanwhile.
func (m *Manager) WaitEP(ctx context.Context, id dat.Handle, reached func(dat.EPState) bool) (*dat.Endpoint, error) {
	ep, err := lookup[*endpoint](m, dat.TypeEndpoint, id, "")
	if err != nil {
		return nil, err
	}
	for {
		state, changed, ended := ep.watch()
		if ended {
			return nil, errHandle(dat.TypeEndpoint, id)
		}
		if reached(state) {
			if err := ep.unrecorded.wait(ctx, m.rec); err != nil {
				return nil, err
			}
			return filled(m, imageOf[*dat.Endpoint](&ep.object)), nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// watch returns the live state, a channel that is closed at its next change, and
// whether the endpoint has ended.
func (ep *endpoint) watch() (dat.EPState, <-chan struct{}, bool) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.live.State, ep.changed, ep.hasEnded()
}
