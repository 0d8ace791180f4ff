//go:build verbs

package verbs

import (
	"errors"
	"syscall"
	"testing"
)

func TestEveryReturnConventionBecomesTheErrno(t *testing.T) {
	one := new(int)
	for name, c := range map[string]struct{ got, want error }{
		"0 is no error":                      {positiveErrno[int32](0), nil},
		"a positive errno":                   {positiveErrno(int32(syscall.EBUSY)), syscall.EBUSY},
		"an errno that a driver negated":     {positiveErrno(-int32(syscall.EBUSY)), syscall.EBUSY},
		"a pointer is no error whatever":     {second(nullErrno(one, syscall.EBUSY)), nil},
		"NULL with errno":                    {second(nullErrno[int](nil, syscall.EBUSY)), syscall.EBUSY},
		"NULL without errno":                 {second(nullErrno[int](nil, nil)), errNoErrno},
		"0 is no error whatever errno holds": {minusOneErrno[int32](0, syscall.EBUSY), nil},
		"-1 with errno":                      {minusOneErrno[int32](-1, syscall.EBUSY), syscall.EBUSY},
		"-1 without errno":                   {minusOneErrno[int32](-1, nil), errNoErrno},
		"an errno in place of -1":            {minusOneErrno(int32(syscall.EBUSY), nil), syscall.EBUSY},
		"a negated errno in place of -1":     {minusOneErrno(-int32(syscall.EBUSY), nil), syscall.EBUSY},
		"a count":                            {second(countOrNegative[int32](3)), nil},
		"a negative errno":                   {second(countOrNegative(-int32(syscall.EBUSY))), syscall.EBUSY},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if n, _ := countOrNegative[int32](3); n != 3 {
		t.Errorf("a count of 3 is %d", n)
	}
}

// second returns the error of a result and an error.
func second[T any](_ T, err error) error { return err }
