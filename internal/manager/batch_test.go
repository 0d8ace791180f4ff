package manager_test

import (
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestLaterOperationsOfABatchUseWhatEarlierOnesCreated(t *testing.T) {
	node := newNode(t)
	old := node.newEP(node.ia)
	n := len(node.rec.Changes())
	b, err := node.m.BeginBatch(node.ctx(), old.ep, old.pz)
	node.must(err)
	zone, err := b.CreatePZ(testCall, manager.PZCreate{IA: node.ia, Name: "zone"})
	node.must(err)
	ep, err := b.CreateEP(testCall, manager.EPCreate{IA: node.ia, Values: dat.Values{dat.ParamPZ: zone.ID}})
	node.must(err)
	_, err = b.ModifyEP(testCall, ep.ID, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(5)}})
	node.must(err)
	_, err = b.SetWatermark(testCall, ep.ID, new(int64(2)), nil)
	node.must(err)
	_, err = b.ModifyEP(testCall, old.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone.ID}})
	node.must(err)
	node.must(b.Free(testCall, dat.TypePZ, old.pz))
	if _, ok := node.m.Get(dat.TypePZ, zone.ID); ok {
		t.Error("the zone is seen before the batch is recorded")
	}
	if len(node.rec.Changes()) != n || node.endpoint(old.ep).PZ != old.pz {
		t.Error("something happened before Run")
	}
	got, err := b.Run(node.ctx())
	node.must(err)
	if len(got) != 6 || got[5] != nil || got[1].Head().Version != 1 || got[3].Head().Version != 3 {
		t.Fatalf("results %v", got)
	}
	e := node.endpoint(ep.ID)
	if e.PZ != zone.ID || e.Attributes.MaxRecvDTOs != 5 || e.Watermarks.SoftHigh != 2 || e.Version != 3 {
		t.Errorf("the endpoint is %+v", e)
	}
	if live := node.m.Live(ep.ID); live.Attributes.MaxRecvDTOs != 5 || live.Watermarks.SoftHigh != 2 {
		t.Errorf("live %+v", live)
	}
	if _, ok := node.m.Get(dat.TypePZ, old.pz); ok {
		t.Error("the freed zone lives")
	}
	node.expectRefusal(node.m.FreePZ(node.ctx(), testCall, zone.ID), dat.RetInvalidState)
}

func TestARefusalInABatchUndoesEverything(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	before, usage, was := node.soft.Fabric().Census(), node.usage(), node.endpoint(a.ep)
	b, err := node.m.BeginBatch(node.ctx(), a.ep, a.evd)
	node.must(err)
	zone, err := b.CreatePZ(testCall, manager.PZCreate{IA: node.ia})
	node.must(err)
	_, err = b.ModifyEP(testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone.ID}})
	node.must(err)
	node.expectRefusal(b.Free(testCall, dat.TypeEVD, a.evd), dat.RetInvalidState)
	if _, err := b.Run(node.ctx()); err == nil {
		t.Error("a refused batch ran")
	}
	node.expectUnchanged(a, before, usage, was)
}

// expectUnchanged demands that nothing of a batch is left.
func (node *testNode) expectUnchanged(a testEP, before any, usage dat.IAUsage, was *dat.Endpoint) {
	node.Helper()
	if after := node.soft.Fabric().Census(); after != before {
		node.Errorf("census %+v, was %+v", after, before)
	}
	if after := node.usage(); after != usage {
		node.Errorf("usage %+v, was %+v", after, usage)
	}
	if now := node.endpoint(a.ep); now.Version != was.Version || now.PZ != was.PZ {
		node.Errorf("the endpoint is %+v", now)
	}
	_, err := node.m.ModifyEP(node.ctx(), testCall, a.ep, manager.EPModify{Name: new(dat.Name("free"))})
	node.must(err)
}

func TestABatchWhoseRecordFailsIsUndone(t *testing.T) {
	node := newNode(t)
	a, spare := node.newEP(node.ia), node.newPZ(node.ia)
	before, usage, was := node.soft.Fabric().Census(), node.usage(), node.endpoint(a.ep)
	b, err := node.m.BeginBatch(node.ctx(), a.ep, spare)
	node.must(err)
	_, err = b.CreatePSP(testCall, manager.PSPCreate{IA: node.ia, EVD: a.evd})
	node.must(err)
	_, err = b.ModifyEP(testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: spare}})
	node.must(err)
	node.whileRecordsFail(func() {
		_, err = b.Run(node.ctx())
		node.expectRefusal(err, dat.RetInterruptedCall)
	})
	node.expectUnchanged(a, before, usage, was)
	node.must(node.m.FreePZ(node.ctx(), testCall, spare))
}

