package soft_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/datapi/datapi/internal/manager"

	"pgregory.net/rapid"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/rdmatest"
	"github.com/datapi/datapi/internal/rdma/soft"
)

// modelEP is an endpoint as the pages describe it.
type modelEP struct {
	id         dat.Handle
	ia         int
	state      string
	hasPZ      bool
	recvs      int
	most       int // max_recv_dtos
	soft, hard int // -1 is infinite
	armed      bool
	fired      int // soft events so far
	peer       *modelEP
	rsp, cr    dat.Handle
}

// model runs operations on a Manager over two soft adapters and on itself.
type model struct {
	*rapid.T
	m    *manager.Manager
	ias  [2]dat.Handle
	pzs  [2]dat.Handle
	crs  [2]dat.Handle // EVDs for requests
	psps [2]*dat.PSP
	eps  []*modelEP
	// requests are the connection requests without an answer, by their CR.
	requests map[dat.Handle]*waitingRequest
	fired    map[dat.Handle]int
	rsps     int64
}

// waitingRequest is a connection request without an answer at adapter ia; own is the
// endpoint of its RSP, nil where it came to a PSP.
type waitingRequest struct {
	ia        int
	active    *modelEP
	own       *modelEP
	withdrawn bool
}

var by = manager.Call{Actor: "model"}

func newModel(t *rapid.T) *model {
	x := &model{T: t, requests: map[dat.Handle]*waitingRequest{}, fired: map[dat.Handle]int{}}
	x.m = manager.NewManager("alpha", rdmatest.NewRecorder())
	ctx := context.Background()
	x.must(x.m.AddProvider(ctx, soft.New(2)))
	x.must(x.m.Restore(ctx, nil))
	for i := range x.ias {
		x.ias[i] = dat.Handle(fmt.Sprintf("soft%d@alpha", i))
		z, err := x.m.CreatePZ(ctx, by, manager.PZCreate{IA: x.ias[i]})
		x.must(err)
		e, err := x.m.CreateEVD(ctx, by, manager.EVDCreate{IA: x.ias[i], QLen: 1024, Streams: []dat.Stream{dat.StreamCR}})
		x.must(err)
		x.pzs[i], x.crs[i] = z.ID, e.ID
		x.psps[i], err = x.m.CreatePSP(ctx, by, manager.PSPCreate{IA: x.ias[i], EVD: e.ID})
		x.must(err)
	}
	return x
}

func (x *model) must(err error) {
	if err != nil {
		x.Fatal(err)
	}
}

// answer compares a call's answer with what the model expects: "" is success,
// else the return.
func (x *model) answer(what string, err error, want string) bool {
	got := ""
	var d *dat.Error
	if errors.As(err, &d) {
		got = d.Return.String()
	} else if err != nil {
		got = err.Error()
	}
	if got != want {
		x.Fatalf("%s: answered %q (%v), the model says %q", what, got, err, want)
	}
	return want == ""
}

const (
	refusedState = "DAT_INVALID_STATE"
	refusedParam = "DAT_INVALID_PARAMETER"
	refusedFull  = "DAT_INSUFFICIENT_RESOURCES"
)

// pick draws an endpoint; it creates one if there is none.
func (x *model) pick(t *rapid.T) *modelEP {
	for len(x.eps) == 0 {
		x.create(t)
	}
	return rapid.SampledFrom(x.eps).Draw(t, "endpoint")
}

// end ends e's connection or its setup: what is posted is flushed.
func (e *modelEP) end() { e.state, e.recvs, e.peer = "DISCONNECTED", 0, nil }

// endBoth ends both ends of e's connection.
func (e *modelEP) endBoth() {
	peer := e.peer
	e.end()
	if peer != nil {
		peer.end()
	}
}

// marks fires the marks of e that are exceeded (W5–W10).
func (e *modelEP) marks() {
	if e.armed && e.soft >= 0 && e.recvs > e.soft {
		e.armed = false
		e.fired++
	}
	if e.state == "CONNECTED" && e.hard >= 0 && e.recvs > e.hard {
		e.endBoth()
	}
}

// withdraw marks the request that e made as withdrawn.
func (x *model) withdraw(e *modelEP) {
	for _, r := range x.requests {
		if r.active == e {
			r.withdrawn = true
		}
	}
}

// check compares every endpoint with the model once no goroutine runs any more.
func (x *model) check(t *rapid.T) {
	synctest.Wait()
	for i := range x.ias {
		ia, _ := x.m.IA(x.ias[i])
		got, err := x.m.Dequeue(context.Background(), ia.AsyncEVD, 1000, 1, 0)
		x.must(err)
		for _, ev := range got {
			x.fired[ev.Endpoint]++
		}
	}
	for n, e := range x.eps {
		s, err := x.m.EPStatus(e.id)
		x.must(err)
		o, _ := x.m.Get(dat.TypeEndpoint, e.id)
		rec := o.(*dat.Endpoint)
		w := dat.Watermarks{SoftHigh: dat.Watermark(e.soft), HardHigh: dat.Watermark(e.hard), SoftArmed: e.armed, HardArmed: e.hard >= 0}
		if s.State.String() != e.state || rec.State != s.State || int(s.Recvs) != e.recvs || s.RecvIdle != (e.recvs == 0) ||
			!s.RequestIdle || rec.Watermarks != w || x.fired[e.id] != e.fired || int(rec.Attributes.MaxRecvDTOs) != e.most {
			t.Fatalf("endpoint %d is %+v, marks %+v, %d soft events; the model says %+v", n, s, rec.Watermarks, x.fired[e.id], *e)
		}
	}
	if n := len(x.m.List(dat.TypeCR)); n != len(x.requests) {
		t.Fatalf("%d requests wait, the model says %d", n, len(x.requests))
	}
}

// noDeadline is a test that has no deadline, as in a bubble.
type noDeadline struct{ rapid.TB }

func TestRandomOperationsAgreeWithANaiveModel(t *testing.T) {
	for range 8 { // rounds of as many sequences as rapid makes in one
		synctest.Test(t, func(t *testing.T) { rapid.Check(noDeadline{t}, agrees) })
	}
}

// agrees runs one random sequence.
func agrees(t *rapid.T) {
	x := newModel(t)
	defer func() {
		_, err := x.m.Close(context.Background())
		x.must(err)
	}()
	t.Repeat(map[string]func(*rapid.T){
		"": x.check, "create": x.create, "create again": x.create, "free": x.free, "connect": x.connect,
		"connect again": x.connect, "accept": x.accept, "accept again": x.accept, "reject": x.reject,
		"disconnect": x.disconnect, "reset": x.reset, "post_recv": x.postRecv, "send": x.send,
		"set_watermark": x.setMarks, "modify": x.modify, "create_rsp": x.createRSP, "call_rsp": x.callRSP, "free_rsp": x.freeRSP,
	})
}
