package soft

import (
	"strconv"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// The limits that the adapters declare, sizes and addresses in bytes.
const (
	maxObjects     = 1 << 20
	maxDTOs        = 16384
	maxQLen        = 65536
	maxIOV         = 16
	maxReads       = 128
	maxTransfer    = 4 << 20
	maxBlock       = 64 << 20
	maxPrivateData = 256
	addressLimit   = 1<<47 - 1
	firstAddress   = 1 << 32
)

// attributes returns those of dat_ia_query for an adapter, all of them filled (D24–D32).
func attributes(a *adapter) (dat.IAAttributes, dat.ProviderAttributes) {
	address := a.addr.String()
	transport := map[string]string{
		"transport": "memory", "link_layer": "memory",
		"ipv4_address": address, "ipv6_address": a.addr6.String(),
		"rnr_timer_us": microseconds(a.fabric.rnrTime), "ack_timer_us": microseconds(a.fabric.ackTime),
	}
	vendor := map[string]string{"implementation": "software"}
	provider := map[string]string{
		// Both endpoints break when a message finds no receive buffer (W15).
		"no_recv_buffer": "BOTH_BREAK",
		// A request is complete when the peer has it.
		"request_completion": "DELIVERED",
		"psp_backlog":        strconv.Itoa(a.fabric.backlog),
	}
	ia := dat.IAAttributes{
		AdapterName: a.name, VendorName: "datapi",
		HardwareVersionMajor: 1, FirmwareVersionMajor: 1,
		IAAddress: &address,
		MaxEPs:    maxObjects, MaxDTOPerEP: maxDTOs,
		MaxRDMAReadPerEPIn: maxReads, MaxRDMAReadPerEPOut: maxReads,
		MaxEVDs: maxObjects, MaxEVDQLen: maxQLen, MaxIOVSegmentsPerDTO: maxIOV,
		MaxLMRs: maxObjects, MaxLMRBlockSize: maxBlock, MaxLMRVirtualAddress: addressLimit,
		MaxPZs: maxObjects, MaxMessageSize: maxTransfer, MaxRDMASize: maxTransfer,
		MaxRMRs: maxObjects, MaxRMRTargetAddress: addressLimit,
		MaxSRQs: 65536, MaxEPPerSRQ: maxObjects, MaxRecvPerSRQ: maxDTOs,
		MaxIOVSegmentsPerRDMARead: maxIOV, MaxIOVSegmentsPerRDMAWrite: maxIOV,
		MaxRDMAReadIn: maxReads * maxObjects, MaxRDMAReadOut: maxReads * maxObjects,
		MaxRDMAReadPerEPInGuaranteed: true, MaxRDMAReadPerEPOutGuaranteed: true,
		NumTransportAttr: len(transport), TransportAttr: transport,
		NumVendorAttr: len(vendor), VendorAttr: vendor,
	}
	return ia, dat.ProviderAttributes{
		ProviderName: "soft", ProviderVersionMajor: 1, DAPLVersionMajor: 1, DAPLVersionMinor: 2,
		LMRMemTypesSupported: []dat.MemType{dat.MemVirtual, dat.MemLMR, dat.MemSharedVirtual},
		IOVOwnershipOnReturn: "CONSUMER",
		DATQOSSupported:      []dat.QOS{dat.QOSBestEffort},
		CompletionFlagsSupported: []dat.CompletionFlag{
			dat.CompletionSuppress, dat.CompletionSolicitedWait,
			dat.CompletionUnsignalled, dat.CompletionBarrierFence, dat.CompletionEVDThreshold,
		},
		IsThreadSafe: true, MaxPrivateDataSize: maxPrivateData,
		EPCreator: dat.EPCreatorIfAsked, PZSupport: "UNIQUE", OptimalBufferAlignment: 256,
		EVDStreamMergingSupported: rdma.StreamMerging(),
		SRQSupported:              true,
		SRQWatermarksSupported: dat.SRQWatermarks{
			SRQLowWatermark: true, EPSoftHigh: true, EPHardHigh: true,
			SRQEPSoftHigh: true, SRQEPHardHigh: true,
		},
		SRQEPPZDifferenceSupported: true,
		SRQInfoSupported:           dat.SRQInfo{AvailableDTOCount: true, OutstandingDTOCount: true},
		EPRecvInfoSupported:        dat.EPRecvInfo{NBufsAllocated: true, BufsAllocSpan: true},
		DTOAsyncReturnGuaranteed:   true,
		RMRScopeSupported:          "PZ",
		HALoadbalancing:            "NONE",
		NumProviderSpecificAttr:    len(provider), ProviderSpecificAttr: provider,
	}
}

// microseconds returns d as the named attributes have times.
func microseconds(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }
