package manager_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// stressConnections is how many endpoints connect at once.
const stressConnections = 60

func TestManyConnectionsAtOnceLeakNothing(t *testing.T) {
	node := newNode(t)
	empty := node.soft.Fabric().Census()
	server := node.newEVD(node.peer, 4096, dat.StreamCR)
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: server})
	node.must(err)
	zones := [2]dat.Handle{node.newPZ(node.ia), node.newPZ(node.peer)}
	stop := make(chan struct{})
	var accepting sync.WaitGroup
	accepting.Go(func() { node.acceptOrReject(stop, server, zones[1]) })
	var wg sync.WaitGroup
	for n := range stressConnections {
		wg.Go(func() { node.connectAndLeave(rand.New(rand.NewPCG(1, uint64(n))), zones[0], int64(sp.ConnQual)) })
	}
	wg.Wait()
	close(stop)
	accepting.Wait()
	node.must(node.m.FreePSP(node.ctx(), testCall, sp.ID))
	node.freeAllEndpoints()
	for _, z := range zones {
		node.must(node.m.FreePZ(node.ctx(), testCall, z))
	}
	node.must(node.m.FreeEVD(node.ctx(), testCall, server))
	if left := node.soft.Fabric().Census(); left != empty {
		t.Errorf("left %+v, was %+v", left, empty)
	}
	node.expectVersionsWithoutGap()
}

func TestDevicesThatComeAndGoDuringManyConnectionsLeaveNothingStuck(t *testing.T) {
	node := newNode(t, soft.WithBacklog(4096))
	server := node.newEVD(node.peer, 4096, dat.StreamCR)
	sp, err := node.m.CreatePSP(node.ctx(), testCall, manager.PSPCreate{IA: node.peer, EVD: server})
	node.must(err)
	zones := [2]dat.Handle{node.newPZ(node.ia), node.newPZ(node.peer)}
	stop := make(chan struct{})
	var around sync.WaitGroup
	around.Go(func() { node.loseAndReturnDevices(stop) })
	accepted := make(chan struct{})
	var accepting sync.WaitGroup
	accepting.Go(func() { node.acceptAll(accepted, server, zones[1]) })
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() { node.connectWhileDevicesChange(uint64(n), zones[0], int64(sp.ConnQual)) })
	}
	wg.Wait()
	close(stop)
	around.Wait()
	close(accepted)
	accepting.Wait()
	node.waitUntil("both adapters are up", func() bool {
		a, _ := node.m.IA(node.ia)
		b, _ := node.m.IA(node.peer)
		return a.State == dat.IAUp && b.State == dat.IAUp
	})
	node.freeAllEndpoints()
	node.expectVersionsWithoutGap()
}

// acceptOrReject answers requests until stop is closed and none is left: it rejects
// every fifth.
func (node *testNode) acceptOrReject(stop chan struct{}, server, zone dat.Handle) {
	for n := 0; ; n++ {
		got, err := node.m.Dequeue(node.ctx(), server, 1, 1, 0)
		node.check(err)
		if len(got) == 0 {
			select {
			case <-stop:
				return
			default:
				continue
			}
		}
		cr := got[0].Data.CR
		if n%5 == 0 {
			node.tolerate(node.m.RejectCR(node.ctx(), testCall, cr, nil))
			continue
		}
		e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.peer, Values: dat.Values{dat.ParamPZ: zone}})
		node.check(err)
		_, err = node.m.AcceptCR(node.ctx(), testCall, cr, manager.CRAccept{Endpoint: e.ID})
		node.tolerate(err)
	}
}

// connectAndLeave connects, sends, disconnects and resets an endpoint without
// waiting for the other end.
func (node *testNode) connectAndLeave(rnd *rand.Rand, zone dat.Handle, qual int64) {
	e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia, Values: dat.Values{dat.ParamPZ: zone}})
	node.check(err)
	for range 3 {
		_, err := node.m.PostRecv(node.ctx(), testCall, e.ID, manager.RecvPost{Count: 2, Size: 16})
		node.tolerate(err)
		_, err = node.m.ConnectEP(node.ctx(), testCall, e.ID, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: qual})
		node.tolerate(err)
		if rnd.IntN(2) == 0 {
			_, err = node.m.WaitEP(node.ctx(), e.ID, func(s dat.EPState) bool { return s != dat.EPActiveConnectionPending })
			node.tolerate(err)
			_, err = node.m.PostSend(node.ctx(), testCall, e.ID, manager.SendPost{Data: []byte("x"), Count: 1})
			node.tolerate(err)
		}
		_, err = node.m.DisconnectEP(node.ctx(), testCall, e.ID, dat.CloseFlag(rnd.IntN(2)))
		node.tolerate(err)
		_, err = node.m.WaitEP(node.ctx(), e.ID, func(s dat.EPState) bool { return s == dat.EPDisconnected })
		node.tolerate(err)
		_, err = node.m.ResetEP(node.ctx(), testCall, e.ID)
		node.tolerate(err)
	}
}

