package soft_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"pgregory.net/rapid"

	"github.com/datapi/datapi/internal/dat"
)

func (x *model) create(t *rapid.T) {
	if len(x.eps) >= 6 {
		return
	}
	e := &modelEP{
		ia: rapid.IntRange(0, 1).Draw(t, "ia"), hasPZ: rapid.IntRange(0, 5).Draw(t, "zone") > 0,
		state: "UNCONNECTED", most: rapid.IntRange(0, 6).Draw(t, "max"), soft: -1, hard: -1,
	}
	v := dat.Values{dat.ParamMaxRecvDTOs: int64(e.most)}
	if e.hasPZ {
		v[dat.ParamPZ] = x.pzs[e.ia]
	}
	o, err := x.m.CreateEP(t.Context(), by, manager.EPCreate{IA: x.ias[e.ia], Values: v})
	x.must(err)
	e.id = o.ID
	x.eps = append(x.eps, e)
}

func (x *model) free(t *rapid.T) {
	e := x.pick(t)
	want := ""
	if e.state == "RESERVED" || e.state == "PASSIVE_CONNECTION_PENDING" {
		want = refusedState
	}
	if x.answer("free in "+e.state, x.m.FreeEP(t.Context(), by, e.id), want) {
		x.withdraw(e)
		e.endBoth()
		x.eps = slices.DeleteFunc(x.eps, func(o *modelEP) bool { return o == e })
		delete(x.fired, e.id)
	}
}

func (x *model) connect(t *rapid.T) {
	e := x.pick(t)
	to := 1 - e.ia
	wrong := rapid.IntRange(0, 4).Draw(t, "nobody listens") == 0
	in := manager.EPConnect{RemoteIAAddress: fmt.Sprintf("10.77.0.%d", to+1), RemotePortQual: int64(x.psps[to].ConnQual)}
	if wrong {
		in.RemotePortQual = 1
	}
	want := ""
	if e.state != "UNCONNECTED" || !e.hasPZ {
		want = refusedState
	}
	_, err := x.m.ConnectEP(t.Context(), by, e.id, in)
	if !x.answer("connect in "+e.state, err, want) {
		return
	}
	if wrong {
		e.end()
		return
	}
	e.state = "ACTIVE_CONNECTION_PENDING"
	x.arrived(to, e, nil)
}

// arrived takes the request that must have arrived at an adapter.
func (x *model) arrived(ia int, active, own *modelEP) {
	got, err := x.m.Dequeue(context.Background(), x.crs[ia], 2, 1, time.Second)
	x.must(err)
	if len(got) != 1 {
		x.Fatalf("%d requests arrived", len(got))
	}
	x.requests[got[0].Data.CR] = &waitingRequest{ia: ia, active: active, own: own}
	if own != nil {
		own.cr = got[0].Data.CR
	}
}

// waiting draws a request without an answer, nil if there is none.
func (x *model) waiting(t *rapid.T) (dat.Handle, *waitingRequest) {
	ids := slices.Sorted(maps.Keys(x.requests))
	if len(ids) == 0 {
		return "", nil
	}
	// Handles differ from run to run, places do not.
	id := ids[rapid.IntRange(0, len(ids)-1).Draw(t, "request")]
	return id, x.requests[id]
}

func (x *model) accept(t *rapid.T) {
	id, r := x.waiting(t)
	if r == nil {
		return
	}
	in, e := manager.CRAccept{}, r.own
	want := ""
	if e == nil {
		e = x.pick(t)
		in.Endpoint = e.id
	}
	switch {
	case e.ia != r.ia:
		want = "DAT_INVALID_HANDLE"
	case r.own == nil && e.state != "UNCONNECTED" || !e.hasPZ:
		want = refusedState
	}
	_, err := x.m.AcceptCR(t.Context(), by, id, in)
	if !x.answer("accept with "+e.state, err, want) {
		return
	}
	delete(x.requests, id)
	e.cr = ""
	if r.withdrawn {
		e.end()
		return
	}
	e.state, e.peer = "CONNECTED", r.active
	r.active.state, r.active.peer = "CONNECTED", e
	r.active.marks()
	e.marks()
}

func (x *model) reject(t *rapid.T) {
	id, r := x.waiting(t)
	if r == nil {
		return
	}
	x.must(x.m.RejectCR(t.Context(), by, id, nil))
	delete(x.requests, id)
	if r.own != nil {
		r.own.state, r.own.cr = "UNCONNECTED", ""
	}
	if !r.withdrawn {
		r.active.end()
	}
}

func (x *model) disconnect(t *rapid.T) {
	e := x.pick(t)
	how := rapid.SampledFrom([]dat.CloseFlag{dat.CloseAbrupt, dat.CloseGraceful}).Draw(t, "how")
	want := ""
	if e.state == "UNCONNECTED" || e.state == "RESERVED" || e.state == "PASSIVE_CONNECTION_PENDING" {
		want = refusedState
	}
	_, err := x.m.DisconnectEP(t.Context(), by, e.id, how)
	if x.answer("disconnect in "+e.state, err, want) && e.state != "DISCONNECTED" {
		x.withdraw(e)
		e.endBoth()
	}
}

func (x *model) reset(t *rapid.T) {
	e := x.pick(t)
	want := refusedState
	if e.state == "DISCONNECTED" || e.state == "UNCONNECTED" {
		want = ""
	}
	_, err := x.m.ResetEP(t.Context(), by, e.id)
	if x.answer("reset in "+e.state, err, want) {
		e.state = "UNCONNECTED"
	}
}

