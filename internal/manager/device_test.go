package manager_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// adapterState returns the recorded state of the first adapter.
func (node *testNode) adapterState() dat.IAState {
	ia, _ := node.m.IA(node.ia)
	return ia.State
}

// loseDevice removes the first adapter's device and waits until that is recorded.
func (node *testNode) loseDevice() {
	node.Helper()
	node.soft.Fabric().Remove("soft0")
	node.waitUntil("the device is gone", func() bool { return node.adapterState() == dat.IAGone })
}

// returnDevice brings the first adapter's device back and waits until its objects
// are there again.
func (node *testNode) returnDevice() {
	node.Helper()
	node.soft.Fabric().Return("soft0")
	node.waitUntil("the device is back", func() bool { return node.adapterState() == dat.IAUp })
}

// expectEngineAgrees demands that the engine has as many objects as the registry.
func (node *testNode) expectEngineAgrees() {
	node.Helper()
	var want dat.IAUsage
	for _, id := range []dat.Handle{node.ia, node.peer} {
		ia, _ := node.m.IA(id)
		want.Endpoints += ia.Usage.Endpoints
		want.PZs += ia.Usage.PZs
		want.EVDs += ia.Usage.EVDs
	}
	if c := node.soft.Fabric().Census(); c.EPs != want.Endpoints || c.PZs != want.PZs || c.EVDs != want.EVDs {
		node.Errorf("the engine has %+v, the registry %+v", c, want)
	}
}

func TestADeviceThatIsLostAndReturnsKeepsItsObjects_T48_T49(t *testing.T) {
	node := newNode(t)
	a, b, idle := node.newEP(node.ia), node.newEP(node.peer), node.newEP(node.ia)
	mem, err := node.m.CreateLMR(node.ctx(), testCall, manager.LMRCreate{IA: node.ia, PZ: a.pz, Length: 64, Privileges: []dat.Privilege{dat.PrivLocalRead}})
	node.must(err)
	node.connect(a, b)
	node.postRecvs(a.ep, 3)
	node.postRecvs(idle.ep, 2)
	node.soft.Fabric().Remove("soft0")
	node.waitForState(a.ep, dat.EPDisconnected)
	node.waitForState(b.ep, dat.EPDisconnected)
	var events []dat.EventNumber
	for range 4 {
		events = append(events, node.nextEvent(a.evd).Event)
	}
	if !slices.Contains(events, dat.EventBroken) {
		t.Errorf("events %v", events)
	}
	node.waitUntil("everything is flushed", func() bool { return node.status(a.ep).RecvIdle && node.status(idle.ep).RecvIdle })
	if s := node.state(idle.ep); s != dat.EPUnconnected {
		t.Errorf("the idle endpoint is %s", s)
	}
	_, err = node.m.PostRecv(node.ctx(), testCall, idle.ep, manager.RecvPost{Count: 1, Size: 8})
	if d := node.expectRefusal(err, dat.RetInvalidState); d.Kind != "ia-gone" {
		t.Errorf("kind %q", d.Kind)
	}
	_, err = node.m.ModifyEP(node.ctx(), testCall, idle.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(5)}})
	node.must(err)
	_, err = node.m.ResetEP(node.ctx(), testCall, a.ep)
	node.must(err)
	node.soft.Fabric().Return("soft0")
	node.waitUntil("the adapter is up", func() bool { ia, _ := node.m.IA(node.ia); return ia.State == dat.IAUp })
	node.waitUntil("the region says what it lost", func() bool { return slices.Contains(node.causes(mem.ID), "device_back") })
	node.must(node.m.FreeEP(node.ctx(), testCall, b.ep))
	c := node.newEP(node.peer)
	for left, _ := node.m.Look(a.evd, 100); len(left) > 0; left, _ = node.m.Look(a.evd, 100) {
		node.nextEvent(a.evd)
	}
	node.connect(a, c)
}

func TestAnEndpointThatCameWithARequestEndsWithItsDevice_T48(t *testing.T) {
	node := newNode(t)
	a, zone := node.newEP(node.ia), node.newPZ(node.peer)
	server := node.newEVD(node.peer, 8, dat.StreamCR)
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: server, EPCreator: dat.PSPProvider})
	node.must(err)
	_, err = node.m.ConnectEP(node.ctx(), testCall, a.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual)})
	node.must(err)
	made := node.expectEvent(server, dat.EventConnectionRequest).Endpoint
	node.waitUntil("the endpoint is recorded", func() bool { return node.rec.Image(made) != nil })
	_, err = node.m.ModifyEP(node.ctx(), testCall, made, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone}})
	node.must(err)
	node.expectRefusal(node.m.FreePZ(node.ctx(), testCall, zone), dat.RetInvalidState)
	node.soft.Fabric().Remove("soft1")
	node.waitUntil("the endpoint is gone", func() bool { _, err := node.m.EPStatus(made); return err != nil && node.rec.Image(made) == nil })
	node.must(node.m.FreePZ(node.ctx(), testCall, zone))
	if got := node.m.List(dat.TypeCR); len(got) > 0 {
		t.Errorf("requests live on: %v", got)
	}
}

func TestAReturningDeviceIsNotGivenWhatWasFreedMeanwhile_T49(t *testing.T) {
	node := newNode(t)
	first, last := node.newEP(node.ia), node.newEP(node.ia)
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.ia, EVD: first.evd, ConnQual: new(int64(4711))})
	node.must(err)
	node.loseDevice()
	node.hooks.beforeNext("CreateEP", func(dat.Handle) {
		node.must(node.m.FreeEP(node.ctx(), testCall, last.ep))
		node.must(node.m.FreePSP(node.ctx(), testCall, sp.ID))
	})
	node.returnDevice()
	node.expectEngineAgrees()
	_, err = node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.ia, EVD: first.evd, ConnQual: new(int64(4711))})
	node.must(err)
}