func TestABatchFreesOnlyUnconnectedEndpoints(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	node.waitForState(a.ep, dat.EPConnected)
	batch, err := node.m.BeginBatch(node.ctx(), a.ep)
	node.must(err)
	node.expectRefusal(batch.Free(testCall, dat.TypeEndpoint, a.ep), dat.RetInvalidState)
	if s := node.state(a.ep); s != dat.EPConnected {
		t.Errorf("the endpoint is %s", s)
	}
}

func TestABatchReservesAnEndpointOnce_T4(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	b, err := node.m.BeginBatch(node.ctx(), a.ep)
	node.must(err)
	defer b.Cancel()
	_, err = b.CreateRSP(testCall, manager.RSPCreate{IA: node.ia, ConnQual: 7200, Endpoint: a.ep, EVD: a.evd})
	node.must(err)
	_, err = b.CreateRSP(testCall, manager.RSPCreate{IA: node.ia, ConnQual: 7201, Endpoint: a.ep, EVD: a.evd})
	node.expectRefusal(err, dat.RetInvalidState)
}

func TestABatchFreesAReservationAndItsEndpoint(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	sp, err := node.m.CreateRSP(node.ctx(), testCall, manager.RSPCreate{IA: node.ia, ConnQual: 7200, Endpoint: a.ep, EVD: a.evd})
	node.must(err)
	b, err := node.m.BeginBatch(node.ctx(), a.ep, sp.ID)
	node.must(err)
	node.must(b.Free(testCall, dat.TypeRSP, sp.ID))
	node.must(b.Free(testCall, dat.TypeEndpoint, a.ep))
	_, err = b.Run(node.ctx())
	node.must(err)
	node.must(node.m.FreeEVD(node.ctx(), testCall, a.evd))
}

func TestABatchThatReservesAnEndpointMayNotRemoveItsPZ_M4(t *testing.T) {
	node := newNode(t)
	a := node.newEP(node.ia)
	b, err := node.m.BeginBatch(node.ctx(), a.ep)
	node.must(err)
	_, err = b.CreateRSP(testCall, manager.RSPCreate{IA: node.ia, ConnQual: 7000, Endpoint: a.ep, EVD: a.evd})
	node.must(err)
	_, err = b.ModifyEP(testCall, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: dat.HandleNull}})
	node.expectRefusal(err, dat.RetInvalidState)
	if e := node.endpoint(a.ep); e.State != dat.EPUnconnected || e.PZ != a.pz {
		t.Errorf("the endpoint is %s with the zone %s", e.State, e.PZ)
	}
}

func TestBatchesAndWritesOnTheSameObjectsNeverDeadlock(t *testing.T) {
	node := newNode(t)
	var ends []testEP
	for range 6 {
		ends = append(ends, node.newEP(node.ia))
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 30 {
				x, y := ends[(w+i)%6].ep, ends[(w*5+i*3)%6].ep
				if w%2 == 0 {
					_, err := node.m.SetWatermark(node.ctx(), testCall, x, new(int64(i)), nil)
					node.check(err)
					continue
				}
				b, err := node.m.BeginBatch(node.ctx(), x, y)
				if err != nil {
					node.check(err)
					continue
				}
				for _, ep := range []dat.Handle{y, x} {
					_, err := b.SetWatermark(testCall, ep, nil, new(int64(w)))
					node.check(err)
				}
				_, err = b.Run(node.ctx())
				node.check(err)
			}
		})
	}
	wg.Wait()
}

func TestABatchRefusesATakenNameAtTheOperationThatAsksForIt(t *testing.T) {
	node := newNode(t)
	old, err := node.m.CreatePZ(node.ctx(), testCall, manager.PZCreate{IA: node.ia, Name: "old"})
	node.must(err)
	b, err := node.m.BeginBatch(node.ctx(), old.ID)
	node.must(err)
	node.must(b.Free(testCall, dat.TypePZ, old.ID))
	_, err = b.CreatePZ(testCall, manager.PZCreate{IA: node.ia, Name: "old"})
	node.must(err)
	_, err = b.CreateEVD(testCall, manager.EVDCreate{IA: node.ia, Name: "old", QLen: 4, Streams: []dat.Stream{dat.StreamDTO}})
	node.must(err)
	_, err = b.CreatePZ(testCall, manager.PZCreate{IA: node.ia, Name: "old"})
	if d := node.expectRefusal(err, dat.RetInvalidState); d.Kind != "name-taken" || d.Field != "name" {
		t.Errorf("kind %q of field %q", d.Kind, d.Field)
	}
	_, err = node.m.CreatePZ(node.ctx(), dryRun, manager.PZCreate{IA: node.ia, Name: "old"})
	node.expectRefusal(err, dat.RetInvalidState)
}
