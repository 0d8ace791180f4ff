package dat

// Subtype says which object, argument, resource or state a Return speaks of.
//
// SubNone stands for DAT_NO_SUBTYPE and is null on the wire. Source: the DAT
// headers, 1.2 and 2.0 together.
type Subtype uint8

// The return subtypes.
const (
	SubNone Subtype = iota
	SubSubInterrupted
	SubResourceMemory
	SubResourceDevice
	SubResourceTEP
	SubResourceTEVD
	SubResourceProtectionDomain
	SubResourceMemoryRegion
	SubResourceErrorHandler
	SubResourceCredits
	SubResourceSRQ
	SubInvalidHandleIA
	SubInvalidHandleEP
	SubInvalidHandleLMR
	SubInvalidHandleRMR
	SubInvalidHandlePZ
	SubInvalidHandlePSP
	SubInvalidHandleRSP
	SubInvalidHandleCR
	SubInvalidHandleCNO
	SubInvalidHandleEVDCR
	SubInvalidHandleEVDRequest
	SubInvalidHandleEVDRecv
	SubInvalidHandleEVDConn
	SubInvalidHandleEVDAsync
	SubInvalidHandleSRQ
	SubInvalidHandleCSP
	SubInvalidHandle1
	SubInvalidHandle2
	SubInvalidHandle3
	SubInvalidHandle4
	SubInvalidHandle5
	SubInvalidHandle6
	SubInvalidHandle7
	SubInvalidHandle8
	SubInvalidHandle9
	SubInvalidHandle10
	SubInvalidArg1
	SubInvalidArg2
	SubInvalidArg3
	SubInvalidArg4
	SubInvalidArg5
	SubInvalidArg6
	SubInvalidArg7
	SubInvalidArg8
	SubInvalidArg9
	SubInvalidArg10
	SubInvalidStateEPUnconnected
	SubInvalidStateEPActconnpending
	SubInvalidStateEPPassconnpending
	SubInvalidStateEPTentconnpending
	SubInvalidStateEPConnected
	SubInvalidStateEPDisconnected
	SubInvalidStateEPReserved
	SubInvalidStateEPComplpending
	SubInvalidStateEPDiscpending
	SubInvalidStateEPProvidercontrol
	SubInvalidStateEPNotready
	SubInvalidStateEPRecvWatermark
	SubInvalidStateEPPZ
	SubInvalidStateEPEVDRequest
	SubInvalidStateEPEVDRecv
	SubInvalidStateEPEVDConnect
	SubInvalidStateEPUnconfigured
	SubInvalidStateEPUnconfreserved
	SubInvalidStateEPUnconfpassive
	SubInvalidStateEPUnconftentative
	SubInvalidStateCNOInUse
	SubInvalidStateCNODead
	SubInvalidStateEVDOpen
	SubInvalidStateEVDEnabled
	SubInvalidStateEVDDisabled
	SubInvalidStateEVDWaitable
	SubInvalidStateEVDUnwaitable
	SubInvalidStateEVDInUse
	SubInvalidStateEVDConfigNotify
	SubInvalidStateEVDConfigSolicited
	SubInvalidStateEVDConfigThreshold
	SubInvalidStateEVDWaiter
	SubInvalidStateEVDAsync
	SubInvalidStateIAInUse
	SubInvalidStateLMRInUse
	SubInvalidStateLMRFree
	SubInvalidStatePZInUse
	SubInvalidStatePZFree
	SubInvalidStateSRQOperational
	SubInvalidStateSRQError
	SubInvalidStateSRQInUse
	SubInvalidStateSRQShutdown
	SubPrivilegesRead
	SubPrivilegesWrite
	SubPrivilegesRDMARead
	SubPrivilegesRDMAWrite
	SubProtectionRead
	SubProtectionWrite
	SubProtectionRDMARead
	SubProtectionRDMAWrite
	SubInvalidAddressUnsupported
	SubInvalidAddressUnreachable
	SubInvalidAddressMalformed
	SubNameNotRegistered
	SubMajorNotFound
	SubMinorNotFound
	SubThreadSafetyNotFound
	SubInvalidROCookie
)

