package manager

import (
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
)

// Call says who asks for a write, why, and on what condition.
type Call struct {
	// Actor, RequestID and Reason go into the change.
	Actor, RequestID, Reason string
	// DryRun judges and does nothing.
	DryRun bool
	// Match tests the object's version (If-Match) under its operation lock and
	// before the judge; nil is no condition.
	Match func(version int64) error
	// Keep, where set, is the answer that is committed with the change.
	Keep *dat.Kept
	// Operator tells that the caller may see keys (rmr_context).
	Operator bool
}

// withoutAnswer returns the call for a second change of the same write: an answer
// is committed with one change only.
func (c Call) withoutAnswer() Call {
	c.Keep = nil
	return c
}

// PZCreate is what dat_pz_create takes.
type PZCreate struct {
	IA     dat.Handle
	Name   dat.Name
	Labels map[string]string
}

// EVDCreate is what dat_evd_create takes; QLen is in events.
type EVDCreate struct {
	IA      dat.Handle
	Name    dat.Name
	Labels  map[string]string
	QLen    int64
	Streams []dat.Stream
}

// EVDModify is what dat_evd_resize, dat_evd_set_unwaitable and
// dat_evd_clear_unwaitable take; nil leaves a member as it is.
type EVDModify struct {
	QLen     *int64
	Waitable *bool
	Name     *dat.Name
	Labels   *map[string]string
}

// SRQCreate is what dat_srq_create takes; counts are receives and segments.
type SRQCreate struct {
	IA          dat.Handle
	Name        dat.Name
	Labels      map[string]string
	PZ          dat.Handle
	MaxRecvDTOs int64
	MaxRecvIOV  int64
}

// SRQModify is what dat_srq_resize takes; nil leaves a member as it is.
type SRQModify struct {
	MaxRecvDTOs *int64
	Name        *dat.Name
	Labels      *map[string]string
}

// LMRCreate is what dat_lmr_create takes; LMR and Offset belong to MemLMR,
// SharedID to MemSharedVirtual. Length is in bytes.
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

// RMRCreate is what dat_rmr_create takes.
type RMRCreate struct {
	IA     dat.Handle
	Name   dat.Name
	Labels map[string]string
	PZ     dat.Handle
}

// EPCreate is what dat_ep_create and, with an SRQ, dat_ep_create_with_srq take.
// A parameter that Values lacks is null or the provider's default.
type EPCreate struct {
	IA     dat.Handle
	Name   dat.Name
	Labels map[string]string
	Values dat.Values
	SRQ    dat.Handle
	Probe  *dat.Probe
}

// EPModify is what dat_ep_modify takes: the keys of Values are ep_param_mask.
// Name, Labels and Probe are the service's own and may be changed in every
// state; NoProbe takes the probe away.
type EPModify struct {
	Values  dat.Values
	Name    *dat.Name
	Labels  *map[string]string
	Probe   *dat.Probe
	NoProbe bool
	// RevertedTo is the version that a revert goes back to, else 0. Revert then gives
	// Values from the endpoint as it is, while no other write can change it.
	RevertedTo int64
	Revert     func(current *dat.Endpoint) dat.Values
}

// EPConnect is what dat_ep_connect takes. TimeoutUS nil is infinite; QOS and
// ConnectFlags are DAT's words, nil the defaults.
type EPConnect struct {
	RemoteIAAddress string
	RemotePortQual  int64
	TimeoutUS       *int64
	PrivateData     []byte
	QOS             *string
	ConnectFlags    *string
}

// EPDupConnect is what dat_ep_dup_connect takes: Endpoint is the connected one
// whose peer is to be connected to as well.
type EPDupConnect struct {
	Endpoint    dat.Handle
	TimeoutUS   *int64
	PrivateData []byte
	QOS         *string
}

// RecvPost posts Count receives of Size bytes each.
type RecvPost struct {
	Count  int
	Size   int64
	Cookie *string
}

// SendPost posts Count sends of Data, or of Size bytes of zeros where Data is nil.
type SendPost struct {
	Data   []byte
	Size   *int64
	Count  int
	Flags  []dat.CompletionFlag
	Cookie *string
}

// RDMAPost posts an RDMA write or read between Length bytes of an LMR and the
// peer's memory. RemoteContext is hexadecimal with 0x, TargetAddress decimal.
type RDMAPost struct {
	LMR           dat.Handle
	Offset        int64
	Length        int64
	RemoteContext string
	TargetAddress string
	Flags         []dat.CompletionFlag
	Cookie        *string
}

// BindPost binds an RMR to a part of an LMR (dat_rmr_bind); no privileges unbind it.
type BindPost struct {
	RMR        dat.Handle
	LMR        dat.Handle
	Offset     int64
	Length     int64
	Privileges []dat.Privilege
	Flags      []dat.CompletionFlag
	Cookie     *string
}

// Posted is the answer of a posting: all were taken.
type Posted struct {
	Posted  int      `json:"posted"`
	Cookies []string `json:"cookies"`
}

// PSPCreate is what dat_psp_create takes; ConnQual nil is dat_psp_create_any.
type PSPCreate struct {
	IA        dat.Handle
	Name      dat.Name
	Labels    map[string]string
	ConnQual  *int64
	EVD       dat.Handle
	EPCreator dat.PSPFlag
}

// RSPCreate is what dat_rsp_create takes.
type RSPCreate struct {
	IA       dat.Handle
	Name     dat.Name
	Labels   map[string]string
	ConnQual int64
	Endpoint dat.Handle
	EVD      dat.Handle
}

// CRAccept is what dat_cr_accept takes; Endpoint is null where the request
// brought its own.
type CRAccept struct {
	Endpoint    dat.Handle
	PrivateData []byte
}

// SoftwareEvent is the payload of dat_evd_post_se, or null.
type SoftwareEvent = json.RawMessage
