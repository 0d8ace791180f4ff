//go:build verbs

package verbs

import (
	"cmp"
	"syscall"
)

// The four ways in which functions of the two libraries return an error, one function
// each. err is what cgo makes of the C variable errno.

// positiveErrno reads a return of 0 or an errno, whose sign some drivers turn.
func positiveErrno[T ~int32](rc T) error {
	if rc == 0 {
		return nil
	}
	return syscall.Errno(max(rc, -rc))
}

// nullErrno reads a return of a pointer, or of NULL with errno set.
func nullErrno[T any](p *T, err error) (*T, error) {
	if p != nil {
		return p, nil
	}
	return nil, cmp.Or(err, errNoErrno)
}

// minusOneErrno reads a return of 0, or of -1 with errno set. Some paths of librdmacm pass
// on what libibverbs returned, an errno of either sign, without setting errno.
func minusOneErrno[T ~int32](rc T, err error) error {
	switch {
	case rc == 0:
		return nil
	case rc != -1:
		return positiveErrno(rc)
	}
	return cmp.Or(err, errNoErrno)
}

// countOrNegative reads a return of a count or of a negative errno.
func countOrNegative[T ~int32](n T) (int, error) {
	if n < 0 {
		return 0, syscall.Errno(-n)
	}
	return int(n), nil
}
