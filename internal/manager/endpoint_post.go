package manager

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// PostRecv is dat_ep_post_recv: all or nothing, in every state; in DISCONNECTED
// the receives are flushed at once. A posting can fire a watermark (W9, B5).
// Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_INSUFFICIENT_RESOURCES
// beyond max_recv_dtos, DAT_INVALID_STATE on an SRQ endpoint or with a null PZ.
func (m *Manager) PostRecv(ctx context.Context, c Call, id dat.Handle, in RecvPost) (Posted, error) {
	p := posting{in: dat.OpPostRecv, kind: dat.KindRecv, count: in.Count, size: in.Size, cookie: in.Cookie}
	return m.post(ctx, c, id, p, func(hw rdma.EP, first uint64) error {
		return hw.PostRecv(recvs(first, in.Count, in.Size))
	})
}

func recvs(first uint64, count int, size int64) []rdma.Recv {
	out := make([]rdma.Recv, count)
	for i := range out {
		out[i] = rdma.Recv{WR: first + uint64(i), Size: size}
	}
	return out
}

// PostSend is dat_ep_post_send, Count times, all or nothing. Errors:
// DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER, DAT_LENGTH_ERROR,
// DAT_INSUFFICIENT_RESOURCES beyond max_request_dtos, DAT_INVALID_STATE.
func (m *Manager) PostSend(ctx context.Context, c Call, id dat.Handle, in SendPost) (Posted, error) {
	size := int64(len(in.Data))
	if in.Data == nil && in.Size != nil {
		size = *in.Size
	}
	if in.Data != nil && in.Size != nil && *in.Size != size {
		return Posted{}, errParameter(dat.SubNone, "size", "size does not fit data; give one of them, or size as the number of bytes of data.")
	}
	p := posting{in: dat.OpPostSend, kind: dat.KindSend, count: in.Count, size: size, flags: in.Flags, cookie: in.Cookie}
	return m.post(ctx, c, id, p, func(hw rdma.EP, first uint64) error {
		reqs := make([]rdma.Request, in.Count)
		for i := range reqs {
			reqs[i] = p.request(first + uint64(i))
			reqs[i].Data = in.Data
		}
		return hw.Post(reqs)
	})
}

// PostRDMA is dat_ep_post_rdma_write or dat_ep_post_rdma_read, by kind. Errors: as
// PostSend, DAT_PROTECTION_VIOLATION and DAT_PRIVILEGES_VIOLATION for the local
// memory. What the peer's memory refuses is a completion.
func (m *Manager) PostRDMA(ctx context.Context, c Call, id dat.Handle, kind dat.DTOKind, in RDMAPost) (Posted, error) {
	op := dat.OpPostRDMAWrite
	if kind == dat.KindRDMARead {
		op = dat.OpPostRDMARead
	}
	var key uint32
	var addr uint64
	var mem rdma.LMR
	p := posting{in: op, kind: kind, count: 1, size: in.Length, flags: in.Flags, cookie: in.Cookie}
	p.checkKind = func(e *dat.Endpoint) error {
		l, ok := find[*lmr](m, in.LMR)
		if !ok || l.recorded() == nil {
			return errBodyHandle(dat.TypeLMR, in.LMR, "lmr")
		}
		if err := dat.CheckRDMA(e, op, imageOf[*dat.LMR](&l.object), in.Offset, in.Length); err != nil {
			return err
		}
		var err error
		if key, addr, err = remoteMemory(in.RemoteContext, in.TargetAddress); err != nil {
			return err
		}
		mem, err = m.memoryOf(in.LMR)
		return err
	}
	return m.post(ctx, c, id, p, func(hw rdma.EP, first uint64) error {
		r := p.request(first)
		r.LMR, r.Offset, r.Length, r.RemoteContext, r.RemoteAddress = mem, in.Offset, in.Length, key, addr
		return hw.Post([]rdma.Request{r})
	})
}

