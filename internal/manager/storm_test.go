package manager_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// pairs is how many connections the storm makes at once.
const pairs = 60

func TestAStormOfConnectionsEndsWithoutLeaks(t *testing.T) {
	r := newRig(t)
	empty := r.soft.Fabric().Census()
	server := r.evd(r.peer, 4096, dat.StreamCR)
	sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.peer, EVD: server})
	r.must(err)
	zones := [2]dat.Handle{r.pz(r.ia), r.pz(r.peer)}
	stop := make(chan struct{})
	var accepting sync.WaitGroup
	accepting.Go(func() { r.acceptUntil(stop, server, zones[1]) })
	var wg sync.WaitGroup
	for n := range pairs {
		wg.Go(func() { r.callAndVanish(rand.New(rand.NewPCG(1, uint64(n))), zones[0], int64(sp.ConnQual)) })
	}
	wg.Wait()
	close(stop)
	accepting.Wait()
	r.must(r.m.FreePSP(r.ctx(), by, sp.ID))
	r.sweep()
	for _, z := range zones {
		r.must(r.m.FreePZ(r.ctx(), by, z))
	}
	r.must(r.m.FreeEVD(r.ctx(), by, server))
	if left := r.soft.Fabric().Census(); left != empty {
		t.Errorf("left %+v, was %+v", left, empty)
	}
	r.orderly()
}

// acceptUntil accepts or rejects requests until told to stop, then rejects the rest.
func (r *rig) acceptUntil(stop chan struct{}, server, zone dat.Handle) {
	for n := 0; ; n++ {
		got, err := r.m.Dequeue(r.ctx(), server, 1, 1, 0)
		r.check(err)
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
			r.tolerate(r.m.RejectCR(r.ctx(), by, cr, nil))
			continue
		}
		e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.peer, Values: dat.Values{dat.ParamPZ: zone}})
		r.check(err)
		_, err = r.m.AcceptCR(r.ctx(), by, cr, manager.CRAccept{Endpoint: e.ID})
		r.tolerate(err)
	}
}

// callAndVanish connects an endpoint and treats it badly.
func (r *rig) callAndVanish(rnd *rand.Rand, zone dat.Handle, qual int64) {
	e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia, Values: dat.Values{dat.ParamPZ: zone}})
	r.check(err)
	for range 3 {
		_, err := r.m.PostRecv(r.ctx(), by, e.ID, manager.RecvPost{Count: 2, Size: 16})
		r.tolerate(err)
		_, err = r.m.ConnectEP(r.ctx(), by, e.ID, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: qual})
		r.tolerate(err)
		if rnd.IntN(2) == 0 {
			_, err = r.m.WaitEP(r.ctx(), e.ID, func(s dat.EPState) bool { return s != dat.EPActiveConnectionPending })
			r.tolerate(err)
			_, err = r.m.PostSend(r.ctx(), by, e.ID, manager.SendPost{Data: []byte("x"), Count: 1})
			r.tolerate(err)
		}
		_, err = r.m.DisconnectEP(r.ctx(), by, e.ID, dat.CloseFlag(rnd.IntN(2)))
		r.tolerate(err)
		_, err = r.m.WaitEP(r.ctx(), e.ID, func(s dat.EPState) bool { return s == dat.EPDisconnected })
		r.tolerate(err)
		_, err = r.m.ResetEP(r.ctx(), by, e.ID)
		r.tolerate(err)
	}
}

// tolerate takes refusals by state: the other end may be faster.
func (r *rig) tolerate(err error) {
	var d *dat.Error
	if err == nil || errors.As(err, &d) && (d.Return == dat.RetInvalidState || d.Return == dat.RetInvalidHandle || d.Return == dat.RetInsufficientResources) {
		return
	}
	r.Error(err)
}

// sweep frees every endpoint; all must be in states that allow it.
func (r *rig) sweep() {
	r.Helper()
	for _, o := range r.m.List(dat.TypeCR) {
		r.tolerate(r.m.RejectCR(r.ctx(), by, o.Head().ID, nil))
	}
	for _, o := range r.m.List(dat.TypeEndpoint) {
		if err := r.m.FreeEP(r.ctx(), by, o.Head().ID); err != nil {
			r.Errorf("%s: %v", o.Head().ID, err)
		}
	}
}

