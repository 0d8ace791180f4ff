package dat

import "math"

// EPCreator is DAT_EP_CREATOR_FOR_PSP: who may create the endpoint for a request on a PSP.
type EPCreator uint8

// The values of the ep_creator provider attribute.
const (
	EPCreatorNever EPCreator = iota
	EPCreatorIfAsked
	EPCreatorAlways
)

var epCreatorNames = [...]string{
	EPCreatorNever:   "NEVER",
	EPCreatorIfAsked: "IFASKED",
	EPCreatorAlways:  "ALWAYS",
}

// String returns the wire word.
func (e EPCreator) String() string { return nameOf(epCreatorNames[:], e) }

// MarshalText writes the wire word.
func (e EPCreator) MarshalText() ([]byte, error) { return textOf(epCreatorNames[:], e) }

// UnmarshalText reads the wire word; another word is an error.
func (e *EPCreator) UnmarshalText(b []byte) error { return parse(epCreatorNames[:], b, e) }

// PSPFlag is DAT_PSP_FLAGS: who creates the endpoint for requests on this PSP.
type PSPFlag uint8

// The values of a PSP's ep_creator.
const (
	PSPConsumer PSPFlag = iota
	PSPProvider
)

var pspFlagNames = [...]string{
	PSPConsumer: "CONSUMER",
	PSPProvider: "PROVIDER",
}

// String returns the wire word.
func (p PSPFlag) String() string { return nameOf(pspFlagNames[:], p) }

// MarshalText writes the wire word.
func (p PSPFlag) MarshalText() ([]byte, error) { return textOf(pspFlagNames[:], p) }

// UnmarshalText reads the wire word; another word is an error.
func (p *PSPFlag) UnmarshalText(b []byte) error { return parse(pspFlagNames[:], b, p) }

// The qualifiers map one to one to transport ports (D38).
const (
	minConnQual = 1
	maxConnQual = math.MaxUint16
)

// Arguments of the calls on service points and requests.
const (
	argPSPQual     = 2
	argPSPEVD      = 3
	argRSPQual     = 2
	argRSPEVD      = 4
	argHandoffQual = 2
)

// checkQual refuses a qualifier outside 1–65535 (D38).
func checkQual(argument int, field string, qual int64) *Error {
	if qual >= minConnQual && qual <= maxConnQual {
		return nil
	}
	return badValue(argument, field, "%s is %d; it must be %d to %d", field, qual, minConnQual, maxConnQual)
}

// checkRequestEVD returns the use of an EVD of the IA that takes connection
// requests; any other handle is DAT_INVALID_HANDLE.
func checkRequestEVD(f *Facts, evd Handle, r Resolver) (EVDUse, *Error) {
	use, ok := r.EVD(evd)
	if evd == HandleNull || !ok {
		err := InvalidHandle(TypeEVD, evd, "evd")
		err.Subtype = SubInvalidHandleEVDCR
		return use, err
	}
	if wrong := use.wrongFor(StreamCR, evd, f.IA); wrong != "" {
		return use, refuse(RetInvalidHandle, SubInvalidHandleEVDCR, "evd", "%s", wrong)
	}
	return use, nil
}

// checkNewRequests refuses a service point whose requests would break the
// completion flags on the EVD (R10).
func checkNewRequests(use EVDUse, argument int) *Error {
	err := use.WithOther(StreamCR).Check()
	if err != nil {
		err.Subtype, err.Field = arg(argument), "evd"
	}
	return err
}

// creators holds the PSP flags that a provider takes (D28).
var creators = [...]map[PSPFlag]bool{
	EPCreatorNever:   {PSPConsumer: true},
	EPCreatorIfAsked: {PSPConsumer: true, PSPProvider: true},
	EPCreatorAlways:  {PSPProvider: true},
}

// CheckPSPCreate judges dat_psp_create, or dat_psp_create_any where connQual
// is nil: an EVD of the IA made for CR (DAT_INVALID_HANDLE), a qualifier of
// 1–65535 (D38), flags on the EVD that allow requests beside them (R2, R10),
// and an endpoint creator that the provider takes (D28,
// DAT_MODEL_NOT_SUPPORTED).
func CheckPSPCreate(f *Facts, connQual *int64, evd Handle, flag PSPFlag, r Resolver) *Error {
	use, err := checkRequestEVD(f, evd, r)
	if err != nil {
		return err
	}
	if connQual != nil {
		if err := checkQual(argPSPQual, "conn_qual", *connQual); err != nil {
			return err
		}
	}
	if err := checkNewRequests(use, argPSPEVD); err != nil {
		return err
	}
	if creator := f.Provider.EPCreator; !creators[creator][flag] {
		return refuse(RetModelNotSupported, SubNone, "ep_creator", "ep_creator is %s; that of %s is %s, which does not allow it", flag, f.IA, creator)
	}
	return nil
}

// CheckRSPCreate judges dat_rsp_create: an endpoint and an EVD of the IA
// (DAT_INVALID_HANDLE), the endpoint UNCONNECTED (T5, DAT_INVALID_STATE), a
// qualifier of 1–65535 (D38), and flags on the EVD that allow requests (R10).
// e is nil where the handle names no endpoint.
func CheckRSPCreate(f *Facts, connQual int64, e *Endpoint, evd Handle, r Resolver) *Error {
	if e == nil {
		return refuse(RetInvalidHandle, SubInvalidHandleEP, "endpoint", "there is no such endpoint; it never was or has been freed")
	}
	if wrong := ofAnotherIA(TypeEndpoint, e.ID, e.IA, f.IA); wrong != "" {
		return refuse(RetInvalidHandle, SubInvalidHandleEP, "endpoint", "%s", wrong)
	}
	use, err := checkRequestEVD(f, evd, r)
	if err != nil {
		return err
	}
	if err := Judge(e.State, OpCreateRSP).Err(e.State, OpCreateRSP); err != nil {
		return err
	}
	if err := checkQual(argRSPQual, "conn_qual", connQual); err != nil {
		return err
	}
	return checkNewRequests(use, argRSPEVD)
}

// CheckHandoff judges the qualifier of dat_cr_handoff: 1–65535 (D38). It need not
// be one that a service point listens on (T47).
func CheckHandoff(connQual int64) *Error { return checkQual(argHandoffQual, "conn_qual", connQual) }
