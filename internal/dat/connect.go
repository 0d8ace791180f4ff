package dat

import (
	"math"
	"net/netip"
	"slices"
)

// privateDataArgs are the arguments that carry private data, by call.
var privateDataArgs = [numInputs]int{
	OpConnect:    5,
	OpDupConnect: 4,
	OpAccept:     3,
	OpAcceptOwn:  3,
	OpReject:     2,
}

// The other arguments of dat_ep_connect and dat_ep_dup_connect.
var (
	timeoutArgs = [numInputs]int{OpConnect: 4, OpDupConnect: 3}
	qosArgs     = [numInputs]int{OpConnect: 7, OpDupConnect: 6}
)

const (
	argConnectQual  = 3
	argConnectFlags = 8
	// maxTimeout is the greatest finite DAT_TIMEOUT, in microseconds.
	maxTimeout = math.MaxUint32 - 1
)

// CheckPrivateData judges the length of private data in bytes, for connect,
// dup_connect, accept and reject: at most the provider's max_private_data_size
// (DAT_INVALID_PARAMETER).
func CheckPrivateData(f *Facts, in Input, size int) *Error {
	most := f.Provider.MaxPrivateDataSize
	if size <= int(most) {
		return nil
	}
	return badValue(privateDataArgs[in], "private_data", "private_data has %d bytes; %s allows %d (its max_private_data_size)", size, f.IA, most)
}

// ConnectRequest is what dat_ep_connect asks for. TimeoutUS is in microseconds,
// nil is infinite; QOS nil is the endpoint's own, ConnectFlags nil is DEFAULT.
// dat_ep_dup_connect leaves address, qualifier and flags out.
type ConnectRequest struct {
	RemoteIAAddress string
	RemotePortQual  int64
	TimeoutUS       *int64
	PrivateData     []byte
	QOS             *string
	ConnectFlags    *string
}

// CheckConnect judges what dat_ep_connect asks for beyond state and readiness
// (T27), and returns the quality of service for the connection.
//
// Errors: DAT_INVALID_ADDRESS for an address that is not the IP address of one
// host; DAT_INVALID_PARAMETER for a qualifier outside 1–65535 (D38), a timeout
// of 0, too much private data and unknown words; DAT_MODEL_NOT_SUPPORTED for a
// quality of service or a flag that the provider lacks (D29).
func CheckConnect(e *Endpoint, f *Facts, q ConnectRequest) (QOS, *Error) {
	if err := checkAddress(q.RemoteIAAddress); err != nil {
		return 0, err
	}
	if err := checkQual(argConnectQual, "remote_port_qual", q.RemotePortQual); err != nil {
		return 0, err
	}
	multipath, err := checkConnectFlags(q.ConnectFlags)
	if err != nil {
		return 0, err
	}
	qos, err := checkSetup(e, f, OpConnect, q)
	if err == nil && multipath && !f.Provider.SupportsMultipath {
		err = refuse(RetModelNotSupported, SubNone, "connect_flags", "%s has one path per connection; connect_flags must be DEFAULT", f.IA)
	}
	return qos, err
}

// CheckDupConnect judges what dat_ep_dup_connect asks for beyond state and
// readiness: dup, the endpoint whose peer is meant, must be of the same IA
// (DAT_INVALID_HANDLE) and CONNECTED (DAT_INVALID_STATE with its state's
// subtype); the rest is as for connect. dup is nil if the handle names none.
func CheckDupConnect(e, dup *Endpoint, f *Facts, q ConnectRequest) (QOS, *Error) {
	if dup == nil {
		return 0, refuse(RetInvalidHandle, SubInvalidHandleEP, "endpoint", "there is no such endpoint; it never was or has been freed")
	}
	if wrong := ofAnotherIA(TypeEndpoint, dup.ID, dup.IA, f.IA); wrong != "" {
		return 0, refuse(RetInvalidHandle, SubInvalidHandleEP, "endpoint", "%s", wrong)
	}
	if dup.State != EPConnected {
		return 0, &Error{
			Return: RetInvalidState, Subtype: stateSubtypes[dup.State], Field: "endpoint", State: clonePtr(&dup.State),
			Detail: "endpoint " + string(dup.ID) + " is " + dup.State.String() + "; only the peer of a CONNECTED one can be connected to again",
		}
	}
	return checkSetup(e, f, OpDupConnect, q)
}

// checkSetup judges the arguments that both ways to connect have.
func checkSetup(e *Endpoint, f *Facts, in Input, q ConnectRequest) (QOS, *Error) {
	if t := q.TimeoutUS; t != nil && (*t < 1 || *t > maxTimeout) {
		return 0, badValue(timeoutArgs[in], "timeout_us", "timeout_us is %d; it must be 1 to %d microseconds, or null for infinite", *t, int64(maxTimeout))
	}
	if err := CheckPrivateData(f, in, len(q.PrivateData)); err != nil {
		return 0, err
	}
	qos := e.Attributes.QOS
	if q.QOS != nil && qos.UnmarshalText([]byte(*q.QOS)) != nil {
		return 0, badValue(qosArgs[in], "qos", "qos is %q; it must be %s", *q.QOS, listWords(qosNames[:], "or"))
	}
	return qos, checkSupported(f, "qos", qos.String(), supportedQOS(&f.Provider))
}

// checkAddress refuses what is not the IP address of one host.
func checkAddress(s string) *Error {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return refuse(RetInvalidAddress, SubInvalidAddressMalformed, "remote_ia_address", "%q is no IP address; write one like 10.77.0.2 or fd00::2", s)
	case a.IsUnspecified() || a.IsMulticast():
		return refuse(RetInvalidAddress, SubInvalidAddressUnsupported, "remote_ia_address", "%s is no address of one host; a connection needs one", s)
	default:
		return nil
	}
}

// connectFlagWords are the flags of dat_ep_connect.
var connectFlagWords = []string{"DEFAULT", "MULTIPATH"}

// checkConnectFlags reports whether the flags ask for several paths.
func checkConnectFlags(word *string) (multipath bool, err *Error) {
	if word == nil {
		return false, nil
	}
	if !slices.Contains(connectFlagWords, *word) {
		return false, badValue(argConnectFlags, "connect_flags", "connect_flags is %q; it must be %s", *word, listWords(connectFlagWords, "or"))
	}
	return *word == "MULTIPATH", nil
}
