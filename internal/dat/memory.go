package dat

import "slices"

// MemType is DAT_MEM_TYPE, what an LMR is made of.
type MemType uint8

// The memory types that all providers must support.
const (
	MemVirtual MemType = iota
	MemLMR
	MemSharedVirtual
)

var memTypeNames = [...]string{
	MemVirtual:       "VIRTUAL",
	MemLMR:           "LMR",
	MemSharedVirtual: "SHARED_VIRTUAL",
}

// String returns the wire word.
func (m MemType) String() string { return nameOf(memTypeNames[:], m) }

// MarshalText writes the wire word.
func (m MemType) MarshalText() ([]byte, error) { return textOf(memTypeNames[:], m) }

// UnmarshalText reads the wire word; another word is an error.
func (m *MemType) UnmarshalText(b []byte) error { return parse(memTypeNames[:], b, m) }

// Privilege is one flag of DAT_MEM_PRIV_FLAGS.
type Privilege uint8

// The memory privileges.
const (
	PrivLocalRead Privilege = iota
	PrivLocalWrite
	PrivRemoteRead
	PrivRemoteWrite
)

var privilegeNames = [...]string{
	PrivLocalRead:   "LOCAL_READ",
	PrivLocalWrite:  "LOCAL_WRITE",
	PrivRemoteRead:  "REMOTE_READ",
	PrivRemoteWrite: "REMOTE_WRITE",
}

// String returns the wire word.
func (p Privilege) String() string { return nameOf(privilegeNames[:], p) }

// MarshalText writes the wire word.
func (p Privilege) MarshalText() ([]byte, error) { return textOf(privilegeNames[:], p) }

// UnmarshalText reads the wire word; another word is an error.
func (p *Privilege) UnmarshalText(b []byte) error { return parse(privilegeNames[:], b, p) }

// Arguments of dat_lmr_create and dat_rmr_bind, and of the RDMA posts.
const (
	argLMRMemType = 2
	argLMRRegion  = 3
	argLMRLength  = 4
	argBindRange  = 2
	argRDMARange  = 3
)

// LMRRequest is what dat_lmr_create asks for. Of is the region that LMR names,
// nil where it names none; Offset and LMR belong to MemLMR, SharedID to
// MemSharedVirtual.
type LMRRequest struct {
	PZ         Handle
	MemType    MemType
	Length     int64
	Privileges []Privilege
	LMR        Handle
	Of         *LMR
	Offset     int64
	SharedID   *string
}

// CheckLMRCreate judges dat_lmr_create: a PZ of the same IA, a memory type of
// the provider (DAT_MODEL_NOT_SUPPORTED), a length of 1 to the IA's
// max_lmr_block_size bytes, and for MemLMR a range inside a region of the same
// IA.
func CheckLMRCreate(f *Facts, q LMRRequest, r Resolver) *Error {
	if !slices.Contains(f.Provider.LMRMemTypesSupported, q.MemType) {
		return refuse(RetModelNotSupported, SubNone, "mem_type", "%s cannot register %s memory; lmr_mem_types_supported lists what it can", f.IA, q.MemType)
	}
	if err := checkPZ(f, q.PZ, r); err != nil {
		return err
	}
	if q.Length < 1 || uint64(q.Length) > f.Attributes.MaxLMRBlockSize {
		return badValue(argLMRLength, "length", "length is %d; %s allows 1 to %d bytes (its max_lmr_block_size)", q.Length, f.IA, f.Attributes.MaxLMRBlockSize)
	}
	if q.MemType == MemSharedVirtual && (q.SharedID == nil || *q.SharedID == "") {
		return badValue(argLMRRegion, "shared_id", "SHARED_VIRTUAL memory needs a shared_id; regions with the same one share their memory")
	}
	if q.MemType == MemLMR {
		return q.checkRegion(f)
	}
	return nil
}

// checkRegion judges the region that is registered again.
func (q *LMRRequest) checkRegion(f *Facts) *Error {
	if q.Of == nil {
		return InvalidHandle(TypeLMR, q.LMR, "lmr")
	}
	if wrong := ofAnotherIA(TypeLMR, q.LMR, q.Of.IA, f.IA); wrong != "" {
		return refuse(RetInvalidHandle, SubInvalidHandleLMR, "lmr", "%s", wrong)
	}
	return checkRange(argLMRRegion, q.Of, q.Offset, q.Length)
}

