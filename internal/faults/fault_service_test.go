package faults

import (
	"context"
	"syscall"
	"testing"
)

// writers is how many clients write in a scenario.
const writers = 16

// Promises 1 to 4, 7 and 11: kill -9 of the service under load loses nothing that was acknowledged.
func TestFaultServiceIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{}, "")
	w.underLoad(Load{Writers: writers, NoRepeat: true}, func(context.Context) {
		for range w.settings.Rounds * 2 {
			w.pause(0.5)
			w.must(w.Service.Process().Kill())
			w.must(w.Service.Start())
		}
		w.pause(0.5)
	})
	w.verify()
	w.freeEverything()
	w.must(w.Service.Stop())
}

// Promises 1 and 3: an orderly stop answers what runs, and the next start has it.
func TestFaultServiceIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{}, "")
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		for range w.settings.Rounds {
			w.pause(0.5)
			w.must(w.Service.Stop())
			w.must(w.Service.Start())
		}
		w.pause(0.5)
	})
	w.verify()
	w.must(w.Service.Stop())
}

// Promise 2: a second process with the same node is refused, and the first goes on.
func TestFaultSecondProcessOfANodeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.Cluster = w.startCluster("primary")
	w.startService(Build{}, w.Cluster.URL())
	first := w.Service
	w.underLoad(Load{Writers: 4}, func(context.Context) {
		w.pause(0.2)
		second, err := newService(first.program, node, "--data-dir="+w.path("second"), "--database-url="+w.Cluster.URL())
		w.must(err)
		p, err := second.begin()
		w.must(err)
		status, err := p.Wait(patience)
		w.must(err)
		if status != 1 {
			t.Errorf("a second process with the same --node ended with %d, want 1:\n%s", status, p.Output())
		}
		w.pause(0.2)
	})
	w.verify()
	// One that was stopped for longer than anybody waits is not robbed of its node either.
	w.must(first.Process().Signal(syscall.SIGSTOP))
	w.pause(0.5)
	w.must(first.Process().Signal(syscall.SIGCONT))
	w.verify()
}
