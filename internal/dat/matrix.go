package dat

// param is a row of the modify matrix.
type param struct {
	name  string // on the wire
	page  string // the parameter's name in dat_ep_modify, empty where it has none
	group Group
	kind  ValueKind
	// createArg is the argument of dat_ep_create that carries it, 0 for none.
	createArg int
	// limit and limitName give the greatest count or size: an IA attribute.
	limit     func(*IAAttributes) int64
	limitName string
	// choices are the allowed words; read as in the page (A9, A10, A12).
	choices []string
	// stream is what an EVD must have been made for, subtype what
	// dat_ep_create answers to a bad handle.
	stream  Stream
	subtype Subtype
	// known are the named attributes that the provider knows.
	known func(*Facts) map[string]NamedAttr
	// field points to the member of an endpoint.
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

var (
	recvFlagWords    = []string{"UNSIGNALLED", "SOLICITED_WAIT", "EVD_THRESHOLD", "DEFAULT"}
	requestFlagWords = []string{"UNSIGNALLED", "EVD_THRESHOLD", "DEFAULT"}
)

// params is the modify matrix: every parameter with its group, its values and
// their limits. Source: dat_ep_modify, dat_ep_create and dat_ia_query; for
// what they leave open A1–A15, A18, A19 and C7–C16.
var params = [numParams]param{
	ParamIA:              {name: "ia", page: "Interface Adapter"},
	ParamState:           {name: "state", page: "Endpoint State"},
	ParamComm:            {name: "comm"},
	ParamLocalIAAddress:  {name: "local_ia_address", page: "Local IA Address"},
	ParamLocalPortQual:   {name: "local_port_qual", page: "Local Port Qualifier"},
	ParamRemoteIAAddress: {name: "remote_ia_address", page: "Remote IA Address"},
	ParamRemotePortQual:  {name: "remote_port_qual", page: "Remote Port Qualifier"},
	ParamPZ: {
		name: "pz", page: "Protection Zone", group: GroupPZ, kind: ValueHandle, createArg: argCreatePZ,
		subtype: SubInvalidHandlePZ,
		field:   func(e *Endpoint) any { return &e.PZ },
	},
	ParamRecvEVD: {
		name: "recv_evd", page: "In DTO Event Dispatcher", group: GroupSetup, kind: ValueHandle, createArg: argCreateRecvEVD,
		stream: StreamDTO, subtype: SubInvalidHandleEVDRecv,
		field: func(e *Endpoint) any { return &e.RecvEVD },
	},
	ParamRequestEVD: {
		name: "request_evd", page: "Out DTO Event Dispatcher", group: GroupSetup, kind: ValueHandle, createArg: argCreateRequestEVD,
		stream: StreamDTO, subtype: SubInvalidHandleEVDRequest,
		field: func(e *Endpoint) any { return &e.RequestEVD },
	},
	ParamConnectEVD: {
		name: "connect_evd", page: "Connection Event Dispatcher", group: GroupSetup, kind: ValueHandle, createArg: argCreateConnectEVD,
		stream: StreamConnection, subtype: SubInvalidHandleEVDConn,
		field: func(e *Endpoint) any { return &e.ConnectEVD },
	},
	ParamSRQ: {name: "srq"},
	ParamServiceType: {
		name: "attributes.service_type", page: "Service Type", group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes,
		choices: serviceTypeNames[:],
		field:   func(e *Endpoint) any { return &e.Attributes.ServiceType },
	},
	ParamMaxMessageSize: {
		name: "attributes.max_message_size", page: "Maximum Message Size", group: GroupSetup, kind: ValueSize, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return a.MaxMessageSize }, limitName: "max_message_size",
		field: func(e *Endpoint) any { return &e.Attributes.MaxMessageSize },
	},
	ParamMaxRDMASize: {
		name: "attributes.max_rdma_size", page: "Maximum RDMA Size", group: GroupSetup, kind: ValueSize, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return a.MaxRDMASize }, limitName: "max_rdma_size",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMASize },
	},
	ParamQOS: {
		name: "attributes.qos", page: "Quality of Service", group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes,
		choices: qosNames[:],
		field:   func(e *Endpoint) any { return &e.Attributes.QOS },
	},
	ParamRecvCompletionFlags: {
		name: "attributes.recv_completion_flags", page: "Recv Completion Flags", group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes,
		choices: recvFlagWords,
		field:   func(e *Endpoint) any { return &e.Attributes.RecvCompletionFlags },
	},
	ParamRequestCompletionFlags: {
		name: "attributes.request_completion_flags", page: "Request Completion Flags", group: GroupSetup, kind: ValueChoice, createArg: argCreateAttributes,
		choices: requestFlagWords,
		field:   func(e *Endpoint) any { return &e.Attributes.RequestCompletionFlags },
	},
	ParamMaxRecvDTOs: {
		name: "attributes.max_recv_dtos", page: "Maximum Recv DTO", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxDTOPerEP) }, limitName: "max_dto_per_ep",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRecvDTOs },
	},
	ParamMaxRequestDTOs: {
		name: "attributes.max_request_dtos", page: "Maximum Request DTO", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxDTOPerEP) }, limitName: "max_dto_per_ep",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRequestDTOs },
	},
	ParamMaxRecvIOV: {
		name: "attributes.max_recv_iov", page: "Maximum Recv IOV", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerDTO) }, limitName: "max_iov_segments_per_dto",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRecvIOV },
	},
	ParamMaxRequestIOV: {
		name: "attributes.max_request_iov", page: "Maximum Request IOV", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerDTO) }, limitName: "max_iov_segments_per_dto",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRequestIOV },
	},
	ParamMaxRDMAReadIn: {
		name: "attributes.max_rdma_read_in", page: "Maximum outstanding RDMA Read as target", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxRDMAReadPerEPIn) }, limitName: "max_rdma_read_per_ep_in",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAReadIn },
	},
	ParamMaxRDMAReadOut: {
		name: "attributes.max_rdma_read_out", page: "Maximum outstanding RDMA Read as originator", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxRDMAReadPerEPOut) }, limitName: "max_rdma_read_per_ep_out",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAReadOut },
	},
	ParamSRQSoftHW: {
		name: "attributes.srq_soft_hw", kind: ValueWatermark, createArg: argCreateAttributes,
		field: func(e *Endpoint) any { return &e.Attributes.SRQSoftHW },
	},
	ParamMaxRDMAReadIOV: {
		name: "attributes.max_rdma_read_iov", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerRDMARead) }, limitName: "max_iov_segments_per_rdma_read",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAReadIOV },
	},
	ParamMaxRDMAWriteIOV: {
		name: "attributes.max_rdma_write_iov", group: GroupSetup, kind: ValueCount, createArg: argCreateAttributes,
		limit: func(a *IAAttributes) int64 { return int64(a.MaxIOVSegmentsPerRDMAWrite) }, limitName: "max_iov_segments_per_rdma_write",
		field: func(e *Endpoint) any { return &e.Attributes.MaxRDMAWriteIOV },
	},
	ParamEPTransportSpecific: {
		name: "attributes.ep_transport_specific", page: "Transport-specific endpoint attributes", group: GroupQuiet, kind: ValueNamed, createArg: argCreateAttributes,
		known: func(f *Facts) map[string]NamedAttr { return f.TransportAttrs },
		field: func(e *Endpoint) any { return &e.Attributes.EPTransportSpecific },
	},
	ParamEPProviderSpecific: {
		name: "attributes.ep_provider_specific", page: "Provider-specific endpoint attributes", group: GroupQuiet, kind: ValueNamed, createArg: argCreateAttributes,
		known: func(f *Facts) map[string]NamedAttr { return f.ProviderAttrs },
		field: func(e *Endpoint) any { return &e.Attributes.EPProviderSpecific },
	},
}
