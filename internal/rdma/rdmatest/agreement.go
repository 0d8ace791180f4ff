package rdmatest

import (
	"errors"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// agree compares `operations` and `modifiable` with what the calls answer.
func (w *World) agree(e *end) {
	w.Helper()
	o := w.get(e.ep)
	shown := dat.Operations(o)
	possible := map[string]bool{}
	for name, c := range w.operations(e.ep) {
		err := c.do(dry)
		word, _, _ := strings.Cut(name, " ")
		possible[word] = possible[word] || !w.forbidden(err)
	}
	for word, can := range possible {
		if slices.Contains(shown, word) != can {
			w.Errorf("in %s (srq %q, pz %q) the operations are %v, but %s is possible: %v", o.State, o.SRQ, o.PZ, shown, word, can)
		}
	}
	modifiable := w.M.Modifiable(e.ep)
	for p, v := range present(o) {
		_, err := w.M.ModifyEP(w.ctx, dry, e.ep, manager.EPModify{Values: dat.Values{p: v}})
		if slices.Contains(modifiable, p.String()) != (err == nil) {
			w.Errorf("in %s modifiable is %v, but %s answers %v", o.State, modifiable, p, err)
		}
	}
	if slices.Contains(shown, "modify") != (len(modifiable) > 0) {
		w.Errorf("in %s the operations are %v and modifiable %v", o.State, shown, modifiable)
	}
}

// forbidden tells whether an answer is a refusal for state or readiness.
func (w *World) forbidden(err error) bool {
	w.Helper()
	var d *dat.Error
	if err != nil && !errors.As(err, &d) {
		w.Errorf("no error of DAT: %v", err)
	}
	return isReturn(err, dat.RetInvalidState)
}

var agreementCases = []Case{
	{"T2 T3 T4 T5 T20 T21 T29 T34 T39 T41", "operations and modifiable agree with what the calls answer in every steady state", func(w *World) {
		for _, s := range steady {
			e, _ := w.into(s)
			w.agree(e)
		}
	}},
	{"T21 M8", "they agree for endpoints without a zone, with receives posted, and with an SRQ", func(w *World) {
		w.agree(&end{w: w, ia: w.A, ep: w.ep(manager.EPCreate{IA: w.A}).ID})
		busy := w.end(w.A)
		busy.recvs(1, 8)
		w.agree(busy)
		if w.needSRQ() {
			_, b, _ := w.shared(4)
			w.agree(b)
		}
	}},
}
