package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Settings are what the environment says of a run.
type Settings struct {
	Seed   uint64
	Rounds int
	// Load is how long the clients write in each round.
	Load time.Duration
}

// settingsOf reads the settings; the seed is drawn where none is given.
func settingsOf() (Settings, error) {
	s := Settings{Seed: rand.Uint64N(1 << 32), Rounds: 1, Load: time.Second}
	for _, v := range []struct {
		name string
		take func(uint64)
	}{
		{"DATAPI_FAULT_SEED", func(n uint64) { s.Seed = n }},
		{"DATAPI_FAULT_ROUNDS", func(n uint64) { s.Rounds = int(n) }},
		{"DATAPI_FAULT_SECONDS", func(n uint64) { s.Load = time.Duration(n) * time.Second }},
	} {
		word := os.Getenv(v.name)
		if word == "" {
			continue
		}
		n, err := strconv.ParseUint(word, 10, 62)
		if err != nil || n == 0 && v.name != "DATAPI_FAULT_SEED" {
			return s, fmt.Errorf("%s is %q, want a number from 1 on", v.name, word)
		}
		v.take(n)
	}
	return s, nil
}

// World is a service with its database, what attacks it, and what is remembered of both.
// It ends with its test.
type World struct {
	t        testing.TB
	settings Settings
	// random decides what the faults do; it belongs to the test's goroutine.
	random  *rand.Rand
	dir     string
	builder *builder

	Service *Service
	// Cluster is the harness' own PostgreSQL, nil where the service has a private one.
	Cluster *Cluster
	// ToDatabase is between service and Cluster, ToService between clients and service;
	// nil where there is none.
	ToDatabase, ToService *Proxy

	history   History
	watchers  []*Watcher
	clients   int
	contested []string
	// hunting collects findings in found instead of reporting them; limit is how many are reported.
	hunting bool
	limit   int
	foundMu sync.Mutex
	found   findings
}

// newWorld returns a world with nothing in it.
func newWorld(t testing.TB, b *builder) *World {
	t.Helper()
	settings, err := settingsOf()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "datapi-faults-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL's account must reach what is in it
		t.Fatal(err)
	}
	w := &World{t: t, settings: settings, builder: b, dir: dir, random: rand.New(rand.NewPCG(settings.Seed, 0)), limit: 12}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to bring it back: DATAPI_FAULT_SEED=%d DATAPI_FAULT_ROUNDS=%d DATAPI_FAULT_SECONDS=%d go test ./internal/faults -count=1 -run '^%s$'",
				settings.Seed, settings.Rounds, int(settings.Load.Seconds()), t.Name())
		}
		// A PostgreSQL whose service was killed ends by itself, and writes until then.
		var err error
		if eventually("the data are removed", patience, func() bool { err = os.RemoveAll(dir); return err == nil }) != nil {
			t.Errorf("remove the data: %v", err)
		}
	})
	return w
}

// errHuntEnded ends a scenario whose program is so broken that it cannot go on.
var errHuntEnded = errors.New("the scenario cannot go on")

// must ends the test on an error of the harness or its world.
func (w *World) must(err error) {
	w.t.Helper()
	switch {
	case err == nil:
	case w.hunting:
		w.broken(9, "the scenario cannot go on: %v", err)
		panic(errHuntEnded)
	default:
		w.t.Fatal(err)
	}
}

// report makes findings errors of the test.
func (w *World) report(all findings) {
	w.t.Helper()
	w.foundMu.Lock()
	w.found = append(w.found, all...)
	w.foundMu.Unlock()
	if w.hunting {
		return
	}
	for n, f := range all {
		if n == w.limit {
			w.t.Errorf("and %d more", len(all)-n)
			return
		}
		w.t.Errorf("%s", f)
	}
}

// broken reports one finding.
func (w *World) broken(promise int, format string, args ...any) {
	w.t.Helper()
	var all findings
	all.add(promise, format, args...)
	w.report(all)
}

// path returns a path in the world's folder.
func (w *World) path(name string) string { return filepath.Join(w.dir, name) }

// startCluster starts a PostgreSQL of the harness in the folder of a name.
func (w *World) startCluster(name string) *Cluster {
	w.t.Helper()
	c, err := newCluster(w.t.Context(), w.path(name), name)
	w.must(err)
	w.own(c)
	w.must(c.Start())
	return c
}

// own ends a cluster with the test.
func (w *World) own(c *Cluster) {
	w.t.Cleanup(func() {
		if c.process != nil && !c.process.HasExited() {
			if err := c.KillAll(); err != nil {
				w.t.Errorf("end PostgreSQL: %v", err)
			}
		}
	})
}

// startProxy starts a proxy for a server.
func (w *World) startProxy(name, server string) *Proxy {
	w.t.Helper()
	p, err := newProxy(name, server)
	w.must(err)
	w.t.Cleanup(p.Close)
	return p
}

// startService starts a variant of the program. Where no database is named it has a
// private one.
func (w *World) startService(v Build, database string) {
	w.t.Helper()
	w.prepareService(v, database)
	w.must(w.Service.Start())
}

// prepareService is startService without the start.
func (w *World) prepareService(v Build, database string) {
	w.t.Helper()
	w.Service = w.newNode(v, node, database)
}

