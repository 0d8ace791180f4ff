package dat

import "slices"

// CheckEPModify judges dat_ep_modify and returns a copy of the endpoint with the
// mask applied; e itself never changes, and one bad value changes nothing (M4).
//
// posted is the number of outstanding receives (B). The order of refusal is
// that of M5 and A17: unknown parameters, parameters that can never be
// modified (DAT_INVALID_PARAMETER), states (DAT_INVALID_STATE), values
// (DAT_INVALID_PARAMETER), combinations; within one stage the order of the
// matrix. An empty mask succeeds in every state (M2); receives that are posted
// hinder neither a new PZ nor new EVDs (M7, M10); the state stays (M12).
func CheckEPModify(e *Endpoint, posted int, v Values, f *Facts, r Resolver) (*Endpoint, *Error) {
	if err := checkMask(v); err != nil {
		return nil, err
	}
	if err := checkStates(e, posted, v); err != nil {
		return nil, err
	}
	after := e.Copy()
	s := setter{facts: f, resolver: r, srq: e.SRQ != HandleNull}
	for p := range numParams {
		if value, asked := v[p]; asked {
			if err := s.set(after, p, value); err != nil {
				return nil, err
			}
		}
	}
	if err := checkPosted(after, posted, v); err != nil {
		return nil, err
	}
	if err := s.checkCombinations(e, after, v); err != nil {
		return nil, err
	}
	return after, nil
}

// unknownParam returns the refusal of a wire name that is no parameter (M3).
func unknownParam(wire string) *Error {
	return badValue(argModifyMask, wire, "%s is no parameter of an endpoint; `modifiable` lists those that can be modified now", wire)
}

// checkMask refuses parameters that are unknown or that no state lets be
// modified (M3, D7).
func checkMask(v Values) *Error {
	for p := range v {
		if p >= numParams {
			return unknownParam(p.String())
		}
	}
	for p := range numParams {
		if _, asked := v[p]; asked && params[p].group == GroupNever {
			return badValue(argModifyMask, p.String(), "%s can be modified in no state; %s", p, params[p].instead)
		}
	}
	return nil
}

// checkStates refuses parameters that the state forbids, also where the value
// would not change (A20), and some while receives are outstanding (M8).
func checkStates(e *Endpoint, posted int, v Values) *Error {
	for p := range numParams {
		if _, asked := v[p]; asked && !p.ModifiableIn(e.State) {
			err := refuse(RetInvalidState, stateSubtypes[e.State], p.String(), "%s cannot be modified in %s; it can be in %s",
				p, e.State, listStates(groupStates(p.Group())))
			err.State = clonePtr(&e.State)
			return err
		}
	}
	for p := range numParams {
		if _, asked := v[p]; asked && params[p].needsRecvIdle && posted > 0 {
			return refuse(RetInvalidState, SubNone, p.String(),
				"%s cannot be modified while %d receives are outstanding; wait until recv_idle is true", lastWord(p.String()), posted)
		}
	}
	return nil
}

// checkPosted refuses fewer receives than are posted (M9).
func checkPosted(after *Endpoint, posted int, v Values) *Error {
	if _, asked := v[ParamMaxRecvDTOs]; !asked || int(after.Attributes.MaxRecvDTOs) >= posted {
		return nil
	}
	return refuse(RetInvalidState, SubNone, ParamMaxRecvDTOs.String(),
		"max_recv_dtos is %d but %d receives are outstanding; it must be at least as many", after.Attributes.MaxRecvDTOs, posted)
}

// checkCombinations judges what the values must satisfy together after the
// call: the PZ of an endpoint with an SRQ and the completion flags on every EVD
// that the call touches (M6). before is nil at creation.
func (s *setter) checkCombinations(before, after *Endpoint, v Values) *Error {
	if _, asked := v[ParamPZ]; asked && after.SRQ != HandleNull && after.PZ != HandleNull {
		if err := s.checkSRQPZ(after); err != nil {
			return err
		}
	}
	refusedParam := ParamRecvCompletionFlags
	if before != nil {
		asked := slices.IndexFunc(streamParams[:], func(p Param) bool { _, ok := v[p]; return ok })
		if asked < 0 {
			return nil
		}
		refusedParam = streamParams[asked]
	}
	for _, evd := range [...]Handle{after.RecvEVD, after.RequestEVD, after.ConnectEVD} {
		if err := s.checkFlags(before, after, evd); err != nil {
			err.Subtype, err.Field = arg(s.arg(refusedParam)), refusedParam.String()
			return err
		}
	}
	return nil
}

// streamParams are the parameters that decide which streams feed which EVD
// with which flag.
var streamParams = [...]Param{
	ParamRecvCompletionFlags, ParamRequestCompletionFlags, ParamRecvEVD, ParamRequestEVD, ParamConnectEVD,
}

// checkFlags judges the flags on one EVD as they will be (R1–R9); a null EVD
// takes part in no rule (R9).
func (s *setter) checkFlags(before, after *Endpoint, evd Handle) *Error {
	use, ok := s.resolver.EVD(evd)
	if evd == HandleNull || !ok {
		return nil
	}
	if before != nil {
		use = use.Without(before, evd)
	}
	err := use.With(after, evd).Check()
	if err != nil {
		err.Detail = "evd " + string(evd) + ": " + err.Detail
	}
	return err
}

// checkSRQPZ demands the SRQ's own zone where the provider cannot take another (C21).
func (s *setter) checkSRQPZ(after *Endpoint) *Error {
	srq, ok := s.resolver.SRQ(after.SRQ)
	if !ok || srq.PZ == after.PZ || s.facts.Provider.SRQEPPZDifferenceSupported {
		return nil
	}
	return s.bad(ParamPZ, "pz is %s and that of shared receive queue %s is %s; %s demands that they are the same",
		after.PZ, after.SRQ, srq.PZ, s.facts.IA)
}
