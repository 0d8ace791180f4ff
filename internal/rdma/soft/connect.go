package soft

import (
	"net/netip"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// Ephemeral qualifiers are those of active endpoints, and of service points
// that asked for any.
const (
	firstEphemeral = 32768
	lastEphemeral  = 60999
)

// side is an end of a connection.
type side int

const (
	active side = iota
	passive
)

// conn is a connection from the request on. An end is part of it while its
// endpoint's conn says so.
type conn struct {
	fabric *Fabric
	ends   [2]*ep
	// up tells which end knows that the connection is established.
	up [2]bool
	// lost: one end is gone and the other could not be told.
	lost    bool
	qual    int32
	data    []byte
	request *request
	// reads is how many RDMA reads each end may have on the way.
	reads [2]int32
}

// sideOf tells which end e is.
func (c *conn) sideOf(e *ep) side {
	if c.ends[active] == e {
		return active
	}
	return passive
}

// peer is the other end, nil while there is none.
func (c *conn) peer(e *ep) *ep { return c.ends[1-c.sideOf(e)] }

// Connect implements rdma.EP.
func (e *ep) Connect(q rdma.Connect) error {
	f := e.ia.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := e.stale(); err != nil {
		return err
	}
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
	c := &conn{fabric: f, ends: [2]*ep{active: e}, qual: q.RemoteQual, data: q.PrivateData}
	e.conn, e.ended, e.port = c, false, e.ia.ephemeral()
	e.makeQP()
	f.deliver(func() {
		if e.conn == c {
			f.arrive(c, address.Unmap())
		}
	})
	return nil
}

// ephemeral is the next local qualifier for an active endpoint.
func (a *adapter) ephemeral() int32 {
	for range lastEphemeral - firstEphemeral + 1 {
		port := a.nextPort
		a.nextPort++
		if a.nextPort > lastEphemeral {
			a.nextPort = firstEphemeral
		}
		if a.listeners[port] == nil {
			return port
		}
	}
	return 0
}

// arrive brings the request of c to the adapter that has the address.
func (f *Fabric) arrive(c *conn, address netip.Addr) {
	e := c.ends[active]
	if e.silent {
		return
	}
	target := f.byAddr[address]
	if target == nil || !f.reaches(e.ia, target) {
		f.answer(c, rdma.Report{
			Kind: rdma.ReportUnreachable, Reason: "EHOSTUNREACH",
			Detail: "No packet reaches " + address.String() + ".",
		})
		return
	}
	f.offer(c, target, c.qual)
}

// offer gives the request of c to whoever listens on qual.
func (f *Fabric) offer(c *conn, target *adapter, qual int32) {
	l := target.listeners[qual]
	refusal := ""
	switch {
	case l == nil:
		refusal = "nobody listens"
	case l.once && l.used:
		refusal = "the reserved service point has its request"
	case l.waiting >= f.backlog:
		refusal = "the backlog is full"
	}
	if refusal != "" {
		f.answer(c, rdma.Report{
			Kind: rdma.ReportNonPeerRejected, Reason: "IB_CM_REJ_INVALID_SERVICE_ID",
			Detail: "The request was rejected on the way: " + refusal + ".",
		})
		return
	}
	e := c.ends[active]
	f.sequence++
	r := &request{conn: c, listener: l, target: target, sequence: f.sequence}
	c.request = r
	l.used = true
	l.waiting++
	target.requests[r] = struct{}{}
	attributes, number := e.params.Attributes.Clone(), e.qp
	// What one end reads, the other answers.
	attributes.MaxRDMAReadIn, attributes.MaxRDMAReadOut = attributes.MaxRDMAReadOut, attributes.MaxRDMAReadIn
	target.report(rdma.Report{
		Kind: rdma.ReportRequest, SP: l.id, Request: r,
		RemoteAddress: e.ia.addr.String(), RemoteQual: e.port, LocalQual: qual, PrivateData: c.data,
		Attributes: &attributes, PeerQPNum: &number, PeerEP: e.id,
	})
}

// answer ends the setup of c at its active end with r.
func (f *Fabric) answer(c *conn, r rdma.Report) {
	f.deliver(func() {
		if e := c.ends[active]; e.conn == c && !e.silent {
			e.end(&r)
		}
	})
}

// part tells the other end of c that e has left it.
func (c *conn) part(e *ep, how rdma.ReportKind) {
	f := c.fabric
	other := c.peer(e)
	if other != nil && !f.passes(e, other) && how == rdma.ReportDisconnected {
		c.lost = true
		return
	}
	if r := c.request; other == nil && r != nil && (e.silent || !f.reaches(e.ia, r.target)) {
		return
	}
	f.deliver(func() { c.parted(e, how) })
}

// parted is the arrival of the word that e has left.
func (c *conn) parted(e *ep, how rdma.ReportKind) {
	if c.ends[passive] == nil {
		if r := c.request; r != nil && !r.used && !r.gone {
			r.gone = true
			r.target.report(rdma.Report{
				Kind: rdma.ReportRequestGone, SP: r.listener.id, Request: r,
				Reason: "IB_CM_REQ_CANCELLED", Detail: "The peer withdrew its request.",
			})
		}
		return
	}
	other := c.peer(e)
	if other.conn != c {
		return
	}
	r := rdma.Report{Kind: how, Reason: "IB_CM_DREQ_RECEIVED", Detail: "The peer disconnected."}
	switch {
	case how == rdma.ReportBroken:
		r.Reason, r.Detail = "DEVICE_REMOVED", "The peer's device went away."
	case !c.up[active] && other == c.ends[active]:
		r = rdma.Report{
			Kind: rdma.ReportNonPeerRejected, Reason: "IB_CM_REJ_CONSUMER_ABORT",
			Detail: "The peer gave up while it accepted.",
		}
	}
	if other == c.ends[passive] && !c.up[passive] {
		r = rdma.Report{
			Kind: rdma.ReportAcceptFailed, Reason: "IB_CM_REJ_STALE_CONN",
			Detail: "The peer was gone before the accept could be finished.",
		}
	}
	other.end(&r)
}

// listener is a service point.
type listener struct {
	core
	qual    int32
	once    bool
	used    bool
	waiting int
}

// Listen implements rdma.IA.
func (a *adapter) Listen(id dat.Handle, qual int32, once bool) (rdma.Listener, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	if err := a.usable(); err != nil {
		return nil, err
	}
	switch {
	case qual != 0 && a.listeners[qual] != nil:
		return nil, &dat.Error{
			Return: dat.RetConnQualInUse, Field: "conn_qual",
			Detail: "Another service point of this adapter has the qualifier; take a free one or ask for any.",
		}
	case qual == 0:
		if qual = a.ephemeral(); qual == 0 {
			return nil, &dat.Error{
				Return: dat.RetConnQualUnavailable, Field: "conn_qual",
				Detail: "Every qualifier of the range for any is in use; free a service point or name a qualifier.",
			}
		}
	}
	l := &listener{qual: qual, once: once}
	if err := a.admit(l, kindListener, id); err != nil {
		return nil, err
	}
	a.listeners[qual] = l
	return l, nil
}

// Free implements rdma.Object. Requests that wait stay valid.
func (l *listener) Free() { l.free(l) }

func (l *listener) drop() { delete(l.ia.listeners, l.qual) }

// Qual implements rdma.Listener.
func (l *listener) Qual() int32 { return l.qual }
