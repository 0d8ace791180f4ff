package dat

// QOS is DAT_QOS, the quality of service of a connection.
type QOS uint8

// The qualities of service.
const (
	QOSBestEffort QOS = iota
	QOSHighThroughput
	QOSLowLatency
	QOSEconomy
	QOSPremium
)

var qOSNames = [...]string{
	QOSBestEffort:     "BEST_EFFORT",
	QOSHighThroughput: "HIGH_THROUGHPUT",
	QOSLowLatency:     "LOW_LATENCY",
	QOSEconomy:        "ECONOMY",
	QOSPremium:        "PREMIUM",
}

// String is the wire word.
func (q QOS) String() string { return nameOf(qOSNames[:], q) }

// MarshalText writes the wire word.
func (q QOS) MarshalText() ([]byte, error) { return textOf(qOSNames[:], q) }

// UnmarshalText reads the wire word; another word is an error.
func (q *QOS) UnmarshalText(b []byte) error { return parse(qOSNames[:], b, q) }

// ServiceType is DAT_SERVICE_TYPE; reliable connected is the only one.
type ServiceType uint8

// The service types.
const (
	ServiceRC ServiceType = iota
)

var serviceTypeNames = [...]string{
	ServiceRC: "RC",
}

// String is the wire word.
func (s ServiceType) String() string { return nameOf(serviceTypeNames[:], s) }

// MarshalText writes the wire word.
func (s ServiceType) MarshalText() ([]byte, error) { return textOf(serviceTypeNames[:], s) }

// UnmarshalText reads the wire word; another word is an error.
func (s *ServiceType) UnmarshalText(b []byte) error { return parse(serviceTypeNames[:], b, s) }

// CloseFlag is DAT_CLOSE_FLAGS of dat_ep_disconnect.
type CloseFlag uint8

// The ways to disconnect.
const (
	CloseAbrupt CloseFlag = iota
	CloseGraceful
)

var closeFlagNames = [...]string{
	CloseAbrupt:   "ABRUPT",
	CloseGraceful: "GRACEFUL",
}

// String is the wire word.
func (c CloseFlag) String() string { return nameOf(closeFlagNames[:], c) }

// MarshalText writes the wire word.
func (c CloseFlag) MarshalText() ([]byte, error) { return textOf(closeFlagNames[:], c) }

// UnmarshalText reads the wire word; another word is an error.
func (c *CloseFlag) UnmarshalText(b []byte) error { return parse(closeFlagNames[:], b, c) }

// EPCreator is DAT_EP_CREATOR_FOR_PSP: who may create the endpoint for a request on a PSP.
type EPCreator uint8

// The values of the ep_creator provider attribute.
const (
	EPCreatorNever EPCreator = iota
	EPCreatorIfAsked
	EPCreatorAlways
)

var ePCreatorNames = [...]string{
	EPCreatorNever:   "NEVER",
	EPCreatorIfAsked: "IFASKED",
	EPCreatorAlways:  "ALWAYS",
}

// String is the wire word.
func (e EPCreator) String() string { return nameOf(ePCreatorNames[:], e) }

// MarshalText writes the wire word.
func (e EPCreator) MarshalText() ([]byte, error) { return textOf(ePCreatorNames[:], e) }

// UnmarshalText reads the wire word; another word is an error.
func (e *EPCreator) UnmarshalText(b []byte) error { return parse(ePCreatorNames[:], b, e) }

// PSPFlag is DAT_PSP_FLAGS: who creates the endpoint for requests on this PSP.
type PSPFlag uint8

// The values of a PSP's ep_creator.
const (
	PSPConsumer PSPFlag = iota
	PSPProvider
)

var pSPFlagNames = [...]string{
	PSPConsumer: "CONSUMER",
	PSPProvider: "PROVIDER",
}

// String is the wire word.
func (p PSPFlag) String() string { return nameOf(pSPFlagNames[:], p) }

// MarshalText writes the wire word.
func (p PSPFlag) MarshalText() ([]byte, error) { return textOf(pSPFlagNames[:], p) }

// UnmarshalText reads the wire word; another word is an error.
func (p *PSPFlag) UnmarshalText(b []byte) error { return parse(pSPFlagNames[:], b, p) }