func TestFreesDuringTheReturnOfADeviceLeaveNothingInTheEngine_T49(t *testing.T) {
	const endpoints = 300
	node := newNode(t)
	zone := node.newPZ(node.ia)
	for range 12 {
		ids := make([]dat.Handle, endpoints)
		for i := range ids {
			e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia, Values: dat.Values{dat.ParamPZ: zone}})
			node.must(err)
			ids[i] = e.ID
		}
		node.loseDevice()
		node.soft.Fabric().Return("soft0")
		var frees sync.WaitGroup
		for i := range 4 {
			frees.Go(func() {
				for j := i; j < endpoints; j += 4 {
					node.check(node.m.FreeEP(node.ctx(), testCall, ids[endpoints-1-j]))
				}
			})
		}
		frees.Wait()
		node.waitUntil("the device is back", func() bool { return node.adapterState() == dat.IAUp })
		node.expectEngineAgrees()
	}
}

func TestAModificationThatWaitsForItsRecordReachesADeviceThatReturnsMeanwhile(t *testing.T) {
	for name, lostBefore := range map[string]bool{"lost before the call": true, "lost during the call": false} {
		t.Run(name, func(t *testing.T) {
			node := newNode(t)
			a := node.newEP(node.ia)
			if lostBefore {
				node.loseDevice()
			}
			node.rec.Refuse(func([]dat.Entry) error {
				node.rec.Refuse(nil)
				if !lostBefore {
					node.loseDevice()
				}
				node.soft.Fabric().Return("soft0")
				node.waitUntil("the device returns", func() bool {
					_, err := node.m.CreatePZ(node.ctx(), manager.Call{DryRun: true}, manager.PZCreate{IA: node.ia})
					return err == nil || strings.Contains(err.Error(), "made again")
				})
				return nil
			})
			_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(5)}})
			node.must(err)
			node.waitUntil("the device is back", func() bool { return node.adapterState() == dat.IAUp })
			if got := node.hooks.engineParams(a.ep).Attributes.MaxRecvDTOs; got != 5 {
				t.Errorf("the engine has max_recv_dtos %d, recorded are %d", got, node.endpoint(a.ep).Attributes.MaxRecvDTOs)
			}
		})
	}
}

func TestACallDuringTheReturnOfADeviceIsToldToTryAgain(t *testing.T) {
	node := newNode(t)
	first, last := node.newEP(node.ia), node.newEP(node.ia)
	node.loseDevice()
	node.hooks.beforeNext("CreateEP", func(id dat.Handle) {
		if id != first.ep {
			t.Errorf("made %s first", id)
		}
		_, err := node.m.ConnectEP(node.ctx(), testCall, last.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: 9})
		d := node.expectRefusal(err, dat.RetInvalidState)
		if d.Kind != "ia-gone" || !strings.Contains(d.Detail, "try again in a moment") {
			t.Errorf("%s: %s", d.Kind, d.Detail)
		}
		_, err = node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.ia})
		if d := node.expectRefusal(err, dat.RetInvalidState); d.Kind != "ia-gone" {
			t.Errorf("%s: %s", d.Kind, d.Detail)
		}
	})
	node.returnDevice()
	node.connect(last, node.newEP(node.peer))
}

func TestADeviceLostAgainDuringItsReturnComesBackWithAllObjects_T48_T49(t *testing.T) {
	node := newNode(t)
	ends := []testEP{node.newEP(node.ia), node.newEP(node.ia), node.newEP(node.ia)}
	node.loseDevice()
	for range 20 {
		lost := make(chan struct{})
		node.hooks.beforeNext("CreateEP", func(dat.Handle) {
			node.soft.Fabric().Remove("soft0")
			node.waitUntil("the device is gone again", func() bool {
				_, err := node.m.CreatePZ(node.ctx(), manager.Call{DryRun: true}, manager.PZCreate{IA: node.ia})
				return err != nil && strings.Contains(err.Error(), "is gone")
			})
			close(lost)
		})
		node.soft.Fabric().Return("soft0")
		<-lost
	}
	node.returnDevice()
	node.expectEngineAgrees()
	for _, e := range ends {
		node.connect(e, node.newEP(node.peer))
	}
}

func TestAnObjectWhoseDeviceIsLostDuringItsCreationIsMadeAgain_T49(t *testing.T) {
	node := newNode(t)
	zone, events := node.newPZ(node.ia), node.newEVD(node.ia, 8, dat.StreamConnection)
	node.rec.Refuse(func([]dat.Entry) error {
		node.rec.Refuse(nil)
		node.loseDevice()
		node.soft.Fabric().Return("soft0")
		return nil
	})
	e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia, Values: dat.Values{dat.ParamPZ: zone, dat.ParamConnectEVD: events}})
	node.must(err)
	node.waitUntil("the device is back", func() bool { return node.adapterState() == dat.IAUp })
	node.expectEngineAgrees()
	node.connect(testEP{ep: e.ID, evd: events}, node.newEP(node.peer))
}

func TestAnObjectMadeBeforeTheLossOfItsDeviceIsNoticedIsMadeOnce_T49(t *testing.T) {
	for range 20 {
		node := newNode(t)
		node.hooks.beforeNext("CreateEP", func(dat.Handle) {
			node.soft.Fabric().Remove("soft0")
			node.soft.Fabric().Return("soft0")
		})
		e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia})
		node.must(err)
		node.waitUntil("the device is back", func() bool { return slices.Contains(node.causes(node.ia), "device_back") })
		node.expectEngineAgrees()
		node.must(node.m.FreeEP(node.ctx(), testCall, e.ID))
		node.expectEngineAgrees()
	}
}
