//go:build verbs

package verbs

import (
	"errors"
	"syscall"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// cmEvent drives the connection by what the connection manager says.
func (c *conn) cmEvent(e cmEvent, _ cmID) {
	switch e.kind {
	case cmAddrResolved:
		c.resolveRoute()
	case cmRouteResolved:
		c.hw.spawn(c.connect)
	case cmEstablished:
		c.establish(e)
	default:
		c.mu.Lock()
		established := c.established
		c.mu.Unlock()
		if kind, ok := ending(e, c.side, established, c.hw.iwarp); ok {
			c.end(kind, cmReason(e), "", e.privateData...)
		}
	}
}

func (c *conn) resolveRoute() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return
	}
	if err := c.id.resolveRoute(resolveMS); err != nil {
		c.hw.spawn(func() { c.end(rdma.ReportUnreachable, err.Error(), "There is no route to the peer.") })
	}
}

// refusals says how a connection ends that the call itself refuses, as on
// devices whose connect waits for the peer's answer.
var refusals = map[syscall.Errno]rdma.ReportKind{
	syscall.ECONNREFUSED: rdma.ReportNonPeerRejected,
	syscall.ECONNRESET:   rdma.ReportNonPeerRejected,
}

// connect asks the peer. The call can block, so it runs without the lock; a
// connection that was ended meanwhile is cleared up here.
func (c *conn) connect() {
	c.mu.Lock()
	if c.dead {
		c.mu.Unlock()
		return
	}
	c.calling = true
	c.mu.Unlock()
	err := c.id.connect(c.param, false, c.data)
	c.mu.Lock()
	c.calling = false
	dead := c.dead
	if dead {
		c.closeQP()
	}
	c.mu.Unlock()
	if dead {
		c.clearUp(false)
		return
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		kind, ok := refusals[errno]
		if !ok {
			kind = rdma.ReportUnreachable
		}
		c.end(kind, errnoName(errno), "The peer did not take the connection: "+errno.Error()+".")
	}
}

// establish reports the connection and what completed before it was known.
func (c *conn) establish(e cmEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead || c.established {
		return
	}
	c.established = true
	local, peer := c.id.local(), c.id.peer()
	r := rdma.Report{
		Kind: rdma.ReportEstablished, EP: c.ep.id, Reason: cmReason(e),
		RemoteAddress: peer.Addr().String(), RemoteQual: int32(peer.Port()), LocalQual: int32(local.Port()),
	}
	if c.side == active {
		r.PrivateData = e.privateData
	}
	if e.peerQPNum != 0 {
		r.PeerQPNum = &e.peerQPNum
	}
	c.hw.report(r)
	for _, held := range c.held {
		c.hw.report(held)
	}
	c.held = nil
}

// lingerTime is how long an id waits for the peer to confirm a disconnect.
const lingerTime = 2 * time.Second

// lingering is the id of a connection that was ended here.
type lingering struct{ core }

// linger keeps an id until the peer has confirmed the disconnect.
func (h *hardware) linger(key uint64, id cmID) {
	l := &lingering{}
	release := func() {
		h.target(key, nil)
		h.destroyID(id)
	}
	if h.own(&l.core, dat.HandleNull, rankEP, release) != nil {
		release()
		return
	}
	h.target(key, l)
	time.AfterFunc(lingerTime, l.free)
}

// cmEvent ends the wait.
func (l *lingering) cmEvent(cmEvent, cmID) { l.free() }

// heardFromPeer tells the connection manager that a message has come while its own
// last message is still on the way.
func (c *conn) heardFromPeer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dead && !c.established {
		_ = c.id.notifyEstablished()
	}
}
