package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

func TestLostAnswersOfCommitsNeitherLoseNorInventAnything(t *testing.T) {
	url := newDatabase(t)
	p, through := newProxy(t, url)
	a, b := openStore(t, through, "alpha"), openStore(t, through, "beta")
	p.beforeCommit.Store(10)
	p.afterCommit.Store(20)
	w := newWorkload()
	var end atomic.Int64
	var writers, watchers sync.WaitGroup
	for _, s := range []*Store{a, b} {
		writers.Go(func() { w.run(t, s, 8, 40) })
		watchers.Go(func() { watch(t, s, end.Load) })
	}
	writers.Wait()
	p.beforeCommit.Store(0)
	p.afterCommit.Store(0)
	end.Store(lastChange(t, url))
	watchers.Wait()
	w.check(t, url)
	if p.lost.Load() < 10 {
		t.Errorf("only %d commits were disturbed", p.lost.Load())
	}
	if len(w.absent) > 0 {
		t.Errorf("%d creations were refused although the database was there", len(w.absent))
	}
}

func TestTerminatedBackendsLoseNothing(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	w := newWorkload()
	var end atomic.Int64
	var watcher, killer sync.WaitGroup
	watcher.Go(func() { watch(t, s, end.Load) })
	ctx, stop := context.WithCancel(t.Context())
	killer.Go(func() {
		before := int64(-1)
		every(ctx, 40*time.Millisecond, func() {
			if acks := w.acks.Load(); acks != before { // however slow the machine is, something was done
				before = acks
				_ = admin(ctx, cluster.URL(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'datapi alpha'`)
			}
		})
	})
	w.run(t, s, 16, 60)
	stop()
	killer.Wait()
	end.Store(lastChange(t, url))
	watcher.Wait()
	w.check(t, url)
}

func TestPostgresKilledInTheMiddleOfGroupCommits(t *testing.T) {
	dir := shortDir(t)
	pg, err := StartPostgres(t.Context(), filepath.Join(dir, "data"), nil)
	must(t, err)
	t.Cleanup(func() { stopPostgres(t, pg) })
	s := openStore(t, pg.URL(), "alpha")
	w := newWorkload()
	var end atomic.Int64
	var watcher, writers sync.WaitGroup
	watcher.Go(func() { watch(t, s, end.Load) })
	writers.Go(func() { w.run(t, s, 32, 60) })
	for kills := int64(1); kills <= 3; kills++ {
		eventually(t, "some acknowledged writes", func() bool { return w.acks.Load() > kills*300 })
		must(t, syscall.Kill(pg.Pid(), syscall.SIGKILL))
		before := w.acks.Load()
		eventually(t, "writes go on by themselves", func() bool { return w.acks.Load() > before+100 })
	}
	writers.Wait()
	end.Store(lastChange(t, pg.URL()))
	watcher.Wait()
	w.check(t, pg.URL())
	for _, c := range s.Checks(t.Context()) {
		must(t, c.Err)
	}
}

// shortDir returns a new directory with a short path, which PostgreSQL's account can
// enter.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "datapi-pg-")
	must(t, err)
	must(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// stopPostgres stops a PostgreSQL in order.
func stopPostgres(t testing.TB, pg *Postgres) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	must(t, pg.Stop(ctx))
}

func TestAFrozenPostgresIsNoticedAndWritesGoOnAfterwards(t *testing.T) {
	pg, err := StartPostgres(t.Context(), filepath.Join(shortDir(t), "data"), nil)
	must(t, err)
	t.Cleanup(func() { stopPostgres(t, pg) })
	s := openStore(t, pg.URL(), "alpha")
	record(t, s, creation(endpoint(newID(t), "alpha", "")))
	processes := processesIn(t, pg.Dir())
	for _, pid := range processes {
		must(t, syscall.Kill(pid, syscall.SIGSTOP))
	}
	read := make(chan error, 2)
	go func() { _, err := s.Changes(t.Context(), ChangeQuery{}); read <- err }()
	go func() { read <- s.Checks(t.Context())[0].Err }() // the database
	_, err = s.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "")))
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	for range cap(read) {
		select {
		case err := <-read:
			if err == nil {
				t.Error("a read of a frozen database gave no error")
			}
		case <-time.After(3 * queryTimeout):
			t.Fatal("a read of a frozen database never ends")
		}
	}
	began := time.Now()
	_, err = s.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "")))
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	if took := time.Since(began); took > time.Second {
		t.Errorf("a write while the database is away took %s to be refused", took)
	}
	for _, pid := range processes {
		must(t, syscall.Kill(pid, syscall.SIGCONT))
	}
	eventually(t, "writes are taken again", func() bool { return s.Recorder().Away() == nil })
	if rec := record(t, s, creation(endpoint(newID(t), "alpha", "")))[0]; rec.Change.ID != 3 {
		t.Errorf("the next change has the id %d: what was refused must have left nothing", rec.Change.ID)
	}
}

// processesIn returns the processes that work in a directory.
func processesIn(t testing.TB, dir string) (pids []int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	must(t, err)
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && cwd == dir {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			must(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestWithoutTheDatabaseWritesAreRefusedAndEventsWait(t *testing.T) {
	url := newDatabase(t)
	p, through := newProxy(t, url)
	s := openStore(t, through, "alpha")
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "")))
	p.refusing.Store(true)
	p.cut()
	_, err := s.Recorder().Record(t.Context(), modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 9 }))
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	wantError(t, s.Recorder().Away(), dat.RetInternalError, KindStoreAway)

	var noted []dat.Recorded
	var mu sync.Mutex
	for i := range 3 {
		event := modification(id, func(e *dat.Endpoint) { e.Labels = map[string]string{"event": fmt.Sprint(i)} })
		event.Cause = "DAT_CONNECTION_EVENT_BROKEN"
		s.Recorder().Note(event, func(r dat.Recorded) { mu.Lock(); noted = append(noted, r); mu.Unlock() })
	}
	s.Recorder().Note(dat.Entry{Object: dat.ObjectRef{Type: dat.TypeEndpoint, ID: id}, Cause: "dat_ep_modify", Outcome: dat.RetInvalidState}, nil)
	if n := s.Recorder().Waiting(); n != 3 {
		t.Errorf("%d events wait, want 3", n)
	}
	for _, c := range s.Checks(t.Context()) {
		if want := map[string]string{"database": "attempt ", "events": "3 events wait for their record"}[c.Name]; want != "" && (c.Err == nil || !strings.Contains(c.Err.Error(), want) || c.Since.IsZero()) {
			t.Errorf("the check of %s says %v since %s, want %q", c.Name, c.Err, c.Since, want)
		}
	}
	eventually(t, "the log is stale", s.Log().Stale)

	p.refusing.Store(false)
	eventually(t, "the events are recorded", func() bool { mu.Lock(); defer mu.Unlock(); return len(noted) == 3 })
	must(t, s.Recorder().Away())
	eventually(t, "the log is fresh", func() bool { return !s.Log().Stale() })
	rec := record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 9 }))[0]
	if rec.Change.ID != 6 || rec.Change.Version != 5 {
		t.Errorf("the next change has id %d and version %d: the refusal and the refused write must have left nothing", rec.Change.ID, rec.Change.Version)
	}
	if got := rec.Object.Head().Labels["event"]; got != "2" {
		t.Errorf("the last event is %q", got)
	}
}

func TestManyEventsAreMergedWhileTheDatabaseIsAway(t *testing.T) {
	url := newDatabase(t)
	p, through := newProxy(t, url)
	s := openStore(t, through, "alpha")
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "")))
	p.refusing.Store(true)
	p.cut()
	_, err := s.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "")))
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	const flood = maxWaiting + 5000
	var recorded atomic.Int64
	for range flood {
		event := modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ })
		event.Cause = "DAT_CONNECTION_EVENT_BROKEN"
		s.Recorder().Note(event, func(dat.Recorded) { recorded.Add(1) })
	}
	if n := s.Recorder().Waiting(); n != maxWaiting {
		t.Errorf("%d events wait one by one, want %d", n, maxWaiting)
	}
	p.refusing.Store(false)
	eventually(t, "all events are told of their record", func() bool { return recorded.Load() == flood })
	page, err := s.History(t.Context(), dat.TypeEndpoint, id, ChangeQuery{Limit: 1})
	must(t, err)
	last := page.Items[0]
	if last.Version != maxWaiting+1 || last.Reason == nil || *last.Reason != "5000 events in between were not recorded one by one: the database was away" {
		t.Errorf("the last change is %+v", last)
	}
	obj, err := s.Get(t.Context(), dat.TypeEndpoint, id)
	must(t, err)
	if got := obj.(*dat.Endpoint).Attributes.MaxRecvIOV; got != flood {
		t.Errorf("the recorded state has seen %d of %d events", got, flood)
	}
}

// A group that the fence refuses does not end the process: it may be that the node's row is of an older backup.
func TestAProcessIsTakenOverOnceAndNotBeforeThatIsCertain(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	takenOver := func() bool {
		select {
		case <-s.TakenOver():
			return true
		default:
			return false
		}
	}
	s.recorder.setAway(&pgconn.PgError{Code: "23503", ConstraintName: "groups_epoch"}, false)
	away := wantError(t, s.Recorder().Away(), dat.RetInternalError, KindStoreAway)
	if takenOver() || strings.Contains(away.Detail, fencedDetail) {
		t.Errorf("it is taken for fenced although it may find out otherwise: %s", away.Detail)
	}
	s.recorder.suspect()
	eventually(t, "it has found out", func() bool { return s.Recorder().Away() == nil })
	for range 2 {
		s.recorder.setAway(errFenced, true)
	}
	away = wantError(t, s.Recorder().Away(), dat.RetInternalError, KindStoreAway)
	if !takenOver() || away.Detail != fencedDetail {
		t.Errorf("it is not taken for fenced: %s", away.Detail)
	}
}

func TestAHealthCheckDoesNotChangeSinceWhenWritesAreRefused(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	cfg, err := parseURL(url, "checks")
	must(t, err)
	var since time.Time
	cfg.BeforeConnect = func(context.Context, *pgx.ConnConfig) error { // in the middle of the check
		s.recorder.setAway(errCommitPending, false)
		since, _ = s.recorder.awaySince()
		return nil
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	(&Store{cfg: s.cfg, pool: pool, recorder: s.recorder, log: s.log, opened: s.opened}).Checks(t.Context())
	if got, away := s.recorder.awaySince(); away == nil || since.IsZero() || !got.Equal(since) {
		t.Errorf("writes are refused (%v) since %s, want since %s", away, got, since)
	}
}
