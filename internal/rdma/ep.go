package rdma

import "github.com/datapi/datapi/internal/dat"

// EPParams are the parameters that an endpoint is created and modified with.
type EPParams struct {
	// PZ, RecvEVD, RequestEVD and SRQ are nil for DAT_HANDLE_NULL.
	PZ                  Object
	RecvEVD, RequestEVD EVD
	SRQ                 SRQ
	Attributes          dat.EPAttributes
}

// EP is an endpoint of a provider.
type EP interface {
	Object
	// Modify replaces the parameters. The Manager calls it only while there is no
	// queue pair, so it is a record update (D2, D3), and the next connection has
	// what was set last (D10).
	Modify(params EPParams) error
	// Connect starts to connect and returns; the outcome is a report. The queue
	// pair is created here, and receives posted earlier go to it first.
	Connect(c Connect) error
	// Disconnect ends the connection or its setup immediately. When it returns, a
	// completion of every outstanding DTO has been reported
	// (DAT_DTO_ERR_FLUSHED), and nothing more of this connection will be. It makes
	// no ReportDisconnected.
	Disconnect()
	// Reset makes the endpoint ready for a new connection. It makes one
	// ReportReset, after everything of the old connection: what the Manager reads
	// about the endpoint before that report is stale.
	Reset() error
	// PostRecv adds receives, all or nothing: before a connection they wait in the
	// provider, after one has ended they are flushed immediately.
	PostRecv(recvs []Recv) error
	// Post starts request DTOs, all or nothing; after the connection has ended
	// they are flushed immediately.
	Post(requests []Request) error
	// Probe sends a zero-length RDMA write, or a read where only that proves that the
	// peer lives. It is on no EVD and in no count; its outcome is a ReportProbe.
	Probe() error
	// Transport returns the number and state of the queue pair; it is empty where
	// there is none.
	Transport() dat.Transport
}

// Connect says where to connect to and how. The time-out is the Manager's.
type Connect struct {
	// RemoteAddress is an IPv4 or IPv6 address, RemoteQual the qualifier there.
	RemoteAddress string
	RemoteQual    int32
	PrivateData   []byte
	QOS           dat.QOS
}

// Recv is a receive to post; the buffer of Size bytes is the provider's own.
type Recv struct {
	// WR is the Manager's id of the receive, which its completion carries.
	WR   uint64
	Size int64
}

// Request is a request DTO or an RMR bind to post.
type Request struct {
	// WR is the Manager's id of the request, which its completion carries.
	WR   uint64
	Kind dat.DTOKind
	// Data is what a send carries; if it is nil, Size bytes of zeros.
	Data []byte
	Size int64
	// LMR, Offset and Length are the local memory of an RDMA operation or the
	// memory to bind.
	LMR            LMR
	Offset, Length int64
	// RemoteContext and RemoteAddress are the peer's memory.
	RemoteContext uint32
	RemoteAddress uint64
	// RMR and Privileges belong to a bind. No privileges unbind.
	RMR        Object
	Privileges []dat.Privilege
	// Solicited asks the peer to wake a SOLICITED_WAIT waiter; Fence waits for
	// earlier RDMA reads (BARRIER_FENCE). Suppression is the Manager's.
	Solicited, Fence bool
}

// ConnRequest is a connection request of a provider. It is answered once; a second
// answer is refused or does nothing.
type ConnRequest interface {
	// Accept starts the connection on an endpoint; the outcome is a report
	// (ReportEstablished or ReportAcceptFailed).
	Accept(ep EP, privateData []byte) error
	// Reject rejects the request in the name of the consumer where peer is set, else
	// in the name of the provider.
	Reject(peer bool, privateData []byte)
	// Handoff gives the request to another local qualifier as if it had just
	// arrived there; where nobody listens it is rejected (T47).
	Handoff(qual int32)
}
