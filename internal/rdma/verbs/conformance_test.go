//go:build verbs && rxe

package verbs

import (
	"testing"

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
