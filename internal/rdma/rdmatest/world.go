package rdmatest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// call is the caller of every case; dry judges only.
var (
	call = manager.Call{Actor: "suite"}
	dry  = manager.Call{Actor: "suite", DryRun: true}
)

func ptr[T any](v T) *T { return &v }

func (w *World) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// made gives what a case made, or fails.
func made[T dat.Object](w *World, o T, err error) T {
	w.Helper()
	w.must(err)
	return o
}

func isReturn(err error, ret dat.Return) bool {
	var d *dat.Error
	return errors.As(err, &d) && d.Return == ret
}

// refused demands the return, and the subtype unless it is SubNone, of err, and
// that it says something for a person.
func (w *World) refused(what string, err error, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	var d *dat.Error
	switch {
	case !errors.As(err, &d):
		w.Errorf("%s: got %v, want %s", what, err, ret)
	case d.Return != ret || sub != dat.SubNone && d.Subtype != sub:
		w.Errorf("%s: got %v, want %s/%s", what, d, ret, sub)
	case d.Detail == "":
		w.Errorf("%s: %s without a detail", what, ret)
	}
}

// facts are what the adapter declares.
func (w *World) facts(ia dat.Handle) *dat.Facts {
	w.Helper()
	f, ok := w.M.Facts(ia)
	if !ok {
		w.Fatalf("no adapter %s", ia)
	}
	return f
}

// address is where ia is reached.
func (w *World) address(ia dat.Handle) string {
	w.Helper()
	a := w.facts(ia).Attributes.IAAddress
	if a == nil {
		w.Fatalf("%s has no address", ia)
	}
	return *a
}

// pz makes a protection zone.
func (w *World) pz(ia dat.Handle) dat.Handle {
	w.Helper()
	o, err := w.M.CreatePZ(w.ctx, call, manager.PZCreate{IA: ia})
	return made(w, o, err).ID
}

// evd makes an EVD of 64 events.
func (w *World) evd(ia dat.Handle, streams ...dat.Stream) dat.Handle {
	w.Helper()
	return w.evdOf(ia, 64, streams...)
}

func (w *World) evdOf(ia dat.Handle, qlen int64, streams ...dat.Stream) dat.Handle {
	w.Helper()
	o, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: ia, QLen: qlen, Streams: streams})
	return made(w, o, err).ID
}

// end is an endpoint with a zone and an EVD for each of its streams.
type end struct {
	w                           *World
	ia                          dat.Handle
	ep, pz, recv, request, conn dat.Handle
}

// end makes an endpoint of its own zone and EVDs; change may alter what is asked for.
func (w *World) end(ia dat.Handle, change ...func(*end, *manager.EPCreate)) *end {
	w.Helper()
	e := &end{
		w: w, ia: ia, pz: w.pz(ia), recv: w.evd(ia, dat.StreamDTO),
		request: w.evd(ia, dat.StreamDTO, dat.StreamRMRBind), conn: w.evd(ia, dat.StreamConnection),
	}
	in := manager.EPCreate{IA: ia, Values: dat.Values{
		dat.ParamPZ: e.pz, dat.ParamRecvEVD: e.recv,
		dat.ParamRequestEVD: e.request, dat.ParamConnectEVD: e.conn,
	}}
	for _, c := range change {
		c(e, &in)
	}
	e.ep = w.ep(in).ID
	return e
}

// with sets a value of the endpoint to be made.
func with(p dat.Param, v any) func(*end, *manager.EPCreate) {
	return func(_ *end, in *manager.EPCreate) { in.Values[p] = v }
}

// ep makes an endpoint.
func (w *World) ep(in manager.EPCreate) *dat.Endpoint {
	w.Helper()
	o, err := w.M.CreateEP(w.ctx, call, in)
	return made(w, o, err)
}

// get is the representation of an endpoint.
func (w *World) get(ep dat.Handle) *dat.Endpoint {
	w.Helper()
	o, ok := w.M.Get(dat.TypeEndpoint, ep)
	if !ok {
		w.Fatalf("no endpoint %s", ep)
	}
	return o.(*dat.Endpoint)
}

