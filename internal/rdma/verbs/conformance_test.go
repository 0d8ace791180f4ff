//go:build verbs && rxe

package verbs

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
)

// TestVerbsConforms runs the suite that every provider passes on a real device;
// after each case the kernel must count what it counted before.
func TestVerbsConforms(t *testing.T) {
	rdmatest.Run(t, func(t *testing.T) rdmatest.Setup {
		before := census(t)
		ia := devicePort{deviceName(t), 1}.iaName()
		return rdmatest.Setup{
			Providers: []rdma.Provider{New()}, Active: ia, Passive: ia,
			Empty: func() string { return leftover(t, before) },
		}
	})
}

// leftover says what the kernel counts beyond before, once that has settled.
func leftover(t *testing.T, before map[string]uint64) string {
	late := time.Now().Add(deadline)
	for {
		now := census(t)
		if maps.Equal(now, before) {
			return ""
		}
		if time.Now().After(late) {
			return fmt.Sprintf("%v, before it was %v", now, before)
		}
		<-time.After(10 * time.Millisecond)
	}
}
