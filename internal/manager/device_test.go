package manager_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// adapterState is the recorded state of the rig's first adapter.
func (r *rig) adapterState() dat.IAState {
	ia, _ := r.m.IA(r.ia)
	return ia.State
}

// lose takes the first adapter's device away and waits until its objects know.
func (r *rig) lose() {
	r.Helper()
	r.soft.Fabric().Remove("soft0")
	r.until("the device is gone", func() bool { return r.adapterState() == dat.IAGone })
}

// back brings the device back and waits until its objects are there again.
func (r *rig) back() {
	r.Helper()
	r.soft.Fabric().Return("soft0")
	r.until("the device is back", func() bool { return r.adapterState() == dat.IAUp })
}

// agree demands that the engine has what the registry has, not more and not less.
func (r *rig) agree() {
	r.Helper()
	var want dat.IAUsage
	for _, id := range []dat.Handle{r.ia, r.peer} {
		ia, _ := r.m.IA(id)
		want.Endpoints += ia.Usage.Endpoints
		want.PZs += ia.Usage.PZs
		want.EVDs += ia.Usage.EVDs
	}
	if c := r.soft.Fabric().Census(); c.EPs != want.Endpoints || c.PZs != want.PZs || c.EVDs != want.EVDs {
		r.Errorf("the engine has %+v, the registry %+v", c, want)
	}
}

func TestAReturningDeviceLeavesAloneWhatWasFreedMeanwhile_T49(t *testing.T) {
	r := newRig(t)
	first, last := r.end(r.ia), r.end(r.ia)
	sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.ia, EVD: first.evd, ConnQual: ptr(int64(4711))})
	r.must(err)
	r.lose()
	r.hook.once("CreateEP", func(dat.Handle) {
		r.must(r.m.FreeEP(r.ctx(), by, last.ep))
		r.must(r.m.FreePSP(r.ctx(), by, sp.ID))
	})
	r.back()
	r.agree()
	_, err = r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.ia, EVD: first.evd, ConnQual: ptr(int64(4711))})
	r.must(err)
}

func TestFreesDuringTheReturnOfADeviceLeaveNothingInTheEngine_T49(t *testing.T) {
	const endpoints = 300
	r := newRig(t)
	zone := r.pz(r.ia)
	for range 12 {
		ids := make([]dat.Handle, endpoints)
		for i := range ids {
			e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia, Values: dat.Values{dat.ParamPZ: zone}})
			r.must(err)
			ids[i] = e.ID
		}
		r.lose()
		r.soft.Fabric().Return("soft0")
		var frees sync.WaitGroup
		for i := range 4 {
			frees.Go(func() {
				for j := i; j < endpoints; j += 4 {
					r.check(r.m.FreeEP(r.ctx(), by, ids[endpoints-1-j]))
				}
			})
		}
		frees.Wait()
		r.until("the device is back", func() bool { return r.adapterState() == dat.IAUp })
		r.agree()
	}
}

func TestAModificationThatWaitsForItsRecordReachesADeviceThatReturnsMeanwhile(t *testing.T) {
	for name, lostBefore := range map[string]bool{"lost before the call": true, "lost during the call": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			a := r.end(r.ia)
			if lostBefore {
				r.lose()
			}
			r.rec.Refuse(func([]dat.Entry) error {
				r.rec.Refuse(nil)
				if !lostBefore {
					r.lose()
				}
				r.soft.Fabric().Return("soft0")
				r.until("the device returns", func() bool {
					_, err := r.m.CreatePZ(r.ctx(), manager.Call{DryRun: true}, manager.PZCreate{IA: r.ia})
					return err == nil || strings.Contains(err.Error(), "made again")
				})
				return nil
			})
			_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(5)}})
			r.must(err)
			r.until("the device is back", func() bool { return r.adapterState() == dat.IAUp })
			if got := r.hook.engineParams(a.ep).Attributes.MaxRecvDTOs; got != 5 {
				t.Errorf("the engine has max_recv_dtos %d, recorded are %d", got, r.get(a.ep).Attributes.MaxRecvDTOs)
			}
		})
	}
}

