package soft_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// open gives a case two adapters on a fabric of its own.
func open(*testing.T) rdmatest.Setup {
	p := soft.New(2)
	return rdmatest.Setup{
		Providers: []rdma.Provider{p}, Active: "soft0", Passive: "soft1", Faults: p.Fabric(),
		Empty: func() string {
			if c := p.Fabric().Census(); c != (soft.Census{}) {
				return fmt.Sprintf("%+v", c)
			}
			return ""
		},
	}
}

// bubble runs a case in its own time.
func bubble(t *testing.T, do func(*testing.T)) { synctest.Test(t, do) }

func TestSoftPassesTheConformanceSuite(t *testing.T) {
	rdmatest.Run(t, open, rdmatest.Inside(bubble))
}

func TestSoftPassesTheFaultCases(t *testing.T) {
	rdmatest.RunFaults(t, open, rdmatest.Inside(bubble))
}

// The adapters of a hardware host may be one and the same.
func TestSoftPassesTheConformanceSuiteOnOneAdapter(t *testing.T) {
	rdmatest.Run(t, func(t *testing.T) rdmatest.Setup {
		s := open(t)
		s.Active = s.Passive
		return s
	}, rdmatest.Inside(bubble))
}

// Hardware delivers later and in its own time, and so does this fabric.
func TestSlowSoftPassesTheConformanceSuite(t *testing.T) {
	rdmatest.Run(t, func(t *testing.T) rdmatest.Setup {
		s := open(t)
		s.Providers[0].(*soft.Provider).Fabric().SetDelay(time.Millisecond)
		return s
	})
}