// newNode returns the service of a node of the world, which is not started yet.
func (w *World) newNode(v Build, name, database string) *Service {
	w.t.Helper()
	program, err := w.builder.program(v)
	w.must(err)
	args := []string{"--data-dir=" + w.path("data-"+name)}
	if database != "" {
		args = append(args, "--database-url="+database)
	}
	service, err := newService(program, name, args...)
	w.must(err)
	w.t.Cleanup(func() {
		if p := service.Process(); p != nil && !p.HasExited() {
			for _, pid := range childrenOf(p.Pid()) {
				signalFamily(pid, syscall.SIGCONT) // a paused database could not end
			}
			if err := p.Kill(); err != nil {
				w.t.Errorf("end the service: %v", err)
			}
		}
		if w.t.Failed() {
			w.t.Logf("%s said:\n%s", name, tail(service.Log(), 6000))
		}
	})
	return service
}

// tail returns the end of a text.
func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

// front is the address that clients use.
func (w *World) front() string {
	if w.ToService != nil {
		return w.ToService.Address()
	}
	return w.Service.Address()
}

// prefix is what the world's names and request ids begin with.
func (w *World) prefix() string { return "s" + strconv.FormatUint(w.settings.Seed, 36) }

// newClient returns another client, of the world's first node.
func (w *World) newClient(address string) *Client { return w.newClientOf(node, address) }

// newClientOf returns another client, which makes its objects at a node and asks an address.
func (w *World) newClientOf(node, address string) *Client {
	w.clients++
	return newClient(w.clients, node, address, w.settings.Seed, w.prefix(), &w.history)
}

// watch starts a watcher that begins after a change.
func (w *World) watch(after int64, hangUp time.Duration) *Watcher {
	return w.watchAt(w.Service, after, hangUp)
}

// watchAt is watch at a certain node.
func (w *World) watchAt(s *Service, after int64, hangUp time.Duration) *Watcher {
	ctx, cancel := context.WithCancel(context.Background())
	watcher := newWatcher(s.Address(), after, w.settings.Seed+uint64(len(w.watchers)), hangUp)
	w.watchers = append(w.watchers, watcher)
	var watching sync.WaitGroup
	watching.Go(func() { watcher.run(ctx) })
	w.t.Cleanup(func() {
		cancel()
		watching.Wait()
	})
	return watcher
}

// makeContested makes the endpoints that all writers modify.
func (w *World) makeContested(n int) {
	w.t.Helper()
	w.makeContestedAt(w.Service, n)
}

// makeContestedAt is makeContested at a certain node.
func (w *World) makeContestedAt(s *Service, n int) {
	w.t.Helper()
	c := &Writer{Client: w.newClientOf(s.node, s.Address())}
	defer c.close()
	for range n {
		marker := c.unique()
		call := c.do(w.t.Context(), &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Marker: marker, Effects: 1}, c.endpointBody(marker))
		made := call.decoded()
		if made == nil {
			w.must(fmt.Errorf("an endpoint could not be made: %s", story(call, nil)))
		}
		w.contested = append(w.contested, text(made, "id"))
	}
}

// Load describes who writes while faults happen.
type Load struct {
	Writers int
	// NoRepeat lets some of them, one of three, give up where an answer is lost.
	NoRepeat bool
	// Nodes are whom they write to, in turn; empty is the world's service alone.
	Nodes []*Service
	// Across lets half of them ask the next node for what they do with theirs.
	Across bool
}

// underLoad lets writers write while a function makes faults happen, and ends them when it
// returns.
func (w *World) underLoad(l Load, faults func(ctx context.Context)) {
	w.t.Helper()
	if len(w.contested) == 0 {
		w.makeContested(2)
	}
	if len(w.watchers) == 0 {
		w.watch(0, 0)
		w.watch(int64(len(w.contested)), 400*time.Millisecond)
	}
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	var writing sync.WaitGroup
	for n := range l.Writers {
		client := w.newClient(w.front())
		if len(l.Nodes) > 0 {
			at, asked := l.Nodes[n%len(l.Nodes)], l.Nodes[n%len(l.Nodes)]
			if l.Across && n/len(l.Nodes)%2 == 1 {
				asked = l.Nodes[(n+1)%len(l.Nodes)]
			}
			client = w.newClientOf(at.node, asked.Address())
		}
		writer := &Writer{Client: client, contested: w.contested, most: 12}
		writer.noRepeat = l.NoRepeat && n%3 == 0
		writing.Go(func() {
			defer writer.close()
			writer.run(ctx)
		})
	}
	faults(ctx)
	stop()
	writing.Wait()
}

// pause waits for a part of the load's time.
func (w *World) pause(part float64) {
	wait := time.NewTimer(time.Duration(part * float64(w.settings.Load)))
	defer wait.Stop()
	select {
	case <-w.t.Context().Done():
	case <-wait.C:
	}
}

// awaitWrites waits until so many more writes were acknowledged.
func (w *World) awaitWrites(n int) {
	w.t.Helper()
	want := w.history.Acknowledged() + n
	w.must(eventually(fmt.Sprintf("%d writes are acknowledged", n), patience, func() bool { return w.history.Acknowledged() >= want }))
}
