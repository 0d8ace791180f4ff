package rdma

import "github.com/datapi/datapi/internal/dat"

// ReportKind says what a report is about.
type ReportKind uint8

// The kinds of reports, with the members of Report that they use.
const (
	// ReportRequest: SP, Request, RemoteAddress, RemoteQual, LocalQual,
	// PrivateData, Attributes (what the request carries of them).
	ReportRequest ReportKind = iota
	// ReportRequestGone: the peer of the waiting Request vanished (T46).
	ReportRequestGone
	// ReportEstablished: EP, PrivateData (active side), remote and local
	// addresses (T14, T22).
	ReportEstablished
	// ReportPeerRejected: EP, PrivateData (T23).
	ReportPeerRejected
	// ReportNonPeerRejected: EP (T26).
	ReportNonPeerRejected
	// ReportUnreachable: EP (T24).
	ReportUnreachable
	// ReportAcceptFailed: EP (T15).
	ReportAcceptFailed
	// ReportDisconnected: EP; the peer disconnected (T36). Completions of what
	// was flushed were reported before it.
	ReportDisconnected
	// ReportBroken: EP; the connection is lost (T37). Flushes before it.
	ReportBroken
	// ReportEPError: EP; seen only by the adapter (T38).
	ReportEPError
	// ReportCompletion: EP, WR, Operation, Status, Length, Payload, Solicited,
	// RMRContext and TargetAddress (a successful bind); SRQ for a receive of one
	// whose taking was not reported.
	ReportCompletion
	// ReportRecvTaken: EP, SRQ, WR; a receive was taken from an SRQ and will
	// complete later.
	ReportRecvTaken
	// ReportSRQLimit: SRQ; the low watermark fired.
	ReportSRQLimit
	// ReportSRQError: SRQ.
	ReportSRQError
	// ReportEVDError: EVD.
	ReportEVDError
	// ReportProbe: EP, Status; the outcome of a liveness probe.
	ReportProbe
	// ReportPort: the port is up or down (IA.State tells which).
	ReportPort
	// ReportIAError: a catastrophic or provider-internal error of the IA; Event says which.
	ReportIAError
	// ReportDeviceGone: the device vanished; every object of the IA is dead (T48).
	ReportDeviceGone
	// ReportDeviceBack: it is there again; objects are to be made anew (T49).
	ReportDeviceBack
	// ReportReset: EP; everything of the connection that EP.Reset ended was
	// reported before it. Each successful Reset reports exactly one.
	ReportReset
)

// Report is one thing that happened in a provider. Objects are named by the
// ids that they were created with.
type Report struct {
	Kind          ReportKind
	EP            dat.Handle
	SP            dat.Handle
	SRQ           dat.Handle
	EVD           dat.Handle
	Request       ConnRequest
	RemoteAddress string
	RemoteQual    int32
	LocalQual     int32
	PrivateData   []byte
	Attributes    *dat.EPAttributes
	PeerQPNum     *uint32
	// PeerEP is the peer's endpoint where the provider knows it (soft), else null.
	PeerEP        dat.Handle
	WR            uint64
	Operation     dat.DTOKind
	Status        dat.DTOStatus
	Length        int64
	Payload       []byte // at most the first 4096 bytes
	Solicited     bool
	RMRContext    uint32
	TargetAddress uint64
	Event         dat.EventNumber
	// Reason is the transport's own word for it (CM status, errno name,
	// completion status); Detail a sentence for a person.
	Reason string
	Detail string
}
