package soft

import (
	"net/netip"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// side is an end of a connection.
type side int

const (
	active side = iota
	passive
)

// conn is a connection from its request on. An endpoint is part of it while the
// endpoint's conn is this one.
type conn struct {
	fabric *Fabric
	// ends has no passive end before the request is accepted.
	ends [2]*ep
	// up tells which end knows that the connection is established.
	up [2]bool
	// lost: one end is gone and the other could not be told.
	lost bool
	// qual is the qualifier that the active end asked for, data its private data.
	qual    int32
	data    []byte
	request *request
	// reads is how many RDMA reads each end may have outstanding.
	reads [2]int32
}

// sideOf returns which end e is.
func (c *conn) sideOf(e *ep) side {
	if c.ends[active] == e {
		return active
	}
	return passive
}

// peer returns the other end than e, nil while there is none.
func (c *conn) peer(e *ep) *ep { return c.ends[1-c.sideOf(e)] }

// Connect implements rdma.EP.
func (e *ep) Connect(q rdma.Connect) error {
	return e.whileAlive(func() error {
		address, err := netip.ParseAddr(q.RemoteAddress)
		if err != nil {
			return &dat.Error{
				Return: dat.RetInvalidAddress, Subtype: dat.SubInvalidAddressMalformed,
				Field: "remote_ia_address", Detail: "The address is no IPv4 or IPv6 address; 10.77.0.1 would be one.",
			}
		}
		if q.QOS != dat.QOSBestEffort {
			return &dat.Error{
				Return: dat.RetModelNotSupported, Field: "qos",
				Detail: "The soft provider offers BEST_EFFORT only.",
			}
		}
		c := &conn{fabric: e.ia.fabric, ends: [2]*ep{active: e}, qual: q.RemoteQual, data: q.PrivateData}
		e.conn, e.ended, e.port = c, false, e.ia.ephemeral()
		e.newQueuePair()
		c.fabric.transmit(func() {
			if e.conn == c {
				c.arrive(address.Unmap())
			}
		})
		return nil
	})
}

// arrive brings the request of c to the adapter that has the address.
func (c *conn) arrive(address netip.Addr) {
	e, f := c.ends[active], c.fabric
	if e.silent {
		return
	}
	target := f.byAddr[address]
	if target == nil || !f.reaches(e.ia, target) {
		c.endSetup(rdma.Report{
			Kind: rdma.ReportUnreachable, Reason: "EHOSTUNREACH",
			Detail: "No packet reaches " + address.String() + ".",
		})
		return
	}
	target.offer(c, c.qual)
}

// endSetup ends the setup of c at its active end with the report r.
func (c *conn) endSetup(r rdma.Report) {
	c.fabric.transmit(func() {
		if e := c.ends[active]; e.conn == c && !e.silent {
			e.end(&r)
		}
	})
}

// accepted is the arrival of the accept at the active end.
func (c *conn) accepted(privateData []byte) {
	f, a, p := c.fabric, c.ends[active], c.ends[passive]
	if a.conn != c || p.conn != c {
		return // the end that is gone has told the other, which will hear of it
	}
	if !f.passes(a, p) {
		const reason, detail = "ETIMEDOUT", "The peer does not answer."
		p.end(&rdma.Report{Kind: rdma.ReportAcceptFailed, Reason: reason, Detail: detail})
		c.endSetup(rdma.Report{Kind: rdma.ReportUnreachable, Reason: reason, Detail: detail})
		return
	}
	aa, pa := &a.params.Attributes, &p.params.Attributes
	c.reads = [2]int32{active: min(aa.MaxRDMAReadOut, pa.MaxRDMAReadIn), passive: min(pa.MaxRDMAReadOut, aa.MaxRDMAReadIn)}
	c.establish(active, privateData)
	f.transmit(func() {
		if p.conn == c {
			c.establish(passive, nil)
		}
	})
}

// establish lets one end know that the connection is established.
func (c *conn) establish(s side, privateData []byte) {
	e, peer := c.ends[s], c.ends[1-s]
	c.up[s] = true
	e.qpState = "RTS"
	number := peer.qpNum
	e.report(rdma.Report{
		Kind: rdma.ReportEstablished, PrivateData: privateData,
		RemoteAddress: peer.ia.addr.String(), RemoteQual: peer.port, LocalQual: e.port,
		PeerQPNum: &number, PeerEP: peer.id,
	})
}

// tellPeer tells the other end of c that e has ended; how is the report that it
// makes of that on an established connection.
func (c *conn) tellPeer(e *ep, how rdma.ReportKind) {
	f := c.fabric
	other := c.peer(e)
	if other != nil && !f.passes(e, other) && how == rdma.ReportDisconnected {
		c.lost = true
		return
	}
	if r := c.request; other == nil && r != nil && (e.silent || !f.reaches(e.ia, r.target)) {
		return
	}
	f.transmit(func() { c.peerEnded(e, how) })
}

// peerEnded is the arrival of what tellPeer sent.
func (c *conn) peerEnded(e *ep, how rdma.ReportKind) {
	if c.ends[passive] == nil {
		c.request.withdraw()
		return
	}
	other := c.peer(e)
	if other.conn != c {
		return
	}
	r := rdma.Report{Kind: how, Reason: "IB_CM_DREQ_RECEIVED", Detail: "The peer disconnected."}
	switch side := c.sideOf(other); {
	case !c.up[side] && side == passive:
		r = rdma.Report{
			Kind: rdma.ReportAcceptFailed, Reason: "IB_CM_REJ_STALE_CONN",
			Detail: "The peer was gone before the accept could be finished.",
		}
	case how == rdma.ReportBroken:
		r.Reason, r.Detail = "DEVICE_REMOVED", "The peer's device went away."
	case !c.up[side]:
		r = rdma.Report{
			Kind: rdma.ReportNonPeerRejected, Reason: "IB_CM_REJ_CONSUMER_ABORT",
			Detail: "The peer gave up while it accepted.",
		}
	}
	other.end(&r)
}
