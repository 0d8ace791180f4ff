package dat

import "maps"

// IAAttributes is DAT_IA_ATTR, the attributes of dat_ia_query that belong to
// the adapter. Counts are numbers of objects; sizes are bytes; the addresses
// and max_lmr_block_size are decimal strings on the wire. Source: dat_ia_query
// and, for the members it does not list, the DAT 1.2 header.
type IAAttributes struct {
	AdapterName                   string            `json:"adapter_name"`
	VendorName                    string            `json:"vendor_name"`
	HardwareVersionMajor          uint32            `json:"hardware_version_major"`
	HardwareVersionMinor          uint32            `json:"hardware_version_minor"`
	FirmwareVersionMajor          uint32            `json:"firmware_version_major"`
	FirmwareVersionMinor          uint32            `json:"firmware_version_minor"`
	IAAddress                     *string           `json:"ia_address"`
	MaxEPs                        int32             `json:"max_eps"`
	MaxDTOPerEP                   int32             `json:"max_dto_per_ep"`
	MaxRDMAReadPerEPIn            int32             `json:"max_rdma_read_per_ep_in"`
	MaxRDMAReadPerEPOut           int32             `json:"max_rdma_read_per_ep_out"`
	MaxEVDs                       int32             `json:"max_evds"`
	MaxEVDQLen                    int32             `json:"max_evd_qlen"`
	MaxIOVSegmentsPerDTO          int32             `json:"max_iov_segments_per_dto"`
	MaxLMRs                       int32             `json:"max_lmrs"`
	MaxLMRBlockSize               uint64            `json:"max_lmr_block_size,string"`
	MaxLMRVirtualAddress          uint64            `json:"max_lmr_virtual_address,string"`
	MaxPZs                        int32             `json:"max_pzs"`
	MaxMessageSize                int64             `json:"max_message_size"`
	MaxRDMASize                   int64             `json:"max_rdma_size"`
	MaxRMRs                       int32             `json:"max_rmrs"`
	MaxRMRTargetAddress           uint64            `json:"max_rmr_target_address,string"`
	MaxSRQs                       int32             `json:"max_srqs"`
	MaxEPPerSRQ                   int32             `json:"max_ep_per_srq"`
	MaxRecvPerSRQ                 int32             `json:"max_recv_per_srq"`
	MaxIOVSegmentsPerRDMARead     int32             `json:"max_iov_segments_per_rdma_read"`
	MaxIOVSegmentsPerRDMAWrite    int32             `json:"max_iov_segments_per_rdma_write"`
	MaxRDMAReadIn                 int32             `json:"max_rdma_read_in"`
	MaxRDMAReadOut                int32             `json:"max_rdma_read_out"`
	MaxRDMAReadPerEPInGuaranteed  bool              `json:"max_rdma_read_per_ep_in_guaranteed"`
	MaxRDMAReadPerEPOutGuaranteed bool              `json:"max_rdma_read_per_ep_out_guaranteed"`
	ZBSupported                   bool              `json:"zb_supported"`
	ExtensionSupported            *string           `json:"extension_supported"`
	ExtensionVersion              int32             `json:"extension_version"`
	NumTransportAttr              int               `json:"num_transport_attr"`
	TransportAttr                 map[string]string `json:"transport_attr"`
	NumVendorAttr                 int               `json:"num_vendor_attr"`
	VendorAttr                    map[string]string `json:"vendor_attr"`
}

// SRQWatermarks are the bits of srq_watermarks_supported as booleans.
type SRQWatermarks struct {
	SRQLowWatermark bool `json:"srq_low_watermark"`
	EPSoftHigh      bool `json:"ep_soft_high_watermark"`
	EPHardHigh      bool `json:"ep_hard_high_watermark"`
	SRQEPSoftHigh   bool `json:"srq_ep_soft_high_watermark"`
	SRQEPHardHigh   bool `json:"srq_ep_hard_high_watermark"`
}

// SRQInfo are the bits of srq_info_supported as booleans.
type SRQInfo struct {
	AvailableDTOCount   bool `json:"available_dto_count"`
	OutstandingDTOCount bool `json:"outstanding_dto_count"`
}

// EPRecvInfo are the bits of ep_recv_info_supported as booleans.
type EPRecvInfo struct {
	NBufsAllocated bool `json:"nbufs_allocated"`
	BufsAllocSpan  bool `json:"bufs_alloc_span"`
}

// StreamMatrix tells for each pair of streams whether they can feed one EVD.
type StreamMatrix map[Stream]map[Stream]bool

