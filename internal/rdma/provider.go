// Package rdma is the contract of an engine: what a Provider, its adapters and its
// objects can do, and what they report. Nothing in it runs.
package rdma

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// A Provider is one engine: it opens interface adapters.
//
// A provider acts and never judges: the Manager has tested state, values and
// handles before it calls. A provider keeps no endpoint state, counts no
// watermark, owns no event queue and never calls back; what happens to its
// objects comes out of IA.Reports. All errors are *dat.Error. What it cannot do
// it declares in its attributes and answers with DAT_MODEL_NOT_SUPPORTED.
type Provider interface {
	// Name is "soft" or "verbs".
	Name() string
	// Open finds the adapters that are there now. It is called once.
	Open(ctx context.Context) ([]IA, error)
	// Arrivals delivers adapters that appear later, each name once; one that
	// comes back is reported by its own Reports (ReportDeviceBack). It is closed
	// by Close.
	Arrivals() <-chan IA
	// Close ends every adapter and unblocks everything. It is idempotent.
	Close() error
}

// An IA is an open interface adapter of a provider.
//
// Handles given to Create calls are the Manager's ids; reports name objects by
// them. All methods may be called from several goroutines; calls on one
// object are serialised by the Manager, except Free, Close and PostRecv on an SRQ.
type IA interface {
	// Name is the IA's name without its node (`soft0`, `rxe0-1`); Device and
	// Port are the verbs device and port behind it.
	Name() string
	Device() string
	Port() int
	// State tells whether the port is up; with a reason and a remedy where it is not.
	State() (dat.IAState, string)
	// Attributes are those of dat_ia_query.
	Attributes() (dat.IAAttributes, dat.ProviderAttributes)
	// Reports delivers, in order, what happens to the IA and its objects.
	// Reporting never blocks an operation: the provider queues without bound.
	// It is closed by Close.
	Reports() <-chan Report

	// CreatePZ makes a protection zone.
	CreatePZ(id dat.Handle) (Object, error)
	// CreateEVD makes what the transport needs for an EVD of qlen events that
	// the given streams feed; events themselves are queued by the Manager.
	CreateEVD(id dat.Handle, qlen int32, streams []dat.Stream) (EVD, error)
	// CreateSRQ makes an empty shared receive queue.
	CreateSRQ(id dat.Handle, pz Object, maxRecvDTOs, maxRecvIOV int32) (SRQ, error)
	// CreateLMR registers memory of the service.
	CreateLMR(id dat.Handle, spec LMRSpec) (LMR, error)
	// CreateRMR makes an unbound window.
	CreateRMR(id dat.Handle, pz Object) (Object, error)
	// CreateEP makes an unconnected endpoint; there is no queue pair yet.
	CreateEP(id dat.Handle, params EPParams) (EP, error)
	// Listen makes a service point; requests are reported with its id.
	// Once: at most one request is taken, the next are rejected (RSP, T9).
	// Errors: DAT_CONN_QUAL_IN_USE; qual 0 asks for any free one
	// (DAT_CONN_QUAL_UNAVAILABLE where there is none).
	Listen(id dat.Handle, qual int32, once bool) (Listener, error)
	// Close frees everything that is left, children before parents (T44). Idempotent.
	Close() error
}

// An Object is what a provider made and can free. Free is idempotent and cannot fail:
// the Manager has recorded the end before it calls.
type Object interface{ Free() }

// EVD is the provider's part of an event dispatcher.
type EVD interface {
	Object
	// Resize changes the length without losing completions.
	Resize(qlen int32) error
}

// Listener is a service point of a provider.
type Listener interface {
	Object
	// Qual is the qualifier that it really listens on.
	Qual() int32
}

// LMRSpec says what memory to register.
type LMRSpec struct {
	PZ         Object
	MemType    dat.MemType
	Length     int64
	Privileges []dat.Privilege
	// Of is the region to register again, Offset the start in it (MemLMR).
	Of     LMR
	Offset int64
	// SharedID names the memory that regions share (MemSharedVirtual).
	SharedID string
}

