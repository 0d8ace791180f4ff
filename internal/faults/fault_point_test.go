package faults

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"
)

// storePoints are the points between act, record and publish.
var storePoints = []string{
	"store.record", "store.before-write", "store.before-commit", "store.after-commit", "store.published",
}

// Promises 1 to 5 and 11: the service is killed at each point between act, record, publish and answer.
func TestFaultServiceIsKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	killAtEachPoint(newWorld(t, programs), nil)
}

// killAtEachPoint is the scenario; overlay changes the program.
func killAtEachPoint(w *World, overlay map[string]string) {
	w.startService(Build{Faultpoints: true, Overlay: overlay}, "")
	w.underLoad(Load{Writers: writers, NoRepeat: true}, func(context.Context) {
		for range w.settings.Rounds {
			for _, n := range w.random.Perm(len(storePoints)) {
				w.must(w.Service.Process().Kill())
				hit := 5 + w.random.IntN(40)
				// Half of the time what left the point too early has time to get out.
				action := []string{"kill", "kill=30ms"}[w.random.IntN(2)]
				w.killAt(fmt.Sprintf("%s:%s:%d", storePoints[n], action, hit))
			}
		}
		w.pause(0.2)
	})
	w.verify()
	w.freeEverything()
	w.must(w.Service.Stop())
}

// killAt starts the service with a point at which it ends, waits for its end and starts it again.
func (w *World) killAt(spec string) {
	w.t.Helper()
	p, err := w.Service.begin("DATAPI_FAULT=" + spec)
	w.must(err)
	_, err = p.Wait(patience)
	w.must(err)
	w.must(w.Service.Start())
}

// Promises 1, 3, 5 and 9: at each point the connection to the database is lost, also with the answer to COMMIT.
func TestFaultEachStepOfTheRecordFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startControlled(nil)
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		for range w.settings.Rounds {
			for _, n := range w.random.Perm(len(storePoints) - 1) { // when it is published nothing fails any more
				w.arm(fmt.Sprintf("%s:fail:*%d", storePoints[n], 3+w.random.IntN(6)))
				w.pause(0.4)
				w.disarm()
			}
		}
		w.must(w.Service.AwaitReady(patience))
		w.pause(0.2)
	})
	w.verify()
	w.freeEverything()
	w.checkCensus()
}

// Promises 5 and 6: the service is stopped (SIGSTOP) and goes on at each point.
func TestFaultServiceIsSuspendedAtEachPoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startControlled(nil)
	w.underLoad(Load{Writers: writers}, func(ctx context.Context) {
		ctx, stop := context.WithCancel(ctx)
		var waking sync.WaitGroup
		waking.Go(func() { w.keepWaking(ctx) })
		for range w.settings.Rounds {
			for _, n := range w.random.Perm(len(storePoints)) {
				w.arm(fmt.Sprintf("%s:stop:%d", storePoints[n], 1+w.random.IntN(20)))
				w.pause(0.2)
			}
		}
		w.disarm()
		stop()
		waking.Wait()
		w.must(w.Service.Process().Signal(syscall.SIGCONT))
	})
	w.verify()
	w.must(w.Service.Stop())
}

// keepWaking lets the service go on, wherever it stopped, until ctx ends.
func (w *World) keepWaking(ctx context.Context) {
	wake := time.NewTicker(150 * time.Millisecond)
	defer wake.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake.C:
			_ = w.Service.Process().Signal(syscall.SIGCONT) // a running process does not notice
		}
	}
}

// Promises 1 and 7: calls of the engine fail at any step, alone and together with the record; nothing leaks.
func TestFaultEngineRefusesAtAnyStep(t *testing.T) {
	t.Parallel()
	refuseAtAnyStep(newWorld(t, programs), nil)
}

// refuseAtAnyStep is the scenario; overlay changes the program.
func refuseAtAnyStep(w *World, overlay map[string]string) {
	w.startControlled(overlay)
	w.makeContested(2)
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		for range w.settings.Rounds {
			w.arm(fmt.Sprintf("soft.create:fail:*%d", 3+w.random.IntN(5)), fmt.Sprintf("soft.call:fail:*%d", 3+w.random.IntN(5)))
			w.pause(0.7)
			w.arm(fmt.Sprintf("store.record:fail:*%d", 3+w.random.IntN(5)))
			w.pause(0.7)
			w.disarm()
		}
	})
	w.verify()
	w.freeEverything()
	w.checkCensus()
}

// Promises 1, 6, 7 and 8: devices vanish and return under load.
func TestFaultDevicesVanishAndReturn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startControlled(nil)
	w.underLoad(Load{Writers: writers}, func(ctx context.Context) {
		for range w.settings.Rounds * 3 {
			device := fmt.Sprintf("soft%d", w.random.IntN(2))
			for _, command := range []string{"device-vanish ", "device-return "} {
				if _, err := w.control(command + device); err != nil {
					t.Fatal(err)
				}
				w.pause(0.1 + 0.3*w.random.Float64())
			}
		}
		w.pause(0.2)
	})
	w.must(eventually("all adapters are up again", patience, func() bool {
		c := w.newClient(w.Service.Address())
		defer c.close()
		_, list := c.read(t.Context(), "/ias?state=UP")
		items, ok := list["items"].([]any)
		return ok && len(items) == 2
	}))
	w.verify()
	w.freeEverything()
	w.checkCensus()
}

// Promise 3: a batch that is repeated after a kill, in every part of its way, has its effect once.
func TestFaultBatchIsRepeatedAfterAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{Faultpoints: true}, "")
	for round := range w.settings.Rounds {
		for _, atomic := range []bool{true, false} {
			for _, point := range []string{"store.after-commit", "store.published"} {
				w.must(w.Service.Process().Kill())
				hit := 1
				if !atomic {
					hit = 2
				}
				p, err := w.Service.begin("DATAPI_FAULT=" + fmt.Sprintf("%s:kill:%d", point, hit))
				w.must(err)
				w.must(w.Service.AwaitReady(patience))
				var restarted error
				done := make(chan struct{})
				go func() {
					defer close(done)
					if _, restarted = p.Wait(patience); restarted == nil {
						restarted = w.Service.Start()
					}
				}()
				w.repeatBatch(fmt.Sprintf("%s-%d-%v-%s", w.prefix(), round, atomic, point[len("store."):]), atomic)
				<-done
				w.must(restarted)
			}
		}
	}
	w.verify()
}

// repeatBatch sends a batch with a key until it has an answer. A reset, which changes nothing here, cannot be
// committed together with others: a loose batch has a commit for each creation.
func (w *World) repeatBatch(marker string, atomic bool) {
	c := w.newClient(w.Service.Address())
	defer c.close()
	var operations []object
	for n := range 5 {
		body := w.body(fmt.Sprintf("%s-%d", marker, n))
		body["labels"] = object{"op": marker}
		delete(body, "name") // a repetition of one with a name would be refused
		operations = append(operations, operation("POST", "/endpoints", body))
		if !atomic {
			operations = append(operations, operation("POST", fmt.Sprintf("/endpoints/$%d.id/reset", len(operations)-1), nil))
		}
	}
	kind, effects := KindLoose, len(operations)
	if atomic {
		kind = KindAtomic
	}
	deadline, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	c.do(deadline, &Call{Kind: kind, Method: "POST", Path: "/batch", Key: "key-" + marker, Marker: marker, Effects: effects},
		object{"atomic": atomic, "operations": operations})
}
