package dat

// param is a row of the modify matrix: all that the program knows of a
// parameter, but what an engine does with it.
type param struct {
	name string // on the wire
	page string // the parameter's name in dat_ep_modify, empty where it has none
	help string // what it is in few words, for a list of options
	// group says in which states it can be modified, instead what else to do
	// where that is no state.
	group   Group
	instead string
	// needsRecvIdle: it can be modified only while no receive is outstanding (M8).
	needsRecvIdle bool
	kind          ValueKind
	// createArg is the argument of dat_ep_create that carries it, 0 for none.
	createArg int
	// defaultNumber or defaultWord is what an endpoint has that was created
	// without it: a number is cut to the limit of the IA. The defaults of the
	// other kinds are the null handle, no named attributes and an infinite mark.
	defaultNumber int64
	defaultWord   string
	// limit and limitName give the greatest count or size: an IA attribute.
	limit     func(*IAAttributes) int64
	limitName string
	// choices are the allowed words; read as in the page (A9, A10, A12).
	// supported and supportedName give those of them that a provider has: a
	// provider attribute. Without it every provider has all.
	choices       []string
	supported     func(*ProviderAttributes) []string
	supportedName string
	// refers is the type of the object that a handle names, stream what an EVD
	// must have been made for, subtype what dat_ep_create answers to a bad handle.
	refers  ObjectType
	stream  Stream
	subtype Subtype
	// known are the named attributes that the provider knows.
	known func(*Facts) map[string]NamedAttr
	// field points to the member of an endpoint; nil where no call sets it.
	field func(*Endpoint) any
}

// Arguments of dat_ep_create, and of dat_ep_modify for the mask and the values.
const (
	argCreatePZ         = 2
	argCreateRecvEVD    = 3
	argCreateRequestEVD = 4
	argCreateConnectEVD = 5
	argCreateAttributes = 6
	argCreateSRQ        = 6 // of dat_ep_create_with_srq, whose attributes are the seventh
	argModifyMask       = 2
	argModifyParam      = 3
)

// The defaults of counts and sizes: usable values, as the OpenFabrics library
// picks them, with segments for RDMA as for requests.
const (
	defaultSize  = 4 << 20
	defaultDTOs  = 16
	defaultIOV   = 4
	defaultReads = 4
)

var (
	recvFlagWords    = []string{"UNSIGNALLED", "SOLICITED_WAIT", "EVD_THRESHOLD", "DEFAULT"}
	requestFlagWords = []string{"UNSIGNALLED", "EVD_THRESHOLD", "DEFAULT"}
)