// remoteMemory reads the peer's key (hexadecimal with 0x) and address (decimal).
func remoteMemory(context, address string) (uint32, uint64, error) {
	hex, ok := strings.CutPrefix(context, "0x")
	key, err := strconv.ParseUint(hex, 16, 32)
	if !ok || err != nil {
		return 0, 0, errParameter(dat.SubNone, "remote.rmr_context", "rmr_context must be 0x and up to eight hexadecimal digits, as the owner of the memory was told.")
	}
	addr, err := strconv.ParseUint(address, 10, 64)
	if err != nil {
		return 0, 0, errParameter(dat.SubNone, "remote.target_address", "target_address must be a decimal number below 2^64, as the owner of the memory was told.")
	}
	return uint32(key), addr, nil
}

// posting is what all postings share.
type posting struct {
	in     dat.Input
	kind   dat.DTOKind
	count  int
	size   int64
	flags  []dat.CompletionFlag
	cookie *string
	bind   *rmrBinding
	// check judges what only one kind of posting has; it may be nil.
	checkKind func(*dat.Endpoint) error
}

func (p posting) request(wr uint64) rdma.Request {
	return rdma.Request{
		WR: wr, Kind: p.kind, Size: p.size,
		Solicited: slices.Contains(p.flags, dat.CompletionSolicitedWait),
		Fence:     slices.Contains(p.flags, dat.CompletionBarrierFence),
	}
}

// post judges, reserves and acts under the operation lock. Nothing is recorded:
// postings are no changes.
func (m *Manager) post(ctx context.Context, c Call, id dat.Handle, p posting, act func(hw rdma.EP, first uint64) error) (Posted, error) {
	if err := m.checkOpen(); err != nil {
		return Posted{}, err
	}
	ep, ok := find[*endpoint](m, id)
	if !ok || ep.recorded() == nil {
		return Posted{}, errHandle(dat.TypeEndpoint, id)
	}
	if err := ep.lock(ctx); err != nil {
		return Posted{}, err
	}
	defer ep.unlock()
	if !ep.usable(nil) {
		return Posted{}, errHandle(dat.TypeEndpoint, id)
	}
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
		ep.mu.Lock()
		m.judgeWatermarksLocked(ep, b)
		ep.mu.Unlock()
		m.disconnectIfOwed(ep)
	}
	return Posted{Posted: p.count, Cookies: cookies}, nil
}

// judge judges a posting by condition, state, readiness and its own rules.
func (p posting) judge(ep *endpoint, c Call) error {
	if err := matchVersion(c, ep.recorded()); err != nil {
		return err
	}
	now := ep.snapshot()
	if err := checkOperation(now, p.in); err != nil {
		return err
	}
	ep.mu.Lock()
	err := p.checkLimitsLocked(ep)
	ep.mu.Unlock()
	if err != nil {
		return err
	}
	if p.checkKind != nil {
		return p.checkKind(now)
	}
	return nil
}

// limitsLocked judges count, size and flags with what is outstanding now.
func (p posting) checkLimitsLocked(ep *endpoint) error {
	if err := dat.CheckPost(ep.live, p.in, len(ep.outstandingLocked(p.kind)), p.count, p.size, p.flags); err != nil {
		return err
	}
	return nil
}

func (ep *endpoint) outstandingLocked(kind dat.DTOKind) map[uint64]outstandingWork {
	if kind == dat.KindRecv {
		return ep.recvs
	}
	return ep.requests
}

// reserve makes the DTOs outstanding before the engine has them, so that no
// completion can come too early. It gives the receives at the endpoint then. The
// state is judged again: an event may have come since.
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

// hand gives the DTOs to the engine; where it refuses or there is none, none is
// outstanding.
func (m *Manager) handToEngine(ep *endpoint, p posting, first uint64, act func(rdma.EP, uint64) error) error {
	hw, err := ep.engine()
	if err == nil {
		ep.calls.Lock()
		err = act(hw, first)
		ep.calls.Unlock()
	}
	if err == nil {
		return nil
	}
	ep.mu.Lock()
	works := ep.outstandingLocked(p.kind)
	for i := range p.count {
		if w, ok := works[first+uint64(i)]; ok && w.bind != nil {
			ep.orphanedBinds = append(ep.orphanedBinds, w.bind)
		}
		delete(works, first+uint64(i))
	}
	ep.mu.Unlock()
	m.disconnectIfOwed(ep)
	return asError(err)
}

// cookiesOf names the DTOs of a posting: the consumer's cookie, with the place
// behind it where there are several; else the id of the work request.
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
