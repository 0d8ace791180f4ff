package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// workload are many writers, each with an object of its own, that remember the answers
// they get.
type workload struct {
	mu sync.Mutex
	// versions are the acknowledged versions of each object; absent are the
	// objects whose creation was refused.
	versions map[dat.Handle]int64
	absent   map[dat.Handle]bool
	acks     atomic.Int64
}

func newWorkload() *workload {
	return &workload{versions: map[dat.Handle]int64{}, absent: map[dat.Handle]bool{}}
}

// run lets every writer create an object and modify it a number of times. After a
// refusal because the database is away a writer goes on with a new object.
func (w *workload) run(t *testing.T, s *Store, writers, rounds int) {
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < rounds; {
				done += w.life(t, s, rounds-done)
			}
		})
	}
	wg.Wait()
}

// life creates an object and modifies it until that is done or the database is away.
func (w *workload) life(t *testing.T, s *Store, rounds int) (acknowledged int) {
	id := newID(t)
	// Two objects in one unit: both are created or neither is.
	_, err := s.Recorder().Record(t.Context(), creation(endpoint(id, s.cfg.Node, "")), creation(endpoint(id+"-twin", s.cfg.Node, "")))
	w.note(t, id, 1, err)
	w.note(t, id+"-twin", 1, err)
	for v := int64(2); err == nil && acknowledged < rounds; v++ {
		_, err = s.Recorder().Record(t.Context(), modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
		if err == nil {
			acknowledged++
		}
		w.note(t, id, v, err)
	}
	eventually(t, "the store is back", func() bool { return s.Recorder().Away() == nil })
	return acknowledged
}

// note remembers the answer to the write of a version.
func (w *workload) note(t *testing.T, id dat.Handle, version int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var e *dat.Error
	switch {
	case err == nil:
		w.versions[id] = version
		w.acks.Add(1)
	case errors.As(err, &e) && e.Kind == KindStoreAway:
		if version == 1 {
			w.absent[id] = true
		}
	default:
		t.Errorf("the store answered %v", err)
	}
}

// check compares the database with the answers of the writers: everything that was
// acknowledged is there, nothing else is, and the ids have no gap.
func (w *workload) check(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `SELECT id, version FROM objects`)
	must(t, err)
	found := map[dat.Handle]int64{}
	var id string
	var version int64
	_, err = pgx.ForEachRow(rows, []any{&id, &version}, func() error { found[dat.Handle(id)] = version; return nil })
	must(t, err)
	for id, v := range w.versions {
		if found[id] != v {
			t.Errorf("%s was acknowledged in version %d and is there in version %d", id, v, found[id])
		}
		delete(found, id)
	}
	for id, v := range found {
		t.Errorf("%s is there in version %d and was never acknowledged (refused: %v)", id, v, w.absent[id])
	}
	var count, first, last, head, versions int64
	must(t, conn.QueryRow(t.Context(), `SELECT count(*), min(id), max(id), (SELECT last FROM change_head),
		(SELECT sum(version) FROM objects) + (SELECT sum(state_version) FROM nodes) FROM changes`).Scan(&count, &first, &last, &head, &versions))
	if first != 1 || last != count || head != last || versions != count {
		t.Errorf("%d changes with ids from %d to %d, head %d, for %d versions: not dense", count, first, last, head, versions)
	}
	t.Logf("%d acknowledged, %d creations refused, %d changes", w.acks.Load(), len(w.absent), count)
}

// watch follows the log and fails on a gap or a duplicate. It returns when it has seen
// the position that until returns, which is 0 until it is known.
func watch(t *testing.T, s *Store, until func() int64) {
	sub, err := s.Log().Subscribe(t.Context(), Position{}, ChangeFilter{})
	if err != nil {
		t.Error(err)
		return
	}
	next := int64(1)
	for {
		if end := until(); end > 0 && next > end {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		got, err := sub.Next(ctx)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
			return
		}
		for _, c := range got.Changes {
			if c.ID != next {
				t.Errorf("the watcher got change %d where %d was due", c.ID, next)
				return
			}
			next++
		}
	}
}

// lastChange returns the id of the last change in the database.
func lastChange(t testing.TB, url string) (last int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	must(t, conn.QueryRow(t.Context(), `SELECT last FROM change_head`).Scan(&last))
	return last
}