// orderly demands that each object's versions grow by one without a gap.
func (r *rig) orderly() {
	r.Helper()
	last := map[dat.Handle]int64{}
	for _, c := range r.rec.Changes() {
		if c.Outcome != dat.RetSuccess {
			continue
		}
		if c.Version != last[c.Object.ID]+1 {
			r.Errorf("change %d (%s) of %s has version %d after %d", c.ID, c.Cause, c.Object.ID, c.Version, last[c.Object.ID])
		}
		last[c.Object.ID] = c.Version
	}
}

func TestDevicesThatComeAndGoInAStormLeaveNothingStuck(t *testing.T) {
	r := newRig(t, soft.WithBacklog(4096))
	server := r.evd(r.peer, 4096, dat.StreamCR)
	sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.peer, EVD: server})
	r.must(err)
	zones := [2]dat.Handle{r.pz(r.ia), r.pz(r.peer)}
	stop := make(chan struct{})
	var around sync.WaitGroup
	around.Go(func() { r.flap(stop) })
	accepted := make(chan struct{})
	var accepting sync.WaitGroup
	accepting.Go(func() { r.acceptLoosely(accepted, server, zones[1]) })
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() { r.callInTheStorm(uint64(n), zones[0], int64(sp.ConnQual)) })
	}
	wg.Wait()
	close(stop)
	around.Wait()
	close(accepted)
	accepting.Wait()
	r.until("both adapters are up", func() bool {
		a, _ := r.m.IA(r.ia)
		b, _ := r.m.IA(r.peer)
		return a.State == dat.IAUp && b.State == dat.IAUp
	})
	r.sweep()
	r.orderly()
}

// flap takes devices away and brings them back until told to stop.
func (r *rig) flap(stop chan struct{}) {
	for n := 0; ; n++ {
		name := [2]string{"soft0", "soft1"}[n%2]
		r.soft.Fabric().Remove(name)
		r.until(name+" is gone", func() bool { ia, _ := r.m.IA(dat.Handle(name + "@test")); return ia.State == dat.IAGone })
		r.soft.Fabric().Return(name)
		r.until(name+" is back", func() bool { ia, _ := r.m.IA(dat.Handle(name + "@test")); return ia.State == dat.IAUp })
		select {
		case <-stop:
			return
		default:
		}
	}
}

func (r *rig) acceptLoosely(stop chan struct{}, server, zone dat.Handle) {
	for {
		got, err := r.m.Dequeue(r.ctx(), server, 1, 1, 0)
		r.check(err)
		if len(got) > 0 {
			e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.peer, Values: dat.Values{dat.ParamPZ: zone}})
			r.tolerate(err)
			if err == nil {
				_, err = r.m.AcceptCR(r.ctx(), by, got[0].Data.CR, manager.CRAccept{Endpoint: e.ID})
				r.tolerate(err)
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

// callInTheStorm connects again and again while devices come and go.
func (r *rig) callInTheStorm(seed uint64, zone dat.Handle, qual int64) {
	rnd := rand.New(rand.NewPCG(2, seed))
	for range 4 {
		e, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: r.ia, Values: dat.Values{dat.ParamPZ: zone}})
		r.tolerate(err)
		if err != nil {
			continue
		}
		_, err = r.m.PostRecv(r.ctx(), by, e.ID, manager.RecvPost{Count: 1, Size: 16})
		r.tolerate(err)
		_, err = r.m.ConnectEP(r.ctx(), by, e.ID, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: qual, TimeoutUS: ptr(int64(1000 * (1 + rnd.IntN(50))))})
		r.tolerate(err)
		if err == nil {
			_, err = r.m.WaitEP(r.ctx(), e.ID, func(s dat.EPState) bool { return s != dat.EPActiveConnectionPending })
			r.tolerate(err)
		}
		_, err = r.m.DisconnectEP(r.ctx(), by, e.ID, dat.CloseGraceful)
		r.tolerate(err)
		_, err = r.m.ResetEP(r.ctx(), by, e.ID)
		r.tolerate(err)
	}
}
