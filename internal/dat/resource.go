package dat

// ResourceKind is a kind of objects of an RDMA device, by the kernel's own word.
type ResourceKind string

// The kinds of resources: queue pairs, ids of the connection manager, completion
// queues, memory regions, protection domains, contexts (devices that a process has
// opened) and shared receive queues.
const (
	ResourceQP   ResourceKind = "qp"
	ResourceCMID ResourceKind = "cm_id"
	ResourceCQ   ResourceKind = "cq"
	ResourceMR   ResourceKind = "mr"
	ResourcePD   ResourceKind = "pd"
	ResourceCtx  ResourceKind = "ctx"
	ResourceSRQ  ResourceKind = "srq"
)

// ResourceKinds returns all kinds of resources in the order in which they are listed.
func ResourceKinds() []ResourceKind {
	return []ResourceKind{ResourceQP, ResourceCMID, ResourceCQ, ResourceMR, ResourcePD, ResourceCtx, ResourceSRQ}
}

// ResourceOwner says who made a resource.
type ResourceOwner string

// The owners of resources. OwnerOrphan: this service's process made the resource, and
// no object of the service has it.
const (
	OwnerDatapi  ResourceOwner = "datapi"
	OwnerProcess ResourceOwner = "process"
	OwnerKernel  ResourceOwner = "kernel"
	OwnerOrphan  ResourceOwner = "orphan"
)

// Resource is something that exists on an RDMA device now, whoever made it. Members
// that the kind does not have, or that the kernel does not tell, are nil.
type Resource struct {
	Kind   ResourceKind `json:"kind" enum:"qp,cm_id,cq,mr,pd,ctx,srq" doc:"The kind, by the kernel's word."`
	Number uint32       `json:"number" doc:"The number of a queue pair, for other kinds the kernel's id of the object; unique among those of the kind."`
	Type   *string      `json:"type" example:"RC" doc:"The type of a queue pair or shared receive queue, the port space of an id of the connection manager."`
	State  *string      `json:"state" example:"RTS" doc:"The state of a queue pair or of an id of the connection manager."`
	PID    *int32       `json:"pid" doc:"The process that made it; null for the kernel, and where the process belongs to another PID namespace."`
	Comm   *string      `json:"comm" example:"rping" doc:"The name of the program, or of the part of the kernel, that made it."`
	// RemoteNumber is the number of the peer's queue pair.
	RemoteNumber *uint32 `json:"remote_number" doc:"The number of the peer's queue pair, where a queue pair has one."`
	Source       *string `json:"source" example:"10.77.0.1:4711" doc:"The local address and port of an id of the connection manager."`
	Destination  *string `json:"destination" example:"10.77.0.2:40001" doc:"The peer's address and port of an id of the connection manager."`
	// Endpoint is the endpoint that has the queue pair or the id.
	Endpoint Handle        `json:"endpoint" doc:"The endpoint of this service that has it, or null."`
	Owner    ResourceOwner `json:"owner" enum:"datapi,process,kernel,orphan" doc:"Who made it: this service, another process, the kernel; orphan: this service, and no endpoint of its has it."`
}

// ResourceLimit is a limit of the operating system for what the service makes on a
// device, with what is in use of it. Source: getrlimit(2), the rdma controller of
// cgroups.
type ResourceLimit struct {
	// Name says which limit it is (`locked_memory`, `rdma_handles`, `rdma_objects`), Unit
	// what is counted (`bytes`, `objects`).
	Name, Unit string
	// Used is what is in use, Max the limit; Max is nil if there is none.
	Used int64
	Max  *int64
	// Remedy says to a person how the limit is raised.
	Remedy string
}
