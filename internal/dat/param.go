package dat

// Param is a parameter of an endpoint: a row of the modify matrix.
//
// The counts of the transport- and provider-specific attributes are no
// parameters of their own: on the wire they are the sizes of the lists (M11).
type Param uint8

// The parameters in the order of DAT_EP_PARAM_MASK.
const (
	ParamIA Param = iota
	ParamState
	ParamComm
	ParamLocalIAAddress
	ParamLocalPortQual
	ParamRemoteIAAddress
	ParamRemotePortQual
	ParamPZ
	ParamRecvEVD
	ParamRequestEVD
	ParamConnectEVD
	ParamSRQ
	ParamServiceType
	ParamMaxMessageSize
	ParamMaxRDMASize
	ParamQOS
	ParamRecvCompletionFlags
	ParamRequestCompletionFlags
	ParamMaxRecvDTOs
	ParamMaxRequestDTOs
	ParamMaxRecvIOV
	ParamMaxRequestIOV
	ParamMaxRDMAReadIn
	ParamMaxRDMAReadOut
	ParamSRQSoftHW
	ParamMaxRDMAReadIOV
	ParamMaxRDMAWriteIOV
	ParamEPTransportSpecific
	ParamEPProviderSpecific
	numParams
)

// Group says in which states a parameter can be modified.
type Group uint8

// The groups of dat_ep_modify (A1–A8, A13, A14).
const (
	GroupNever Group = iota // no state
	GroupPZ                 // quiescent, for the PZ
	GroupSetup              // before a connection is asked for or accepted
	GroupQuiet              // UNCONNECTED alone
	numGroups
)

var groupNames = [numGroups]string{
	GroupNever: "NEVER",
	GroupPZ:    "PZ",
	GroupSetup: "SETUP",
	GroupQuiet: "QUIET",
}

// String is the wire word.
func (g Group) String() string { return nameOf(groupNames[:], g) }

// MarshalText writes the wire word.
func (g Group) MarshalText() ([]byte, error) { return textOf(groupNames[:], g) }

// UnmarshalText reads the wire word; another word is an error.
func (g *Group) UnmarshalText(b []byte) error { return parse(groupNames[:], b, g) }

// modifiableIn says for each group and state whether its parameters can be
// modified (D4, D6); a state that never occurs is looked up as its sibling (A6).
var modifiableIn = [numGroups][numStates]bool{
	GroupNever: {},
	GroupPZ:    {EPUnconnected: true, EPTentativeConnectionPending: true},
	GroupSetup: {EPUnconnected: true, EPReserved: true, EPPassiveConnectionPending: true, EPTentativeConnectionPending: true},
	GroupQuiet: {EPUnconnected: true},
}

// ValueKind says what the values of a parameter look like.
type ValueKind uint8

// The kinds of values, with their Go type in Values.
const (
	ValueOther     ValueKind = iota // of a parameter that nobody sets
	ValueHandle                     // Handle
	ValueCount                      // int64, stored in 32 bits
	ValueSize                       // int64, bytes
	ValueChoice                     // string, one of the allowed words
	ValueNamed                      // map[string]*string, nil removes
	ValueWatermark                  // *int64, nil is infinite
)

var valueKindNames = [...]string{
	ValueOther:     "OTHER",
	ValueHandle:    "HANDLE",
	ValueCount:     "COUNT",
	ValueSize:      "SIZE",
	ValueChoice:    "CHOICE",
	ValueNamed:     "NAMED",
	ValueWatermark: "WATERMARK",
}

// String is the wire word.
func (k ValueKind) String() string { return nameOf(valueKindNames[:], k) }

// MarshalText writes the wire word.
func (k ValueKind) MarshalText() ([]byte, error) { return textOf(valueKindNames[:], k) }

// UnmarshalText reads the wire word; another word is an error.
func (k *ValueKind) UnmarshalText(b []byte) error { return parse(valueKindNames[:], b, k) }

// Values are a parameter mask and what it asks for: the keys are the mask
// (M1, D8), the types of the values those of the parameter's ValueKind. A nil
// value, which is null on the wire, stands for DAT_HANDLE_NULL or an infinite
// mark; elsewhere modify refuses it and create takes it as left out.
type Values map[Param]any

// paramByName finds parameters by their wire names.
var paramByName = func() map[string]Param {
	m := make(map[string]Param, numParams)
	for p := range numParams {
		m[params[p].name] = p
	}
	return m
}()

// ParamByName finds the parameter with a wire name (`attributes.max_recv_dtos`).
func ParamByName(wire string) (Param, bool) {
	p, ok := paramByName[wire]
	return p, ok
}

// String is the wire name.
func (p Param) String() string {
	if p < numParams {
		return params[p].name
	}
	return nameOf(nil, p)
}

// MarshalText writes the wire name.
func (p Param) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Group says in which states the parameter can be modified.
func (p Param) Group() Group { return params[p].group }

// ModifiableIn tells whether the group of the parameter can be modified in a
// state; M8 and M9 may still forbid it.
func (p Param) ModifiableIn(s EPState) bool { return modifiableIn[params[p].group][siblings[s]] }

// Modifiable are the wire names of the parameters that could be modified now,
// in the order of the matrix: recv_completion_flags only while no receive is
// outstanding (M8).
func Modifiable(e *Endpoint, recvIdle bool) []string {
	names := make([]string, 0, numParams)
	for p := range numParams {
		if p.ModifiableIn(e.State) && (recvIdle || p != ParamRecvCompletionFlags) {
			names = append(names, params[p].name)
		}
	}
	return names
}

// anyModifiable tells whether any parameter can be modified in a state.
func anyModifiable(s EPState) bool {
	for p := range numParams {
		if p.ModifiableIn(s) {
			return true
		}
	}
	return false
}

// groupStates are the states of a group.
func groupStates(g Group) []EPState {
	return statesWhere(func(s EPState) bool { return modifiableIn[g][s] })
}
