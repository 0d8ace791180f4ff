package rdmatest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// waitLimit bounds every wait of a case for something that must happen. It ends a case that
// hangs, and is longer than any machine is slow.
const waitLimit = 2 * time.Minute

// node is the host that the cases play.
const node = "alpha"

// The callers of the cases: call makes changes, dryRun only has them judged.
var (
	call   = manager.Call{Actor: "suite"}
	dryRun = manager.Call{Actor: "suite", DryRun: true}
)

// World is one case's Manager with what the case made in it.
type World struct {
	testing.TB
	// M runs the provider under test, Rec holds what it recorded.
	M   *manager.Manager
	Rec *Recorder
	// Faults controls the wires, nil where Setup has none.
	Faults Faults
	// A is the adapter that cases connect from, B the one that they connect to.
	A, B   dat.Handle
	setup  Setup
	claims *claims
	ctx    context.Context
	cancel context.CancelFunc
	// wiresHeld: the case holds the wires.
	wiresHeld bool
	// closed: the case closed the Manager itself.
	closed bool
}

func newWorld(t testing.TB, s Setup, c *claims) *World {
	t.Helper()
	w := &World{
		TB: t, Rec: NewRecorder(), setup: s, Faults: s.Faults, claims: c,
		A: dat.Handle(s.Active + "@" + node), B: dat.Handle(s.Passive + "@" + node),
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.M = manager.NewManager(node, w.Rec)
	for _, p := range s.Providers {
		w.must(w.M.AddProvider(w.ctx, p))
	}
	w.must(w.M.Restore(w.ctx, nil))
	for _, ia := range []dat.Handle{w.A, w.B} {
		if got, ok := w.M.IA(ia); !ok || got.State != dat.IAUp {
			t.Fatalf("the adapter %s of the set-up is not there and up", ia)
		}
	}
	return w
}

// close frees everything, demands that nothing is left, and closes the Manager.
func (w *World) close() {
	w.Helper()
	if !w.Failed() && !w.closed {
		w.freeAll()
		for _, ia := range w.M.IAs() {
			u := ia.Usage
			u.EVDs-- // its asynchronous EVD stays
			if u != (dat.IAUsage{}) {
				w.Errorf("%s still counts %+v", ia.ID, u)
			}
		}
	}
	ctx, cancel := context.WithTimeout(w.ctx, waitLimit)
	defer cancel()
	defer w.cancel()
	if _, err := w.M.Close(ctx); err != nil {
		w.Errorf("closing the manager: %v", err)
	}
	if w.setup.Empty != nil {
		if left := w.setup.Empty(); left != "" {
			w.Errorf("the provider still holds %s", left)
		}
	}
}

// freeAll frees every object, users before what they use.
func (w *World) freeAll() {
	w.Helper()
	order := []struct {
		t    dat.ObjectType
		free func(dat.Handle) error
	}{
		{dat.TypeCR, func(h dat.Handle) error { return w.M.RejectCR(w.ctx, call, h, nil) }},
		{dat.TypeRSP, func(h dat.Handle) error { return w.M.FreeRSP(w.ctx, call, h) }},
		{dat.TypePSP, func(h dat.Handle) error { return w.M.FreePSP(w.ctx, call, h) }},
		{dat.TypeEndpoint, func(h dat.Handle) error { return w.M.FreeEP(w.ctx, call, h) }},
		{dat.TypeRMR, func(h dat.Handle) error { return w.M.FreeRMR(w.ctx, call, h) }},
		{dat.TypeLMR, func(h dat.Handle) error { return w.M.FreeLMR(w.ctx, call, h) }},
		{dat.TypeSRQ, func(h dat.Handle) error { return w.M.FreeSRQ(w.ctx, call, h) }},
		{dat.TypeEVD, func(h dat.Handle) error { return w.M.FreeEVD(w.ctx, call, h) }},
		{dat.TypePZ, func(h dat.Handle) error { return w.M.FreePZ(w.ctx, call, h) }},
	}
	for _, o := range order {
		for _, object := range slices.Backward(w.M.List(o.t)) {
			if evd, ok := object.(*dat.EVD); ok && slices.Contains(evd.Streams, dat.StreamAsync) {
				continue
			}
			if err := o.free(object.Head().ID); err != nil && !hasReturn(err, dat.RetInvalidHandle) {
				w.Errorf("freeing at the end: %v", err)
			}
		}
	}
}

// must ends the case as failed where a step of the set-up was refused. It is no
// assertion: succeeds is.
func (w *World) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// created returns the object that a step of the set-up created, or ends the case.
func created[T dat.Object](w *World, o T, err error) T {
	w.Helper()
	w.must(err)
	return o
}

// object returns the present image of an object, or ends the case.
func object[T dat.Object](w *World, t dat.ObjectType, id dat.Handle) T {
	w.Helper()
	o, ok := w.M.Get(t, id)
	if !ok {
		w.Fatalf("there is no %s %s", t, id)
	}
	return o.(T)
}

func hasReturn(err error, ret dat.Return) bool {
	var d *dat.Error
	return errors.As(err, &d) && d.Return == ret
}

func ptr[T any](v T) *T { return &v }

// facts returns what the adapter declares.
func (w *World) facts(ia dat.Handle) *dat.Facts {
	w.Helper()
	f, ok := w.M.Facts(ia)
	if !ok {
		w.Fatalf("no adapter %s", ia)
	}
	return f
}

// address returns where ia is reached.
func (w *World) address(ia dat.Handle) string {
	w.Helper()
	a := w.facts(ia).Attributes.IAAddress
	if a == nil {
		w.Fatalf("%s has no address", ia)
	}
	return *a
}

// pz creates a protection zone.
func (w *World) pz(ia dat.Handle) dat.Handle {
	w.Helper()
	o, err := w.M.CreatePZ(w.ctx, call, manager.PZCreate{IA: ia})
	return created(w, o, err).ID
}

// evd creates an EVD of 64 events.
func (w *World) evd(ia dat.Handle, streams ...dat.Stream) dat.Handle {
	w.Helper()
	return w.evdOfLength(ia, 64, streams...)
}

func (w *World) evdOfLength(ia dat.Handle, qlen int64, streams ...dat.Stream) dat.Handle {
	w.Helper()
	o, err := w.M.CreateEVD(w.ctx, call, manager.EVDCreate{IA: ia, QLen: qlen, Streams: streams})
	return created(w, o, err).ID
}

// asyncEVD returns the EVD of an adapter's asynchronous events.
func (w *World) asyncEVD(ia dat.Handle) dat.Handle {
	w.Helper()
	o, ok := w.M.IA(ia)
	if !ok {
		w.Fatalf("no adapter %s", ia)
	}
	return o.AsyncEVD
}

// lmr registers memory in a zone with all privileges, or those given.
func (w *World) lmr(ia, pz dat.Handle, length int64, privileges ...dat.Privilege) *dat.LMR {
	w.Helper()
	if privileges == nil {
		privileges = []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead, dat.PrivRemoteWrite}
	}
	o, err := w.M.CreateLMR(w.ctx, call, manager.LMRCreate{IA: ia, PZ: pz, Length: length, Privileges: privileges})
	return created(w, o, err)
}

