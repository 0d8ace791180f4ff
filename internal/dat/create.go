package dat

import "slices"

// createOrder is the order in which dat_ep_create looks at the handles: the PZ,
// the connect EVD, then the others in the order of the matrix. The SRQ and the
// attributes follow.
var createOrder = func() []Param {
	order := []Param{ParamPZ, ParamConnectEVD}
	for p := range numParams {
		if params[p].kind == ValueHandle && !slices.Contains(order, p) {
			order = append(order, p)
		}
	}
	return order
}()

// CheckEPCreate judges dat_ep_create, or dat_ep_create_with_srq where srq is
// not null, and returns the endpoint with its parameters and effective
// attributes: UNCONNECTED, without name, id and times.
//
// What v leaves out, and an attribute that is nil, gets the provider's default;
// null handles are legal (D15), and DTO counts are not coupled to them (C1–C6).
// Errors: DAT_INVALID_HANDLE with the handle's subtype (D33);
// DAT_INVALID_PARAMETER with DAT_INVALID_ARG6, or ARG7 with an SRQ, for
// attributes and their combination; DAT_MODEL_NOT_SUPPORTED for a quality of
// service, a mark or an SRQ that the provider lacks.
func CheckEPCreate(v Values, srq Handle, f *Facts, r Resolver) (*Endpoint, *Error) {
	e := &Endpoint{
		Meta:           Meta{IA: f.IA, Labels: map[string]string{}},
		State:          EPUnconnected,
		LocalIAAddress: clonePtr(f.Attributes.IAAddress),
		Attributes:     DefaultEPAttributes(f),
	}
	s := setter{facts: f, resolver: r, create: true, srq: srq != HandleNull}
	if err := s.checkSettable(v); err != nil {
		return nil, err
	}
	for _, p := range createOrder {
		if value, asked := v[p]; asked {
			if err := s.set(e, p, value); err != nil {
				return nil, err
			}
		}
	}
	if err := s.setSRQ(e, srq); err != nil {
		return nil, err
	}
	for p := range numParams {
		if value, asked := v[p]; asked && value != nil && params[p].kind != ValueHandle {
			if err := s.set(e, p, value); err != nil {
				return nil, err
			}
		}
	}
	if err := s.checkCombinations(nil, e, v); err != nil {
		return nil, err
	}
	e.Watermarks, _ = Watermarks{}.Set(e.Attributes.SRQSoftHW, WatermarkInfinite, 0, false)
	return e, nil
}

// checkSettable refuses parameters that create does not take.
func (s *setter) checkSettable(v Values) *Error {
	for p := range v {
		if p >= numParams {
			return badValue(argCreateAttributes, p.String(), "%s is no parameter of an endpoint", p)
		}
	}
	for p := range numParams {
		if _, asked := v[p]; asked && params[p].createArg == 0 {
			return badValue(argCreateAttributes, p.String(), "%s cannot be given at creation; leave it out", p)
		}
	}
	return nil
}

// setSRQ takes the shared receive queue; it can never be changed (A7).
func (s *setter) setSRQ(e *Endpoint, h Handle) *Error {
	if h == HandleNull {
		return nil
	}
	if !s.facts.Provider.SRQSupported {
		return refuse(RetModelNotSupported, SubNone, "srq", "%s has no shared receive queues; leave srq out", s.facts.IA)
	}
	srq, ok := s.resolver.SRQ(h)
	if !ok {
		return InvalidHandle(TypeSRQ, h, "srq")
	}
	if wrong := ofAnotherIA(TypeSRQ, h, srq.IA, s.facts.IA); wrong != "" {
		return refuse(RetInvalidHandle, SubInvalidHandleSRQ, "srq", "%s", wrong)
	}
	if err := checkSRQWorks(srq); err != nil {
		return err
	}
	e.SRQ = h
	return nil
}
