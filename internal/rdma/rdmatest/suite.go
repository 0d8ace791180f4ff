// Package rdmatest is the conformance suite that every provider passes: cases
// that drive a Manager over the provider and name the rules of DAT that they
// hold, and the in-memory Recorder that they record with.
//
// The cases assume nothing of a provider but what its attributes say: nothing is
// delivered at once, and what it declares not to have must be answered with
// DAT_MODEL_NOT_SUPPORTED.
package rdmatest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/manager"
	"github.com/datapi/datapi/internal/rdma"

	"github.com/datapi/datapi/internal/dat"
)

// Setup is what a provider's tests hand to one case.
type Setup struct {
	// Providers are not opened yet; the case's Manager opens and closes them.
	Providers []rdma.Provider
	// Active and Passive name the adapters, without node: cases connect from the
	// first to the second. They may be the same.
	Active, Passive string
	// Faults controls the wires; RunFaults needs it, Run does not.
	Faults Faults
	// Empty, where set, tells what is left behind in the provider when every
	// object was freed; "" is nothing.
	Empty func() string
}

// Faults is what can be done to the wires of a provider that lets it.
type Faults interface {
	// Hold keeps everything on its way until Release.
	Hold()
	Release()
	// Cut stops packets between two adapters until Mend.
	Cut(a, b string)
	Mend(a, b string)
	// Kill makes an endpoint dumb and deaf.
	Kill(endpoint dat.Handle) bool
	// Remove takes a device away, Return brings it back.
	Remove(ia string) bool
	Return(ia string) bool
	// Inject reports something on an adapter as if it had happened.
	Inject(ia string, r rdma.Report) bool
}

// Case is one sub-test.
type Case struct {
	// Rules are the rules that it holds, divided by spaces (`T20 D44`).
	Rules string
	// Name says as a sentence what must be.
	Name string
	Do   func(w *World)
}

// Option changes how the cases are run.
type Option func(*runner)

type runner struct {
	inside func(*testing.T, func(*testing.T))
}

// Inside wraps each case, for a bubble of its own time (synctest.Test).
func Inside(wrap func(*testing.T, func(*testing.T))) Option {
	return func(r *runner) { r.inside = wrap }
}

// Cases are those that every provider passes.
func Cases() []Case {
	return slices.Concat(attributeCases, creationCases, modifyCases, statusCases, watermarkCases,
		connectionCases, endingCases, servicePointCases, transferCases, memoryCases, sharedQueueCases, dispatcherCases,
		agreementCases, freeingCases)
}

// FaultCases are those for providers whose wires can be held and cut.
func FaultCases() []Case { return slices.Concat(faultCases, lateCases, stormCases) }

// Run runs the cases that every provider passes; open is called for each.
func Run(t *testing.T, open func(t *testing.T) Setup, opts ...Option) {
	runAll(t, Cases(), open, opts)
}

// RunFaults runs the cases that need Setup.Faults.
func RunFaults(t *testing.T, open func(t *testing.T) Setup, opts ...Option) {
	runAll(t, FaultCases(), open, opts)
}

func runAll(t *testing.T, cases []Case, open func(t *testing.T) Setup, opts []Option) {
	r := runner{inside: func(t *testing.T, do func(*testing.T)) { do(t) }}
	for _, o := range opts {
		o(&r)
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.Rules, " ", "+")+": "+c.Name, func(t *testing.T) {
			r.inside(t, func(t *testing.T) {
				w := newWorld(t, open(t))
				defer w.close()
				c.Do(w)
			})
		})
	}
}

// patience bounds every wait of a case.
const patience = 10 * time.Second

// World is one case's Manager with what the case made in it.
type World struct {
	*testing.T
	M      *manager.Manager
	Rec    *Recorder
	Faults Faults
	A, B   dat.Handle
	setup  Setup
	ctx    context.Context
	cancel context.CancelFunc
	// held: the case holds the wires.
	held bool
	// closed: the case closed the Manager itself.
	closed bool
}

// node is the host that the cases play.
const node = "alpha"

func newWorld(t *testing.T, s Setup) *World {
	t.Helper()
	w := &World{
		T: t, Rec: NewRecorder(), setup: s, Faults: s.Faults,
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

// close frees everything, looks whether anything is left, and closes the Manager.
func (w *World) close() {
	w.Helper()
	if !w.Failed() && !w.closed {
		w.clear()
		for _, ia := range w.M.IAs() {
			u := ia.Usage
			u.EVDs-- // its async EVD stays
			if u != (dat.IAUsage{}) {
				w.Errorf("%s still counts %+v", ia.ID, u)
			}
		}
	}
	ctx, cancel := context.WithTimeout(w.ctx, patience)
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

// clear frees every object, users before what they use.
func (w *World) clear() {
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
			if err := o.free(object.Head().ID); err != nil && !isReturn(err, dat.RetInvalidHandle) {
				w.Errorf("freeing at the end: %v", err)
			}
		}
	}
}
