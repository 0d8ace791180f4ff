package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// readLimit is how long a read may take while the database is away.
	readLimit = 3 * time.Second
	// writeLimit is how long a write may take then.
	writeLimit = 12 * time.Second
)

// timed makes a call and holds its duration against a limit.
func timed(t *testing.T, c *Client, call *Call, body any, limit time.Duration) *Attempt {
	t.Helper()
	c.do(t.Context(), call, body)
	if took := call.answer().Returned.Sub(call.called()); took > limit {
		t.Errorf("promise 9: %s %s took %s while the database was away, want %s", call.Method, call.Path, took.Round(time.Millisecond), limit)
	}
	return call.answer()
}

// Promises 6 and 9: while the database is away, in whatever way, reads go on, lists too, and say `partial`; writes are
// 503 with Retry-After and change nothing.
func TestFaultDatabaseAwayReadsAndListsGoOn(t *testing.T) {
	t.Parallel()
	w := behindProxy(t, Build{})
	w.makeContested(3)
	w.watch(0, 0)
	c := w.newClient(w.Service.Address())
	defer c.close()
	for _, o := range outages {
		o.begin(w)
		t.Run(o.name, func(t *testing.T) { w.checkAway(t, c, o.name) })
		o.end(w)
		w.must(w.Service.AwaitReady(patience))
	}
	w.verify()
}

// checkAway holds what a service does whose database is away.
func (w *World) checkAway(t *testing.T, c *Client, how string) {
	path := "/endpoints/" + w.contested[0]
	for n := range 3 { // the first may find out that it is away
		marker := fmt.Sprintf("away-%s-%d", strings.ReplaceAll(how, " ", "-"), n)
		call := &Call{Kind: KindModify, Method: http.MethodPatch, Path: path, Object: w.contested[0], Marker: marker, Effects: 1}
		body := object{"labels": object{"op": marker}}
		if n == 2 {
			call, body = &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Marker: marker, Effects: 1}, w.body(marker)
		}
		a := timed(t, c, call, body, writeLimit)
		if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("promise 9: a write without the database: %d, Retry-After %q: %s", a.Status, a.Header.Get("Retry-After"), a.Body)
		}
	}
	for _, read := range []string{path, path + "/status", "/endpoints", "/endpoints?state=UNCONNECTED&sort=-name", "/ias"} {
		a := timed(t, c, &Call{Kind: KindList, Method: http.MethodGet, Path: read}, nil, readLimit)
		if a.Status != http.StatusOK {
			t.Errorf("promise 9: GET %s without the database: %d %.200s", read, a.Status, a.Body)
		}
	}
	_, list := c.read(t.Context(), "/endpoints")
	if items, ok := list["items"].([]any); !ok || len(items) < 3 || list["partial"] != true {
		t.Errorf("promise 9: the list without the database: %d items, partial %v", len(items), list["partial"])
	}
}

// body is what makes an endpoint of a name.
func (w *World) body(name string) object {
	return object{"ia": adapterID(node, 0), "name": name, "labels": object{"op": name}}
}

// Promise 6: an outage that is longer than the silence between two comments is told, and so is its end.
func TestFaultStreamsTellThatTheDatabaseIsAwayAndBack(t *testing.T) {
	t.Parallel()
	w := behindProxy(t, Build{})
	w.makeContested(1)
	watcher := w.watch(0, 0)
	w.must(w.Cluster.Stop())
	w.must(eventually("the stream says stale", patience, func() bool { return slices.Contains(watcher.States(), "stale") }))
	after := time.NewTimer(17 * time.Second) // the stream repeats `stale` where it is silent for 15 s
	<-after.C
	w.must(w.Cluster.Start())
	w.must(w.Service.AwaitReady(patience))
	if err := eventually("the stream says fresh", 20*time.Second, func() bool {
		states := watcher.States()
		return len(states) > 0 && states[len(states)-1] == "fresh"
	}); err != nil {
		t.Errorf("promise 6: %v; it said %v", err, watcher.States())
	}
	w.verify()
}

// Promise 9: a service whose database stops while commits are under way answers within 10 s, and stops within 30 s.
func TestFaultStopWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	w := behindProxy(t, Build{})
	w.underLoad(Load{Writers: writers, NoRepeat: true}, func(context.Context) {
		w.pause(0.3)
		w.Cluster.Pause()
		var asking sync.WaitGroup
		for range 8 {
			c := w.newClient(w.Service.Address())
			asking.Go(func() {
				defer c.close()
				timed(t, c, &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Effects: 1}, object{"ia": adapterID(node, 0)}, writeLimit)
			})
		}
		asking.Wait()
		begun := time.Now()
		w.must(w.Service.Process().Signal(syscall.SIGTERM))
		if _, err := w.Service.Process().Wait(stopLimit + 15*time.Second); err != nil || time.Since(begun) > stopLimit {
			t.Errorf("promise 9: the service took %s to stop without its database, want %s", time.Since(begun).Round(time.Millisecond), stopLimit)
		}
		w.Cluster.Resume()
	})
	w.must(w.Service.Start())
	w.verify()
}

// Promise 10: a dry run uses no key up, however it is spelt.
func TestFaultDryRunUsesNoKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{}, "")
	c := w.newClient(w.Service.Address())
	defer c.close()
	for n, spelling := range []string{"true", "True", "TRUE", "1", "t"} {
		key, body := "key-"+spelling, w.body(fmt.Sprintf("dry-%d", n))
		dry := c.do(t.Context(), &Call{Kind: KindDryRun, Method: http.MethodPost, Path: "/endpoints?dry_run=" + spelling, Key: key}, body)
		if dry.answer().Status >= 500 {
			t.Errorf("promise 10: %s", story(dry, nil))
		}
		w.verifyOnce(t, c.do(t.Context(), &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Key: key, Effects: 1}, body), dry)
	}
	w.verify()
}

// verifyOnce holds that the call after a dry run with the same key is a call of its own.
func (w *World) verifyOnce(t *testing.T, call, dry *Call) {
	t.Helper()
	if dry.Outcome() == Acknowledged && call.Outcome() != Acknowledged {
		t.Errorf("promise 10: the real call after a dry run (%s) with the same key: %s", dry.Path, story(call, nil))
	}
}
