package manager_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// patience is how long a condition may take to come true.
const patience = 10 * time.Second

var by = manager.Call{Actor: "test"}

// rig is a Manager on a soft provider of its own with a recorder in memory.
type rig struct {
	*testing.T
	m    *manager.Manager
	rec  *rdmatest.Recorder
	soft *soft.Provider
	hook *hooks
	ia   dat.Handle
	peer dat.Handle
}

// newRig starts a node of two adapters; living is what it had before.
func newRig(t *testing.T, opts ...soft.Option) *rig {
	t.Helper()
	return startRig(t, rdmatest.NewRecorder(), nil, opts...)
}

func startRig(t *testing.T, rec *rdmatest.Recorder, living []dat.Object, opts ...soft.Option) *rig {
	t.Helper()
	return startRigOn(t, rec, rec, living, opts...)
}

// startRigOn is startRig with a recorder around the one in memory.
func startRigOn(t *testing.T, rec *rdmatest.Recorder, around manager.Recorder, living []dat.Object, opts ...soft.Option) *rig {
	t.Helper()
	r := &rig{T: t, rec: rec, soft: soft.New(2, opts...), hook: &hooks{}, ia: "soft0@test", peer: "soft1@test"}
	r.m = manager.NewManager("test", around)
	ctx := context.Background()
	if err := r.m.AddProvider(ctx, hooked{r.soft, r.hook}); err != nil {
		t.Fatal(err)
	}
	if err := r.m.Restore(ctx, living); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	r.rec.Return()
	if _, err := r.m.Close(context.Background()); err != nil {
		r.Error(err)
	}
}

func (r *rig) ctx() context.Context { return r.Context() }

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) pz(ia dat.Handle) dat.Handle {
	r.Helper()
	o, err := r.m.CreatePZ(r.ctx(), by, manager.PZCreate{IA: ia})
	r.must(err)
	return o.ID
}

func (r *rig) evd(ia dat.Handle, qlen int64, streams ...dat.Stream) dat.Handle {
	r.Helper()
	o, err := r.m.CreateEVD(r.ctx(), by, manager.EVDCreate{IA: ia, QLen: qlen, Streams: streams})
	r.must(err)
	return o.ID
}

// end is an endpoint with a zone and one EVD for everything.
type end struct{ ep, pz, evd dat.Handle }

func (r *rig) end(ia dat.Handle) end {
	r.Helper()
	e := end{pz: r.pz(ia), evd: r.evd(ia, 256, dat.StreamDTO, dat.StreamRMRBind, dat.StreamConnection, dat.StreamCR)}
	o, err := r.m.CreateEP(r.ctx(), by, manager.EPCreate{IA: ia, Values: dat.Values{
		dat.ParamPZ: e.pz, dat.ParamRecvEVD: e.evd, dat.ParamRequestEVD: e.evd, dat.ParamConnectEVD: e.evd,
	}})
	r.must(err)
	e.ep = o.ID
	return e
}

// next is the next event of an EVD.
func (r *rig) next(evd dat.Handle) dat.Event {
	r.Helper()
	got, err := r.m.Dequeue(r.ctx(), evd, 1, 1, patience)
	r.must(err)
	if len(got) != 1 {
		r.Fatalf("no event on %s", evd)
	}
	return got[0]
}

func (r *rig) expect(evd dat.Handle, want dat.EventNumber) dat.Event {
	r.Helper()
	got := r.next(evd)
	if got.Event != want {
		r.Fatalf("event %s %v, want %s", got.Event, got.Data, want)
	}
	return got
}

// reach waits until an endpoint and its record are in a state.
func (r *rig) reach(ep dat.Handle, want dat.EPState) *dat.Endpoint {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.ctx(), patience)
	defer cancel()
	e, err := r.m.WaitEP(ctx, ep, func(s dat.EPState) bool { return s == want })
	if err != nil {
		r.Fatalf("waiting for %s: %v, it is %s", want, err, r.state(ep))
	}
	return e
}

func (r *rig) state(ep dat.Handle) dat.EPState {
	r.Helper()
	s, err := r.m.EPStatus(ep)
	r.must(err)
	return s.State
}

func (r *rig) get(ep dat.Handle) *dat.Endpoint {
	r.Helper()
	o, ok := r.m.Get(dat.TypeEndpoint, ep)
	if !ok {
		r.Fatalf("no endpoint %s", ep)
	}
	return o.(*dat.Endpoint)
}

// until polls a condition that no event announces.
func (r *rig) until(what string, ok func() bool) {
	r.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			r.Fatalf("in vain: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

// connect brings two ends together through a PSP and gives their qualifier.
func (r *rig) connect(active, passive end) {
	r.Helper()
	sp, err := r.m.CreatePSP(r.ctx(), by, manager.PSPCreate{IA: r.peer, EVD: passive.evd})
	r.must(err)
	_, err = r.m.ConnectEP(r.ctx(), by, active.ep, manager.EPConnect{RemoteIAAddress: "10.77.0.2", RemotePortQual: int64(sp.ConnQual)})
	r.must(err)
	cr := r.expect(passive.evd, dat.EventConnectionRequest).Data.CR
	_, err = r.m.AcceptCR(r.ctx(), by, cr, manager.CRAccept{Endpoint: passive.ep})
	r.must(err)
	r.expect(active.evd, dat.EventEstablished)
	r.expect(passive.evd, dat.EventEstablished)
	r.must(r.m.FreePSP(r.ctx(), by, sp.ID))
}

// refusal demands that err is a refusal with this return.
func (r *rig) refusal(err error, want dat.Return) *dat.Error {
	r.Helper()
	var d *dat.Error
	if !errors.As(err, &d) || d.Return != want {
		r.Fatalf("got %v, want %s", err, want)
	}
	if d.Detail == "" {
		r.Errorf("%s says nothing for a person", d.Return)
	}
	return d
}

// number is the id of the work request behind a cookie that the Manager gave.
func number(t *testing.T, cookie string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cookie, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// causes are the causes of an object's changes, the oldest first.
func (r *rig) causes(id dat.Handle) []string {
	var out []string
	for _, c := range r.rec.Of(id) {
		out = append(out, c.Cause)
	}
	return out
}