// params is the modify matrix: every parameter with its group, its values, their
// limits and its default. Source: dat_ep_modify, dat_ep_create and dat_ia_query; for
// what they leave open A1–A15, A18, A19 and C7–C16.
var params = [numParams]param{
	ParamIA:              {name: "ia", page: "Interface Adapter", instead: "create another endpoint on the other IA"},
	ParamState:           {name: "state", page: "Endpoint State", instead: "connect, accept, disconnect and reset change it"},
	ParamComm:            {name: "comm", instead: "there is no communicator"},
	ParamLocalIAAddress:  {name: "local_ia_address", page: "Local IA Address", instead: "it is the address of the IA"},
	ParamLocalPortQual:   {name: "local_port_qual", page: "Local Port Qualifier", instead: "it belongs to the connection"},
	ParamRemoteIAAddress: {name: "remote_ia_address", page: "Remote IA Address", instead: "it belongs to the connection: connect to another address"},
	ParamRemotePortQual:  {name: "remote_port_qual", page: "Remote Port Qualifier", instead: "it belongs to the connection: connect to another qualifier"},
	ParamPZ: {
		name: "pz", page: "Protection Zone", help: "protection zone, or null",
		group: GroupPZ, kind: ValueHandle, createArg: argCreatePZ,
		refers: TypePZ, subtype: SubInvalidHandlePZ,
		field: func(e *Endpoint) any { return &e.PZ },
	},
	ParamRecvEVD: {
		name: "recv_evd", page: "In DTO Event Dispatcher", help: "EVD of receive completions, or null",
		group: GroupSetup, kind: ValueHandle, createArg: argCreateRecvEVD,
		refers: TypeEVD, stream: StreamDTO, subtype: SubInvalidHandleEVDRecv,
		field: func(e *Endpoint) any { return &e.RecvEVD },
	},
	ParamRequestEVD: {
		name: "request_evd", page: "Out DTO Event Dispatcher", help: "EVD of request completions, or null",
		group: GroupSetup, kind: ValueHandle, createArg: argCreateRequestEVD,
		refers: TypeEVD, stream: StreamDTO, subtype: SubInvalidHandleEVDRequest,
		field: func(e *Endpoint) any { return &e.RequestEVD },
	},
	ParamConnectEVD: {
		name: "connect_evd", page: "Connection Event Dispatcher", help: "EVD of connection events, or null",
		group: GroupSetup, kind: ValueHandle, createArg: argCreateConnectEVD,
		refers: TypeEVD, stream: StreamConnection, subtype: SubInvalidHandleEVDConn,
		field: func(e *Endpoint) any { return &e.ConnectEVD },
	},
	ParamSRQ: {
		name: "srq", help: "shared receive queue", instead: "free the endpoint and create one with the other shared receive queue",
		refers: TypeSRQ,
		field:  func(e *Endpoint) any { return &e.SRQ },
	},
	ParamServiceType: {
		name: "attributes.service_type", page: "Service Type", help: "service type",
		group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes, defaultWord: "RC",
		choices: serviceTypeNames[:],
		field:   func(e *Endpoint) any { return &e.Attributes.ServiceType },
	},
	ParamMaxMessageSize: {
		name: "attributes.max_message_size", page: "Maximum Message Size", help: "longest send, bytes",
		group: GroupSetup, kind: ValueSize, createArg: argCreateAttributes, defaultNumber: defaultSize,
		limit: func(a *IAAttributes) int64 { return a.MaxMessageSize }, limitName: "max_message_size",
		field: func(e *Endpoint) any { return &e.Attributes.MaxMessageSize },
	},
	ParamMaxRDMASize: {
		name: "attributes.max_rdma_size", page: "Maximum RDMA Size", help: "longest RDMA operation, bytes",
		group: GroupSetup, kind: ValueSize, createArg: argCreateAttributes, defaultNumber: defaultSize,
		limit: func(a *IAAttributes) int64 { return a.MaxRDMASize }, limitName: "max_rdma_size",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMASize },
	},
	ParamQOS: {
		name: "attributes.qos", page: "Quality of Service", help: "quality of service",
		group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes, defaultWord: "BEST_EFFORT",
		choices: qosNames[:], supported: supportedQOS, supportedName: "dat_qos_supported",
		field: func(e *Endpoint) any { return &e.Attributes.QOS },
	},
	ParamRecvCompletionFlags: {
		name: "attributes.recv_completion_flags", page: "Recv Completion Flags", help: "how receives complete",
		group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes, defaultWord: "EVD_THRESHOLD",
		choices: recvFlagWords, needsRecvIdle: true,
		field: func(e *Endpoint) any { return &e.Attributes.RecvCompletionFlags },
	},
	ParamRequestCompletionFlags: {
		name: "attributes.request_completion_flags", page: "Request Completion Flags", help: "how requests complete",
		group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes, defaultWord: "EVD_THRESHOLD",
		choices: requestFlagWords,
		field:   func(e *Endpoint) any { return &e.Attributes.RequestCompletionFlags },
	},
	ParamMaxRecvDTOs: {
		name: "attributes.max_recv_dtos", page: "Maximum Recv DTO", help: "receives outstanding at once",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultDTOs,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxDTOPerEP) }, limitName: "max_dto_per_ep",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRecvDTOs },
	},
	ParamMaxRequestDTOs: {
		name: "attributes.max_request_dtos", page: "Maximum Request DTO", help: "requests outstanding at once",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultDTOs,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxDTOPerEP) }, limitName: "max_dto_per_ep",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRequestDTOs },
	},
	ParamMaxRecvIOV: {
		name: "attributes.max_recv_iov", page: "Maximum Recv IOV", help: "segments of a receive",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultIOV,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerDTO) }, limitName: "max_iov_segments_per_dto",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRecvIOV },
	},
	ParamMaxRequestIOV: {
		name: "attributes.max_request_iov", page: "Maximum Request IOV", help: "segments of a request",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultIOV,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerDTO) }, limitName: "max_iov_segments_per_dto",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRequestIOV },
	},
	ParamMaxRDMAReadIn: {
		name: "attributes.max_rdma_read_in", page: "Maximum outstanding RDMA Read as target", help: "RDMA reads of the peer at once",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultReads,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxRDMAReadPerEPIn) }, limitName: "max_rdma_read_per_ep_in",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAReadIn },
	},
	ParamMaxRDMAReadOut: {
		name: "attributes.max_rdma_read_out", page: "Maximum outstanding RDMA Read as originator", help: "RDMA reads of its own at once",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultReads,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxRDMAReadPerEPOut) }, limitName: "max_rdma_read_per_ep_out",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAReadOut },
	},
	ParamSRQSoftHW: {
		name: "attributes.srq_soft_hw", help: "soft high watermark of an endpoint with an SRQ, or infinite",
		kind: ValueWatermark, createArg: argCreateAttributes,
		instead: "dat_ep_set_watermark changes it in every state",
		field:   func(e *Endpoint) any { return &e.Attributes.SRQSoftHW },
	},
	ParamMaxRDMAReadIOV: {
		name: "attributes.max_rdma_read_iov", help: "segments of an RDMA read",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultIOV,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerRDMARead) }, limitName: "max_iov_segments_per_rdma_read",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAReadIOV },
	},
	ParamMaxRDMAWriteIOV: {
		name: "attributes.max_rdma_write_iov", help: "segments of an RDMA write",
		group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes, defaultNumber: defaultIOV,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerRDMAWrite) }, limitName: "max_iov_segments_per_rdma_write",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAWriteIOV },
	},
	ParamEPTransportSpecific: {
		name: "attributes.ep_transport_specific", page: "Transport-specific endpoint attributes", help: "transport's own, as retry_count=7",
		group: GroupQuiet, kind: ValueNamed, createArg: argCreateAttributes,
		known: func(f *Facts) map[string]NamedAttr { return f.TransportAttrs },
		field: func(e *Endpoint) any { return &e.Attributes.EPTransportSpecific },
	},
	ParamEPProviderSpecific: {
		name: "attributes.ep_provider_specific", page: "Provider-specific endpoint attributes", help: "provider's own, as max_inline_data=64",
		group: GroupQuiet, kind: ValueNamed, createArg: argCreateAttributes,
		known: func(f *Facts) map[string]NamedAttr { return f.ProviderAttrs },
		field: func(e *Endpoint) any { return &e.Attributes.EPProviderSpecific },
	},
}
