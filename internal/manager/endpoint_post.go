package manager

import (
	"context"
	"strconv"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// PostRecv is dat_ep_post_recv: all receives are posted or none, in every state; in
// DISCONNECTED they are flushed immediately. A posting can fire a watermark (W9,
// B5). Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER,
// DAT_INSUFFICIENT_RESOURCES beyond max_recv_dtos, DAT_INVALID_STATE on an SRQ
// endpoint or with a null PZ.
func (m *Manager) PostRecv(ctx context.Context, c Call, id dat.Handle, in RecvPost) (Posted, error) {
	p := posting{in: dat.OpPostRecv, kind: dat.KindRecv, count: in.Count, size: in.Size, cookie: in.Cookie}
	return m.post(ctx, c, id, p, func(hw rdma.EP, first uint64) error {
		return hw.PostRecv(recvs(first, in.Count, in.Size))
	})
}

// recvs returns count receives with the ids of work requests from first on.
func recvs(first uint64, count int, size int64) []rdma.Recv {
	out := make([]rdma.Recv, count)
	for i := range out {
		out[i] = rdma.Recv{WR: first + uint64(i), Size: size}
	}
	return out
}

// PostSend is dat_ep_post_send, Count times: all sends are posted or none. Errors:
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

// PostRDMA is dat_ep_post_rdma_write or dat_ep_post_rdma_read, by kind. Errors:
// those of PostSend, DAT_PROTECTION_VIOLATION and DAT_PRIVILEGES_VIOLATION for the
// local memory. What the peer's memory refuses is a completion.
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
		l, err := lookup[*lmr](m, dat.TypeLMR, in.LMR, "lmr")
		if err != nil {
			return err
		}
		if !holdsInScope(ctx, &l.object) {
			return errBodyHandle(dat.TypeLMR, in.LMR, "lmr")
		}
		if err := dat.CheckRDMA(e, op, imageOf[*dat.LMR](&l.object), in.Offset, in.Length); err != nil {
			return err
		}
		if key, addr, err = remoteMemory(in.RemoteContext, in.TargetAddress); err != nil {
			return err
		}
		mem, err = l.engine()
		return err
	}
	return m.post(ctx, c, id, p, func(hw rdma.EP, first uint64) error {
		r := p.request(first)
		r.LMR, r.Offset, r.Length, r.RemoteContext, r.RemoteAddress = mem, in.Offset, in.Length, key, addr
		return hw.Post([]rdma.Request{r})
	})
}

// remoteMemory parses the key (hexadecimal with 0x) and the address (decimal) of
// the peer's memory. The error is DAT_INVALID_PARAMETER.
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
