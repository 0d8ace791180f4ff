package verbs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"strconv"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// deviceAttr is what a device declares (struct ibv_device_attr).
type deviceAttr struct {
	iwarp                               bool
	nodeGUID                            uint64
	fwVer                               string
	hwVer, vendorID, vendorPartID       uint32
	maxMRSize                           uint64
	maxQP, maxQPWR, maxSGE, maxSGERead  int64
	maxCQ, maxCQE, maxMR, maxPD, maxMW  int64
	maxReadIn, maxReadInAll, maxReadOut int64
	maxSRQ, maxSRQWR                    int64
	ports                               int
	// vectors is the number of completion vectors, maxInline how much a send may carry
	// inline, in bytes.
	vectors, maxInline int
}

// portAttr is what a port declares (struct ibv_port_attr).
type portAttr struct {
	state, physState, linkLayer, maxMTU, activeMTU uint8
	maxMessage                                     uint32
	gids                                           int
	lid                                            uint16
}

const (
	// portActive is the state of a port that is up.
	portActive = 4
	// Private data that fits the connection manager's messages, in bytes. InfiniBand's
	// request has room for 56 (D26's one exception); iWARP's frame has 512, of which
	// the kernel's interface carries 255 and the enhanced setup takes 4.
	privateDataIB    = 56
	privateDataIWARP = 251
	// addressLimit is the highest address of a process on this platform.
	addressLimit = 1<<47 - 1
	// blockLimit is the most memory that a region can have there, in bytes.
	blockLimit = 1 << 46
	// maxReads is the most RDMA Reads that a connection request can ask for.
	maxReads = 255
	// wrReserve is how many work requests of a QP are reserved for the liveness probe.
	wrReserve = 1
)

