package dat

import "maps"

// EPAttributes is DAT_EP_ATTR: what dat_ep_create takes and dat_ep_modify
// changes. Counts are numbers of DTOs, segments or RDMA Reads; sizes are bytes.
//
// Each member has a row in the table params; its doc is what the API's document
// says of it.
type EPAttributes struct {
	ServiceType            ServiceType       `json:"service_type" doc:"The service type."`
	MaxMessageSize         int64             `json:"max_message_size" doc:"The largest message, in bytes."`
	MaxRDMASize            int64             `json:"max_rdma_size" doc:"The largest RDMA transfer, in bytes."`
	QOS                    QOS               `json:"qos" doc:"The quality of service."`
	RecvCompletionFlags    CompletionFlag    `json:"recv_completion_flags" doc:"How completions of receives are notified."`
	RequestCompletionFlags CompletionFlag    `json:"request_completion_flags" doc:"How completions of requests are notified."`
	MaxRecvDTOs            int32             `json:"max_recv_dtos" doc:"Receives that may be outstanding at once."`
	MaxRequestDTOs         int32             `json:"max_request_dtos" doc:"Requests that may be outstanding at once."`
	MaxRecvIOV             int32             `json:"max_recv_iov" doc:"Segments that a receive can have."`
	MaxRequestIOV          int32             `json:"max_request_iov" doc:"Segments that a request can have."`
	MaxRDMAReadIn          int32             `json:"max_rdma_read_in" doc:"RDMA reads that may be outstanding as their target."`
	MaxRDMAReadOut         int32             `json:"max_rdma_read_out" doc:"RDMA reads that may be outstanding as their originator."`
	SRQSoftHW              Watermark         `json:"srq_soft_hw" doc:"The soft high watermark of an SRQ endpoint at creation; null is infinite."`
	MaxRDMAReadIOV         int32             `json:"max_rdma_read_iov" doc:"Segments that an RDMA read can have."`
	MaxRDMAWriteIOV        int32             `json:"max_rdma_write_iov" doc:"Segments that an RDMA write can have."`
	EPTransportSpecific    map[string]string `json:"ep_transport_specific" doc:"Attributes of the transport, name to value: retry_count, rnr_retry_count, ack_timeout, tos."`
	EPProviderSpecific     map[string]string `json:"ep_provider_specific" doc:"Attributes of the provider, name to value: max_inline_data; where the adapter has them, min_rnr_timer and comp_vector."`
}

// Clone returns a deep copy.
func (a EPAttributes) Clone() EPAttributes {
	a.EPTransportSpecific = maps.Clone(a.EPTransportSpecific)
	a.EPProviderSpecific = maps.Clone(a.EPProviderSpecific)
	return a
}

// Watermarks are an endpoint's two high watermarks.
//
// SoftArmed: finite and not fired since it was set (W5, W6). HardArmed: finite.
type Watermarks struct {
	SoftHigh  Watermark `json:"soft_high"`
	HardHigh  Watermark `json:"hard_high"`
	SoftArmed bool      `json:"soft_armed"`
	HardArmed bool      `json:"hard_armed"`
}

// Peer is the other end of a connection, as far as it is known.
type Peer struct {
	Endpoint  Handle  `json:"endpoint"`
	Node      *string `json:"node"`
	Name      *string `json:"name"`
	IAAddress *string `json:"ia_address"`
	PortQual  *int32  `json:"port_qual"`
	QPNum     *uint32 `json:"qp_num"`
}

func (p *Peer) clone() *Peer {
	c := clonePtr(p)
	if c != nil {
		c.Node, c.Name, c.IAAddress = clonePtr(p.Node), clonePtr(p.Name), clonePtr(p.IAAddress)
		c.PortQual, c.QPNum = clonePtr(p.PortQual), clonePtr(p.QPNum)
	}
	return c
}

// LastEvent is the last event of an endpoint, with the transport's own reason
// in Detail (CM status, errno name, completion status).
type LastEvent struct {
	Event  EventNumber `json:"event"`
	Reason *string     `json:"reason"`
	At     Time        `json:"at"`
	Detail *string     `json:"detail"`
}

func (l *LastEvent) clone() *LastEvent {
	c := clonePtr(l)
	if c != nil {
		c.Reason, c.Detail = clonePtr(l.Reason), clonePtr(l.Detail)
	}
	return c
}