// LMR is registered memory.
type LMR interface {
	Object
	// Context is the key for peers and the address of the first byte.
	Context() (rmrContext uint32, targetAddress uint64)
	// ReadAt and WriteAt reach the memory; the Manager has tested the range.
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
}

// SRQ is a shared receive queue.
type SRQ interface {
	Object
	// PostRecv adds receives; their WR ids come back in completions of the
	// endpoint that took them.
	PostRecv(recvs []Recv) error
	// Resize changes max_recv_dtos.
	Resize(maxRecvDTOs int32) error
	// SetLowWatermark arms the limit: one ReportSRQLimit when fewer than low
	// receives are left, at once if that is so now. 0 disarms.
	SetLowWatermark(low int32) error
}

// EPParams are the parameters that an endpoint is made and modified with.
type EPParams struct {
	PZ                  Object // nil is null
	RecvEVD, RequestEVD EVD    // nil is null
	SRQ                 SRQ    // nil is null
	Attributes          dat.EPAttributes
}

// Connect says where to and how. Timeouts are the Manager's.
type Connect struct {
	RemoteAddress string
	RemoteQual    int32
	PrivateData   []byte
	QOS           dat.QOS
}

// Recv is a receive to post; the buffer of Size bytes is the provider's own.
type Recv struct {
	WR   uint64
	Size int64
}

// Request is a request DTO or an RMR bind to post.
type Request struct {
	WR   uint64
	Kind dat.DTOKind
	// Data is what a send carries; Size bytes of zeros where it is nil.
	Data []byte
	Size int64
	// LMR, Offset and Length are the local memory of an RDMA operation or the
	// memory to bind.
	LMR            LMR
	Offset, Length int64
	// RemoteContext and RemoteAddress are the peer's memory.
	RemoteContext uint32
	RemoteAddress uint64
	// RMR and Privileges belong to a bind. Privileges empty unbinds.
	RMR        Object
	Privileges []dat.Privilege
	// Solicited asks the peer to wake a SOLICITED_WAIT waiter; Fence waits for
	// earlier RDMA reads (BARRIER_FENCE). Suppression is the Manager's.
	Solicited, Fence bool
}

// EP is an endpoint of a provider.
type EP interface {
	Object
	// Modify takes new parameters. The Manager calls it only while there is no
	// queue pair, so it is a record update (D2, D3), and the next connection has
	// what was set last (D10).
	Modify(params EPParams) error
	// Connect starts to connect and returns; the outcome is a report. The queue
	// pair is made here, and receives posted earlier go to it first.
	Connect(c Connect) error
	// Disconnect tears the connection or its setup down at once. When it
	// returns, a completion of every outstanding DTO has been reported
	// (DAT_DTO_ERR_FLUSHED), and nothing more of this connection will be.
	// It reports no ReportDisconnected of its own.
	Disconnect()
	// Reset makes the endpoint ready for a new connection. It reports one
	// ReportReset, after everything of the old connection: what the Manager reads
	// about the endpoint before that report is stale.
	Reset() error
	// PostRecv adds receives: before a connection they wait in the provider,
	// after one has ended they are flushed at once. All or nothing.
	PostRecv(recvs []Recv) error
	// Post starts request DTOs, all or nothing; after the connection has ended
	// they are flushed at once.
	Post(requests []Request) error
	// Probe sends a zero-length RDMA write that is on no EVD and in no count;
	// its outcome is a ReportProbe.
	Probe() error
	// Transport shows the queue pair, LocalPort the local qualifier where there is one.
	Transport() dat.Transport
}

// ConnRequest is a connection request of a provider; it is used once, and what is
// asked of it afterwards does nothing.
type ConnRequest interface {
	// Accept starts the connection on an endpoint; the outcome is a report
	// (ReportEstablished or ReportAcceptFailed).
	Accept(ep EP, privateData []byte) error
	// Reject answers the peer that the consumer (peer = true) or the provider
	// does not want it.
	Reject(peer bool, privateData []byte)
	// Handoff gives the request to another local qualifier as if it had just
	// arrived there; where nobody listens it is rejected (T47).
	Handoff(qual int32)
}
