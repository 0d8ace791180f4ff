package faults

import (
	"context"
	"testing"
)

// toxics are all that happens to connections.
var toxics = []Toxic{SlowAnswers, NarrowCalls, ResetAnswers, HalfClosed, CutInTheMiddle, AnswersLost, CallsLost}

// poisonAll lets each toxic work on a proxy for a while, in an order of the seed.
func (w *World) poisonAll(p *Proxy) {
	for range w.settings.Rounds {
		for _, n := range w.random.Perm(len(toxics)) {
			w.t.Logf("connections: %s of %s", toxics[n].Type, toxics[n].Direction)
			w.must(p.Poison(toxics[n]))
			w.pause(0.3 + 0.5*w.random.Float64())
			w.must(p.Mend(w.t.Context()))
			if w.random.IntN(2) == 0 {
				w.must(p.CutConnections())
			}
			w.pause(0.1)
		}
	}
}

// Promises 1, 3 and 9: connections to the database are slowed, cut and half closed, and nothing is lost or done twice.
func TestFaultConnectionsToTheDatabase(t *testing.T) {
	t.Parallel()
	w := behindProxy(t, Build{})
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		w.poisonAll(w.ToDatabase)
		w.must(w.Service.AwaitReady(patience))
		w.pause(0.2)
	})
	w.verify()
	w.must(w.Service.Stop())
}

// Promise 3: connections of clients are slowed, cut and half closed; what is repeated with its key is done once.
func TestFaultConnectionsOfClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{}, "")
	w.ToService = w.startProxy("service", w.Service.Address())
	w.underLoad(Load{Writers: writers, NoRepeat: true}, func(context.Context) { w.poisonAll(w.ToService) })
	w.verify()
	w.must(w.Service.Stop())
}
