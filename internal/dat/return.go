package dat

// Return is the type of a DAT_RETURN, without class and subtype.
//
// Allowed values are the constants below; the wire carries the whole constant
// name. Source: the RETURN sections of the man pages.
type Return uint8

// The return types of DAT 1.2 and 2.0.
const (
	RetSuccess Return = iota
	RetAbort
	RetConnQualInUse
	RetInsufficientResources
	RetInternalError
	RetInvalidHandle
	RetInvalidParameter
	RetInvalidState
	RetLengthError
	RetModelNotSupported
	RetProviderNotFound
	RetPrivilegesViolation
	RetProtectionViolation
	RetQueueEmpty
	RetQueueFull
	RetTimeoutExpired
	RetProviderAlreadyRegistered
	RetProviderInUse
	RetInvalidAddress
	RetInterruptedCall
	RetConnQualUnavailable
	RetReservedLMR
	RetPortInUse
	RetCommNotSupported
	RetNotImplemented
)

var returnNames = [...]string{
	RetSuccess:                   "DAT_SUCCESS",
	RetAbort:                     "DAT_ABORT",
	RetConnQualInUse:             "DAT_CONN_QUAL_IN_USE",
	RetInsufficientResources:     "DAT_INSUFFICIENT_RESOURCES",
	RetInternalError:             "DAT_INTERNAL_ERROR",
	RetInvalidHandle:             "DAT_INVALID_HANDLE",
	RetInvalidParameter:          "DAT_INVALID_PARAMETER",
	RetInvalidState:              "DAT_INVALID_STATE",
	RetLengthError:               "DAT_LENGTH_ERROR",
	RetModelNotSupported:         "DAT_MODEL_NOT_SUPPORTED",
	RetProviderNotFound:          "DAT_PROVIDER_NOT_FOUND",
	RetPrivilegesViolation:       "DAT_PRIVILEGES_VIOLATION",
	RetProtectionViolation:       "DAT_PROTECTION_VIOLATION",
	RetQueueEmpty:                "DAT_QUEUE_EMPTY",
	RetQueueFull:                 "DAT_QUEUE_FULL",
	RetTimeoutExpired:            "DAT_TIMEOUT_EXPIRED",
	RetProviderAlreadyRegistered: "DAT_PROVIDER_ALREADY_REGISTERED",
	RetProviderInUse:             "DAT_PROVIDER_IN_USE",
	RetInvalidAddress:            "DAT_INVALID_ADDRESS",
	RetInterruptedCall:           "DAT_INTERRUPTED_CALL",
	RetConnQualUnavailable:       "DAT_CONN_QUAL_UNAVAILABLE",
	RetReservedLMR:               "DAT_RESERVED_LMR",
	RetPortInUse:                 "DAT_PORT_IN_USE",
	RetCommNotSupported:          "DAT_COMM_NOT_SUPPORTED",
	RetNotImplemented:            "DAT_NOT_IMPLEMENTED",
}

// String returns the whole DAT constant.
func (r Return) String() string { return nameOf(returnNames[:], r) }

// MarshalText writes the whole DAT constant.
func (r Return) MarshalText() ([]byte, error) { return textOf(returnNames[:], r) }

// UnmarshalText reads the whole DAT constant; another word is an error.
func (r *Return) UnmarshalText(b []byte) error { return parse(returnNames[:], b, r) }
