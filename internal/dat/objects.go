package dat

import (
	"maps"
	"slices"
)

// PZ is a protection zone. Source: dat_pz_create, dat_pz_query.
type PZ struct{ Meta }

// EVD is an Event Dispatcher. Source: dat_evd_create (headers), dat_evd_query.
type EVD struct {
	Meta
	// QLen is the queue's length in events, 1 … the IA's max_evd_qlen.
	QLen int32 `json:"qlen"`
	// Streams are the event streams it was made for, in the matrix's order.
	Streams []Stream `json:"streams"`
	// Waitable is false after dat_evd_set_unwaitable.
	Waitable bool `json:"waitable"`
	// Depth, Dropped, Mode and InUseBy are live: filled when read, never recorded.
	Depth   int32    `json:"depth"`
	Dropped int64    `json:"dropped"`
	Mode    EVDMode  `json:"mode"`
	InUseBy EVDUsers `json:"in_use_by"`
}

// EVDUsers counts what feeds an EVD.
type EVDUsers struct {
	Endpoints int `json:"endpoints"`
	PSPs      int `json:"psps"`
	RSPs      int `json:"rsps"`
	IAs       int `json:"ias"`
}

// SRQ is a shared receive queue. Source: dat_srq_create, dat_srq_query.
type SRQ struct {
	Meta
	PZ          Handle `json:"pz"`
	MaxRecvDTOs int32  `json:"max_recv_dtos"`
	MaxRecvIOV  int32  `json:"max_recv_iov"`
	// LowWatermark is the mark last set; 0 (DAT_SRQ_LW_DEFAULT) never fires.
	LowWatermark int32    `json:"low_watermark"`
	State        SRQState `json:"state"`
	// AvailableDTOCount and OutstandingDTOCount are live; null (nil) where the
	// provider cannot tell.
	AvailableDTOCount   *int32 `json:"available_dto_count"`
	OutstandingDTOCount *int32 `json:"outstanding_dto_count"`
}

// LMR is a local memory region of the service's own memory. Source: dat_lmr_create.
type LMR struct {
	Meta
	PZ      Handle  `json:"pz"`
	MemType MemType `json:"mem_type"`
	// LMR is the region registered again (MemLMR), Offset its start there.
	LMR    Handle `json:"lmr"`
	Offset int64  `json:"offset"`
	// SharedID names the memory that MemSharedVirtual regions share.
	SharedID   *string     `json:"shared_id"`
	Length     int64       `json:"length"`
	Privileges []Privilege `json:"privileges"`
	// TargetAddress and RMRContext are what a peer needs for RDMA: a decimal
	// and a hexadecimal string.
	TargetAddress string `json:"target_address"`
	RMRContext    string `json:"rmr_context"`
}

// RMR is a remote memory region, a window that is bound through an endpoint.
// Source: dat_rmr_create, dat_rmr_bind.
type RMR struct {
	Meta
	PZ Handle `json:"pz"`
	// LMR, Offset, Length, Privileges and RMRContext describe the present
	// binding; null or empty while unbound.
	LMR           Handle      `json:"lmr"`
	Offset        int64       `json:"offset"`
	Length        int64       `json:"length"`
	Privileges    []Privilege `json:"privileges"`
	TargetAddress *string     `json:"target_address"`
	RMRContext    *string     `json:"rmr_context"`
}

// PSP is a public service point. Source: dat_psp_create, dat_psp_create_any.
type PSP struct {
	Meta
	// ConnQual is the qualifier it listens on, 1–65535.
	ConnQual  int32   `json:"conn_qual"`
	EVD       Handle  `json:"evd"`
	EPCreator PSPFlag `json:"ep_creator"`
}

// RSP is a reserved service point: one request for one endpoint. Source: dat_rsp_create.
type RSP struct {
	Meta
	ConnQual int32  `json:"conn_qual"`
	EVD      Handle `json:"evd"`
	Endpoint Handle `json:"endpoint"`
}

