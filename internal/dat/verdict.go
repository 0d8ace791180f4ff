package dat

import (
	"fmt"
	"strings"
)

// VerdictKind is the kind of a Verdict.
type VerdictKind uint8

// The kinds of verdict. Undecided is that of a missing entry in the table.
const (
	Undecided VerdictKind = iota
	Move                  // success; the state becomes Next
	Stay                  // success; the state does not change
	NoEffect              // success; the operation does nothing
	End                   // success; the endpoint ends
	Refuse                // nothing changes; Return and Subtype say why
	Ignore                // an event that has no meaning in this state (T50)
)

var verdictKindNames = [...]string{
	Undecided: "UNDECIDED",
	Move:      "MOVE",
	Stay:      "STAY",
	NoEffect:  "NO_EFFECT",
	End:       "END",
	Refuse:    "REFUSE",
	Ignore:    "IGNORE",
}

// String returns the wire word.
func (k VerdictKind) String() string { return nameOf(verdictKindNames[:], k) }

// MarshalText writes the wire word.
func (k VerdictKind) MarshalText() ([]byte, error) { return textOf(verdictKindNames[:], k) }

// UnmarshalText reads the wire word; another word is an error.
func (k *VerdictKind) UnmarshalText(b []byte) error { return parse(verdictKindNames[:], b, k) }

// Verdict is what the transition table says of an input in a state.
//
// Next is the state afterwards: for every kind but Move the present one. Event
// is what the move reports, EventNone where it reports nothing. Return and
// Subtype are those of the call; for events Return is DAT_SUCCESS.
type Verdict struct {
	Kind    VerdictKind
	Next    EPState
	Event   EventNumber
	Return  Return
	Subtype Subtype
	// Rule names the rules behind the verdict: `T20`, or the page of the call.
	Rule string
}

// siblings maps the states that never occur to those as which they are judged
// (A6); a state that occurs is its own.
var siblings = [numStates]EPState{
	EPUnconnected:                EPUnconnected,
	EPUnconfiguredUnconnected:    EPUnconnected,
	EPReserved:                   EPReserved,
	EPUnconfiguredReserved:       EPReserved,
	EPPassiveConnectionPending:   EPPassiveConnectionPending,
	EPUnconfiguredPassive:        EPPassiveConnectionPending,
	EPActiveConnectionPending:    EPActiveConnectionPending,
	EPTentativeConnectionPending: EPTentativeConnectionPending,
	EPUnconfiguredTentative:      EPTentativeConnectionPending,
	EPConnected:                  EPConnected,
	EPDisconnectPending:          EPDisconnectPending,
	EPDisconnected:               EPDisconnected,
	EPCompletionPending:          EPCompletionPending,
	EPConnectedSinglePath:        EPConnected,
	EPConnectedMultiPath:         EPConnected,
}

// stateSubtypes are the subtypes of DAT_INVALID_STATE, one per state (D35,
// D42). The *_PATH states have none in DAT.
var stateSubtypes = [numStates]Subtype{
	EPUnconnected:                SubInvalidStateEPUnconnected,
	EPUnconfiguredUnconnected:    SubInvalidStateEPUnconfigured,
	EPReserved:                   SubInvalidStateEPReserved,
	EPUnconfiguredReserved:       SubInvalidStateEPUnconfreserved,
	EPPassiveConnectionPending:   SubInvalidStateEPPassconnpending,
	EPUnconfiguredPassive:        SubInvalidStateEPUnconfpassive,
	EPActiveConnectionPending:    SubInvalidStateEPActconnpending,
	EPTentativeConnectionPending: SubInvalidStateEPTentconnpending,
	EPUnconfiguredTentative:      SubInvalidStateEPUnconftentative,
	EPConnected:                  SubInvalidStateEPConnected,
	EPDisconnectPending:          SubInvalidStateEPDiscpending,
	EPDisconnected:               SubInvalidStateEPDisconnected,
	EPCompletionPending:          SubInvalidStateEPComplpending,
	EPConnectedSinglePath:        SubNone,
	EPConnectedMultiPath:         SubNone,
}

// Occurs reports whether an endpoint is ever in the state; nine occur.
func (e EPState) Occurs() bool {
	return int(e) < numStates && siblings[e] == e
}

// HasConnection reports whether an endpoint in this state has a connection that
// a hard watermark can break (W7): CONNECTED and DISCONNECT_PENDING.
func (e EPState) HasConnection() bool {
	return e == EPDisconnectPending || int(e) < numStates && siblings[e] == EPConnected
}

// Judge returns the verdict of the transition table on an input in a state. It
// is total: a state that never occurs is judged as its configured sibling (A6).
func Judge(s EPState, in Input) Verdict {
	c := transitions[siblings[s]][in]
	v := Verdict{Kind: c.kind, Next: s, Event: c.event, Rule: c.rule}
	if c.kind == Move {
		v.Next = c.next
	}
	if c.kind == Refuse {
		v.Return, v.Subtype = RetInvalidState, stateSubtypes[s]
	}
	return v
}

// Err returns the refusal of the verdict: DAT_INVALID_STATE with the subtype of the
// state, and a detail that names the states in which the call is possible. It
// is nil unless the kind is Refuse.
func (v Verdict) Err(s EPState, in Input) *Error {
	if v.Kind != Refuse {
		return nil
	}
	return &Error{
		Return: v.Return, Subtype: v.Subtype, State: &s,
		Detail: fmt.Sprintf("%s is not possible in %s; it is possible in %s (%s)", in, s, listStates(statesAllowing(in)), v.Rule),
	}
}

// statesAllowing returns the states that do not refuse an input.
func statesAllowing(in Input) []EPState {
	return statesWhere(func(s EPState) bool { return transitions[s][in].kind != Refuse })
}

// statesWhere returns the states that occur and that the test accepts.
func statesWhere(test func(EPState) bool) []EPState {
	var states []EPState
	for s := range EPState(numStates) {
		if s.Occurs() && test(s) {
			states = append(states, s)
		}
	}
	return states
}

// listStates returns states as a sentence lists them.
func listStates(states []EPState) string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = s.String()
	}
	return listWords(words, "or")
}

// listWords returns words as a sentence lists them, with last before the last
// one; no words are "none".
func listWords(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return "none"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}
