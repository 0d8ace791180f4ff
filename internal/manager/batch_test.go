package manager_test

import (
	"sync"
	"testing"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

func TestABatchIsOneUnitAndLaterOperationsUseEarlierOnes(t *testing.T) {
	r := newRig(t)
	old := r.end(r.ia)
	n := len(r.rec.Changes())
	b, err := r.m.BeginBatch(r.ctx(), old.ep, old.pz)
	r.must(err)
	zone, err := b.CreatePZ(by, manager.PZCreate{IA: r.ia, Name: "zone"})
	r.must(err)
	ep, err := b.CreateEP(by, manager.EPCreate{IA: r.ia, Values: dat.Values{dat.ParamPZ: zone.ID}})
	r.must(err)
	_, err = b.ModifyEP(by, ep.ID, manager.EPModify{Values: dat.Values{dat.ParamMaxRecvDTOs: int64(5)}})
	r.must(err)
	_, err = b.SetWatermark(by, ep.ID, ptr(int64(2)), nil)
	r.must(err)
	_, err = b.ModifyEP(by, old.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone.ID}})
	r.must(err)
	r.must(b.Free(by, dat.TypePZ, old.pz))
	if _, ok := r.m.Get(dat.TypePZ, zone.ID); ok {
		t.Error("the zone is seen before the batch is recorded")
	}
	if len(r.rec.Changes()) != n || r.get(old.ep).PZ != old.pz {
		t.Error("something happened before Run")
	}
	got, err := b.Run(r.ctx())
	r.must(err)
	if len(got) != 6 || got[5] != nil || got[1].Head().Version != 1 || got[3].Head().Version != 3 {
		t.Fatalf("results %v", got)
	}
	e := r.get(ep.ID)
	if e.PZ != zone.ID || e.Attributes.MaxRecvDTOs != 5 || e.Watermarks.SoftHigh != 2 || e.Version != 3 {
		t.Errorf("the endpoint is %+v", e)
	}
	if live := r.m.Live(ep.ID); live.Attributes.MaxRecvDTOs != 5 || live.Watermarks.SoftHigh != 2 {
		t.Errorf("live %+v", live)
	}
	if _, ok := r.m.Get(dat.TypePZ, old.pz); ok {
		t.Error("the freed zone lives")
	}
	r.refusal(r.m.FreePZ(r.ctx(), by, zone.ID), dat.RetInvalidState)
}

func TestARefusalInABatchUndoesEverything(t *testing.T) {
	r := newRig(t)
	a := r.end(r.ia)
	before, usage, was := r.soft.Fabric().Census(), r.usage(), r.get(a.ep)
	b, err := r.m.BeginBatch(r.ctx(), a.ep, a.evd)
	r.must(err)
	zone, err := b.CreatePZ(by, manager.PZCreate{IA: r.ia})
	r.must(err)
	_, err = b.ModifyEP(by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: zone.ID}})
	r.must(err)
	r.refusal(b.Free(by, dat.TypeEVD, a.evd), dat.RetInvalidState)
	if _, err := b.Run(r.ctx()); err == nil {
		t.Error("a refused batch ran")
	}
	r.same(a, before, usage, was)
}

// same demands that nothing changed.
func (r *rig) same(a end, before any, usage dat.IAUsage, was *dat.Endpoint) {
	r.Helper()
	if after := r.soft.Fabric().Census(); after != before {
		r.Errorf("census %+v, was %+v", after, before)
	}
	if after := r.usage(); after != usage {
		r.Errorf("usage %+v, was %+v", after, usage)
	}
	if now := r.get(a.ep); now.Version != was.Version || now.PZ != was.PZ {
		r.Errorf("the endpoint is %+v", now)
	}
	_, err := r.m.ModifyEP(r.ctx(), by, a.ep, manager.EPModify{Name: ptr(dat.Name("free"))})
	r.must(err)
}

func TestABatchWhoseRecordFailsIsUndone(t *testing.T) {
	r := newRig(t)
	a, spare := r.end(r.ia), r.pz(r.ia)
	before, usage, was := r.soft.Fabric().Census(), r.usage(), r.get(a.ep)
	b, err := r.m.BeginBatch(r.ctx(), a.ep, spare)
	r.must(err)
	_, err = b.CreatePSP(by, manager.PSPCreate{IA: r.ia, EVD: a.evd})
	r.must(err)
	_, err = b.ModifyEP(by, a.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: spare}})
	r.must(err)
	r.failing(func() {
		_, err = b.Run(r.ctx())
		r.refusal(err, dat.RetInterruptedCall)
	})
	r.same(a, before, usage, was)
	r.must(r.m.FreePZ(r.ctx(), by, spare))
}

func TestABatchFreesOnlyUnconnectedEndpoints(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	r.reach(a.ep, dat.EPConnected)
	batch, err := r.m.BeginBatch(r.ctx(), a.ep)
	r.must(err)
	r.refusal(batch.Free(by, dat.TypeEndpoint, a.ep), dat.RetInvalidState)
	if s := r.state(a.ep); s != dat.EPConnected {
		t.Errorf("the endpoint is %s", s)
	}
}

func TestBatchesAndWritesOnTheSameObjectsNeverBlockEachOther(t *testing.T) {
	r := newRig(t)
	var ends []end
	for range 6 {
		ends = append(ends, r.end(r.ia))
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 30 {
				x, y := ends[(w+i)%6].ep, ends[(w*5+i*3)%6].ep
				if w%2 == 0 {
					_, err := r.m.SetWatermark(r.ctx(), by, x, ptr(int64(i)), nil)
					r.check(err)
					continue
				}
				b, err := r.m.BeginBatch(r.ctx(), x, y)
				if err != nil {
					r.check(err)
					continue
				}
				for _, ep := range []dat.Handle{y, x} {
					_, err := b.SetWatermark(by, ep, nil, ptr(int64(w)))
					r.check(err)
				}
				_, err = b.Run(r.ctx())
				r.check(err)
			}
		})
	}
	wg.Wait()
}

// check is must for other goroutines than the test's.
func (r *rig) check(err error) {
	if err != nil {
		r.Error(err)
	}
}

func TestANameIsRefusedByTheOperationOfABatchThatWantsIt(t *testing.T) {
	r := newRig(t)
	old, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: r.ia, Name: "old"})
	r.must(err)
	b, err := r.m.BeginBatch(r.ctx(), old.ID)
	r.must(err)
	r.must(b.Free(by, dat.TypePZ, old.ID))
	_, err = b.CreatePZ(by, manager.PZCreate{IA: r.ia, Name: "old"})
	r.must(err)
	_, err = b.CreateEVD(by, manager.EVDCreate{IA: r.ia, Name: "old", QLen: 4, Streams: []dat.Stream{dat.StreamDTO}})
	r.must(err)
	_, err = b.CreatePZ(by, manager.PZCreate{IA: r.ia, Name: "old"})
	if d := r.refusal(err, dat.RetInvalidState); d.Kind != "name-taken" || d.Field != "name" {
		t.Errorf("kind %q of field %q", d.Kind, d.Field)
	}
	_, err = r.m.CreatePZ(r.ctx(), dry, manager.PZCreate{IA: r.ia, Name: "old"})
	r.refusal(err, dat.RetInvalidState)
}