// checkRange refuses an offset and a length, in bytes, that do not lie in a
// region.
func checkRange(argument int, lmr *LMR, offset, length int64) *Error {
	if offset < 0 || offset > lmr.Length {
		return badValue(argument, "offset", "offset is %d; lmr %s allows 0 to %d", offset, lmr.ID, lmr.Length)
	}
	if length < 0 || length > lmr.Length-offset {
		return badValue(argument, "length", "length is %d; from offset %d lmr %s allows 0 to %d", length, offset, lmr.ID, lmr.Length-offset)
	}
	return nil
}

// privilegeSubtypes are the subtypes of DAT_PRIVILEGES_VIOLATION.
var privilegeSubtypes = [...]Subtype{
	PrivLocalRead:   SubPrivilegesRead,
	PrivLocalWrite:  SubPrivilegesWrite,
	PrivRemoteRead:  SubPrivilegesRDMARead,
	PrivRemoteWrite: SubPrivilegesRDMAWrite,
}

// checkPrivileges refuses memory that lacks one of the needed privileges:
// DAT_PRIVILEGES_VIOLATION with the subtype of the first that is missing.
func checkPrivileges(have []Privilege, need ...Privilege) *Error {
	for _, p := range need {
		if !slices.Contains(have, p) {
			return refuse(RetPrivilegesViolation, privilegeSubtypes[p], "", "the memory was not registered with %s; register it with that privilege", p)
		}
	}
	return nil
}

// sameZone refuses memory that is not in the endpoint's protection zone:
// DAT_PROTECTION_VIOLATION.
func sameZone(e *Endpoint, t ObjectType, h, pz Handle) *Error {
	if e.PZ == pz {
		return nil
	}
	return refuse(RetProtectionViolation, SubNone, t.String(), "%s %s is in protection zone %s and the endpoint in %s; they must be the same", t, h, pz, e.PZ)
}

// CheckRMRCreate judges dat_rmr_create: a PZ of the same IA
// (DAT_INVALID_HANDLE) on an IA that has RMRs at all (DAT_MODEL_NOT_SUPPORTED).
func CheckRMRCreate(f *Facts, pz Handle, r Resolver) *Error {
	if f.Attributes.MaxRMRs == 0 {
		return refuse(RetModelNotSupported, SubNone, "", "%s has no remote memory regions; max_rmrs tells which IAs have", f.IA)
	}
	return checkPZ(f, pz, r)
}

// localSide is the privilege that the memory behind a window needs for each
// privilege of the window.
var localSide = [...]Privilege{
	PrivLocalRead:   PrivLocalRead,
	PrivLocalWrite:  PrivLocalWrite,
	PrivRemoteRead:  PrivLocalRead,
	PrivRemoteWrite: PrivLocalWrite,
}

// CheckBind judges the memory of dat_rmr_bind: window, region and endpoint in
// one protection zone, the range inside the region, and for each privilege its
// local side on the region. A nil region, with length 0, unbinds.
func CheckBind(e *Endpoint, rmr *RMR, lmr *LMR, offset, length int64, privileges []Privilege) *Error {
	if err := sameZone(e, TypeRMR, rmr.ID, rmr.PZ); err != nil {
		return err
	}
	if lmr == nil {
		if length != 0 {
			return badValue(argBindRange, "length", "length is %d without an lmr; name the lmr, or give 0 to unbind", length)
		}
		return nil
	}
	if err := sameZone(e, TypeLMR, lmr.ID, lmr.PZ); err != nil {
		return err
	}
	if err := checkRange(argBindRange, lmr, offset, length); err != nil {
		return err
	}
	for _, p := range privileges {
		if err := checkPrivileges(lmr.Privileges, localSide[p]); err != nil {
			return err
		}
	}
	return nil
}

// localNeeds is the privilege that an RDMA operation needs of the local memory.
var localNeeds = [numInputs]Privilege{
	OpPostRDMAWrite: PrivLocalRead,
	OpPostRDMARead:  PrivLocalWrite,
}

// CheckRDMA judges the local memory of an RDMA Write (needs LOCAL_READ) or
// Read (needs LOCAL_WRITE): a region in the endpoint's protection zone that
// holds the range.
func CheckRDMA(e *Endpoint, in Input, lmr *LMR, offset, length int64) *Error {
	if err := sameZone(e, TypeLMR, lmr.ID, lmr.PZ); err != nil {
		return err
	}
	if err := checkRange(argRDMARange, lmr, offset, length); err != nil {
		return err
	}
	return checkPrivileges(lmr.Privileges, localNeeds[in])
}