// acceptAll accepts requests until stop is closed and none is left.
func (node *testNode) acceptAll(stop chan struct{}, server, zone dat.Handle) {
	for {
		got, err := node.m.Dequeue(node.ctx(), server, 1, 1, 0)
		node.check(err)
		if len(got) > 0 {
			e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.peer, Values: dat.Values{dat.ParamPZ: zone}})
			node.tolerate(err)
			if err == nil {
				_, err = node.m.AcceptCR(node.ctx(), testCall, got[0].Data.CR, manager.CRAccept{Endpoint: e.ID})
				node.tolerate(err)
			}
			continue
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

// connectWhileDevicesChange connects endpoints again and again while devices come
// and go.
func (node *testNode) connectWhileDevicesChange(seed uint64, zone dat.Handle, qual int64) {
	rnd := rand.New(rand.NewPCG(2, seed))
	for range 4 {
		e, err := node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia, Values: dat.Values{dat.ParamPZ: zone}})
		node.tolerate(err)
		if err != nil {
			continue
		}
		_, err = node.m.PostRecv(node.ctx(), testCall, e.ID, manager.RecvPost{Count: 1, Size: 16})
		node.tolerate(err)
		_, err = node.m.ConnectEP(node.ctx(), testCall, e.ID, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: qual, TimeoutUS: new(int64(1000 * (1 + rnd.IntN(50))))})
		node.tolerate(err)
		if err == nil {
			_, err = node.m.WaitEP(node.ctx(), e.ID, func(s dat.EPState) bool { return s != dat.EPActiveConnectionPending })
			node.tolerate(err)
		}
		_, err = node.m.DisconnectEP(node.ctx(), testCall, e.ID, dat.CloseGraceful)
		node.tolerate(err)
		_, err = node.m.ResetEP(node.ctx(), testCall, e.ID)
		node.tolerate(err)
	}
}

// loseAndReturnDevices removes devices and brings them back until stop is closed.
func (node *testNode) loseAndReturnDevices(stop chan struct{}) {
	for n := 0; ; n++ {
		name := [2]string{"soft0", "soft1"}[n%2]
		node.soft.Fabric().Remove(name)
		node.waitUntil(name+" is gone", func() bool { ia, _ := node.m.IA(dat.Handle(name + "@test")); return ia.State == dat.IAGone })
		node.soft.Fabric().Return(name)
		node.waitUntil(name+" is back", func() bool { ia, _ := node.m.IA(dat.Handle(name + "@test")); return ia.State == dat.IAUp })
		select {
		case <-stop:
			return
		default:
		}
	}
}

// tolerate accepts refusals that come from the other end being faster.
func (node *testNode) tolerate(err error) {
	var d *dat.Error
	if err == nil || errors.As(err, &d) && (d.Return == dat.RetInvalidState || d.Return == dat.RetInvalidHandle || d.Return == dat.RetInsufficientResources) {
		return
	}
	node.Error(err)
}

// freeAllEndpoints rejects all requests and frees all endpoints.
func (node *testNode) freeAllEndpoints() {
	node.Helper()
	for _, o := range node.m.List(dat.TypeCR) {
		node.tolerate(node.m.RejectCR(node.ctx(), testCall, o.Head().ID, nil))
	}
	for _, o := range node.m.List(dat.TypeEndpoint) {
		if err := node.m.FreeEP(node.ctx(), testCall, o.Head().ID); err != nil {
			node.Errorf("%s: %v", o.Head().ID, err)
		}
	}
}

// expectVersionsWithoutGap demands that the versions of each object grow by one.
func (node *testNode) expectVersionsWithoutGap() {
	node.Helper()
	last := map[dat.Handle]int64{}
	for _, c := range node.rec.Changes() {
		if c.Outcome != dat.RetSuccess {
			continue
		}
		if c.Version != last[c.Object.ID]+1 {
			node.Errorf("change %d (%s) of %s has version %d after %d", c.ID, c.Cause, c.Object.ID, c.Version, last[c.Object.ID])
		}
		last[c.Object.ID] = c.Version
	}
}