// rmr creates an RMR. It returns nil where the provider has none and refuses it
// as it must.
func (w *World) rmr(ia, pz dat.Handle) *dat.RMR {
	w.Helper()
	o, err := w.M.CreateRMR(w.ctx, call, manager.RMRCreate{IA: ia, PZ: pz})
	if w.facts(ia).Attributes.MaxRMRs > 0 {
		return created(w, o, err)
	}
	if !hasReturn(err, dat.RetModelNotSupported) {
		w.Errorf("an RMR without support: got %v, want %s", err, dat.RetModelNotSupported)
	}
	return nil
}

// freedHandle returns a handle that was an EVD's, or a zone's where no stream is named.
func (w *World) freedHandle(ia dat.Handle, streams ...dat.Stream) dat.Handle {
	w.Helper()
	if len(streams) == 0 {
		h := w.pz(ia)
		w.must(w.M.FreePZ(w.ctx, call, h))
		return h
	}
	h := w.evd(ia, streams...)
	w.must(w.M.FreeEVD(w.ctx, call, h))
	return h
}

// await polls a condition that no event announces. It is no assertion: eventually is.
func (w *World) await(what string, ok func() bool) {
	w.Helper()
	deadline := time.Now().Add(waitLimit)
	for !ok() {
		if time.Now().After(deadline) {
			w.Fatalf("in vain: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

// nextEvent takes the next event of an EVD.
func (w *World) nextEvent(evd dat.Handle) dat.Event {
	w.Helper()
	got, err := w.M.Dequeue(w.ctx, evd, 1, 1, waitLimit)
	w.must(err)
	if len(got) != 1 {
		w.Fatalf("no event on %s; the endpoints are %s", evd, w.endpointsNow())
	}
	return got[0]
}

// endpointsNow says of all endpoints what state they are in and what came last, for a case
// that waited in vain.
func (w *World) endpointsNow() string {
	w.Helper()
	var all []string
	for _, o := range w.M.List(dat.TypeEndpoint) {
		e := o.(*dat.Endpoint)
		now := fmt.Sprintf("%s %s", e.ID, e.State)
		if l := e.LastEvent; l != nil {
			now += fmt.Sprintf(" after %s (%v, %v)", l.Event, textOf(l.Reason), textOf(l.Detail))
		}
		all = append(all, now)
	}
	return strings.Join(all, "; ")
}

// wokenWith waits on an EVD until something wakes the waiter, and returns how many events it
// took. It fails where nothing does: at its end a wait takes what there is.
func (w *World) wokenWith(evd dat.Handle) int {
	w.Helper()
	begin := time.Now()
	got, err := w.M.Dequeue(w.ctx, evd, 4, 1, waitLimit)
	if err != nil || time.Since(begin) >= waitLimit {
		w.Errorf("nothing woke the waiter of %s (%v)", evd, err)
	}
	return len(got)
}

// takeEvent takes the next event of an EVD, which must have the number. It is no
// assertion: expectEvent is.
func (w *World) takeEvent(evd dat.Handle, want dat.EventNumber) dat.Event {
	w.Helper()
	got := w.nextEvent(evd)
	if got.Event != want {
		w.Fatalf("the event is %s (%v), want %s", got.Event, textOf(got.Reason), want)
	}
	return got
}

// takeCompletion takes the next completion of an EVD, which must be of the
// operation and have the status. It is no assertion: expectCompletion is.
func (w *World) takeCompletion(evd dat.Handle, kind dat.DTOKind, want dat.DTOStatus) dat.Event {
	w.Helper()
	got := w.nextEvent(evd)
	if got.Data.Operation == nil || got.Data.Status == nil || *got.Data.Operation != kind || *got.Data.Status != want {
		w.Fatalf("the completion is %s %v %v, want %s %s", got.Event, wordOf(got.Data.Operation), wordOf(got.Data.Status), kind, want)
	}
	return got
}
