package verbs

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
)

// errnoRow is what an errno of the two libraries is in DAT, and what a person can do
// about it.
type errnoRow struct {
	ret     dat.Return
	subtype dat.Subtype
	remedy  string
}

// errnoTable is the one place where errno is translated to DAT. An errno that it lacks is
// DAT_INTERNAL_ERROR. Source: docs/rules/transport.md, where the class bit is missing (D11).
var errnoTable = map[syscall.Errno]errnoRow{
	syscall.EOVERFLOW:     {dat.RetLengthError, dat.SubNone, "make it shorter"},
	syscall.EMSGSIZE:      {dat.RetLengthError, dat.SubNone, "make it shorter"},
	syscall.EACCES:        {dat.RetPrivilegesViolation, dat.SubNone, "give the service access to /dev/infiniband"},
	syscall.EPERM:         {dat.RetProtectionViolation, dat.SubNone, "give the service access to /dev/infiniband, or CAP_NET_RAW and CAP_IPC_LOCK"},
	syscall.EINVAL:        {dat.RetInvalidParameter, dat.SubNone, "stay within the limits that the IA's attributes state"},
	syscall.EISCONN:       {dat.RetInvalidState, dat.SubInvalidStateEPConnected, "disconnect first"},
	syscall.ENOTCONN:      {dat.RetInvalidState, dat.SubInvalidStateEPNotready, "connect first"},
	syscall.ECONNREFUSED:  {dat.RetInvalidState, dat.SubInvalidStateEPNotready, "let the peer listen first"},
	syscall.EALREADY:      {dat.RetInvalidState, dat.SubInvalidStateEPActconnpending, "wait for the connection that is being made"},
	syscall.EBUSY:         {dat.RetInvalidState, dat.SubNone, "free first what uses it"},
	syscall.ENODEV:        {dat.RetInvalidState, dat.SubNone, "wait until the device is there again"},
	syscall.EIO:           {dat.RetInvalidState, dat.SubNone, "wait until the device is there again"},
	syscall.ENETDOWN:      {dat.RetInvalidState, dat.SubNone, "bring the network device up"},
	syscall.ETIMEDOUT:     {dat.RetTimeoutExpired, dat.SubNone, "try again, or give it more time"},
	syscall.ENETUNREACH:   {dat.RetInvalidAddress, dat.SubInvalidAddressUnreachable, "check the address and the routes"},
	syscall.EHOSTUNREACH:  {dat.RetInvalidAddress, dat.SubInvalidAddressUnreachable, "check the address and the routes"},
	syscall.EADDRNOTAVAIL: {dat.RetInvalidAddress, dat.SubInvalidAddressUnreachable, "check the addresses of the network device"},
	syscall.EAFNOSUPPORT:  {dat.RetInvalidAddress, dat.SubInvalidAddressMalformed, "give an IPv4 or IPv6 address"},
	syscall.EADDRINUSE:    {dat.RetConnQualInUse, dat.SubNone, "take another qualifier"},
	syscall.ENOMEM:        {dat.RetInsufficientResources, dat.SubResourceMemory, "free objects, or raise the limit on locked memory (ulimit -l, LimitMEMLOCK)"},
	syscall.ENOSPC:        {dat.RetInsufficientResources, dat.SubResourceDevice, "free objects of this kind"},
	syscall.EMFILE:        {dat.RetInsufficientResources, dat.SubResourceDevice, "raise the limit on open files"},
	syscall.EAGAIN:        {dat.RetQueueEmpty, dat.SubNone, "try again"},
	syscall.EINTR:         {dat.RetInterruptedCall, dat.SubNone, "try again"},
	syscall.EOPNOTSUPP:    {dat.RetModelNotSupported, dat.SubNone, "the IA's attributes say what the device can do"},
	syscall.ENOSYS:        {dat.RetModelNotSupported, dat.SubNone, "the IA's attributes say what the device can do"},
}

// errNoErrno is a failure for which the library set no errno: nothing is known of its cause.
var errNoErrno = errors.New("the library gave no reason")

// deviceError is the refusal of the operation what by the device: err translated by the
// table. It is nil where err is nil, and err itself where that is a *dat.Error.
func deviceError(what string, err error) error {
	if err == nil {
		return nil
	}
	var already *dat.Error
	if errors.As(err, &already) {
		return already
	}
	row := errnoRow{ret: dat.RetInternalError, remedy: "look into the service's log"}
	if errors.Is(err, errNoErrno) {
		row.remedy = "the kernel's log (dmesg) may have the reason"
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if known, ok := errnoTable[errno]; ok {
			row = known
		}
	}
	return &dat.Error{
		Return: row.ret, Subtype: row.subtype, Cause: err,
		Detail: "The device refused to " + what + " (" + err.Error() + "); " + row.remedy + ".",
	}
}

// errnoName returns the name of an errno in C, for the reason of a report.
func errnoName(e syscall.Errno) string {
	if n := unix.ErrnoName(e); n != "" {
		return n
	}
	return e.Error()
}
