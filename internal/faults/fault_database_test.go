package faults

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// postmaster returns the process id of the service's private PostgreSQL, 0 where there is none.
func (w *World) postmaster() int {
	for _, pid := range childrenOf(w.Service.Process().Pid()) {
		name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
		if err == nil && strings.TrimSpace(string(name)) == "postgres" {
			return pid
		}
	}
	return 0
}

// Promises 1, 3 and 9: kill -9 of the private PostgreSQL under load loses nothing, and it is started again.
func TestFaultPrivateDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{}, "")
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		for range w.settings.Rounds * 2 {
			w.pause(0.5)
			if pid := w.postmaster(); pid != 0 {
				w.must(syscall.Kill(pid, syscall.SIGKILL))
			}
			w.must(w.Service.AwaitReady(patience))
		}
		w.pause(0.3)
	})
	w.verify()
	w.freeEverything()
	w.must(w.Service.Stop())
}

// Promise 9: however often the private PostgreSQL dies right after its start, it is tried again.
func TestFaultPrivateDatabaseDiesAgainAndAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.startService(Build{}, "")
	w.underLoad(Load{Writers: 2}, func(context.Context) {
		last := 0
		for range 12 {
			err := eventually("PostgreSQL is started again", patience/3, func() bool {
				pid := w.postmaster()
				return pid != 0 && pid != last && syscall.Kill(pid, 0) == nil
			})
			if err != nil {
				w.broken(9, "%v", err)
				return
			}
			last = w.postmaster()
			_ = syscall.Kill(last, syscall.SIGKILL) // it may have ended by itself
		}
		if err := w.Service.AwaitReady(patience / 3); err != nil {
			w.broken(9, "%v", err)
		}
	})
	if !t.Failed() {
		w.verify()
	}
}

// outage is a way in which a database is away for a while.
type outage struct {
	name       string
	begin, end func(w *World)
}

// outages are all of the harness' own PostgreSQL.
var outages = []outage{
	{"stopped", func(w *World) { w.must(w.Cluster.Stop()) }, func(w *World) { w.must(w.Cluster.Start()) }},
	{"killed", func(w *World) { w.must(w.Cluster.Kill()) }, func(w *World) { w.must(w.Cluster.Start()) }},
	{"host lost", func(w *World) { w.must(w.Cluster.KillAll()) }, func(w *World) { w.must(w.Cluster.Start()) }},
	{"paused", func(w *World) { w.Cluster.Pause() }, func(w *World) { w.Cluster.Resume() }},
	{"cut off", func(w *World) { w.ToDatabase.Cut() }, func(w *World) { w.must(w.ToDatabase.Mend(w.t.Context())) }},
	{"mute", func(w *World) { w.must(w.ToDatabase.Poison(AnswersLost)) }, func(w *World) { w.must(w.ToDatabase.Mend(w.t.Context())) }},
	{"deaf", func(w *World) { w.must(w.ToDatabase.Poison(CallsLost)) }, func(w *World) { w.must(w.ToDatabase.Mend(w.t.Context())) }},
}

// behindProxy starts a PostgreSQL and a service that reaches it through a proxy.
func behindProxy(t *testing.T, v Build) *World {
	t.Helper()
	w := newWorld(t, programs)
	w.Cluster = w.startCluster("primary")
	w.ToDatabase = w.startProxy("database", w.Cluster.Address())
	w.startService(v, databaseURL(w.ToDatabase.Address()))
	return w
}

// Promises 1, 3, 5 and 9: the database goes away in every way, under load, and comes back.
func TestFaultDatabaseGoesAwayAndComesBack(t *testing.T) {
	t.Parallel()
	w := behindProxy(t, Build{})
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		for range w.settings.Rounds {
			for _, n := range w.random.Perm(len(outages)) {
				w.pause(0.2)
				t.Logf("the database is %s", outages[n].name)
				outages[n].begin(w)
				w.pause(w.random.Float64())
				outages[n].end(w)
				w.must(w.Service.AwaitReady(patience))
			}
		}
		w.pause(0.2)
	})
	w.verify()
	w.freeEverything()
	w.must(w.Service.Stop())
}

// Promises 1 and 9: a full disk refuses writes, loses nothing, and needs no restart when there is room again.
func TestFaultDiskIsFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	disk, err := newDisk(w.path("disk"), 160<<20)
	w.must(err)
	t.Cleanup(func() { w.must(disk.Close()) })
	w.must(os.MkdirAll(filepath.Join(disk.dir, "data"), 0o711))
	w.prepareService(Build{}, "")
	w.Service.args = append(w.Service.args, "--data-dir="+filepath.Join(disk.dir, "data"))
	w.must(w.Service.Start())
	w.underLoad(Load{Writers: writers}, func(context.Context) {
		for range w.settings.Rounds {
			w.pause(0.3)
			w.must(disk.Fill(0))
			w.pause(1)
			w.must(disk.Free())
			w.must(w.Service.AwaitReady(patience))
			w.pause(0.3)
		}
	})
	w.verify()
	w.must(w.Service.Stop())
}
