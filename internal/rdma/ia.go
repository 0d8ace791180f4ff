package rdma

import "github.com/datapi/datapi/internal/dat"

// An IA is an open interface adapter of a provider.
//
// The handles that the Create methods are given are the Manager's ids; reports
// name objects by them. All methods may be called from several goroutines; calls
// on one object are serialised by the Manager, except Free, Close and PostRecv of
// an SRQ.
type IA interface {
	// Name returns the IA's name without its node (`soft0`, `rxe0-1`).
	Name() string
	// Device returns the name of the device behind the IA.
	Device() string
	// Port returns the number of the device's port, from 1.
	Port() int
	// State returns whether the port is up, and where it is not a sentence with
	// the reason and the remedy.
	State() (dat.IAState, string)
	// Attributes returns those of dat_ia_query.
	Attributes() (dat.IAAttributes, dat.ProviderAttributes)
	// Resources returns what exists on the device of the kinds, whoever made it, and of
	// this port where that can be told; all kinds if none is named. Those of the
	// provider's own process are OwnerDatapi, with the endpoint that they were created
	// for, or OwnerOrphan where the provider knows nothing of them, as of a queue pair
	// that is being made. The order is that of the kinds, then of the numbers. Errors:
	// DAT_INVALID_STATE while the device is gone.
	Resources(kinds ...dat.ResourceKind) ([]dat.Resource, error)
	// Counters returns the counters of the port and of its device by the kernel's
	// names, where there is no kernel by the provider's; none where the device has none. A
	// provider may add its own.
	Counters() (map[string]uint64, error)
	// Limits returns the limits of the operating system for what the provider makes on
	// the device.
	Limits() []dat.ResourceLimit
	// Reports delivers, in order, what happens to the IA and its objects.
	// Reporting never blocks an operation: the provider queues reports without a
	// bound. Close closes the channel.
	Reports() <-chan Report

	// CreatePZ creates a protection zone.
	CreatePZ(id dat.Handle) (Object, error)
	// CreateEVD creates what the transport needs for an EVD of qlen events that
	// the given streams feed; the events themselves are queued by the Manager.
	CreateEVD(id dat.Handle, qlen int32, streams []dat.Stream) (EVD, error)
	// CreateSRQ creates an empty shared receive queue.
	CreateSRQ(id dat.Handle, pz Object, maxRecvDTOs, maxRecvIOV int32) (SRQ, error)
	// CreateLMR registers memory of the service.
	CreateLMR(id dat.Handle, spec LMRSpec) (LMR, error)
	// CreateRMR creates an unbound window.
	CreateRMR(id dat.Handle, pz Object) (Object, error)
	// CreateEP creates an unconnected endpoint; there is no queue pair yet.
	CreateEP(id dat.Handle, params EPParams) (EP, error)
	// Listen creates a service point; requests are reported with its id. Where
	// once is set, at most one request is taken and the next are rejected (RSP,
	// T9). qual 0 asks for any free qualifier. Errors: DAT_CONN_QUAL_IN_USE, and
	// DAT_CONN_QUAL_UNAVAILABLE where no qualifier is free.
	Listen(id dat.Handle, qual int32, once bool) (Listener, error)
	// Close frees every object that is left, children before parents (T44). It is idempotent.
	Close() error
}

// StreamMerging returns the merging matrix of dat_ia_query that every provider
// declares. The Manager queues the events of all streams, so every pair of streams
// may share an EVD but ASYNC with another; the diagonal is true (D30).
func StreamMerging() dat.StreamMatrix {
	m := dat.StreamMatrix{}
	for a := dat.StreamSoftware; a <= dat.StreamAsync; a++ {
		m[a] = map[dat.Stream]bool{}
		for b := dat.StreamSoftware; b <= dat.StreamAsync; b++ {
			m[a][b] = a == b || a != dat.StreamAsync && b != dat.StreamAsync
		}
	}
	return m
}

// An Object is something that a provider created and can free.
type Object interface {
	// Free is idempotent and cannot fail: the Manager has recorded the end of the
	// object before it calls.
	Free()
}

// EVD is the provider's part of an event dispatcher.
type EVD interface {
	Object
	// Resize changes the length without losing completions.
	Resize(qlen int32) error
}

// Listener is a service point of a provider.
type Listener interface {
	Object
	// Qual returns the qualifier that it listens on.
	Qual() int32
}

// LMRSpec says what memory to register.
type LMRSpec struct {
	PZ      Object
	MemType dat.MemType
	// Length is in bytes.
	Length     int64
	Privileges []dat.Privilege
	// Of is the region to register again, Offset the start in it in bytes (MemLMR).
	Of     LMR
	Offset int64
	// SharedID names the memory that regions share (MemSharedVirtual).
	SharedID string
}

// LMR is registered memory.
type LMR interface {
	Object
	// Context returns the key for peers and the address of the first byte.
	Context() (rmrContext uint32, targetAddress uint64)
	// ReadAt reads the memory from off; the Manager has tested the range.
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt writes to the memory from off; the Manager has tested the range.
	WriteAt(p []byte, off int64) (int, error)
}

// SRQ is a shared receive queue.
type SRQ interface {
	Object
	// PostRecv adds receives, all or nothing; their WR ids are those of completions
	// of the endpoint that took them.
	PostRecv(recvs []Recv) error
	// Resize changes max_recv_dtos.
	Resize(maxRecvDTOs int32) error
	// SetLowWatermark arms the limit: one ReportSRQLimit when fewer than low
	// receives are left, immediately if that is so now. 0 disarms.
	SetLowWatermark(low int32) error
}
