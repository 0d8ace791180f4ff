package rdmatest

import (
	"errors"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// checkOperationsAgree compares `operations` and `modifiable` of an endpoint with
// what the calls answer and with what the pages allow.
func (w *World) checkOperationsAgree(e *endpoint) {
	w.Helper()
	o := w.getEP(e.id)
	shown := dat.Operations(o)
	possible, rules := map[string]bool{}, map[string]*operationRule{}
	for name, op := range w.operations(e.id) {
		can := !w.refusedForState(op.do(dryRun))
		word, _, _ := strings.Cut(name, " ")
		possible[word] = possible[word] || can
		if rules[word] == nil || can {
			rules[word] = op.operationRule
		}
	}
	for word, can := range possible {
		if rule := rules[word]; can {
			w.provesIfClaimed(rule.allowed)
			w.check(rule.in(o.State), "in %s %s is possible, the page forbids it", o.State, word)
		} else {
			w.provesIfClaimed(rule.refused)
		}
		w.check(slices.Contains(shown, word) == can,
			"in %s (srq %q, pz %q) the operations are %v, but %s is possible: %v", o.State, o.SRQ, o.PZ, shown, word, can)
	}
	w.checkModifiableAgrees(o)
	w.check(slices.Contains(shown, "modify") == (len(w.M.Modifiable(e.id)) > 0),
		"in %s the operations are %v and modifiable %v", o.State, shown, w.M.Modifiable(e.id))
}

// checkModifiableAgrees compares `modifiable` of an endpoint with what modify answers.
func (w *World) checkModifiableAgrees(o *dat.Endpoint) {
	w.Helper()
	w.proves()
	modifiable := w.M.Modifiable(o.ID)
	for p, v := range currentValues(o) {
		if p == dat.ParamRecvCompletionFlags {
			w.provesIfClaimed("M8")
		}
		_, err := w.M.ModifyEP(w.ctx, dryRun, o.ID, manager.EPModify{Values: dat.Values{p: v}})
		w.check(slices.Contains(modifiable, p.String()) == (err == nil),
			"in %s modifiable is %v, but %s answers %v", o.State, modifiable, p, err)
		w.proves()
	}
}

// refusedForState reports whether an answer is a refusal for state or readiness.
func (w *World) refusedForState(err error) bool {
	w.Helper()
	var d *dat.Error
	if err != nil && !errors.As(err, &d) {
		w.Errorf("no error of DAT: %v", err)
	}
	return hasReturn(err, dat.RetInvalidState)
}

var operationCases = []Case{
	{"T2 T3 T4 T5 T20 T21 T29 T34 T39 T41", "operations and modifiable agree with what the calls answer in every steady state", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			w.checkOperationsAgree(e)
		}
	}},
	{"T21 M8", "they agree for endpoints without a zone, with receives posted, and with an SRQ", func(w *World) {
		w.checkOperationsAgree(&endpoint{w: w, ia: w.A, id: w.createEP(manager.EPCreate{IA: w.A}).ID})
		busy := w.endpoint(w.A)
		busy.postRecvs(1, 8)
		w.checkOperationsAgree(busy)
		if w.hasSRQ() {
			_, b, _ := w.pairOnSRQ(4)
			w.checkOperationsAgree(b)
		}
	}},
}
