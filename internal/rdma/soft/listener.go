package soft

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// The ephemeral qualifiers: those of active endpoints, and of service points that
// asked for any.
const (
	firstEphemeral = 32768
	lastEphemeral  = 60999
)

// listener implements rdma.Listener.
type listener struct {
	object
	qual int32
	// once: it takes one request only. taken: it took one.
	once, taken bool
	// waiting counts the requests without an answer.
	waiting int
}

// Listen implements rdma.IA.
func (a *adapter) Listen(id dat.Handle, qual int32, once bool) (rdma.Listener, error) {
	a.fabric.mu.Lock()
	defer a.fabric.mu.Unlock()
	if err := a.checkDevice(); err != nil {
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
	if err := a.add(l, kindListener, id); err != nil {
		return nil, err
	}
	a.listeners[qual] = l
	return l, nil
}

// Free implements rdma.Object. Requests that wait stay valid.
func (l *listener) Free() { l.free(l) }

func (l *listener) release() { delete(l.ia.listeners, l.qual) }

// Qual implements rdma.Listener.
func (l *listener) Qual() int32 { return l.qual }

// ephemeral returns the next free ephemeral qualifier, 0 if there is none.
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

// offer gives the request of c to the service point on qual, or rejects it.
func (a *adapter) offer(c *conn, qual int32) {
	l := a.listeners[qual]
	refusal := ""
	switch {
	case l == nil:
		refusal = "nobody listens"
	case l.once && l.taken:
		refusal = "the reserved service point has its request"
	case l.waiting >= a.fabric.backlog:
		refusal = "the backlog is full"
	}
	if refusal != "" {
		c.endSetup(rdma.Report{
			Kind: rdma.ReportNonPeerRejected, Reason: "IB_CM_REJ_INVALID_SERVICE_ID",
			Detail: "The request was rejected on the way: " + refusal + ".",
		})
		return
	}
	e := c.ends[active]
	a.fabric.sequence++
	r := &request{conn: c, listener: l, target: a, sequence: a.fabric.sequence}
	c.request = r
	l.taken = true
	l.waiting++
	a.requests[r] = struct{}{}
	attributes, number := e.params.Attributes.Clone(), e.qpNum
	// What one end reads, the other answers.
	attributes.MaxRDMAReadIn, attributes.MaxRDMAReadOut = attributes.MaxRDMAReadOut, attributes.MaxRDMAReadIn
	a.report(rdma.Report{
		Kind: rdma.ReportRequest, SP: l.id, Request: r,
		RemoteAddress: e.ia.addr.String(), RemoteQual: e.port, LocalQual: qual, PrivateData: c.data,
		Attributes: &attributes, PeerQPNum: &number, PeerEP: e.id,
	})
}
