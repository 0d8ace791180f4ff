package manager

import (
	"context"
	"slices"
	"strconv"

	"go.opentelemetry.io/otel/attribute"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// posting is what all postings to an endpoint share.
type posting struct {
	in     dat.Input
	kind   dat.DTOKind
	count  int
	size   int64 // bytes of each
	flags  []dat.CompletionFlag
	cookie *string
	bind   *rmrBinding // nil but for a bind
	// checkKind, which may be nil, judges what only one kind of posting has.
	checkKind func(*dat.Endpoint) error
}

// request returns one request of the posting for the engine.
func (p posting) request(wr uint64) rdma.Request {
	return rdma.Request{
		WR: wr, Kind: p.kind, Size: p.size,
		Solicited: slices.Contains(p.flags, dat.CompletionSolicitedWait),
		Fence:     slices.Contains(p.flags, dat.CompletionBarrierFence),
	}
}

// post judges, reserves and acts under the operation lock. Nothing is recorded:
// postings are no changes.
func (m *Manager) post(ctx context.Context, c Call, id dat.Handle, p posting, act func(hw rdma.EP, first uint64) error) (posted Posted, err error) {
	ctx, ended := startSpan(ctx, "judge and act", attribute.String("dat.operation", p.in.Cause()))
	defer func() { ended(err) }()
	if err := m.checkOpen(); err != nil {
		return Posted{}, err
	}
	ep, err := lookupLocked[*endpoint](ctx, m, dat.TypeEndpoint, id)
	if err != nil {
		return Posted{}, err
	}
	defer ep.unlock()
	if err := p.judge(ep, c); err != nil {
		return Posted{}, err
	}
	first := ep.ia.reserveWorkRequests(c, p.count)
	cookies := cookiesOf(p.cookie, first, p.count)
	if c.DryRun {
		return Posted{Posted: p.count, Cookies: cookies}, nil
	}
	if p.bind != nil && !m.countWindow(p.bind.lmr, 1) {
		return Posted{}, errBodyHandle(dat.TypeLMR, p.bind.lmr, "lmr")
	}
	b, err := ep.reserve(p, first, cookies)
	if err != nil {
		if p.bind != nil {
			m.countWindow(p.bind.lmr, -1)
		}
		return Posted{}, err
	}
	if err := m.handToEngine(ep, p, first, act); err != nil {
		return Posted{}, err
	}
	if p.kind == dat.KindRecv {
		m.withState(ep, func() { m.judgeWatermarksLocked(ep, b) })
	}
	return Posted{Posted: p.count, Cookies: cookies}, nil
}

// judge judges a posting by the call's condition, by state, readiness, limits and
// its own rules.
func (p posting) judge(ep *endpoint, c Call) error {
	if err := matchVersion(c, ep.recorded()); err != nil {
		return err
	}
	before := ep.snapshot()
	if err := checkOperation(before, p.in); err != nil {
		return err
	}
	ep.mu.Lock()
	err := p.checkLimitsLocked(ep)
	ep.mu.Unlock()
	if err != nil {
		return err
	}
	if p.checkKind != nil {
		return p.checkKind(before)
	}
	return nil
}

// checkLimitsLocked judges count, size and flags together with what is outstanding.
// The state lock is held.
func (p posting) checkLimitsLocked(ep *endpoint) error {
	if err := dat.CheckPost(ep.live, p.in, len(ep.outstandingLocked(p.kind)), p.count, p.size, p.flags); err != nil {
		return err
	}
	return nil
}

// reserve makes the DTOs outstanding before the engine has them, so that no
// completion can come too early. It returns how many of their kind are outstanding
// then. The state is judged again, as an event may have come since.
func (ep *endpoint) reserve(p posting, first uint64, cookies []string) (int, error) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if err := dat.Judge(ep.live.State, p.in).Err(ep.live.State, p.in); err != nil {
		return 0, err
	}
	works := ep.outstandingLocked(p.kind)
	for i, cookie := range cookies {
		works[first+uint64(i)] = outstandingWork{kind: p.kind, cookie: cookie, flags: p.flags, bind: p.bind}
	}
	return len(works), nil
}

// handToEngine posts the DTOs in the engine. If that fails, none of them is
// outstanding any more.
func (m *Manager) handToEngine(ep *endpoint, p posting, first uint64, act func(rdma.EP, uint64) error) error {
	err := ep.callEngine(p.in.Word(), func(hw rdma.EP) error { return act(hw, first) })
	if err == nil {
		return nil
	}
	m.withState(ep, func() {
		works := ep.outstandingLocked(p.kind)
		for i := range p.count {
			if w, ok := works[first+uint64(i)]; ok && w.bind != nil {
				ep.orphanedBinds = append(ep.orphanedBinds, w.bind)
			}
			delete(works, first+uint64(i))
		}
	})
	return asError(err)
}

// cookiesOf returns the cookies of the DTOs of a posting: the given one, with a
// number behind it if there are several DTOs; without a given one the id of the
// work request.
func cookiesOf(given *string, first uint64, count int) []string {
	out := make([]string, count)
	for i := range out {
		switch {
		case given == nil:
			out[i] = strconv.FormatUint(first+uint64(i), 10)
		case count == 1:
			out[i] = *given
		default:
			out[i] = *given + "-" + strconv.Itoa(i)
		}
	}
	return out
}