// ProviderAttributes is DAT_PROVIDER_ATTR, the attributes of dat_ia_query that
// belong to the open instance.
type ProviderAttributes struct {
	ProviderName                  string            `json:"provider_name"`
	ProviderVersionMajor          uint32            `json:"provider_version_major"`
	ProviderVersionMinor          uint32            `json:"provider_version_minor"`
	DAPLVersionMajor              uint32            `json:"dapl_version_major"`
	DAPLVersionMinor              uint32            `json:"dapl_version_minor"`
	LMRMemTypesSupported          []MemType         `json:"lmr_mem_types_supported"`
	IOVOwnershipOnReturn          string            `json:"iov_ownership_on_return"`
	DATQOSSupported               []QOS             `json:"dat_qos_supported"`
	CompletionFlagsSupported      []CompletionFlag  `json:"completion_flags_supported"`
	IsThreadSafe                  bool              `json:"is_thread_safe"`
	MaxPrivateDataSize            int32             `json:"max_private_data_size"`
	SupportsMultipath             bool              `json:"supports_multipath"`
	EPCreator                     EPCreator         `json:"ep_creator"`
	PZSupport                     string            `json:"pz_support"`
	OptimalBufferAlignment        uint32            `json:"optimal_buffer_alignment"`
	EVDStreamMergingSupported     StreamMatrix      `json:"evd_stream_merging_supported"`
	SRQSupported                  bool              `json:"srq_supported"`
	SRQWatermarksSupported        SRQWatermarks     `json:"srq_watermarks_supported"`
	SRQEPPZDifferenceSupported    bool              `json:"srq_ep_pz_difference_supported"`
	SRQInfoSupported              SRQInfo           `json:"srq_info_supported"`
	EPRecvInfoSupported           EPRecvInfo        `json:"ep_recv_info_supported"`
	LMRSyncReq                    bool              `json:"lmr_sync_req"`
	DTOAsyncReturnGuaranteed      bool              `json:"dto_async_return_guaranteed"`
	RDMAWriteForRDMAReadReq       bool              `json:"rdma_write_for_rdma_read_req"`
	RDMAReadLMRRMRContextExposure bool              `json:"rdma_read_lmr_rmr_context_exposure"`
	RMRScopeSupported             string            `json:"rmr_scope_supported"`
	IsSignalSafe                  bool              `json:"is_signal_safe"`
	HASupported                   bool              `json:"ha_supported"`
	HALoadbalancing               string            `json:"ha_loadbalancing"`
	NumProviderSpecificAttr       int               `json:"num_provider_specific_attr"`
	ProviderSpecificAttr          map[string]string `json:"provider_specific_attr"`
}

// IAState tells whether an interface adapter can carry connections now.
type IAState uint8

// The states of an IA: its port is up, its port is down, its device is gone (T48).
const (
	IAUp IAState = iota
	IADown
	IAGone
)

var iaStateNames = [...]string{
	IAUp:   "UP",
	IADown: "DOWN",
	IAGone: "GONE",
}

// String returns the wire word.
func (i IAState) String() string { return nameOf(iaStateNames[:], i) }

// MarshalText writes the wire word.
func (i IAState) MarshalText() ([]byte, error) { return textOf(iaStateNames[:], i) }

// UnmarshalText reads the wire word; another word is an error.
func (i *IAState) UnmarshalText(b []byte) error { return parse(iaStateNames[:], b, i) }

// IAUsage counts the living objects of an IA, of every type (D39).
type IAUsage struct {
	Endpoints int `json:"endpoints"`
	PZs       int `json:"pzs"`
	EVDs      int `json:"evds"`
	SRQs      int `json:"srqs"`
	LMRs      int `json:"lmrs"`
	RMRs      int `json:"rmrs"`
	PSPs      int `json:"psps"`
	RSPs      int `json:"rsps"`
}

// IA is an interface adapter: one port of one device. Its Meta.ID is
// `<ia name>@<node name>` and equals Meta.IA. Source: dat_ia_query.
type IA struct {
	Meta
	Provider string  `json:"provider"`
	Device   string  `json:"device"`
	Port     int     `json:"port"`
	State    IAState `json:"state"`
	// Detail says why the device is not usable and what would help, or is null.
	Detail             *string            `json:"detail"`
	AsyncEVD           Handle             `json:"async_evd"`
	IAAttributes       IAAttributes       `json:"ia_attributes"`
	ProviderAttributes ProviderAttributes `json:"provider_attributes"`
	EndpointDefaults   EndpointDefaults   `json:"endpoint_defaults"`
	// Usage is live: filled when read, never recorded.
	Usage IAUsage `json:"usage"`
}

// Type implements Object.
func (*IA) Type() ObjectType { return TypeIA }

// Refs implements Object.
func (o *IA) Refs() []Handle { return handles(o.AsyncEVD) }

// Clone implements Object. The attributes never change in place and are shared.
func (o *IA) Clone() Object {
	c := *o
	c.Meta, c.Detail = o.Meta.clone(), clonePtr(o.Detail)
	c.IAAttributes.TransportAttr = maps.Clone(o.IAAttributes.TransportAttr)
	c.EndpointDefaults = o.EndpointDefaults.Clone()
	return &c
}
