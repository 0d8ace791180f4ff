package dat

import (
	"fmt"
	"slices"
	"strings"
)

// Direction is one of the two DTO streams of an endpoint. RMR binds complete
// with the requests.
type Direction uint8

// The directions.
const (
	DirRecv Direction = iota
	DirRequest
	numDirections
)

const (
	numCompletionFlags = int(CompletionEVDThreshold) + 1
	numStreams         = int(StreamAsync) + 1
)

// EVDUse is an Event Dispatcher as the flag rules see it: what it was made for
// and what feeds it now.
type EVDUse struct {
	IA Handle
	// Streams are the event streams that it was created for.
	Streams []Stream
	// DTO counts the endpoints that feed it, by direction and completion flag.
	DTO [numDirections][numCompletionFlags]int
	// Other counts what else feeds it: endpoints (CONNECTION), service points
	// (CR), the IA (ASYNC). DTO and RMR_BIND are not counted here, and SOFTWARE
	// feeds it as soon as Streams has it.
	Other [numStreams]int
}

// With returns the use with the streams of e that go to evd added.
func (u EVDUse) With(e *Endpoint, evd Handle) EVDUse { return u.count(e, evd, 1) }

// Without returns the use with the streams of e that go to evd removed.
func (u EVDUse) Without(e *Endpoint, evd Handle) EVDUse { return u.count(e, evd, -1) }

func (u EVDUse) count(e *Endpoint, evd Handle, by int) EVDUse {
	if e.RecvEVD == evd {
		u.DTO[DirRecv][e.Attributes.RecvCompletionFlags] += by
	}
	if e.RequestEVD == evd {
		u.DTO[DirRequest][e.Attributes.RequestCompletionFlags] += by
	}
	if e.ConnectEVD == evd {
		u.Other[StreamConnection] += by
	}
	return u
}

// WithOther returns the use with one more feeder of a stream that is no DTO stream.
func (u EVDUse) WithOther(s Stream) EVDUse {
	u.Other[s]++
	return u
}

// WithoutOther returns the use with one feeder of that stream less.
func (u EVDUse) WithoutOther(s Stream) EVDUse {
	u.Other[s]--
	return u
}

// dtos returns the number of DTO streams of a direction with a flag.
func (u *EVDUse) dtos(d Direction, f CompletionFlag) int { return u.DTO[d][f] }

// flags returns the different flags of the DTO streams in a direction, or in both.
func (u *EVDUse) flags(directions ...Direction) []CompletionFlag {
	var found []CompletionFlag
	for f := range CompletionFlag(numCompletionFlags) {
		if slices.ContainsFunc(directions, func(d Direction) bool { return u.dtos(d, f) > 0 }) {
			found = append(found, f)
		}
	}
	return found
}

// has reports whether any DTO stream has a flag.
func (u *EVDUse) has(f CompletionFlag) bool {
	return u.dtos(DirRecv, f) > 0 || u.dtos(DirRequest, f) > 0
}

// otherStreams returns the streams other than DTO completions that feed the EVD.
func (u *EVDUse) otherStreams() []Stream {
	var found []Stream
	for s := range Stream(numStreams) {
		declared := s == StreamSoftware && slices.Contains(u.Streams, s)
		counted := u.Other[s] > 0 && s != StreamDTO && s != StreamRMRBind
		if declared || counted {
			found = append(found, s)
		}
	}
	return found
}

// flagRule is a rule on completion flags. broken is nil if another part of the
// service holds the rule.
type flagRule struct {
	rule, text string
	broken     func(*EVDUse) bool
}

