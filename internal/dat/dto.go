package dat

// DTOStatus is DAT_DTO_COMPLETION_STATUS, also used for RMR binds.
type DTOStatus uint8

// The completion statuses.
const (
	DTOSuccess DTOStatus = iota
	DTOErrFlushed
	DTOErrLocalLength
	DTOErrLocalEP
	DTOErrLocalProtection
	DTOErrBadResponse
	DTOErrRemoteAccess
	DTOErrRemoteResponder
	DTOErrTransport
	DTOErrReceiverNotReady
	DTOErrPartialPacket
	RMROperationFailed
)

var dtoStatusNames = [...]string{
	DTOSuccess:             "DAT_DTO_SUCCESS",
	DTOErrFlushed:          "DAT_DTO_ERR_FLUSHED",
	DTOErrLocalLength:      "DAT_DTO_ERR_LOCAL_LENGTH",
	DTOErrLocalEP:          "DAT_DTO_ERR_LOCAL_EP",
	DTOErrLocalProtection:  "DAT_DTO_ERR_LOCAL_PROTECTION",
	DTOErrBadResponse:      "DAT_DTO_ERR_BAD_RESPONSE",
	DTOErrRemoteAccess:     "DAT_DTO_ERR_REMOTE_ACCESS",
	DTOErrRemoteResponder:  "DAT_DTO_ERR_REMOTE_RESPONDER",
	DTOErrTransport:        "DAT_DTO_ERR_TRANSPORT",
	DTOErrReceiverNotReady: "DAT_DTO_ERR_RECEIVER_NOT_READY",
	DTOErrPartialPacket:    "DAT_DTO_ERR_PARTIAL_PACKET",
	RMROperationFailed:     "DAT_RMR_OPERATION_FAILED",
}

// String returns the whole DAT constant.
func (d DTOStatus) String() string { return nameOf(dtoStatusNames[:], d) }

// MarshalText writes the whole DAT constant.
func (d DTOStatus) MarshalText() ([]byte, error) { return textOf(dtoStatusNames[:], d) }

// UnmarshalText reads the whole DAT constant; another word is an error.
func (d *DTOStatus) UnmarshalText(b []byte) error { return parse(dtoStatusNames[:], b, d) }

// DTOKind says which operation a completion is of.
type DTOKind uint8

// The data transfer operations.
const (
	KindRecv DTOKind = iota
	KindSend
	KindRDMAWrite
	KindRDMARead
	KindRMRBind
)

var dtoKindNames = [...]string{
	KindRecv:      "RECEIVE",
	KindSend:      "SEND",
	KindRDMAWrite: "RDMA_WRITE",
	KindRDMARead:  "RDMA_READ",
	KindRMRBind:   "RMR_BIND",
}

// String returns the wire word.
func (d DTOKind) String() string { return nameOf(dtoKindNames[:], d) }

// MarshalText writes the wire word.
func (d DTOKind) MarshalText() ([]byte, error) { return textOf(dtoKindNames[:], d) }

// UnmarshalText reads the wire word; another word is an error.
func (d *DTOKind) UnmarshalText(b []byte) error { return parse(dtoKindNames[:], b, d) }