// The names of the states, link layers and MTUs of ports (enum ibv_port_state,
// IBV_LINK_LAYER_…, enum ibv_mtu, the physical states of InfiniBand), in their order.
var (
	portStates = [...]string{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"}
	linkLayers = [...]string{"UNSPECIFIED", "INFINIBAND", "ETHERNET"}
	mtus       = [...]string{"", "256", "512", "1024", "2048", "4096"}
	physStates = [...]string{
		"", "SLEEP", "POLLING", "DISABLED", "PORT_CONFIGURATION_TRAINING", "LINK_UP",
		"LINK_ERROR_RECOVERY", "PHY_TEST",
	}
)

// vendorSIW is the vendor id of Soft-iWARP.
const vendorSIW = 0x626d74

// vendors are the names behind the vendor ids that devices report.
var vendors = map[uint32]string{
	0x0002c9: "NVIDIA Mellanox", 0x001425: "Chelsio", 0x008086: "Intel", 0x0014e4: "Broadcom",
	0x001077: "QLogic", 0x001fab: "Amazon", 0xffffff: "Linux Soft-RoCE", vendorSIW: "Linux Soft-iWARP",
}

// softDrivers are the drivers of devices that have no hardware, and so no link to a driver in sysfs.
var softDrivers = map[uint32]string{0xffffff: "rdma_rxe", vendorSIW: "siw"}

// nameOf returns a name of a list, or the number where the list has none.
func nameOf(names []string, i uint8) string {
	if int(i) < len(names) && names[i] != "" {
		return names[i]
	}
	return strconv.Itoa(int(i))
}

// clampCount returns a count of a device as DAT_COUNT.
func clampCount(n int64) int32 { return int32(max(0, min(n, math.MaxInt32))) }

// guid returns a GUID as its text.
func guid(g uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", g>>48, g>>32&0xffff, g>>16&0xffff, g&0xffff)
}

// portFacts is everything that the attributes of an IA are made of.
type portFacts struct {
	devicePort
	dev       deviceAttr
	port      portAttr
	netdev    string
	netdevMTU int
	local     []localAddress
	// noAnswer is why the port did not tell its state, "" if it did.
	noAnswer string
	gids     []string
	// driver is the kernel's driver of the device, rate the speed of the port's link.
	driver, rate string
}

// address returns the first address of the family, the zero value if there is none.
func (f *portFacts) address(v4 bool) netip.Addr {
	for _, l := range f.local {
		if l.ip.Is4() == v4 {
			return l.ip
		}
	}
	return netip.Addr{}
}

// iaAttributes returns those of dat_ia_query that belong to the adapter; every member
// is filled from the device (D24, D25, D31, D32). Source: dat_ia_query.
func (f *portFacts) iaAttributes() dat.IAAttributes {
	d := &f.dev
	major, minor := parseFirmware(d.fwVer)
	vendor, known := vendors[d.vendorID]
	if !known {
		vendor = fmt.Sprintf("0x%06x", d.vendorID)
	}
	a := dat.IAAttributes{
		AdapterName: f.iaName(), VendorName: vendor,
		HardwareVersionMajor: d.hwVer, FirmwareVersionMajor: major, FirmwareVersionMinor: minor,
		MaxEPs: clampCount(d.maxQP), MaxDTOPerEP: clampCount(d.maxQPWR - wrReserve),
		MaxRDMAReadPerEPIn: clampCount(min(d.maxReadIn, maxReads)), MaxRDMAReadPerEPOut: clampCount(min(d.maxReadOut, maxReads)),
		MaxEVDs: clampCount(d.maxCQ), MaxEVDQLen: clampCount(d.maxCQE), MaxIOVSegmentsPerDTO: clampCount(d.maxSGE),
		MaxLMRs: clampCount(d.maxMR), MaxLMRBlockSize: min(d.maxMRSize, blockLimit), MaxLMRVirtualAddress: addressLimit,
		MaxPZs: clampCount(d.maxPD), MaxMessageSize: int64(f.port.maxMessage), MaxRDMASize: int64(f.port.maxMessage),
		MaxRMRs: clampCount(d.maxMW), MaxRMRTargetAddress: addressLimit,
		MaxSRQs: clampCount(d.maxSRQ), MaxEPPerSRQ: clampCount(d.maxQP), MaxRecvPerSRQ: clampCount(d.maxSRQWR),
		MaxIOVSegmentsPerRDMARead: clampCount(d.maxSGERead), MaxIOVSegmentsPerRDMAWrite: clampCount(d.maxSGE),
		MaxRDMAReadIn: clampCount(d.maxReadInAll), MaxRDMAReadOut: clampCount(d.maxReadOut * d.maxQP),
		MaxRDMAReadPerEPInGuaranteed: true, MaxRDMAReadPerEPOutGuaranteed: true,
		TransportAttr: f.transportAttributes(),
		VendorAttr: map[string]string{
			"vendor_id": fmt.Sprintf("0x%06x", d.vendorID), "vendor_part_id": strconv.Itoa(int(d.vendorPartID)),
			"fw_ver": d.fwVer, "hw_ver": fmt.Sprintf("0x%x", d.hwVer),
		},
	}
	if driver := cmp.Or(f.driver, softDrivers[d.vendorID]); driver != "" {
		a.VendorAttr["driver"] = driver
	}
	if len(f.local) > 0 {
		s := f.local[0].ip.String()
		a.IAAddress = &s
	}
	a.NumTransportAttr, a.NumVendorAttr = len(a.TransportAttr), len(a.VendorAttr)
	return a
}

// transportAttributes returns the named attributes of the transport.
func (f *portFacts) transportAttributes() map[string]string {
	m := map[string]string{
		"transport": "INFINIBAND", "link_layer": nameOf(linkLayers[:], f.port.linkLayer),
		"node_guid": guid(f.dev.nodeGUID), "port_state": nameOf(portStates[:], f.port.state),
		"phys_state": nameOf(physStates[:], f.port.physState), "lid": strconv.Itoa(int(f.port.lid)),
		"active_mtu": nameOf(mtus[:], f.port.activeMTU), "max_mtu": nameOf(mtus[:], f.port.maxMTU),
	}
	if f.dev.iwarp {
		m["transport"] = "IWARP"
	}
	if f.rate != "" {
		m["rate"] = f.rate
	}
	if f.netdev != "" {
		m["netdev"], m["netdev_mtu"] = f.netdev, strconv.Itoa(f.netdevMTU)
	}
	if a := f.address(true); a.IsValid() {
		m["ipv4_address"] = a.String()
	}
	if a := f.address(false); a.IsValid() {
		m["ipv6_address"] = a.String()
	}
	for i, l := range f.local {
		m["address_"+strconv.Itoa(i)] = l.String()
	}
	for i, g := range f.gids {
		m["gid_"+strconv.Itoa(i)] = g
	}
	return m
}

// providerAttributes returns those of dat_ia_query that belong to the provider.
// Source: dat_ia_query.
func (f *portFacts) providerAttributes() dat.ProviderAttributes {
	// SENT says what TCP does not know: whether the peer took a message when its send
	// completes, who rejected, and whether a request's peer is still there.
	private, noRecv, proof := int32(privateDataIB), "SENDER_BREAKS", "DELIVERED"
	if f.dev.iwarp {
		private, noRecv, proof = privateDataIWARP, "BOTH_BREAK", "SENT"
	}
	specific := map[string]string{
		"request_completion": proof,
		"no_recv_buffer":     noRecv, "psp_backlog": strconv.Itoa(backlog), "max_inline_data": strconv.Itoa(f.dev.maxInline),
	}
	maps.Copy(specific, f.settings())
	if f.dev.vendorID == vendorSIW {
		// It lets peers read every region that they have the key of.
		specific["remote_read_privilege"] = "UNCHECKED"
		// It makes no event for a message that asks for one, so every message wakes a
		// SOLICITED_WAIT waiter.
		specific["solicited_wait"] = "EVERY_MESSAGE"
	}
	return dat.ProviderAttributes{
		ProviderName: "verbs", ProviderVersionMajor: 1, DAPLVersionMajor: 1, DAPLVersionMinor: 2,
		LMRMemTypesSupported: []dat.MemType{dat.MemVirtual, dat.MemLMR, dat.MemSharedVirtual},
		IOVOwnershipOnReturn: "CONSUMER", DATQOSSupported: []dat.QOS{dat.QOSBestEffort},
		CompletionFlagsSupported: []dat.CompletionFlag{
			dat.CompletionSuppress, dat.CompletionSolicitedWait,
			dat.CompletionUnsignalled, dat.CompletionBarrierFence, dat.CompletionEVDThreshold,
		},
		IsThreadSafe: true, MaxPrivateDataSize: private,
		EPCreator: dat.EPCreatorIfAsked, PZSupport: "UNIQUE", OptimalBufferAlignment: 256,
		EVDStreamMergingSupported: rdma.StreamMerging(),
		SRQSupported:              f.dev.maxSRQ > 0,
		SRQWatermarksSupported:    dat.SRQWatermarks{SRQLowWatermark: f.dev.maxSRQ > 0, EPSoftHigh: true, EPHardHigh: true},
		SRQInfoSupported:          dat.SRQInfo{OutstandingDTOCount: true},
		EPRecvInfoSupported:       dat.EPRecvInfo{NBufsAllocated: true},
		DTOAsyncReturnGuaranteed:  true, RDMAWriteForRDMAReadReq: f.dev.iwarp,
		RMRScopeSupported: "PZ", HALoadbalancing: "NONE",
		NumProviderSpecificAttr: len(specific), ProviderSpecificAttr: specific,
	}
}
