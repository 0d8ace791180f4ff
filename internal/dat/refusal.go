package dat

import (
	"fmt"
	"strings"
)

// arg is the subtype for the n-th argument of a C call, counted from 1.
func arg(n int) Subtype { return SubInvalidArg1 + Subtype(n-1) }

// refuse makes an error with a detail for a person.
func refuse(ret Return, sub Subtype, field, format string, args ...any) *Error {
	return &Error{Return: ret, Subtype: sub, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// badValue is DAT_INVALID_PARAMETER for the n-th argument of a call.
func badValue(n int, field, format string, args ...any) *Error {
	return refuse(RetInvalidParameter, arg(n), field, format, args...)
}

// outOfRange is the refusal of a number outside least … most; most is what
// limit of the IA says.
func outOfRange(n int, field string, value, least, most int64, ia Handle, limit string) *Error {
	return badValue(n, field, "%s is %d; %s allows %d to %d (its %s)", lastWord(field), value, ia, least, most, limit)
}

// lastWord is a wire name without the members that enclose it.
func lastWord(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// handleSubtypes are the subtypes of DAT_INVALID_HANDLE by object type. An EVD
// has several; the judges of the calls that take one choose among them.
var handleSubtypes = [...]Subtype{
	TypeIA:       SubInvalidHandleIA,
	TypePZ:       SubInvalidHandlePZ,
	TypeEVD:      SubInvalidHandle1,
	TypeSRQ:      SubInvalidHandleSRQ,
	TypeLMR:      SubInvalidHandleLMR,
	TypeRMR:      SubInvalidHandleRMR,
	TypeEndpoint: SubInvalidHandleEP,
	TypePSP:      SubInvalidHandlePSP,
	TypeRSP:      SubInvalidHandleRSP,
	TypeCR:       SubInvalidHandleCR,
}

// InvalidHandle is DAT_INVALID_HANDLE for a handle that names no living object
// of its type; field is the member that carried it, empty for the object that
// the call is about.
func InvalidHandle(t ObjectType, h Handle, field string) *Error {
	return refuse(RetInvalidHandle, handleSubtypes[t], field, "there is no %s %q; it never was or has been freed", t, string(h))
}

// foreign is what is wrong with an object of another IA (D33), or empty.
func foreign(t ObjectType, h, its, ia Handle) string {
	if its == ia {
		return ""
	}
	return fmt.Sprintf("%s %s belongs to IA %s; it must be one of %s", t, h, its, ia)
}

// inUseSubtypes are the subtypes of DAT_INVALID_STATE for objects that others
// use; SubNone for those that can always be freed.
var inUseSubtypes = [...]Subtype{
	TypeIA:       SubInvalidStateIAInUse,
	TypePZ:       SubInvalidStatePZInUse,
	TypeEVD:      SubInvalidStateEVDInUse,
	TypeSRQ:      SubInvalidStateSRQInUse,
	TypeLMR:      SubInvalidStateLMRInUse,
	TypeRMR:      SubNone,
	TypeEndpoint: SubNone,
	TypePSP:      SubNone,
	TypeRSP:      SubNone,
	TypeCR:       SubNone,
}

// CheckUnused refuses to free an object that others use: DAT_INVALID_STATE
// with the IN_USE subtype of its type. A detail names the first user.
func CheckUnused(t ObjectType, h Handle, users []ObjectRef) *Error {
	if len(users) == 0 {
		return nil
	}
	return refuse(RetInvalidState, inUseSubtypes[t], "", "%s %s is in use by %d objects, %s %s among them; free them first",
		t, h, len(users), users[0].Type, users[0].ID)
}

// resources says for each object type which IA attribute limits their number
// and with which subtype DAT_INSUFFICIENT_RESOURCES answers beyond it.
var resources = [...]struct {
	limit     func(*IAAttributes) int32
	limitName string
	subtype   Subtype
}{
	TypePZ:       {func(a *IAAttributes) int32 { return a.MaxPZs }, "max_pzs", SubResourceProtectionDomain},
	TypeEVD:      {func(a *IAAttributes) int32 { return a.MaxEVDs }, "max_evds", SubResourceTEVD},
	TypeSRQ:      {func(a *IAAttributes) int32 { return a.MaxSRQs }, "max_srqs", SubResourceSRQ},
	TypeLMR:      {func(a *IAAttributes) int32 { return a.MaxLMRs }, "max_lmrs", SubResourceMemoryRegion},
	TypeRMR:      {func(a *IAAttributes) int32 { return a.MaxRMRs }, "max_rmrs", SubResourceMemoryRegion},
	TypeEndpoint: {func(a *IAAttributes) int32 { return a.MaxEPs }, "max_eps", SubResourceTEP},
}

// CheckResources tells whether an IA with so many living objects of a type can
// take one more: DAT_INSUFFICIENT_RESOURCES with the type's subtype where it
// cannot. Types without a limit always fit.
func CheckResources(f *Facts, t ObjectType, living int) *Error {
	if int(t) >= len(resources) || resources[t].limit == nil {
		return nil
	}
	row := resources[t]
	if most := row.limit(&f.Attributes); living >= int(most) {
		return refuse(RetInsufficientResources, row.subtype, "", "%s has %d objects of type %s; its %s allows %d, so free one first",
			f.IA, living, t, row.limitName, most)
	}
	return nil
}
