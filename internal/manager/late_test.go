package manager_test

import (
	"context"
	"testing"

	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
)

// afterwards is a recorder that lets something happen between a record and its
// answer.
type afterwards struct {
	*rdmatest.Recorder
	happens func([]dat.Entry)
}

// Record implements rdma.Recorder.
func (a *afterwards) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	recs, err := a.Recorder.Record(ctx, entries...)
	if err == nil && a.happens != nil {
		a.happens(entries)
	}
	return recs, err
}

func TestEventsBetweenTheRecordOfAnOperationAndItsAnswerAreRecorded(t *testing.T) {
	rec := rdmatest.NewRecorder()
	late := &afterwards{Recorder: rec}
	r := startRigOn(t, rec, late, nil)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	r.reach(a.ep, dat.EPConnected)
	late.happens = func(entries []dat.Entry) {
		late.happens = nil
		r.soft.Fabric().Inject("soft0", rdma.Report{Kind: rdma.ReportBroken, EP: a.ep})
		r.until("the event is live", func() bool { return r.state(a.ep) == dat.EPDisconnected })
	}
	_, err := r.m.DisconnectEP(r.ctx(), by, a.ep, dat.CloseGraceful)
	r.must(err)
	if e := r.reach(a.ep, dat.EPDisconnected); e.State != dat.EPDisconnected || e.LastEvent == nil || e.LastEvent.Event != dat.EventBroken {
		t.Errorf("recorded %s after %+v", e.State, e.LastEvent)
	}
}
