package dat

// EPState is DAT_EP_STATE, the state of an Endpoint.
//
// Nine of the names occur; the UNCONFIGURED_* and *_PATH names exist and are
// never produced. Source: dat_ep_get_status, dat_ep_disconnect.
type EPState uint8

// The endpoint states, in the numbering of the DAT headers.
const (
	EPUnconnected EPState = iota
	EPUnconfiguredUnconnected
	EPReserved
	EPUnconfiguredReserved
	EPPassiveConnectionPending
	EPUnconfiguredPassive
	EPActiveConnectionPending
	EPTentativeConnectionPending
	EPUnconfiguredTentative
	EPConnected
	EPDisconnectPending
	EPDisconnected
	EPCompletionPending
	EPConnectedSinglePath
	EPConnectedMultiPath
)

var epStateNames = [...]string{
	EPUnconnected:                "UNCONNECTED",
	EPUnconfiguredUnconnected:    "UNCONFIGURED_UNCONNECTED",
	EPReserved:                   "RESERVED",
	EPUnconfiguredReserved:       "UNCONFIGURED_RESERVED",
	EPPassiveConnectionPending:   "PASSIVE_CONNECTION_PENDING",
	EPUnconfiguredPassive:        "UNCONFIGURED_PASSIVE",
	EPActiveConnectionPending:    "ACTIVE_CONNECTION_PENDING",
	EPTentativeConnectionPending: "TENTATIVE_CONNECTION_PENDING",
	EPUnconfiguredTentative:      "UNCONFIGURED_TENTATIVE",
	EPConnected:                  "CONNECTED",
	EPDisconnectPending:          "DISCONNECT_PENDING",
	EPDisconnected:               "DISCONNECTED",
	EPCompletionPending:          "COMPLETION_PENDING",
	EPConnectedSinglePath:        "CONNECTED_SINGLE_PATH",
	EPConnectedMultiPath:         "CONNECTED_MULTI_PATH",
}

// String returns the state without its DAT prefix.
func (e EPState) String() string { return nameOf(epStateNames[:], e) }

// MarshalText writes the state without its DAT prefix.
func (e EPState) MarshalText() ([]byte, error) { return textOf(epStateNames[:], e) }

// UnmarshalText reads the state without its DAT prefix; another word is an error.
func (e *EPState) UnmarshalText(b []byte) error { return parse(epStateNames[:], b, e) }
