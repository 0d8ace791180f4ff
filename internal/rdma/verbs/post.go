//go:build verbs

package verbs

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// post gives requests to the QP. Where the first is refused none was taken; a later
// one that is refused completes as failed.
func (c *conn) post(e *ep, requests []rdma.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range requests {
		r := &requests[i]
		if c.dead {
			c.flushed(&work{wr: r.WR, kind: r.Kind})
			continue
		}
		err := c.postOne(r)
		if err != nil && i == 0 {
			return err
		}
		if err != nil {
			c.deliver((&work{wr: r.WR, kind: r.Kind}).report(e.id, dat.DTOErrLocalEP, err.Error(), 0))
		}
	}
	return nil
}

func (c *conn) postOne(r *rdma.Request) error {
	switch r.Kind {
	case dat.KindSend:
		return c.postSend(r)
	case dat.KindRMRBind:
		return c.postBind(r)
	default:
		return c.postRDMA(r)
	}
}

func (c *conn) postSend(r *rdma.Request) error {
	size := r.Size
	if r.Data != nil {
		size = int64(len(r.Data))
	}
	b, release, err := c.zone.buffer(size)
	if err != nil {
		return err
	}
	clear(b.data[copy(b.data, r.Data):max(size, int64(len(r.Data)))])
	w := &work{wr: r.WR, kind: r.Kind, size: size, buf: b, release: release}
	s := sendWR{opcode: opSend, flags: flagsOf(r), addr: b.addr(), length: uint32(size), lkey: b.lkey}
	if size <= int64(c.inline) {
		s.flags |= flagInline
	}
	return c.submit(w, s)
}

func (c *conn) postRDMA(r *rdma.Request) error {
	m, ok := r.LMR.(*lmr)
	if !ok || m.hw != c.hw {
		return errStale("region")
	}
	_, base := m.Context()
	w := &work{wr: r.WR, kind: r.Kind, size: r.Length}
	return c.submit(w, sendWR{
		opcode: opcodes[r.Kind], flags: flagsOf(r), addr: base + uint64(r.Offset), length: uint32(r.Length), lkey: m.mr.lkey(),
		remoteAddr: r.RemoteAddress, rkey: r.RemoteContext,
	})
}

// postBind binds a window to a part of a region, or unbinds it: a bind of no bytes.
func (c *conn) postBind(r *rdma.Request) error {
	win, ok := r.RMR.(*rmr)
	if !ok || win.hw != c.hw {
		return errStale("window")
	}
	win.mu.Lock()
	defer win.mu.Unlock()
	m, _ := r.LMR.(*lmr)
	length := uint64(r.Length)
	if len(r.Privileges) == 0 {
		m, length = win.bound, 0
	}
	if win.freed || m == nil {
		return errStale("window or its region")
	}
	_, base := m.Context()
	if length > 0 {
		base += uint64(r.Offset)
	}
	token := c.hw.key()
	w := &work{wr: r.WR, kind: r.Kind, size: int64(length), target: base}
	c.work[token] = w
	access := int(accessOf(r.Privileges) & (accessRemoteRead | accessRemoteWrite))
	key, err := c.id.bindWindow(win.window, m.mr, token, base, length, access, flagSignaled|flagsOf(r))
	if err != nil {
		delete(c.work, token)
		return fault("bind a memory window", err)
	}
	w.rmrContext, win.bound = key, m
	return nil
}

// probe writes nothing to the peer, which only a living peer acknowledges.
func (c *conn) probe() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return errStale("connection")
	}
	return c.submit(&work{kind: dat.KindRDMAWrite, probe: true}, sendWR{opcode: opRDMAWrite, flags: flagSignaled})
}

func (c *conn) submit(w *work, s sendWR) error {
	s.token = c.hw.key()
	c.work[s.token] = w
	if err := c.id.postSend(s); err != nil {
		delete(c.work, s.token)
		w.done()
		return fault("post a request", err)
	}
	return nil
}

func flagsOf(r *rdma.Request) int {
	flags := flagSignaled
	if r.Solicited {
		flags |= flagSolicited
	}
	if r.Fence {
		flags |= flagFence
	}
	return flags
}
