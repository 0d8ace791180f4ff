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

var qosNames = [...]string{
	QOSBestEffort:     "BEST_EFFORT",
	QOSHighThroughput: "HIGH_THROUGHPUT",
	QOSLowLatency:     "LOW_LATENCY",
	QOSEconomy:        "ECONOMY",
	QOSPremium:        "PREMIUM",
}

// String returns the wire word.
func (q QOS) String() string { return nameOf(qosNames[:], q) }

// MarshalText writes the wire word.
func (q QOS) MarshalText() ([]byte, error) { return textOf(qosNames[:], q) }

// UnmarshalText reads the wire word; another word is an error.
func (q *QOS) UnmarshalText(b []byte) error { return parse(qosNames[:], b, q) }

// ServiceType is DAT_SERVICE_TYPE; reliable connected is the only one.
type ServiceType uint8

// The service types.
const (
	ServiceRC ServiceType = iota
)

var serviceTypeNames = [...]string{
	ServiceRC: "RC",
}

// String returns the wire word.
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

// String returns the wire word.
func (c CloseFlag) String() string { return nameOf(closeFlagNames[:], c) }

// MarshalText writes the wire word.
func (c CloseFlag) MarshalText() ([]byte, error) { return textOf(closeFlagNames[:], c) }

// UnmarshalText reads the wire word; another word is an error.
func (c *CloseFlag) UnmarshalText(b []byte) error { return parse(closeFlagNames[:], b, c) }
