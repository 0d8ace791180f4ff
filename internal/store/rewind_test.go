package store

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// reconciled collects the objects that a recorder has recorded again by itself.
type reconciled struct {
	mu   sync.Mutex
	objs map[dat.Handle]dat.Object
}

func (r *reconciled) take(rec dat.Recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec.Object != nil {
		r.objs[rec.Object.Head().ID] = rec.Object
	}
}

func (r *reconciled) of(id dat.Handle) dat.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.objs[id]
}

// dumpDatabase dumps a database, and returns what puts it back: into a new database of this
// name, or in place, while the service is connected.
func dumpDatabase(t *testing.T, url string, inPlace bool) (putBack func()) {
	t.Helper()
	programs, err := findPrograms("")
	must(t, err)
	postgres, err := filepath.EvalSymlinks(programs.postgres)
	must(t, err)
	dump, bin := filepath.Join(t.TempDir(), "dump"), filepath.Dir(postgres)
	run := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(filepath.Join(bin, name), args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	run("pg_dump", "-Fc", "-f", dump, "-d", url)
	cfg, err := pgx.ParseConfig(url)
	must(t, err)
	return func() {
		t.Helper()
		if inPlace {
			run("pg_restore", "--clean", "--single-transaction", "-d", url, dump)
			return
		}
		must(t, admin(t.Context(), cluster.URL(), "DROP DATABASE "+cfg.Database+" WITH (FORCE)"))
		must(t, admin(t.Context(), cluster.URL(), "CREATE DATABASE "+cfg.Database))
		run("pg_restore", "-d", url, dump)
	}
}

// history is what happens to the objects of a store before and after a backup.
type history struct {
	store *Store
	told  *reconciled
	// changed is modified after the backup, made is made after it, freed freed after it;
	// same stays as it is.
	changed, made, freed, same dat.Handle
}

// live records what happens up to a backup, which it makes, and after it.
func live[B any](t *testing.T, url string, backup func() B) (*history, B) {
	t.Helper()
	h := &history{
		store: openStore(t, url, "alpha"), told: &reconciled{objs: map[dat.Handle]dat.Object{}},
		changed: newID(t), made: newID(t), freed: newID(t), same: newID(t),
	}
	h.store.Recorder().OnReconciled(h.told.take)
	for _, id := range []dat.Handle{h.changed, h.freed, h.same} {
		record(t, h.store, creation(endpoint(id, "alpha", "")))
	}
	b := backup()
	eventually(t, "writes are possible", func() bool { return h.store.Recorder().Away() == nil })
	record(t, h.store, modification(h.changed, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 7 }))
	record(t, h.store, creation(endpoint(h.made, "alpha", "made")))
	record(t, h.store, ending(dat.TypeEndpoint, h.freed))
	return h, b
}

// goesOn requires that the database has what is in force, and that all goes on.
func (h *history) goesOn(t *testing.T) {
	t.Helper()
	eventually(t, "the log has a new generation", func() bool { return h.store.Log().Position().Generation > 0 })
	eventually(t, "objects are recorded again", func() bool { return h.told.of(h.changed) != nil && h.told.of(h.made) != nil })
	eventually(t, "writes go on", func() bool { return h.store.Recorder().Away() == nil })
	for id, want := range map[dat.Handle]int64{h.changed: 3, h.made: 2, h.same: 1} {
		obj, err := h.store.Get(t.Context(), dat.TypeEndpoint, id)
		must(t, err)
		if got := obj.Head().Version; got != want {
			t.Errorf("version %d is recorded, want %d", got, want)
		}
		if told := h.told.of(id); want > 1 && (told == nil || told.Head().Version != want) {
			t.Errorf("told of %+v, want version %d", told, want)
		}
		rec := record(t, h.store, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))[0]
		if rec.Change.Version != want+1 {
			t.Errorf("the next version is %d, want %d", rec.Change.Version, want+1)
		}
	}
	obj, err := h.store.Get(t.Context(), dat.TypeEndpoint, h.changed)
	must(t, err)
	if e := obj.(*dat.Endpoint); e.Attributes.MaxRecvIOV != 8 {
		t.Errorf("what was acknowledged is lost: %d", e.Attributes.MaxRecvIOV)
	}
	_, err = h.store.Get(t.Context(), dat.TypeEndpoint, h.freed)
	wantError(t, err, dat.RetInvalidHandle, "")
	page, err := h.store.Changes(t.Context(), ChangeQuery{ChangeFilter: ChangeFilter{Causes: []string{"reconcile"}}})
	must(t, err)
	if len(page.Items) != 3 || page.Items[0].Reason == nil || !strings.Contains(*page.Items[0].Reason, "the database went back") {
		t.Errorf("reconciled by %+v", page.Items)
	}
}

// endedWithTheLog requires that a watcher of the former generation ends.
func endedWithTheLog(t *testing.T, sub *Subscription) {
	t.Helper()
	for {
		_, err := sub.Next(t.Context())
		if errors.Is(err, ErrRewound) {
			return
		}
		must(t, err)
	}
}

// Promises 1 and 5: an older backup that is put back under a running service.
func TestAfterAnOlderBackupWasPutBackWhatIsInForceIsRecordedAgain(t *testing.T) {
	for name, inPlace := range map[string]bool{"into a new database": false, "in place": true} {
		t.Run(name, func(t *testing.T) { olderBackup(t, inPlace) })
	}
}