func TestACallDuringTheReturnOfADeviceIsToldToTryAgain(t *testing.T) {
	r := newRig(t)
	first, last := r.end(r.ia), r.end(r.ia)
	r.lose()
	r.hook.once("CreateEP", func(id dat.Handle) {
		if id != first.ep {
			t.Errorf("made %s first", id)
		}
		_, err := r.m.ConnectEP(r.ctx(), by, last.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
		d := r.refusal(err, dat.RetInvalidState)
		if d.Kind != "ia-gone" || !strings.Contains(d.Detail, "try again in a moment") {
			t.Errorf("%s: %s", d.Kind, d.Detail)
		}
		_, err = r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.ia})
		if d := r.refusal(err, dat.RetInvalidState); d.Kind != "ia-gone" {
			t.Errorf("%s: %s", d.Kind, d.Detail)
		}
	})
	r.back()
	r.connect(last, r.end(r.peer))
}

func TestADeviceThatIsLostAgainWhileItReturnsComesBackWhole_T48_T49(t *testing.T) {
	r := newRig(t)
	ends := []end{r.end(r.ia), r.end(r.ia), r.end(r.ia)}
	r.lose()
	for range 20 {
		lost := make(chan struct{})
		r.hook.once("CreateEP", func(dat.Handle) {
			r.soft.Fabric().Remove("soft0")
			r.until("the device is gone again", func() bool {
				_, err := r.m.CreatePZ(r.ctx(), manager.Call{DryRun: true}, manager.PZCreate{IA: r.ia})
				return err != nil && strings.Contains(err.Error(), "is gone")
			})
			close(lost)
		})
		r.soft.Fabric().Return("soft0")
		<-lost
	}
	r.back()
	r.agree()
	for _, e := range ends {
		r.connect(e, r.end(r.peer))
	}
}

func TestACreationThatOutlivesItsDeviceIsMadeOnTheNextOne_T49(t *testing.T) {
	r := newRig(t)
	zone, events := r.pz(r.ia), r.evd(r.ia, 8, dat.StreamConnection)
	r.rec.Refuse(func([]dat.Entry) error {
		r.rec.Refuse(nil)
		r.lose()
		r.soft.Fabric().Return("soft0")
		return nil
	})
	e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia, Values: dat.Values{dat.ParamPZ: zone, dat.ParamConnectEVD: events}})
	r.must(err)
	r.until("the device is back", func() bool { return r.adapterState() == dat.IAUp })
	r.agree()
	r.connect(end{ep: e.ID, evd: events}, r.end(r.peer))
}

func TestAnAdapterIsUsedOnlyWhenItIsRecorded(t *testing.T) {
	r := newRig(t)
	plugged := dat.Handle("soft2@test")
	asked := make(chan error, 1)
	r.rec.Refuse(func(entries []dat.Entry) error {
		r.rec.Refuse(nil)
		_, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: plugged})
		asked <- err
		return nil
	})
	r.soft.Fabric().Plug()
	r.refusal(<-asked, dat.RetInvalidHandle)
	r.until("the adapter is there", func() bool { _, ok := r.m.IA(plugged); return ok })
	r.pz(plugged)
}

func TestAdaptersThatArePluggedInAreUsedAtOnce(t *testing.T) {
	r := newRig(t)
	var users sync.WaitGroup
	for n := range 8 {
		users.Go(func() {
			ia := dat.Handle(fmt.Sprintf("soft%d@test", n+2))
			for {
				if _, ok := r.m.IA(ia); ok {
					break
				}
				_, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: ia})
				if err == nil {
					break
				}
			}
			e := r.end(ia)
			r.check(r.m.FreeEP(r.ctx(), by, e.ep))
		})
		r.soft.Fabric().Plug()
	}
	users.Wait()
}

func TestAnAdapterThatCouldNotBeRecordedIsTriedAgain(t *testing.T) {
	r := newRig(t)
	r.rec.Refuse(func([]dat.Entry) error { r.rec.Refuse(nil); return errDisk })
	r.soft.Fabric().Plug()
	r.until("the adapter is there", func() bool { _, ok := r.m.IA("soft2@test"); return ok })
	r.pz("soft2@test")
}
