//go:build verbs

package verbs

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// posters post a request of each kind to the QP; the connection's lock is held.
var posters = [...]func(*conn, *rdma.Request) error{
	dat.KindSend:      (*conn).postSend,
	dat.KindRDMAWrite: (*conn).postRDMA,
	dat.KindRDMARead:  (*conn).postRDMA,
	dat.KindRMRBind:   (*conn).postBind,
}

// post posts requests to the QP. Where the first is refused, none was posted; a later
// one that is refused completes as failed.
func (c *conn) post(e *ep, requests []rdma.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range requests {
		r := &requests[i]
		if c.ended {
			c.reportFlushed(&work{wr: r.WR, kind: r.Kind})
			continue
		}
		err := posters[r.Kind](c, r)
		if err != nil && i == 0 {
			return err
		}
		if err != nil {
			c.deliver((&work{wr: r.WR, kind: r.Kind}).report(e.id, dat.DTOErrLocalEP, err.Error(), 0))
		}
	}
	return nil
}

// postSend sends from a buffer of the zone.
func (c *conn) postSend(r *rdma.Request) error {
	size := r.Size
	if r.Data != nil {
		size = int64(len(r.Data))
	}
	b, err := c.zone.takeBuffer(size)
	if err != nil {
		return err
	}
	clear(b.data[copy(b.data, r.Data):max(size, int64(len(r.Data)))])
	w := &work{wr: r.WR, kind: r.Kind, size: size, buf: b}
	s := sendWR{opcode: opSend, flags: flagsOf(r), addr: b.addr(), length: uint32(size), lkey: b.lkey}
	if size <= int64(c.inline) {
		s.flags |= flagInline
	}
	return c.submit(w, s)
}

// postRDMA writes or reads between a region and the peer's memory.
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
	w := &work{wr: r.WR, kind: r.Kind, size: int64(length), target: base}
	c.work.add(w, c.hw.newKey())
	access := int(accessOf(r.Privileges) & (accessRemoteRead | accessRemoteWrite))
	key, err := c.id.bindWindow(win.window, m.mr, w.token, base, length, access, flagSignaled|flagsOf(r))
	if err != nil {
		c.work.take(w.token)
		return deviceError("bind a memory window", err)
	}
	w.rmrContext, win.bound = key, m
	return nil
}

// probe posts an RDMA operation of no bytes that only a living peer answers. Over iWARP a
// write completes when it is sent, so it is a read there, if the connection allows one.
func (c *conn) probe() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return errStale("connection")
	}
	s := sendWR{opcode: opRDMAWrite, flags: flagSignaled}
	if c.hw.iwarp && c.reads {
		s.opcode = opRDMARead
	}
	return c.submit(&work{kind: dat.KindRDMAWrite, probe: true}, s)
}

// submit posts a request of the send queue with a token of its own.
func (c *conn) submit(w *work, s sendWR) error {
	c.work.add(w, c.hw.newKey())
	s.token = w.token
	if err := c.id.postSend(s); err != nil {
		c.work.take(w.token)
		w.release()
		return deviceError("post a request", err)
	}
	return nil
}

// flagsOf returns the posting flags of a request. Every request is signalled: the Manager
// suppresses events.
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

// postRecvs posts receives to the QP. Where the first is refused, none was posted; a
// later one that is refused completes as flushed.
func (c *conn) postRecvs(all []work) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range all {
		w := &all[i]
		if c.ended {
			c.reportFlushed(w)
			continue
		}
		if err := c.postRecvLocked(w); err != nil {
			if i == 0 {
				for rest := range all {
					all[rest].release()
				}
				return err
			}
			c.reportFlushed(w)
		}
	}
	return nil
}

// postRecvLocked posts a receive with a token of its own; the lock is held.
func (c *conn) postRecvLocked(w *work) error {
	c.work.add(w, c.hw.newKey())
	if err := c.id.postRecv(w.token, w.buf, uint32(w.size)); err != nil {
		c.work.take(w.token)
		return deviceError("post a receive", err)
	}
	return nil
}
