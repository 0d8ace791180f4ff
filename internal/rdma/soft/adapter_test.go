package soft_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// manage runs test with a Manager over n adapters in a bubble.
func manage(t *testing.T, n int, test func(t *testing.T, m *manager.Manager, f *soft.Fabric)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := soft.New(n)
		m := manager.NewManager("alpha", rdmatest.NewRecorder())
		if err := errors.Join(m.AddProvider(t.Context(), p), m.Restore(t.Context(), nil)); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if _, err := m.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		test(t, m, p.Fabric())
	})
}

func TestPortIsShownDownAndUp(t *testing.T) {
	manage(t, 1, func(t *testing.T, m *manager.Manager, f *soft.Fabric) {
		for _, want := range []dat.IAState{dat.IADown, dat.IAUp} {
			if !f.SetPort("soft0", want == dat.IAUp) || f.SetPort("soft0", want == dat.IAUp) {
				t.Fatal("a port can be switched once")
			}
			synctest.Wait()
			if ia, _ := m.IA("soft0@alpha"); ia.State != want || (ia.Detail == nil) != (want == dat.IAUp) {
				t.Errorf("it is %s, want %s; the detail is %v", ia.State, want, ia.Detail)
			}
		}
	})
}

func TestPluggedAdapterIsUsable(t *testing.T) {
	manage(t, 1, func(t *testing.T, m *manager.Manager, f *soft.Fabric) {
		name := f.Plug()
		synctest.Wait()
		if _, err := m.CreatePZ(t.Context(), by, manager.PZCreate{IA: dat.Handle(name + "@alpha")}); err != nil {
			t.Error(err)
		}
	})
}

func TestAdaptersAreReachedByTheirIPv6Addresses(t *testing.T) {
	manage(t, 2, func(t *testing.T, m *manager.Manager, _ *soft.Fabric) {
		ctx := t.Context()
		evd, err := m.CreateEVD(ctx, by, manager.EVDCreate{IA: "soft1@alpha", QLen: 1, Streams: []dat.Stream{dat.StreamCR}})
		if err != nil {
			t.Fatal(err)
		}
		sp, err := m.CreatePSP(ctx, by, manager.PSPCreate{IA: "soft1@alpha", EVD: evd.ID})
		if err != nil {
			t.Fatal(err)
		}
		zone, err := m.CreatePZ(ctx, by, manager.PZCreate{IA: "soft0@alpha"})
		if err != nil {
			t.Fatal(err)
		}
		ep, err := m.CreateEP(ctx, by, manager.EPCreate{IA: "soft0@alpha", Values: dat.Values{dat.ParamPZ: zone.ID}})
		if err != nil {
			t.Fatal(err)
		}
		there, _ := m.IA("soft1@alpha")
		if _, err := m.ConnectEP(ctx, by, ep.ID, manager.EPConnect{
			RemoteIAAddress: there.IAAttributes.TransportAttr["ipv6_address"], RemotePortQual: int64(sp.ConnQual),
		}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, err := m.Look(evd.ID, 1); err != nil || len(got) != 1 {
			t.Errorf("the request did not arrive: %v, %v", got, err)
		}
	})
}