// Transport is the queue pair behind an endpoint; its members are null while
// there is none.
type Transport struct {
	QPNum   *uint32 `json:"qp_num"`
	QPState *string `json:"qp_state"`
}

// Probe is the liveness probe of an endpoint: a zero-length RDMA write every
// IntervalS seconds (1–86400); FailAfter of them in a row without proof of life break
// the connection (1–1000).
type Probe struct {
	IntervalS int32 `json:"interval_s"`
	FailAfter int32 `json:"fail_after"`
}

// Endpoint is an Endpoint with all its parameters (DAT_EP_PARAM) and what is
// known of its connection. Source: dat_ep_query.
type Endpoint struct {
	Meta
	State           EPState      `json:"state"`
	PZ              Handle       `json:"pz"`
	RecvEVD         Handle       `json:"recv_evd"`
	RequestEVD      Handle       `json:"request_evd"`
	ConnectEVD      Handle       `json:"connect_evd"`
	SRQ             Handle       `json:"srq"`
	LocalIAAddress  *string      `json:"local_ia_address"`
	LocalPortQual   *int32       `json:"local_port_qual"`
	RemoteIAAddress *string      `json:"remote_ia_address"`
	RemotePortQual  *int32       `json:"remote_port_qual"`
	Attributes      EPAttributes `json:"attributes"`
	Watermarks      Watermarks   `json:"watermarks"`
	Probe           *Probe       `json:"probe"`
	Peer            *Peer        `json:"peer"`
	LastEvent       *LastEvent   `json:"last_event"`
	Transport       Transport    `json:"transport"`
}

// Type implements Object.
func (*Endpoint) Type() ObjectType { return TypeEndpoint }

// Clone implements Object.
func (e *Endpoint) Clone() Object { return e.Copy() }

// Copy is Clone, typed.
func (e *Endpoint) Copy() *Endpoint {
	c := *e
	c.Meta, c.Attributes = e.Meta.clone(), e.Attributes.Clone()
	c.LocalIAAddress, c.LocalPortQual = clonePtr(e.LocalIAAddress), clonePtr(e.LocalPortQual)
	c.RemoteIAAddress, c.RemotePortQual = clonePtr(e.RemoteIAAddress), clonePtr(e.RemotePortQual)
	c.Probe, c.Peer, c.LastEvent = clonePtr(e.Probe), e.Peer.clone(), e.LastEvent.clone()
	c.Transport = Transport{QPNum: clonePtr(e.Transport.QPNum), QPState: clonePtr(e.Transport.QPState)}
	return &c
}

// EPStatus is one snapshot of an endpoint (S1), whole (S7) and with plain
// booleans (S9, D1), and what a watcher needs beside it.
type EPStatus struct {
	State       EPState `json:"state"`
	RecvIdle    bool    `json:"recv_idle"`
	RequestIdle bool    `json:"request_idle"`
	ObservedAt  Time    `json:"observed_at"`
	// LastProofOfLife is when the peer was last known to be alive, or null.
	LastProofOfLife *Time `json:"last_proof_of_life"`
	// Recvs and Requests are the outstanding DTOs now.
	Recvs    int32 `json:"recvs"`
	Requests int32 `json:"requests"`
	// Counters count what completed since the endpoint was made.
	Counters DTOCounters `json:"counters"`
}

// DTOCounters count completed DTOs by kind, bytes by direction, and errors.
type DTOCounters struct {
	Recvs      int64 `json:"recvs"`
	Sends      int64 `json:"sends"`
	RDMAWrites int64 `json:"rdma_writes"`
	RDMAReads  int64 `json:"rdma_reads"`
	RMRBinds   int64 `json:"rmr_binds"`
	RecvBytes  int64 `json:"recv_bytes"`
	SentBytes  int64 `json:"sent_bytes"`
	Errors     int64 `json:"errors"`
	Flushed    int64 `json:"flushed"`
}

// RecvQuery is the answer of dat_ep_recv_query; null where the provider cannot tell.
type RecvQuery struct {
	NBufsAllocated *int32 `json:"nbufs_allocated"`
	BufsAllocSpan  *int32 `json:"bufs_alloc_span"`
}