func olderBackup(t *testing.T, inPlace bool) {
	url := newDatabase(t)
	h, putBack := live(t, url, func() func() { return dumpDatabase(t, url, inPlace) })
	position := h.store.Log().Position()
	sub, err := h.store.Log().Subscribe(t.Context(), position, ChangeFilter{})
	must(t, err)
	putBack()
	endedWithTheLog(t, sub)
	h.goesOn(t)
	for _, p := range []Position{position, {ID: 2}, {Generation: 1, ID: 2}} {
		if _, err := h.store.Log().Subscribe(t.Context(), p, ChangeFilter{}); !errors.Is(err, ErrRewound) {
			t.Errorf("position %s: %v", p, err)
		}
	}
	sub, err = h.store.Log().Subscribe(t.Context(), Position{}, ChangeFilter{})
	must(t, err)
	d := next(t, sub)
	if d.Changes[0].ID != 1 || d.Position.Generation != h.store.Log().Position().Generation {
		t.Errorf("from the beginning: change %d, position %s", d.Changes[0].ID, d.Position)
	}
	if _, err := h.store.Log().Subscribe(t.Context(), d.Position, ChangeFilter{}); err != nil {
		t.Errorf("a position of this generation: %v", err)
	}
	h.isAllInOrder(t, url)
}

// isAllInOrder requires a dense log, and objects as their last images.
func (h *history) isAllInOrder(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var ok bool
	must(t, conn.QueryRow(t.Context(), `SELECT count(*) = max(id) AND max(id) = (SELECT last FROM change_head) FROM changes`).Scan(&ok))
	if !ok {
		t.Error("the log is not dense")
	}
	must(t, conn.QueryRow(t.Context(), `SELECT bool_and(o.body = (SELECT image FROM changes c WHERE c.object_id = o.id ORDER BY id DESC LIMIT 1))
		FROM objects o WHERE freed_at IS NULL`).Scan(&ok))
	if !ok {
		t.Error("an object is not as its history says")
	}
}

// Promises 1 and 5: a second time, and with the log beyond where it was when the other
// process, which was away, comes back.
func TestEveryProcessNoticesThatTheLogWentBackAndSoEachTime(t *testing.T) {
	url := newDatabase(t)
	p, through := newProxy(t, url)
	beta := openStore(t, through, "beta")
	own := newID(t)
	h, putBack := live(t, url, func() func() { return dumpDatabase(t, url, false) })
	record(t, beta, creation(endpoint(own, "beta", "")))
	eventually(t, "both have seen all", func() bool { return beta.Log().Last() == h.store.Log().Last() })
	p.refusing.Store(true)
	p.cut()
	putBack()
	h.goesOn(t)
	first := h.store.Log().Position()
	for range 10 {
		record(t, h.store, modification(h.same, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
	}
	p.refusing.Store(false)
	eventually(t, "beta has the same generation", func() bool { return beta.Log().Position().Generation == first.Generation })
	eventually(t, "beta writes again", func() bool { return beta.Recorder().Away() == nil })
	if rec := record(t, beta, modification(own, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))[0]; rec.Change.Version != 3 {
		t.Errorf("beta's object has version %d", rec.Change.Version)
	}
	h.isAllInOrder(t, url)
}

// Promise 1: a file-level copy that is put back has the same system and time line.
func TestFilesThatArePutBackAreNoticed(t *testing.T) {
	server := newServer(t)
	h, files := live(t, server.url(), server.copyData)
	server.putBack(files)
	h.goesOn(t)
	h.isAllInOrder(t, server.url())
}

// Promises 1 and 5: an asynchronous standby that lacks commits takes over.
func TestAFailOverThatLosesCommitsIsNoticed(t *testing.T) {
	primary := newServer(t)
	standby := primary.newStandby()
	primary.set("synchronous_standby_names", "")
	h, _ := live(t, primary.url(standby), func() struct{} {
		standby.catchUp(primary)
		standby.cutOff(primary)
		return struct{}{}
	})
	primary.kill()
	standby.promote()
	h.goesOn(t)
	h.isAllInOrder(t, standby.url())
}

// Promise 5: a name that another node's object has after the log went back is given up,
// so that the object can be recorded.
func TestANameThatIsTakenSinceTheLogWentBackIsGivenUp(t *testing.T) {
	url := newDatabase(t)
	beta := openStore(t, url, "beta")
	other := newID(t)
	record(t, beta, creation(endpoint(other, "beta", "made")))
	putBack := dumpDatabase(t, url, false)
	record(t, beta, ending(dat.TypeEndpoint, other))
	closeStore(t, beta) // it does not come back to free it again
	s, told := openStore(t, url, "alpha"), &reconciled{objs: map[dat.Handle]dat.Object{}}
	s.Recorder().OnReconciled(told.take)
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "made")))
	putBack()
	eventually(t, "it is recorded without its name", func() bool { o := told.of(id); return o != nil && o.Head().Name == "" })
	eventually(t, "writes go on", func() bool { return s.Recorder().Away() == nil })
	record(t, s, modification(id, func(e *dat.Endpoint) { e.Name = "other" }))
}

func TestPositionsAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]Position{"0": {}, "17": {ID: 17}, "3.17": {Generation: 3, ID: 17}} {
		got, ok := ParsePosition(text)
		if !ok || got != want || got.String() != text {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-1", "x", "1.", ".1", "1.2.3", "+1", "0.5", "1.-2", "99999999999999999999"} {
		if got, ok := ParsePosition(text); ok {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}