// flagRules are the rules for Event Dispatchers that several streams feed, in
// the strict reading: requests are no other stream in R4 (R4a), but R5 holds
// for them. Source: R1–R12.
var flagRules = [...]flagRule{
	{"R1", "All request streams on one EVD have one completion flag; so have all receive streams.", func(u *EVDUse) bool {
		return len(u.flags(DirRecv)) > 1 || len(u.flags(DirRequest)) > 1
	}},
	{"R2", "Where another stream than DTO completions feeds the EVD, every DTO stream on it has EVD_THRESHOLD.", func(u *EVDUse) bool {
		dto := u.flags(DirRecv, DirRequest)
		return len(u.otherStreams()) > 0 && slices.ContainsFunc(dto, func(f CompletionFlag) bool { return f != CompletionEVDThreshold })
	}},
	{"R3", "Where one DTO stream on the EVD has UNSIGNALLED, all of them have.", func(u *EVDUse) bool {
		return u.has(CompletionUnsignalled) && len(u.flags(DirRecv, DirRequest)) > 1
	}},
	{"R4", "Where one receive stream on the EVD has SOLICITED_WAIT, all receive streams have, and no other stream feeds it.", func(u *EVDUse) bool {
		return u.has(CompletionSolicitedWait) && (len(u.flags(DirRecv)) > 1 || len(u.otherStreams()) > 0)
	}},
	{"R5", "All DTO streams on one EVD, receives and requests, have one completion flag.", func(u *EVDUse) bool {
		return len(u.flags(DirRecv, DirRequest)) > 1
	}},
	{"R6", "For an endpoint with an SRQ and EVD_THRESHOLD receives, other streams may share the EVD; DTO streams with another flag may not.", nil},
	{"R7", "Receive completions of an endpoint with an SRQ are always signalled.", nil},
	{"R8", "A broken rule is DAT_INVALID_PARAMETER.", nil},
	{"R9", "A stream whose EVD is null takes part in no rule.", nil},
	{"R10", "What would break a rule later is refused too: a service point, or another endpoint's connection events.", nil},
	{"R11", "The EVD keeps its mode while a DTO stream feeds it and is free again afterwards.", nil},
	{"R12", "An EVD in NOTIFY or SOLICITED mode can be waited on with threshold 1 only.", nil},
}

// Check judges R1–R5: DAT_INVALID_PARAMETER without subtype and field, which
// the caller knows.
func (u EVDUse) Check() *Error {
	for _, r := range flagRules {
		if r.broken == nil || !r.broken(&u) {
			continue
		}
		return refuse(RetInvalidParameter, SubNone, "", "%s would feed it; %s (%s)", u.describe(), strings.TrimSuffix(lowerFirst(r.text), "."), r.rule)
	}
	return nil
}

// describe returns what feeds the EVD, for a sentence.
func (u *EVDUse) describe() string {
	var parts []string
	for d, name := range [numDirections]string{"receives", "requests"} {
		for _, f := range u.flags(Direction(d)) {
			parts = append(parts, fmt.Sprintf("%s with %s", name, f))
		}
	}
	for _, s := range u.otherStreams() {
		parts = append(parts, s.String()+" events")
	}
	return listWords(parts, "and")
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// modes are the modes of an EVD by the flag of its DTO streams.
var modes = [numCompletionFlags]EVDMode{
	CompletionUnsignalled:   ModeNotify,
	CompletionSolicitedWait: ModeSolicited,
	CompletionEVDThreshold:  ModeThreshold,
}

// Mode returns the mode that follows from the DTO streams, ModeNone without any (R11).
func (u EVDUse) Mode() EVDMode {
	for f, mode := range modes {
		if mode != ModeNone && u.has(CompletionFlag(f)) {
			return mode
		}
	}
	return ModeNone
}

// wrongFor returns why the EVD cannot take a stream of an endpoint or service
// point of ia; it is empty if it can.
func (u *EVDUse) wrongFor(s Stream, h, ia Handle) string {
	if wrong := ofAnotherIA(TypeEVD, h, u.IA, ia); wrong != "" {
		return wrong
	}
	if slices.Contains(u.Streams, s) {
		return ""
	}
	words := make([]string, len(u.Streams))
	for i, s := range u.Streams {
		words[i] = s.String()
	}
	return fmt.Sprintf("evd %s was made for %s; it must be one made for %s", h, listWords(words, "and"), s)
}
