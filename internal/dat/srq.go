package dat

// SRQState is DAT_SRQ_STATE.
type SRQState uint8

// The states of a shared receive queue.
const (
	SRQOperational SRQState = iota
	SRQError
)

var srqStateNames = [...]string{
	SRQOperational: "OPERATIONAL",
	SRQError:       "ERROR",
}

// String returns the wire word.
func (s SRQState) String() string { return nameOf(srqStateNames[:], s) }

// MarshalText writes the wire word.
func (s SRQState) MarshalText() ([]byte, error) { return textOf(srqStateNames[:], s) }

// UnmarshalText reads the wire word; another word is an error.
func (s *SRQState) UnmarshalText(b []byte) error { return parse(srqStateNames[:], b, s) }

// Arguments of the calls on shared receive queues.
const (
	argSRQCreateAttributes = 3
	argSRQResizeMax        = 2
	argSRQLowWatermark     = 2
	argSRQPostSegments     = 2
)

// CheckSRQCreate judges dat_srq_create: a PZ of the same IA
// (DAT_INVALID_HANDLE), counts of 0 to the IA's limits
// (DAT_INVALID_PARAMETER). Without shared receive queues every call is
// DAT_MODEL_NOT_SUPPORTED. The low watermark starts at 0.
func CheckSRQCreate(f *Facts, pz Handle, maxRecvDTOs, maxRecvIOV int64, r Resolver) *Error {
	if !f.Provider.SRQSupported {
		return refuse(RetModelNotSupported, SubNone, "", "%s has no shared receive queues; srq_supported tells which IAs have", f.IA)
	}
	if err := checkPZ(f, pz, r); err != nil {
		return err
	}
	if most := int64(f.Attributes.MaxRecvPerSRQ); maxRecvDTOs < 0 || maxRecvDTOs > most {
		return outOfRange(argSRQCreateAttributes, "max_recv_dtos", maxRecvDTOs, 0, most, f.IA, "max_recv_per_srq")
	}
	if most := int64(f.Attributes.MaxIOVSegmentsPerDTO); maxRecvIOV < 0 || maxRecvIOV > most {
		return outOfRange(argSRQCreateAttributes, "max_recv_iov", maxRecvIOV, 0, most, f.IA, "max_iov_segments_per_dto")
	}
	return nil
}

// checkPZ refuses a handle that names no living PZ of the IA; null is refused
// too.
func checkPZ(f *Facts, pz Handle, r Resolver) *Error {
	ia, ok := r.PZ(pz)
	if pz == HandleNull || !ok {
		return InvalidHandle(TypePZ, pz, "pz")
	}
	if wrong := ofAnotherIA(TypePZ, pz, ia, f.IA); wrong != "" {
		return refuse(RetInvalidHandle, SubInvalidHandlePZ, "pz", "%s", wrong)
	}
	return nil
}

// checkSRQWorks refuses a queue in the state ERROR.
func checkSRQWorks(s *SRQ) *Error {
	if s.State != SRQError {
		return nil
	}
	return refuse(RetInvalidState, SubInvalidStateSRQError, "srq", "shared receive queue %s is in error; free it and create another", s.ID)
}

// CheckSRQResize judges dat_srq_resize: counts beyond the IA's limit are
// DAT_INVALID_PARAMETER, fewer than the outstanding receives or than the low
// watermark DAT_INVALID_STATE.
func CheckSRQResize(f *Facts, s *SRQ, outstanding int, maxRecvDTOs int64) *Error {
	if most := int64(f.Attributes.MaxRecvPerSRQ); maxRecvDTOs < 0 || maxRecvDTOs > most {
		return outOfRange(argSRQResizeMax, "max_recv_dtos", maxRecvDTOs, 0, most, f.IA, "max_recv_per_srq")
	}
	if err := checkSRQWorks(s); err != nil {
		return err
	}
	if maxRecvDTOs < int64(outstanding) {
		return refuse(RetInvalidState, SubNone, "max_recv_dtos", "max_recv_dtos is %d but %d receives are outstanding; it must be at least as many", maxRecvDTOs, outstanding)
	}
	if maxRecvDTOs < int64(s.LowWatermark) {
		return refuse(RetInvalidState, SubNone, "max_recv_dtos", "max_recv_dtos is %d but the low watermark is %d; lower that first", maxRecvDTOs, s.LowWatermark)
	}
	return nil
}

// CheckSRQLowWatermark judges dat_srq_set_lw: 0, which never fires, to
// max_recv_dtos (DAT_INVALID_PARAMETER). A mark above 0 that the provider
// lacks is DAT_MODEL_NOT_SUPPORTED.
func CheckSRQLowWatermark(f *Facts, s *SRQ, low int64) *Error {
	if low < 0 || low > int64(s.MaxRecvDTOs) {
		return badValue(argSRQLowWatermark, "low", "low is %d; this queue allows 0 to %d (its max_recv_dtos)", low, s.MaxRecvDTOs)
	}
	if low > 0 && !f.Provider.SRQWatermarksSupported.SRQLowWatermark {
		return refuse(RetModelNotSupported, SubNone, "low", "%s has no low watermark for shared receive queues; low must be 0", f.IA)
	}
	return checkSRQWorks(s)
}

// CheckSRQUsers refuses one more endpoint for a queue that has max_ep_per_srq of
// them: DAT_INSUFFICIENT_RESOURCES.
func CheckSRQUsers(f *Facts, s *SRQ, endpoints int) *Error {
	if most := f.Attributes.MaxEPPerSRQ; endpoints >= int(most) {
		return refuse(RetInsufficientResources, SubResourceSRQ, "srq", "shared receive queue %s has %d endpoints; %s allows %d (its max_ep_per_srq)",
			s.ID, endpoints, f.IA, most)
	}
	return nil
}

// CheckSRQPost judges dat_srq_post_recv: count receives of size bytes each,
// while outstanding receives are on the queue or taken from it.
//
// More than max_recv_dtos are DAT_INSUFFICIENT_RESOURCES, more bytes than the
// IA's max_message_size DAT_LENGTH_ERROR.
func CheckSRQPost(f *Facts, s *SRQ, outstanding, count int, size int64) *Error {
	if err := checkSRQWorks(s); err != nil {
		return err
	}
	if err := checkAmount(argSRQPostSegments, count, size); err != nil {
		return err
	}
	if s.MaxRecvIOV == 0 {
		return noSegments(argSRQPostSegments, "max_recv_iov")
	}
	if size > f.Attributes.MaxMessageSize {
		return tooLong(size, f.Attributes.MaxMessageSize, "max_message_size")
	}
	return checkRoom(outstanding, count, s.MaxRecvDTOs, "max_recv_dtos")
}
