// Package rdmatest is the conformance suite that every provider passes: cases
// that drive a Manager over the provider and name the rules of DAT that they
// prove.
//
// suite.go runs the cases, claims.go demands that a case proves with an
// assertion each rule that it names, assert.go holds the assertions. The cases
// lie by topic in cases_*.go. What they set up is made by world.go (one case's
// Manager and the objects without a connection), endpoint.go (endpoints and
// connections), servicepoint.go, state.go (an endpoint in each state),
// operation.go (each call on an endpoint) and transport.go (what the kind of
// wire changes). recorder.go is the in-memory Recorder that the cases and the
// tests of other packages record with.
//
// The cases assume nothing of a provider but what its attributes say: nothing is
// delivered immediately, and what it declares not to have must be refused with
// DAT_MODEL_NOT_SUPPORTED.
package rdmatest

import (
	"slices"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
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
	// Empty, where set, says what is left in the provider when every object was
	// freed; "" is nothing.
	Empty func() string
}

// Faults is what can be done to the wires of a provider that supports it.
type Faults interface {
	// Hold keeps everything on its way until Release.
	Hold()
	// Release lets what was held go on, in order.
	Release()
	// Cut stops packets between two adapters until Mend.
	Cut(a, b string)
	// Mend lets packets pass again.
	Mend(a, b string)
	// Kill makes an endpoint silent, as if its host had stopped. It reports
	// whether there is such an endpoint.
	Kill(endpoint dat.Handle) bool
	// Remove takes the device of an adapter away. It reports whether it was there.
	Remove(ia string) bool
	// Return brings a removed device back. It reports whether it was removed.
	Return(ia string) bool
	// Inject makes an adapter report r. It reports whether there is such an adapter.
	Inject(ia string, r rdma.Report) bool
}

// Case is one sub-test.
type Case struct {
	// Rules are the rules that it claims to prove, separated by spaces (`T20 D44`).
	Rules string
	// Name says as a sentence what must be.
	Name string
	// Do runs the case. It fails when it does not prove what it claims.
	Do func(w *World)
}

// Option changes how the cases are run.
type Option func(*runner)

// runner is how the cases are run.
type runner struct {
	inside      func(*testing.T, func(*testing.T))
	allFeatures bool
}

// Inside wraps each case, for a bubble of its own time (synctest.Test).
func Inside(wrap func(*testing.T, func(*testing.T))) Option {
	return func(r *runner) { r.inside = wrap }
}

// AllFeatures says that the provider has every feature: a case that cannot prove
// a rule because the provider lacks something then fails.
func AllFeatures() Option {
	return func(r *runner) { r.allFeatures = true }
}

// Cases returns the cases that every provider passes.
func Cases() []Case {
	return slices.Concat(attributeCases, createCases, modifyCases, statusCases, watermarkCases,
		connectCases, disconnectCases, servicePointCases, transferCases, memoryCases, srqCases, evdCases,
		operationCases, freeCases)
}

// FaultCases returns the cases for providers whose wires can be held and cut.
func FaultCases() []Case { return slices.Concat(faultCases, reportCases, stormCases) }

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
			r.inside(t, func(t *testing.T) { r.run(t, c, open(t)) })
		})
	}
}

// run runs one case and fails it where a claim is not proved.
func (r *runner) run(t testing.TB, c Case, s Setup) {
	w := newWorld(t, s, newClaims(c.Rules))
	defer w.close()
	c.Do(w)
	for _, missing := range w.claims.missing(r.allFeatures) {
		w.Error(missing)
	}
}
