package dat

import (
	"reflect"
	"slices"
)

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

// String returns the wire word.
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
	ValueOther     ValueKind = iota // any; of a parameter that no call sets
	ValueHandle                     // Handle
	ValueCount                      // int64, stored in 32 bits
	ValueSize                       // int64, bytes
	ValueChoice                     // string, one of the allowed words
	ValueNamed                      // map[string]*string, nil removes
	ValueWatermark                  // *int64, nil is infinite
	numValueKinds
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

// String returns the wire word.
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

// String returns the wire name.
func (p Param) String() string {
	if p < numParams {
		return params[p].name
	}
	return nameOf(nil, p)
}

// MarshalText writes the wire name.
func (p Param) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Params returns every parameter in the order of DAT_EP_PARAM_MASK.
func Params() []Param {
	all := make([]Param, numParams)
	for i := range all {
		all[i] = Param(i)
	}
	return all
}

// Help returns in few words what the parameter is, for a list of options; it is
// empty for one that no call sets.
func (p Param) Help() string { return params[p].help }

// attributeDocs are the sentences on the attributes, by their names in EPAttributes.
var attributeDocs = func() map[string]string {
	t := reflect.TypeFor[EPAttributes]()
	docs := make(map[string]string, t.NumField())
	for i, name := range jsonNames(t) {
		docs[name] = t.Field(i).Tag.Get("doc")
	}
	return docs
}()

// Doc returns the sentence of the API's document on an attribute; it is empty
// for a parameter that is none.
func (p Param) Doc() string { return attributeDocs[lastWord(params[p].name)] }

// Kind returns what the values of the parameter look like.
func (p Param) Kind() ValueKind { return params[p].kind }

// SetAtCreate reports whether Values can give the parameter to dat_ep_create.
func (p Param) SetAtCreate() bool { return params[p].createArg != 0 }

// Choices returns the words that a parameter of the kind ValueChoice can have,
// and the provider attribute that says which of them an IA supports; that is
// empty where every IA supports all.
func (p Param) Choices() (words []string, supportedName string) {
	return slices.Clone(params[p].choices), params[p].supportedName
}

// Default returns the word that a parameter of the kind ValueChoice has in an
// endpoint that was created without it, empty for other kinds.
func (p Param) Default() string { return params[p].defaultWord }

// Group returns the group of the parameter.
func (p Param) Group() Group { return params[p].group }

// ModifiableIn reports whether the group of the parameter can be modified in a
// state; M8 and M9 may still forbid it.
func (p Param) ModifiableIn(s EPState) bool { return modifiableIn[params[p].group][siblings[s]] }

// Modifiable returns the wire names of the parameters that could be modified now,
// in the order of the matrix; some only while no receive is outstanding (M8).
func Modifiable(e *Endpoint, recvIdle bool) []string {
	names := make([]string, 0, numParams)
	for p := range numParams {
		if p.ModifiableIn(e.State) && (recvIdle || !params[p].needsRecvIdle) {
			names = append(names, params[p].name)
		}
	}
	return names
}

// anyModifiable reports whether any parameter can be modified in a state.
func anyModifiable(s EPState) bool {
	for p := range numParams {
		if p.ModifiableIn(s) {
			return true
		}
	}
	return false
}

// groupStates returns the states of a group.
func groupStates(g Group) []EPState {
	return statesWhere(func(s EPState) bool { return modifiableIn[g][s] })
}