// status is dat_ep_get_status.
func (w *World) status(ep dat.Handle) dat.EPStatus {
	w.Helper()
	s, err := w.M.EPStatus(ep)
	w.must(err)
	return s
}

// reach waits until the endpoint is in the state, and its record too.
func (w *World) reach(ep dat.Handle, want dat.EPState) *dat.Endpoint {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	o, err := w.M.WaitEP(ctx, ep, func(s dat.EPState) bool { return s == want })
	if err != nil {
		w.Fatalf("waiting for %s: %v; the endpoint is %s", want, err, w.status(ep).State)
	}
	return o
}

// until polls a condition that no event announces.
func (w *World) until(what string, ok func() bool) {
	w.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			w.Fatalf("in vain: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

// next waits for the next event of an EVD.
func (w *World) next(evd dat.Handle) dat.Event {
	w.Helper()
	got, err := w.M.Dequeue(w.ctx, evd, 1, 1, patience)
	w.must(err)
	if len(got) != 1 {
		w.Fatalf("no event on %s", evd)
	}
	return got[0]
}

// expect waits for the next event of an EVD and demands its number.
func (w *World) expect(evd dat.Handle, want dat.EventNumber) dat.Event {
	w.Helper()
	got := w.next(evd)
	if got.Event != want {
		w.Fatalf("the event is %s (%v), want %s", got.Event, text(got.Reason), want)
	}
	return got
}

// none demands that the EVDs are empty.
func (w *World) none(evds ...dat.Handle) {
	w.Helper()
	for _, evd := range evds {
		got, err := w.M.Look(evd, 10)
		w.must(err)
		if len(got) > 0 {
			w.Errorf("an event too many: %s %v", got[0].Event, got[0].Data)
		}
	}
}

// done waits for the next completion of an EVD and demands its status.
func (w *World) done(evd dat.Handle, kind dat.DTOKind, want dat.DTOStatus) dat.Event {
	w.Helper()
	got := w.next(evd)
	if got.Data.Operation == nil || got.Data.Status == nil || *got.Data.Operation != kind || *got.Data.Status != want {
		w.Fatalf("the completion is %s %v %v, want %s %s", got.Event, deref(got.Data.Operation), deref(got.Data.Status), kind, want)
	}
	return got
}

// async takes the adapter's async events until one is about the object.
func (w *World) async(ia, object dat.Handle) dat.Event {
	w.Helper()
	for {
		got := w.next(w.asyncEVD(ia))
		if got.Endpoint == object || got.Object != nil && got.Object.ID == object {
			return got
		}
	}
}

func (w *World) asyncEVD(ia dat.Handle) dat.Handle {
	w.Helper()
	o, ok := w.M.IA(ia)
	if !ok {
		w.Fatalf("no adapter %s", ia)
	}
	return o.AsyncEVD
}

// quiet demands that the adapter's async EVD says nothing about the object.
func (w *World) quiet(ia, object dat.Handle) {
	w.Helper()
	got, err := w.M.Look(w.asyncEVD(ia), 1000)
	w.must(err)
	if i := slices.IndexFunc(got, func(e dat.Event) bool { return e.Endpoint == object }); i >= 0 {
		w.Errorf("an asynchronous event too many: %s %s", got[i].Event, text(got[i].Reason))
	}
}

func text(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

func deref[T fmt.Stringer](p *T) string {
	if p == nil {
		return "null"
	}
	return (*p).String()
}

// modify is dat_ep_modify with one value.
func (w *World) modify(ep dat.Handle, p dat.Param, v any) error {
	_, err := w.M.ModifyEP(w.ctx, call, ep, manager.EPModify{Values: dat.Values{p: v}})
	return err
}

// marks sets both watermarks; -1 is infinite.
func (w *World) marks(ep dat.Handle, soft, hard int64) *dat.Endpoint {
	w.Helper()
	o, err := w.M.SetWatermark(w.ctx, call, ep, mark(soft), mark(hard))
	w.must(err)
	return o
}

func mark(n int64) *int64 {
	if n == -1 {
		return nil
	}
	return &n
}