// MemType is DAT_MEM_TYPE, what an LMR is made of.
type MemType uint8

// The memory types that all providers must support.
const (
	MemVirtual MemType = iota
	MemLMR
	MemSharedVirtual
)

var memTypeNames = [...]string{
	MemVirtual:       "VIRTUAL",
	MemLMR:           "LMR",
	MemSharedVirtual: "SHARED_VIRTUAL",
}

// String is the wire word.
func (m MemType) String() string { return nameOf(memTypeNames[:], m) }

// MarshalText writes the wire word.
func (m MemType) MarshalText() ([]byte, error) { return textOf(memTypeNames[:], m) }

// UnmarshalText reads the wire word; another word is an error.
func (m *MemType) UnmarshalText(b []byte) error { return parse(memTypeNames[:], b, m) }

// Privilege is one flag of DAT_MEM_PRIV_FLAGS.
type Privilege uint8

// The memory privileges.
const (
	PrivLocalRead Privilege = iota
	PrivLocalWrite
	PrivRemoteRead
	PrivRemoteWrite
)

var privilegeNames = [...]string{
	PrivLocalRead:   "LOCAL_READ",
	PrivLocalWrite:  "LOCAL_WRITE",
	PrivRemoteRead:  "REMOTE_READ",
	PrivRemoteWrite: "REMOTE_WRITE",
}

// String is the wire word.
func (p Privilege) String() string { return nameOf(privilegeNames[:], p) }

// MarshalText writes the wire word.
func (p Privilege) MarshalText() ([]byte, error) { return textOf(privilegeNames[:], p) }

// UnmarshalText reads the wire word; another word is an error.
func (p *Privilege) UnmarshalText(b []byte) error { return parse(privilegeNames[:], b, p) }

// EVDMode is the CONFIG_* part of DAT_EVD_STATE: how completions notify a waiter.
//
// ModeNone, null on the wire, is an EVD that no DTO stream feeds (R11).
type EVDMode uint8

// The modes of an EVD.
const (
	ModeNone EVDMode = iota
	ModeThreshold
	ModeNotify
	ModeSolicited
)

var eVDModeNames = [...]string{
	ModeNone:      "",
	ModeThreshold: "THRESHOLD",
	ModeNotify:    "NOTIFY",
	ModeSolicited: "SOLICITED",
}

// String is the wire word.
func (e EVDMode) String() string { return nameOf(eVDModeNames[:], e) }

// MarshalText writes the wire word.
func (e EVDMode) MarshalText() ([]byte, error) { return textOf(eVDModeNames[:], e) }

// UnmarshalText reads the wire word; another word is an error.
func (e *EVDMode) UnmarshalText(b []byte) error { return parse(eVDModeNames[:], b, e) }

// IAState tells whether an interface adapter can carry connections now.
type IAState uint8

// The states of an IA: its port is up, its port is down, its device is gone (T48).
const (
	IAUp IAState = iota
	IADown
	IAGone
)

var iAStateNames = [...]string{
	IAUp:   "UP",
	IADown: "DOWN",
	IAGone: "GONE",
}

// String is the wire word.
func (i IAState) String() string { return nameOf(iAStateNames[:], i) }

// MarshalText writes the wire word.
func (i IAState) MarshalText() ([]byte, error) { return textOf(iAStateNames[:], i) }

// UnmarshalText reads the wire word; another word is an error.
func (i *IAState) UnmarshalText(b []byte) error { return parse(iAStateNames[:], b, i) }

// SRQState is DAT_SRQ_STATE.
type SRQState uint8

// The states of a shared receive queue.
const (
	SRQOperational SRQState = iota
	SRQError
)

var sRQStateNames = [...]string{
	SRQOperational: "OPERATIONAL",
	SRQError:       "ERROR",
}

// String is the wire word.
func (s SRQState) String() string { return nameOf(sRQStateNames[:], s) }

// MarshalText writes the wire word.
func (s SRQState) MarshalText() ([]byte, error) { return textOf(sRQStateNames[:], s) }

// UnmarshalText reads the wire word; another word is an error.
func (s *SRQState) UnmarshalText(b []byte) error { return parse(sRQStateNames[:], b, s) }
