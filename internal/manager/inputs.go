package manager

import (
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
)

// Call says who asks for a write, why, and on what condition.
type Call struct {
	// Actor, ActorKind, RequestID and Reason go into the change.
	Actor, ActorKind, RequestID, Reason string
	// DryRun asks for the judgement alone: nothing is done or recorded.
	DryRun bool
	// Match, which may be nil, tests the version of the object (If-Match). It is called
	// under the object's operation lock and before the judge; its error is the call's.
	Match func(version int64) error
	// Answer, which may be nil, is stored with the change, for retries of the call.
	Answer *dat.KeyedAnswer
}

// withoutAnswer returns the call for the second change of a write: the stored
// answer is committed with the first one only.
func (c Call) withoutAnswer() Call {
	c.Answer = nil
	return c
}

// PZCreate has the parameters of dat_pz_create.
type PZCreate struct {
	IA     dat.Handle
	Name   dat.Name
	Labels map[string]string
}

// EVDCreate has the parameters of dat_evd_create. QLen is in events.
type EVDCreate struct {
	IA      dat.Handle
	Name    dat.Name
	Labels  map[string]string
	QLen    int64
	Streams []dat.Stream
}

// EVDModify has the parameters of dat_evd_resize, dat_evd_set_unwaitable and
// dat_evd_clear_unwaitable. A nil member stays as it is. QLen is in events.
type EVDModify struct {
	QLen     *int64
	Waitable *bool
	Name     *dat.Name
	Labels   *map[string]string
}

// SRQCreate has the parameters of dat_srq_create. MaxRecvDTOs counts receives,
// MaxRecvIOV the segments of one.
type SRQCreate struct {
	IA          dat.Handle
	Name        dat.Name
	Labels      map[string]string
	PZ          dat.Handle
	MaxRecvDTOs int64
	MaxRecvIOV  int64
}

// SRQModify has the parameters of dat_srq_resize. A nil member stays as it is.
type SRQModify struct {
	MaxRecvDTOs *int64
	Name        *dat.Name
	Labels      *map[string]string
}

// LMRCreate has the parameters of dat_lmr_create. Length and Offset are in bytes.
// LMR and Offset are used by MemLMR, SharedID by MemSharedVirtual.
type LMRCreate struct {
	IA         dat.Handle
	Name       dat.Name
	Labels     map[string]string
	PZ         dat.Handle
	MemType    dat.MemType
	Length     int64
	Privileges []dat.Privilege
	LMR        dat.Handle
	Offset     int64
	SharedID   *string
}

// RMRCreate has the parameters of dat_rmr_create.
type RMRCreate struct {
	IA     dat.Handle
	Name   dat.Name
	Labels map[string]string
	PZ     dat.Handle
}

// EPCreate has the parameters of dat_ep_create and, with an SRQ, of
// dat_ep_create_with_srq. A parameter that is not in Values is null or the
// provider's default.
type EPCreate struct {
	IA     dat.Handle
	Name   dat.Name
	Labels map[string]string
	Values dat.Values
	SRQ    dat.Handle
	Probe  *dat.Probe
}

// EPModify has the parameters of dat_ep_modify: the keys of Values are
// ep_param_mask. Name, Labels and Probe are the service's own and may be changed in
// every state; nil leaves them as they are, NoProbe removes the probe.
type EPModify struct {
	Values  dat.Values
	Name    *dat.Name
	Labels  *map[string]string
	Probe   *dat.Probe
	NoProbe bool
	// RevertTo is the image that a revert goes back to, else nil: Values are then the
	// differences from the endpoint as it is. RevertedTo is the image's version.
	RevertTo   *dat.Endpoint
	RevertedTo int64
}

// EPConnect has the parameters of dat_ep_connect. TimeoutUS is in microseconds, nil
// is infinite. QOS and ConnectFlags are DAT's words, nil is the default.
type EPConnect struct {
	RemoteIAAddress string
	RemotePortQual  int64
	TimeoutUS       *int64
	PrivateData     []byte
	QOS             *string
	ConnectFlags    *string
}

// EPDupConnect has the parameters of dat_ep_dup_connect. Endpoint is connected to
// the peer that is to be connected to. The others are those of EPConnect.
type EPDupConnect struct {
	Endpoint    dat.Handle
	TimeoutUS   *int64
	PrivateData []byte
	QOS         *string
}

// RecvPost has the parameters of dat_ep_post_recv and dat_srq_post_recv: Count
// receives of Size bytes each. A nil Cookie is replaced by the id of the work
// request.
type RecvPost struct {
	Count  int
	Size   int64
	Cookie *string
}

// SendPost has the parameters of dat_ep_post_send: Count sends of Data, or of Size
// zero bytes if Data is nil. Cookie is as in RecvPost.
type SendPost struct {
	Data   []byte
	Size   *int64
	Count  int
	Flags  []dat.CompletionFlag
	Cookie *string
}

// RDMAPost has the parameters of dat_ep_post_rdma_write and dat_ep_post_rdma_read,
// between Length bytes at Offset of an LMR and the peer's memory. RemoteContext is
// hexadecimal with 0x, TargetAddress decimal. Cookie is as in RecvPost.
type RDMAPost struct {
	LMR           dat.Handle
	Offset        int64
	Length        int64
	RemoteContext string
	TargetAddress string
	Flags         []dat.CompletionFlag
	Cookie        *string
}

// BindPost has the parameters of dat_rmr_bind, which binds an RMR to Length bytes
// at Offset of an LMR. No Privileges unbind it. Cookie is as in RecvPost.
type BindPost struct {
	RMR        dat.Handle
	LMR        dat.Handle
	Offset     int64
	Length     int64
	Privileges []dat.Privilege
	Flags      []dat.CompletionFlag
	Cookie     *string
}

// Posted is the answer to a posting: how many DTOs were posted, which is all that
// were asked for, and their cookies.
type Posted struct {
	Posted  int      `json:"posted"`
	Cookies []string `json:"cookies"`
}

// PSPCreate has the parameters of dat_psp_create. A nil ConnQual is
// dat_psp_create_any.
type PSPCreate struct {
	IA        dat.Handle
	Name      dat.Name
	Labels    map[string]string
	ConnQual  *int64
	EVD       dat.Handle
	EPCreator dat.PSPFlag
}

// RSPCreate has the parameters of dat_rsp_create.
type RSPCreate struct {
	IA       dat.Handle
	Name     dat.Name
	Labels   map[string]string
	ConnQual int64
	Endpoint dat.Handle
	EVD      dat.Handle
}

// CRAccept has the parameters of dat_cr_accept. Endpoint is null if the request
// brought its own.
type CRAccept struct {
	Endpoint    dat.Handle
	PrivateData []byte
}

// SoftwareEvent is the payload of dat_evd_post_se, or null.
type SoftwareEvent = json.RawMessage
