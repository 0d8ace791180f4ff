package rdma

import "github.com/datapi/datapi/internal/dat"

// ReportKind says what a report is about.
type ReportKind uint8

// The kinds of reports, each with the members of Report that it uses beside Reason
// and Detail.
const (
	// ReportRequest: a connection request arrived. SP, Request, LocalAddress,
	// RemoteAddress, RemoteQual, LocalQual, PrivateData, Attributes (what the request carries of them),
	// PeerQPNum, PeerEP (T8, T10, T11).
	ReportRequest ReportKind = iota
	// ReportRequestGone: the peer of a waiting request vanished. SP, Request (T46).
	ReportRequestGone
	// ReportEstablished: the connection is there. EP, PrivateData (active side),
	// LocalAddress, RemoteAddress, RemoteQual, LocalQual, PeerQPNum, PeerEP (T14, T22).
	ReportEstablished
	// ReportPeerRejected: the peer's consumer rejected. EP, PrivateData (T23).
	ReportPeerRejected
	// ReportNonPeerRejected: something else than the peer's consumer rejected. EP (T26).
	ReportNonPeerRejected
	// ReportUnreachable: no packet reaches the peer. EP (T24).
	ReportUnreachable
	// ReportAcceptFailed: an accept could not be finished. EP (T15).
	ReportAcceptFailed
	// ReportDisconnected: the peer disconnected. EP (T36). Completions of what was
	// flushed were reported before it.
	ReportDisconnected
	// ReportBroken: the connection is lost. EP (T37). Completions of what was
	// flushed were reported before it.
	ReportBroken
	// ReportEPError: the adapter alone saw an error of the endpoint. EP (T38).
	ReportEPError
	// ReportCompletion: a DTO or a bind completed. EP, WR, Operation, Status,
	// Length, Payload, Solicited, RMRContext and TargetAddress (a successful bind);
	// SRQ for a receive of an SRQ that no ReportRecvTaken announced.
	ReportCompletion
	// ReportSolicited: the peer had asked to wake a SOLICITED_WAIT waiter for the last
	// receive whose completion was reported; that was not known then. EP.
	ReportSolicited
	// ReportRecvTaken: the endpoint took a receive from an SRQ, which will complete
	// later. EP, SRQ, WR.
	ReportRecvTaken
	// ReportSRQLimit: the low watermark of an SRQ fired. SRQ.
	ReportSRQLimit
	// ReportSRQError: an SRQ failed. SRQ.
	ReportSRQError
	// ReportEVDError: an EVD lost completions. EVD.
	ReportEVDError
	// ReportProbe: the outcome of a liveness probe. EP, Status.
	ReportProbe
	// ReportPort: the port came up or went down, or attributes of the IA changed (its
	// addresses, its MTU): IA.State and IA.Attributes say what is now, Detail what differs.
	ReportPort
	// ReportIAError: a catastrophic or provider-internal error of the IA. Event.
	ReportIAError
	// ReportNotListening: a service point does not listen on an address that the IA has had
	// since it was created; on the others it does. Once for each cause. SP, LocalAddress, LocalQual.
	ReportNotListening
	// ReportDeviceGone: the device vanished; every object of the IA is dead (T48).
	ReportDeviceGone
	// ReportDeviceBack: the device is there again; its objects must be created anew (T49).
	ReportDeviceBack
	// ReportReset: everything of the connection that EP.Reset ended was reported
	// before it. Each successful Reset makes exactly one. EP.
	ReportReset
)

// Report is one event in a provider. Objects are named by the ids that they were
// created with.
type Report struct {
	Kind ReportKind
	EP   dat.Handle
	// SP is the service point of a request.
	SP      dat.Handle
	SRQ     dat.Handle
	EVD     dat.Handle
	Request ConnRequest
	// LocalAddress is that of this end, with its zone if it is a link-local one; "" where
	// it is the adapter's.
	LocalAddress  string
	RemoteAddress string
	RemoteQual    int32
	LocalQual     int32
	PrivateData   []byte
	Attributes    *dat.EPAttributes
	PeerQPNum     *uint32
	// PeerEP is the peer's endpoint where the provider knows it (soft), else null.
	PeerEP dat.Handle
	// WR is the id that the work was posted with.
	WR        uint64
	Operation dat.DTOKind
	Status    dat.DTOStatus
	// Length is in bytes, Payload at most the first 4096 of them.
	Length        int64
	Payload       []byte
	Solicited     bool
	RMRContext    uint32
	TargetAddress uint64
	Event         dat.EventNumber
	// Reason is the transport's own name of the cause (CM event, errno,
	// completion status), Detail a sentence for a person.
	Reason string
	Detail string
}
