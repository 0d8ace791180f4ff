//go:build verbs

package verbs

import (
	"errors"
	"syscall"

	"github.com/datapi/datapi/internal/rdma"
)

// resolveMS is how long the connection manager may look for an address or a
// route, in milliseconds; the consumer's own time-out is the Manager's.
const resolveMS = 3000

// setupSteps are what follows the events of a connection that is being set up.
var setupSteps = map[int]func(c *conn, e cmEvent){
	cmAddrResolved:  func(c *conn, _ cmEvent) { c.resolveRoute() },
	cmRouteResolved: func(c *conn, _ cmEvent) { c.ask() },
	cmEstablished:   (*conn).establish,
}

// handleCM sets the connection up or ends it, as the connection manager's event says.
func (c *conn) handleCM(e cmEvent, _ cmID) {
	if step := setupSteps[e.kind]; step != nil {
		step(c, e)
		return
	}
	c.mu.Lock()
	established, ended, waiting := c.established, c.ended, c.waiting
	c.confirmed = ended
	c.mu.Unlock()
	if ended {
		if waiting != nil {
			waiting.free()
		}
		return
	}
	if kind, ok := reportOfEnd(e, c.side, established, c.hw.iwarp); ok {
		// Ending waits for the device, and must not keep the events of other connections.
		c.hw.startTask(func() { c.end(kind, cmReason(e), "", e.privateData...) })
	}
}

// resolveAddr asks for the peer's address; its event goes to the connection.
func (c *conn) resolveAddr(id cmID) error {
	return id.resolveAddr(c.to.withPort(c.toPort), c.to.scope, resolveMS)
}

// resolveRoute asks for the route to the address that was resolved.
func (c *conn) resolveRoute() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if err := c.id.resolveRoute(resolveMS); err != nil {
		c.hw.startTask(func() { c.end(rdma.ReportUnreachable, err.Error(), "There is no route to the peer.") })
	}
}

// connectRefusals say how a connection ends that rdma_connect itself refuses, as on
// devices where it waits for the peer's answer. Any other errno is
// DAT_CONNECTION_EVENT_UNREACHABLE.
var connectRefusals = map[syscall.Errno]rdma.ReportKind{
	syscall.ECONNREFUSED: rdma.ReportNonPeerRejected,
	syscall.ECONNRESET:   rdma.ReportNonPeerRejected,
}

// connectLimit is how many calls of rdma_connect run at a time over iWARP, where each keeps
// a thread until the peer's TCP has answered. Further ones wait for their turn.
const connectLimit = 512

// ask starts to connect: in a goroutine of its own over iWARP, where that can block.
func (c *conn) ask() {
	if c.hw.iwarp {
		c.hw.startTask(c.connect)
		return
	}
	c.connect()
}

// connect asks the peer for the connection. The call can block, so it runs without the
// lock; a connection that was ended meanwhile is cleaned up afterwards.
func (c *conn) connect() {
	if c.hw.iwarp {
		select {
		case c.hw.connects <- struct{}{}:
			defer func() { <-c.hw.connects }()
		case <-c.ending:
			return
		}
	}
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.connecting = true
	c.mu.Unlock()
	err := c.id.connect(c.param, false, c.data)
	c.mu.Lock()
	c.connecting, c.asked = false, true
	ended := c.ended
	used, again := c.askAgain(err)
	c.mu.Unlock()
	if ended {
		c.hw.background(c.cleanUpLate)
		return
	}
	if again {
		c.hw.destroyID(used)
		return
	}
	if err == nil {
		return
	}
	kind, reason := rdma.ReportUnreachable, err.Error()
	var errno syscall.Errno
	if errors.As(err, &errno) {
		reason = errnoName(errno)
		if refusal, ok := connectRefusals[errno]; ok {
			kind = refusal
		}
	}
	c.hw.startTask(func() { c.end(kind, reason, "The peer did not take the connection: "+err.Error()+".") })
}

// cleanUpLate cleans up what end left to connect. Over iWARP the peer may have taken the TCP
// connection, and not answered yet.
func (c *conn) cleanUpLate() {
	c.once.Do(func() {}) // until end has done its part
	if c.hw.iwarp {
		c.abort()
		return
	}
	c.mu.Lock()
	c.closeQP()
	c.mu.Unlock()
	c.cleanUp(false)
}

// establish reports that the connection is established, and what completed before.
func (c *conn) establish(e cmEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.established {
		return
	}
	c.established = true
	if c.minRNRTimer >= 0 { // the connection manager sets it to 0 on the way
		_ = c.id.setMinRNRTimer(uint8(c.minRNRTimer))
	}
	c.reads = e.initiatorDepth > 0 && e.responderResources > 0
	local, peer := c.id.local(), c.id.peer()
	from, to := ends(c.hw.ia.bindAddresses(), local.Addr(), peer.Addr())
	r := rdma.Report{
		Kind: rdma.ReportEstablished, EP: c.ep.id, Reason: cmReason(e),
		LocalAddress: from, RemoteAddress: to, RemoteQual: int32(peer.Port()), LocalQual: int32(local.Port()),
	}
	if c.side == active {
		r.PrivateData = e.privateData
	}
	if peer := e.peerQPNum; peer != 0 {
		r.PeerQPNum = &peer
	}
	c.hw.report(r)
	c.reportHeld()
}

// commEstablished tells the connection manager that the peer's first message has come
// while the last message of the connection manager is still on its way.
func (c *conn) commEstablished() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended && !c.established {
		_ = c.id.notifyEstablished()
	}
}