var subtypeNames = [...]string{
	SubNone:                           "DAT_NO_SUBTYPE",
	SubSubInterrupted:                 "DAT_SUB_INTERRUPTED",
	SubResourceMemory:                 "DAT_RESOURCE_MEMORY",
	SubResourceDevice:                 "DAT_RESOURCE_DEVICE",
	SubResourceTEP:                    "DAT_RESOURCE_TEP",
	SubResourceTEVD:                   "DAT_RESOURCE_TEVD",
	SubResourceProtectionDomain:       "DAT_RESOURCE_PROTECTION_DOMAIN",
	SubResourceMemoryRegion:           "DAT_RESOURCE_MEMORY_REGION",
	SubResourceErrorHandler:           "DAT_RESOURCE_ERROR_HANDLER",
	SubResourceCredits:                "DAT_RESOURCE_CREDITS",
	SubResourceSRQ:                    "DAT_RESOURCE_SRQ",
	SubInvalidHandleIA:                "DAT_INVALID_HANDLE_IA",
	SubInvalidHandleEP:                "DAT_INVALID_HANDLE_EP",
	SubInvalidHandleLMR:               "DAT_INVALID_HANDLE_LMR",
	SubInvalidHandleRMR:               "DAT_INVALID_HANDLE_RMR",
	SubInvalidHandlePZ:                "DAT_INVALID_HANDLE_PZ",
	SubInvalidHandlePSP:               "DAT_INVALID_HANDLE_PSP",
	SubInvalidHandleRSP:               "DAT_INVALID_HANDLE_RSP",
	SubInvalidHandleCR:                "DAT_INVALID_HANDLE_CR",
	SubInvalidHandleCNO:               "DAT_INVALID_HANDLE_CNO",
	SubInvalidHandleEVDCR:             "DAT_INVALID_HANDLE_EVD_CR",
	SubInvalidHandleEVDRequest:        "DAT_INVALID_HANDLE_EVD_REQUEST",
	SubInvalidHandleEVDRecv:           "DAT_INVALID_HANDLE_EVD_RECV",
	SubInvalidHandleEVDConn:           "DAT_INVALID_HANDLE_EVD_CONN",
	SubInvalidHandleEVDAsync:          "DAT_INVALID_HANDLE_EVD_ASYNC",
	SubInvalidHandleSRQ:               "DAT_INVALID_HANDLE_SRQ",
	SubInvalidHandleCSP:               "DAT_INVALID_HANDLE_CSP",
	SubInvalidHandle1:                 "DAT_INVALID_HANDLE1",
	SubInvalidHandle2:                 "DAT_INVALID_HANDLE2",
	SubInvalidHandle3:                 "DAT_INVALID_HANDLE3",
	SubInvalidHandle4:                 "DAT_INVALID_HANDLE4",
	SubInvalidHandle5:                 "DAT_INVALID_HANDLE5",
	SubInvalidHandle6:                 "DAT_INVALID_HANDLE6",
	SubInvalidHandle7:                 "DAT_INVALID_HANDLE7",
	SubInvalidHandle8:                 "DAT_INVALID_HANDLE8",
	SubInvalidHandle9:                 "DAT_INVALID_HANDLE9",
	SubInvalidHandle10:                "DAT_INVALID_HANDLE10",
	SubInvalidArg1:                    "DAT_INVALID_ARG1",
	SubInvalidArg2:                    "DAT_INVALID_ARG2",
	SubInvalidArg3:                    "DAT_INVALID_ARG3",
	SubInvalidArg4:                    "DAT_INVALID_ARG4",
	SubInvalidArg5:                    "DAT_INVALID_ARG5",
	SubInvalidArg6:                    "DAT_INVALID_ARG6",
	SubInvalidArg7:                    "DAT_INVALID_ARG7",
	SubInvalidArg8:                    "DAT_INVALID_ARG8",
	SubInvalidArg9:                    "DAT_INVALID_ARG9",
	SubInvalidArg10:                   "DAT_INVALID_ARG10",
	SubInvalidStateEPUnconnected:      "DAT_INVALID_STATE_EP_UNCONNECTED",
	SubInvalidStateEPActconnpending:   "DAT_INVALID_STATE_EP_ACTCONNPENDING",
	SubInvalidStateEPPassconnpending:  "DAT_INVALID_STATE_EP_PASSCONNPENDING",
	SubInvalidStateEPTentconnpending:  "DAT_INVALID_STATE_EP_TENTCONNPENDING",
	SubInvalidStateEPConnected:        "DAT_INVALID_STATE_EP_CONNECTED",
	SubInvalidStateEPDisconnected:     "DAT_INVALID_STATE_EP_DISCONNECTED",
	SubInvalidStateEPReserved:         "DAT_INVALID_STATE_EP_RESERVED",
	SubInvalidStateEPComplpending:     "DAT_INVALID_STATE_EP_COMPLPENDING",
	SubInvalidStateEPDiscpending:      "DAT_INVALID_STATE_EP_DISCPENDING",
	SubInvalidStateEPProvidercontrol:  "DAT_INVALID_STATE_EP_PROVIDERCONTROL",
	SubInvalidStateEPNotready:         "DAT_INVALID_STATE_EP_NOTREADY",
	SubInvalidStateEPRecvWatermark:    "DAT_INVALID_STATE_EP_RECV_WATERMARK",
	SubInvalidStateEPPZ:               "DAT_INVALID_STATE_EP_PZ",
	SubInvalidStateEPEVDRequest:       "DAT_INVALID_STATE_EP_EVD_REQUEST",
	SubInvalidStateEPEVDRecv:          "DAT_INVALID_STATE_EP_EVD_RECV",
	SubInvalidStateEPEVDConnect:       "DAT_INVALID_STATE_EP_EVD_CONNECT",
	SubInvalidStateEPUnconfigured:     "DAT_INVALID_STATE_EP_UNCONFIGURED",
	SubInvalidStateEPUnconfreserved:   "DAT_INVALID_STATE_EP_UNCONFRESERVED",
	SubInvalidStateEPUnconfpassive:    "DAT_INVALID_STATE_EP_UNCONFPASSIVE",
	SubInvalidStateEPUnconftentative:  "DAT_INVALID_STATE_EP_UNCONFTENTATIVE",
	SubInvalidStateCNOInUse:           "DAT_INVALID_STATE_CNO_IN_USE",
	SubInvalidStateCNODead:            "DAT_INVALID_STATE_CNO_DEAD",
	SubInvalidStateEVDOpen:            "DAT_INVALID_STATE_EVD_OPEN",
	SubInvalidStateEVDEnabled:         "DAT_INVALID_STATE_EVD_ENABLED",
	SubInvalidStateEVDDisabled:        "DAT_INVALID_STATE_EVD_DISABLED",
	SubInvalidStateEVDWaitable:        "DAT_INVALID_STATE_EVD_WAITABLE",
	SubInvalidStateEVDUnwaitable:      "DAT_INVALID_STATE_EVD_UNWAITABLE",
	SubInvalidStateEVDInUse:           "DAT_INVALID_STATE_EVD_IN_USE",
	SubInvalidStateEVDConfigNotify:    "DAT_INVALID_STATE_EVD_CONFIG_NOTIFY",
	SubInvalidStateEVDConfigSolicited: "DAT_INVALID_STATE_EVD_CONFIG_SOLICITED",
	SubInvalidStateEVDConfigThreshold: "DAT_INVALID_STATE_EVD_CONFIG_THRESHOLD",
	SubInvalidStateEVDWaiter:          "DAT_INVALID_STATE_EVD_WAITER",
	SubInvalidStateEVDAsync:           "DAT_INVALID_STATE_EVD_ASYNC",
	SubInvalidStateIAInUse:            "DAT_INVALID_STATE_IA_IN_USE",
	SubInvalidStateLMRInUse:           "DAT_INVALID_STATE_LMR_IN_USE",
	SubInvalidStateLMRFree:            "DAT_INVALID_STATE_LMR_FREE",
	SubInvalidStatePZInUse:            "DAT_INVALID_STATE_PZ_IN_USE",
	SubInvalidStatePZFree:             "DAT_INVALID_STATE_PZ_FREE",
	SubInvalidStateSRQOperational:     "DAT_INVALID_STATE_SRQ_OPERATIONAL",
	SubInvalidStateSRQError:           "DAT_INVALID_STATE_SRQ_ERROR",
	SubInvalidStateSRQInUse:           "DAT_INVALID_STATE_SRQ_IN_USE",
	SubInvalidStateSRQShutdown:        "DAT_INVALID_STATE_SRQ_SHUTDOWN",
	SubPrivilegesRead:                 "DAT_PRIVILEGES_READ",
	SubPrivilegesWrite:                "DAT_PRIVILEGES_WRITE",
	SubPrivilegesRDMARead:             "DAT_PRIVILEGES_RDMA_READ",
	SubPrivilegesRDMAWrite:            "DAT_PRIVILEGES_RDMA_WRITE",
	SubProtectionRead:                 "DAT_PROTECTION_READ",
	SubProtectionWrite:                "DAT_PROTECTION_WRITE",
	SubProtectionRDMARead:             "DAT_PROTECTION_RDMA_READ",
	SubProtectionRDMAWrite:            "DAT_PROTECTION_RDMA_WRITE",
	SubInvalidAddressUnsupported:      "DAT_INVALID_ADDRESS_UNSUPPORTED",
	SubInvalidAddressUnreachable:      "DAT_INVALID_ADDRESS_UNREACHABLE",
	SubInvalidAddressMalformed:        "DAT_INVALID_ADDRESS_MALFORMED",
	SubNameNotRegistered:              "DAT_NAME_NOT_REGISTERED",
	SubMajorNotFound:                  "DAT_MAJOR_NOT_FOUND",
	SubMinorNotFound:                  "DAT_MINOR_NOT_FOUND",
	SubThreadSafetyNotFound:           "DAT_THREAD_SAFETY_NOT_FOUND",
	SubInvalidROCookie:                "DAT_INVALID_RO_COOKIE",
}

// String returns the whole DAT constant.
func (s Subtype) String() string { return nameOf(subtypeNames[:], s) }

// MarshalText writes the whole DAT constant.
func (s Subtype) MarshalText() ([]byte, error) { return textOf(subtypeNames[:], s) }

// UnmarshalText reads the whole DAT constant; another word is an error.
func (s *Subtype) UnmarshalText(b []byte) error { return parse(subtypeNames[:], b, s) }
