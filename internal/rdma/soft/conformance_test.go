package soft_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// open sets a case up with two adapters on a fabric of its own.
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
	rdmatest.Run(t, open, rdmatest.Inside(bubble), rdmatest.AllFeatures())
}

func TestSoftPassesTheFaultCases(t *testing.T) {
	rdmatest.RunFaults(t, open, rdmatest.Inside(bubble), rdmatest.AllFeatures())
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

// modest is the soft provider with the attributes of a device that has few features,
// on a transport that completes a send when it is sent.
type modest struct{ *soft.Provider }

func (m modest) Open(ctx context.Context) ([]rdma.IA, error) {
	ias, err := m.Provider.Open(ctx)
	for i := range ias {
		ias[i] = modestIA{ias[i]}
	}
	return ias, err
}

type modestIA struct{ rdma.IA }

func (i modestIA) Attributes() (dat.IAAttributes, dat.ProviderAttributes) {
	a, p := i.IA.Attributes()
	a.MaxRMRs, a.MaxSRQs, a.MaxEPPerSRQ, a.MaxRecvPerSRQ = 0, 0, 0, 0
	p.SRQSupported, p.SRQWatermarksSupported, p.SRQInfoSupported = false, dat.SRQWatermarks{}, dat.SRQInfo{}
	p.EPRecvInfoSupported = dat.EPRecvInfo{NBufsAllocated: true}
	p.ProviderSpecificAttr = map[string]string{"request_completion": "SENT", "remote_read_privilege": "UNCHECKED"}
	p.NumProviderSpecificAttr = len(p.ProviderSpecificAttr)
	return a, p
}

func (i modestIA) CreateRMR(dat.Handle, rdma.Object) (rdma.Object, error) {
	return nil, &dat.Error{Return: dat.RetModelNotSupported, Detail: "The device has no memory windows."}
}

// A case excuses what it cannot prove on a device that lacks a feature, and proves the rest.
func TestModestSoftPassesTheConformanceSuite(t *testing.T) {
	rdmatest.Run(t, func(t *testing.T) rdmatest.Setup {
		s := open(t)
		s.Providers = []rdma.Provider{modest{s.Providers[0].(*soft.Provider)}}
		return s
	}, rdmatest.Inside(bubble))
}

func TestExhaustedLimitsNameTheirResource(t *testing.T) { // C19
	p := soft.New(1, soft.WithLimits(func(a *dat.IAAttributes) {
		a.MaxEPs, a.MaxPZs, a.MaxSRQs, a.MaxLMRs, a.MaxRMRs, a.MaxEVDs = 1, 1, 1, 1, 1, 2
	}))
	m, ctx, by, ia := manager.NewManager("alpha", rdmatest.NewRecorder()), t.Context(), manager.Call{}, dat.Handle("soft0@alpha")
	if err := errors.Join(m.AddProvider(ctx, p), m.Restore(ctx, nil)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	var zone dat.Handle
	create := []struct {
		what    string
		subtype dat.Subtype
		do      func() error
	}{
		{"pz", dat.SubResourceProtectionDomain, func() error {
			z, err := m.CreatePZ(ctx, by, manager.PZCreate{IA: ia})
			if err == nil {
				zone = z.ID
			}
			return err
		}},
		{"evd", dat.SubResourceTEVD, func() error {
			_, err := m.CreateEVD(ctx, by, manager.EVDCreate{IA: ia, QLen: 1, Streams: []dat.Stream{dat.StreamDTO}})
			return err
		}},
		{"srq", dat.SubResourceSRQ, func() error {
			_, err := m.CreateSRQ(ctx, by, manager.SRQCreate{IA: ia, PZ: zone, MaxRecvDTOs: 1, MaxRecvIOV: 1})
			return err
		}},
		{"lmr", dat.SubResourceMemoryRegion, func() error {
			_, err := m.CreateLMR(ctx, by, manager.LMRCreate{IA: ia, PZ: zone, Length: 8, Privileges: []dat.Privilege{dat.PrivLocalRead}})
			return err
		}},
		{"rmr", dat.SubResourceMemoryRegion, func() error {
			_, err := m.CreateRMR(ctx, by, manager.RMRCreate{IA: ia, PZ: zone})
			return err
		}},
		{"endpoint", dat.SubResourceTEP, func() error {
			_, err := m.CreateEP(ctx, by, manager.EPCreate{IA: ia})
			return err
		}},
	}
	for _, c := range create {
		if err := c.do(); err != nil {
			t.Errorf("the first %s: %v", c.what, err)
		}
		var d *dat.Error
		if err := c.do(); !errors.As(err, &d) || d.Return != dat.RetInsufficientResources || d.Subtype != c.subtype {
			t.Errorf("one %s too many: %v, want %s", c.what, err, c.subtype)
		}
	}
}
