package store

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// holdHead holds the end of the log, as a node does whose COMMIT waits for a standby.
func holdHead(t *testing.T, url string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	_, err = conn.Exec(t.Context(), fmt.Sprintf(`BEGIN; SELECT pg_advisory_xact_lock(%d); SELECT last FROM change_head FOR UPDATE`, int64(headLock)))
	must(t, err)
	release = sync.OnceFunc(func() { _ = conn.Close(context.Background()) })
	t.Cleanup(release)
	return release
}

// number returns the value of a query over a connection of its own.
func number(t *testing.T, url, sql string, args ...any) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	must(t, conn.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// deadlocks returns how many circles of waiting transactions the server has ended.
func deadlocks(t *testing.T, url string) int {
	t.Helper()
	return number(t, url, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
}

// recordWaiting records entries in the background, and returns when the node waits for a
// lock of the database.
func recordWaiting(t *testing.T, url string, s *Store, entries ...dat.Entry) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.Recorder().Record(t.Context(), entries...)
		done <- err
	}()
	eventually(t, s.cfg.Node+" waits", func() bool {
		return number(t, url, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND application_name = $1 AND wait_event_type = 'Lock'`, "datapi "+s.cfg.Node) > 0
	})
	return done
}

// Promise 14: a name that another node's object has is refused, whatever happens to that
// object at the moment, and holds nobody up.
func TestANameThatAnotherNodeIsChangingHoldsNobodyUp(t *testing.T) {
	changes := map[string]func(x dat.Handle) dat.Entry{
		"modified": func(x dat.Handle) dat.Entry {
			return modification(x, func(e *dat.Endpoint) { e.Attributes.MaxRecvDTOs++ })
		},
		"renamed": func(x dat.Handle) dat.Entry { return modification(x, func(e *dat.Endpoint) { e.Name = "z" }) },
		"freed":   func(x dat.Handle) dat.Entry { return ending(dat.TypeEndpoint, x) },
	}
	for what, change := range changes {
		t.Run(what, func(t *testing.T) {
			url := newDatabase(t)
			a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
			x, y := newID(t), newID(t)
			record(t, b, creation(endpoint(x, "beta", "x")))
			record(t, a, creation(endpoint(y, "alpha", "y")))
			release := holdHead(t, url)
			changed := recordWaiting(t, url, b, change(x))
			_, err := a.Recorder().Record(t.Context(), modification(y, func(e *dat.Endpoint) { e.Name = "x" }))
			wantError(t, err, dat.RetInvalidState, KindNameTaken)
			_, err = a.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "x")))
			wantError(t, err, dat.RetInvalidState, KindNameTaken)
			release()
			must(t, <-changed)
			if n := deadlocks(t, url); n > 0 {
				t.Errorf("%d deadlocks", n)
			}
		})
	}
}

// A name that is free when a group is written, and that another node's object has when the
// group gets its ids, is refused to that unit alone.
func TestANameThatIsTakenMeanwhileIsRefusedToItsUnitAlone(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	y := newID(t)
	record(t, a, creation(endpoint(y, "alpha", "y")))
	release := holdHead(t, url)
	first := recordWaiting(t, url, b, creation(endpoint(newID(t), "beta", "x")))
	blocked := recordWaiting(t, url, a, modification(y, func(e *dat.Endpoint) { e.Attributes.MaxRecvDTOs++ }))
	units := make([]chan error, 3) // one group, when the one that waits is committed
	for i, e := range []dat.Entry{
		creation(endpoint(newID(t), "alpha", "w")), modification(y, func(e *dat.Endpoint) { e.Name = "x" }), creation(endpoint(newID(t), "alpha", "v")),
	} {
		units[i] = make(chan error, 1)
		go func() {
			_, err := a.Recorder().Record(t.Context(), e)
			units[i] <- err
		}()
	}
	release()
	must(t, <-first)
	must(t, <-blocked)
	must(t, <-units[0])
	wantError(t, <-units[1], dat.RetInvalidState, KindNameTaken)
	must(t, <-units[2])
}

// Two units of one group that want one name: the second is refused, and the first is not.
func TestOfTwoUnitsThatWantOneNameTheFirstGetsIt(t *testing.T) {
	url := newDatabase(t)
	a := openStore(t, url, "alpha")
	y := newID(t)
	record(t, a, creation(endpoint(y, "alpha", "y")))
	release := holdHead(t, url)
	blocked := recordWaiting(t, url, a, modification(y, func(e *dat.Endpoint) { e.Attributes.MaxRecvDTOs++ }))
	answers := make(chan error, 5)
	for range cap(answers) {
		go func() {
			_, err := a.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "x")))
			answers <- err
		}()
	}
	release()
	must(t, <-blocked)
	made := 0
	for range cap(answers) {
		if err := <-answers; err == nil {
			made++
		} else {
			wantError(t, err, dat.RetInvalidState, KindNameTaken)
		}
	}
	if made != 1 {
		t.Errorf("%d objects got the name", made)
	}
}

// The same keys in another order on two nodes hold nobody up.
func TestKeysInAnotherOrderOnTwoNodesHoldNobodyUp(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	keyed := func(s *Store, key string) dat.Entry {
		e := creation(endpoint(newID(t), s.cfg.Node, ""))
		e.Answer = &dat.KeyedAnswer{
			Principal: "p", Method: "POST", Path: "/endpoints", Key: key, BodyHash: []byte{1},
			Make: func(dat.Object) (int, map[string]string, []byte) { return 201, nil, nil },
		}
		return e
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), `BEGIN; INSERT INTO kept (principal, method, path, key, body_hash, status, header, body)
		VALUES ('p', 'POST', '/endpoints', 'm', 'x', 200, '{}', '')`)
	must(t, err)
	one := recordWaiting(t, url, a, keyed(a, "k1"), keyed(a, "m"), keyed(a, "k2"))
	two := recordWaiting(t, url, b, keyed(b, "k2"), keyed(b, "m"), keyed(b, "k1"))
	_, err = conn.Exec(t.Context(), `ROLLBACK`)
	must(t, err)
	first, second := <-one, <-two
	if (first == nil) == (second == nil) {
		t.Errorf("the one ended with %v, the other with %v", first, second)
	}
	if n := deadlocks(t, url); n > 0 {
		t.Errorf("%d deadlocks", n)
	}
}

// Promise 1: who waits for another node's COMMIT in vain is told that nothing was changed.
func TestWhoWaitsInVainForTheEndOfTheLogHasChangedNothing(t *testing.T) {
	url := newDatabase(t)
	stores := make([]*Store, 4)
	for i := range stores {
		stores[i] = openStore(t, url, fmt.Sprintf("node%d", i))
	}
	before := lastChange(t, url)
	release := holdHead(t, url)
	refused := make([]<-chan error, len(stores))
	for i, s := range stores {
		refused[i] = recordWaiting(t, url, s, creation(endpoint(newID(t), s.cfg.Node, "")))
	}
	for _, why := range refused {
		wantError(t, <-why, dat.RetInternalError, KindStoreAway)
	}
	release()
	for _, s := range stores {
		eventually(t, "writes", func() bool { return s.Recorder().Away() == nil })
		record(t, s, creation(endpoint(newID(t), s.cfg.Node, "")))
	}
	if n := lastChange(t, url) - before; n != int64(len(stores)) {
		t.Errorf("the log has %d changes more, want %d", n, len(stores))
	}
}

// A watcher hears of the changes of others while a group of its own node waits.
func TestAWatcherHearsOfOthersWhileItsNodeWaits(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	before := b.Log().Present(t.Context())
	sub, err := b.Log().Subscribe(t.Context(), before, ChangeFilter{})
	must(t, err)
	record(t, a, creation(endpoint(newID(t), "alpha", "")))
	if d := next(t, sub); d.Position.ID != before.ID+1 {
		t.Fatalf("got %+v", d)
	}
	b.log.holdBack() // as while its group waits for the end of the log, or commits
	record(t, a, creation(endpoint(newID(t), "alpha", "")))
	if d := next(t, sub); d.Position.ID != before.ID+2 {
		t.Errorf("got %+v", d)
	}
	b.log.release()
	record(t, b, creation(endpoint(newID(t), "beta", "")))
	if d := next(t, sub); d.Position.ID != before.ID+3 {
		t.Errorf("got %+v", d)
	}
}

// A position that the log has is never said to lie beyond its end, and a watcher without a
// position begins at the end, also where nobody has watched and the node is committing.
func TestTheEndOfALogThatNobodyWatchesIsFoundWhileItsNodeCommits(t *testing.T) {
	url := newDatabase(t)
	a, b := openStore(t, url, "alpha"), openStore(t, url, "beta")
	before := lastChange(t, url)
	b.log.holdBack()
	defer b.log.release()
	for range 5 {
		record(t, a, creation(endpoint(newID(t), "alpha", "")))
	}
	if at := b.Log().Present(t.Context()); at.ID != before+5 {
		t.Errorf("the present end is %v", at)
	}
	record(t, a, creation(endpoint(newID(t), "alpha", "")))
	_, err := b.Log().Subscribe(t.Context(), Position{ID: before + 6}, ChangeFilter{})
	must(t, err)
}

// A backend that got a part of a message and waits for the rest is ended by the next
// session of its node: it holds the end of the log.
func TestABackendThatWaitsForTheRestOfAMessageIsEnded(t *testing.T) {
	url := newDatabase(t)
	pool, err := parseURL(url, "datapi alpha")
	must(t, err)
	former, err := pgx.ConnectConfig(t.Context(), pool.ConnConfig)
	must(t, err)
	defer func() { _ = former.Close(context.Background()) }()
	_, err = former.Exec(t.Context(), "BEGIN")
	must(t, err)
	part := former.PgConn().StartPipeline(t.Context())
	part.SendQueryParams("UPDATE change_head SET last = last RETURNING last", nil, nil, nil, nil)
	part.SendFlushRequest()
	must(t, part.Flush())
	pid := former.PgConn().PID()
	eventually(t, "an end of the backend", func() bool {
		s, err := dialSession(t.Context(), pool.ConnConfig, "alpha", formerSession{pid: pid, commitOpen: true}, time.Second)
		must(t, err)
		s.close()
		return number(t, url, `SELECT count(*) FROM pg_stat_activity WHERE pid = $1`, int64(pid)) == 0
	})
}