// CR is a connection request that waits for accept, reject or handoff.
// Source: dat_cr_query.
type CR struct {
	Meta
	PSP             Handle  `json:"psp"`
	RSP             Handle  `json:"rsp"`
	ConnQual        int32   `json:"conn_qual"`
	RemoteIAAddress *string `json:"remote_ia_address"`
	RemotePortQual  *int32  `json:"remote_port_qual"`
	PrivateDataSize int32   `json:"private_data_size"`
	// Endpoint is that of the RSP, or the one that a PROVIDER PSP created, else
	// null.
	Endpoint Handle `json:"endpoint"`
	// PrivateData is live only: it is never recorded.
	PrivateData []byte `json:"private_data,omitempty"`
}

// Type implements Object.
func (*PZ) Type() ObjectType { return TypePZ }

// Type implements Object.
func (*EVD) Type() ObjectType { return TypeEVD }

// Type implements Object.
func (*SRQ) Type() ObjectType { return TypeSRQ }

// Type implements Object.
func (*LMR) Type() ObjectType { return TypeLMR }

// Type implements Object.
func (*RMR) Type() ObjectType { return TypeRMR }

// Type implements Object.
func (*PSP) Type() ObjectType { return TypePSP }

// Type implements Object.
func (*RSP) Type() ObjectType { return TypeRSP }

// Type implements Object.
func (*CR) Type() ObjectType { return TypeCR }

func (m Meta) clone() Meta {
	m.Labels = maps.Clone(m.Labels)
	return m
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Clone implements Object.
func (o *PZ) Clone() Object { return &PZ{Meta: o.Meta.clone()} }

// Clone implements Object.
func (o *EVD) Clone() Object {
	c := *o
	c.Meta, c.Streams = o.Meta.clone(), slices.Clone(o.Streams)
	return &c
}

// Clone implements Object.
func (o *SRQ) Clone() Object {
	c := *o
	c.Meta = o.Meta.clone()
	c.AvailableDTOCount, c.OutstandingDTOCount = clonePtr(o.AvailableDTOCount), clonePtr(o.OutstandingDTOCount)
	return &c
}

// Clone implements Object.
func (o *LMR) Clone() Object {
	c := *o
	c.Meta, c.SharedID, c.Privileges = o.Meta.clone(), clonePtr(o.SharedID), slices.Clone(o.Privileges)
	return &c
}

// Clone implements Object.
func (o *RMR) Clone() Object {
	c := *o
	c.Meta, c.Privileges = o.Meta.clone(), slices.Clone(o.Privileges)
	c.TargetAddress, c.RMRContext = clonePtr(o.TargetAddress), clonePtr(o.RMRContext)
	return &c
}

// Clone implements Object.
func (o *PSP) Clone() Object { c := *o; c.Meta = o.Meta.clone(); return &c }

// Clone implements Object.
func (o *RSP) Clone() Object { c := *o; c.Meta = o.Meta.clone(); return &c }

// Clone implements Object.
func (o *CR) Clone() Object {
	c := *o
	c.Meta, c.PrivateData = o.Meta.clone(), slices.Clone(o.PrivateData)
	c.RemoteIAAddress, c.RemotePortQual = clonePtr(o.RemoteIAAddress), clonePtr(o.RemotePortQual)
	return &c
}

// handles returns the handles that are not null.
func handles(all ...Handle) []Handle {
	return slices.DeleteFunc(all, func(h Handle) bool { return h == HandleNull })
}

// Refs implements Object.
func (*PZ) Refs() []Handle { return nil }

// Refs implements Object.
func (*EVD) Refs() []Handle { return nil }

// Refs implements Object.
func (o *SRQ) Refs() []Handle { return handles(o.PZ) }

// Refs implements Object.
func (o *LMR) Refs() []Handle { return handles(o.PZ, o.LMR) }

// Refs implements Object.
func (o *RMR) Refs() []Handle { return handles(o.PZ, o.LMR) }

// Refs implements Object.
func (o *PSP) Refs() []Handle { return handles(o.EVD) }

// Refs implements Object.
func (o *RSP) Refs() []Handle { return handles(o.EVD, o.Endpoint) }

// Refs implements Object.
func (o *CR) Refs() []Handle { return handles(o.PSP, o.RSP, o.Endpoint) }