func (x *model) postRecv(t *rapid.T) {
	e := x.pick(t)
	n := rapid.IntRange(-1, 4).Draw(t, "count")
	want := ""
	switch {
	case !e.hasPZ:
		want = refusedState
	case n < 1:
		want = refusedParam
	case e.recvs+n > e.most:
		want = refusedFull
	}
	_, err := x.m.PostRecv(t.Context(), by, e.id, manager.RecvPost{Count: n, Size: 8})
	if !x.answer(fmt.Sprintf("post %d of %d to %d in %s", n, e.most, e.recvs, e.state), err, want) {
		return
	}
	e.recvs += n
	e.marks()
	if e.state == "DISCONNECTED" { // flushed immediately, but it was posted
		e.recvs = 0
	}
}

func (x *model) send(t *rapid.T) {
	e := x.pick(t)
	want := refusedState
	if e.hasPZ && (e.state == "CONNECTED" || e.state == "DISCONNECTED") {
		want = ""
	}
	_, err := x.m.PostSend(t.Context(), by, e.id, manager.SendPost{Data: []byte("12345678"), Count: 1})
	if !x.answer("send in "+e.state, err, want) || e.state == "DISCONNECTED" {
		return
	}
	if e.peer.recvs == 0 {
		time.Sleep(time.Second) // all retries
		e.endBoth()
		return
	}
	e.peer.recvs--
}

func (x *model) setMarks(t *rapid.T) {
	e := x.pick(t)
	soft, hard := rapid.IntRange(-2, 4).Draw(t, "soft"), rapid.IntRange(-2, 4).Draw(t, "hard")
	wire := func(n int) *int64 {
		if n == -1 {
			return nil
		}
		v := int64(n)
		return &v
	}
	want := ""
	if soft < -1 || hard < -1 {
		want = refusedParam
	}
	_, err := x.m.SetWatermark(t.Context(), by, e.id, wire(soft), wire(hard))
	if x.answer("set_watermark", err, want) {
		e.soft, e.hard, e.armed = soft, hard, soft >= 0
		e.marks()
	}
}

func (x *model) modify(t *rapid.T) {
	e := x.pick(t)
	setup := e.state == "UNCONNECTED" || e.state == "RESERVED" || e.state == "PASSIVE_CONNECTION_PENDING"
	v, want := dat.Values{}, ""
	most, zone := e.most, e.hasPZ
	if rapid.Bool().Draw(t, "max_recv_dtos") {
		most = rapid.IntRange(-1, 6).Draw(t, "to")
		v[dat.ParamMaxRecvDTOs] = int64(most)
	}
	if rapid.Bool().Draw(t, "pz") {
		zone = rapid.Bool().Draw(t, "a zone")
		v[dat.ParamPZ] = dat.HandleNull
		if zone {
			v[dat.ParamPZ] = x.pzs[e.ia]
		}
	}
	_, asksMost := v[dat.ParamMaxRecvDTOs]
	_, asksZone := v[dat.ParamPZ]
	switch {
	case asksZone && e.state != "UNCONNECTED" || asksMost && !setup:
		want = refusedState
	case most < 0:
		want = refusedParam
	case asksMost && most < e.recvs:
		want = refusedState
	}
	_, err := x.m.ModifyEP(t.Context(), by, e.id, manager.EPModify{Values: v})
	if x.answer(fmt.Sprintf("modify %v in %s with %d receives", v, e.state, e.recvs), err, want) {
		e.most, e.hasPZ = most, zone
	}
}

func (x *model) createRSP(t *rapid.T) {
	e := x.pick(t)
	want := refusedState
	if e.state == "UNCONNECTED" {
		want = ""
	}
	x.rsps++
	o, err := x.m.CreateRSP(t.Context(), by, manager.RSPCreate{IA: x.ias[e.ia], ConnQual: 2000 + x.rsps, Endpoint: e.id, EVD: x.crs[e.ia]})
	if x.answer("create_rsp in "+e.state, err, want) {
		e.state, e.rsp = "RESERVED", o.ID
	}
}

func (x *model) callRSP(t *rapid.T) {
	e, active := x.pick(t), x.pick(t)
	if e.state != "RESERVED" || active.state != "UNCONNECTED" || !active.hasPZ {
		return
	}
	o, ok := x.m.Get(dat.TypeRSP, e.rsp)
	if !ok {
		x.Fatal("the RSP of a reserved endpoint is gone")
	}
	_, err := x.m.ConnectEP(t.Context(), by, active.id, manager.EPConnect{
		RemoteIAAddress: fmt.Sprintf("10.77.0.%d", e.ia+1), RemotePortQual: int64(o.(*dat.RSP).ConnQual),
	})
	x.must(err)
	active.state, e.state = "ACTIVE_CONNECTION_PENDING", "PASSIVE_CONNECTION_PENDING"
	x.arrived(e.ia, active, e)
}

func (x *model) freeRSP(t *rapid.T) {
	e := x.pick(t)
	if e.rsp == "" {
		return
	}
	x.must(x.m.FreeRSP(t.Context(), by, e.rsp))
	e.rsp = ""
	if e.state == "RESERVED" {
		e.state = "UNCONNECTED"
	}
}
