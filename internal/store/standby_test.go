package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

// shortWait is the time after which these tests are told that an outcome is unknown.
const shortWait = time.Second

// replicated is a store on a server whose standby has stopped, and one change that waits
// for it.
type replicated struct {
	primary, standby *server
	store            *Store
	watcher          *Subscription
	// known gets the outcome of the change, which creates the endpoint pending.
	known   <-chan dat.Outcome
	pending dat.Handle
}

// stall records a change, stops the standby, and makes a second change.
func stall(t *testing.T) *replicated {
	t.Helper()
	r := &replicated{primary: newServer(t), pending: newID(t)}
	r.standby = r.primary.newStandby()
	r.store = openStore(t, r.primary.url(r.standby), "alpha")
	r.store.recorder.answerTimeout = shortWait
	var err error
	r.watcher, err = r.store.Log().Subscribe(t.Context(), Position{}, ChangeFilter{})
	must(t, err)
	record(t, r.store, creation(endpoint(newID(t), "alpha", "first")))
	if d := next(t, r.watcher); d.Position.ID != 2 && next(t, r.watcher).Position.ID != 2 { // the start, the creation
		t.Fatalf("got %+v", d)
	}
	r.standby.cutOff(r.primary)
	began := time.Now()
	keyed := creation(endpoint(r.pending, "alpha", "second"))
	keyed.Answer = &dat.KeyedAnswer{
		Principal: "p", Method: "POST", Path: "/endpoints", Key: "k", BodyHash: []byte{1},
		Make: func(dat.Object) (int, map[string]string, []byte) { return 201, nil, nil },
	}
	_, err = r.store.Recorder().Record(t.Context(), keyed)
	wantError(t, err, dat.RetInternalError, KindOutcomeUnknown)
	if took := time.Since(began); took > 2*shortWait {
		t.Errorf("the answer took %s", took)
	}
	var unknown *dat.OutcomeUnknown
	if !errors.As(err, &unknown) {
		t.Fatalf("%v does not tell the outcome later", err)
	}
	r.known = unknown.Known
	return r
}

// isHidden requires that nobody sees the pending change.
func (r *replicated) isHidden(t *testing.T) {
	t.Helper()
	select {
	case outcome := <-r.known:
		t.Fatalf("the outcome is known: %+v", outcome)
	default:
	}
	if last := r.store.Log().Last(); last != 2 {
		t.Errorf("the log's end is %d", last)
	}
	if got, err := r.store.Get(t.Context(), dat.TypeEndpoint, r.pending); err == nil {
		t.Errorf("a read shows %+v", got)
	}
	if page, err := r.store.List(t.Context(), Query{Type: dat.TypeEndpoint}); err == nil && len(page.Items) > 1 {
		t.Errorf("a list shows %d endpoints", len(page.Items))
	}
}

// outcome waits until the outcome of the pending change is known.
func (r *replicated) outcome(t *testing.T) dat.Outcome {
	t.Helper()
	select {
	case outcome := <-r.known:
		return outcome
	case <-time.After(30 * time.Second):
		t.Fatal("the outcome is never known")
		return dat.Outcome{}
	}
}

// wasMade requires that the pending change is recorded, shown and delivered.
func (r *replicated) wasMade(t *testing.T) {
	t.Helper()
	must(t, r.outcome(t).Err)
	for d := (Delivery{}); d.Position.ID < 3; {
		d = next(t, r.watcher)
	}
	eventually(t, "reads go on", func() bool {
		_, err := r.store.Get(t.Context(), dat.TypeEndpoint, r.pending)
		return err == nil
	})
	eventually(t, "writes go on", func() bool { return r.store.Recorder().Away() == nil })
	record(t, r.store, modification(r.pending, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 3 }))
}

// Promise 1: what a standby does not have is neither acknowledged nor shown, and the
// wait for it is never ended by this service.
func TestAChangeThatTheStandbyLacksIsUnknownUntilItHasIt(t *testing.T) {
	r := stall(t)
	began := time.Now()
	_, err := r.store.Recorder().Record(t.Context(), creation(endpoint(newID(t), "alpha", "third")))
	if wantError(t, err, dat.RetInternalError, KindStoreAway); time.Since(began) > shortWait/2 {
		t.Errorf("a new write took %s to be refused", time.Since(began))
	}
	if _, running, err := r.store.ClaimKey(t.Context(), AnswerKey{"p", "POST", "/endpoints", "k"}); err != nil || !running {
		t.Errorf("its Idempotency-Key: running %v, %v", running, err)
	}
	// The recorder goes on asking; none of its attempts ends the wait.
	const attempts = `SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'datapi alpha' AND query LIKE '%advisory_lock%'`
	for range 3 {
		eventually(t, "an attempt to find the outcome", func() bool { return r.primary.number(attempts) > 0 })
		eventually(t, "its end", func() bool { return r.primary.number(attempts) == 0 })
	}
	r.isHidden(t)
	if n := r.primary.number(`SELECT count(*)::text FROM objects`); n != 1 {
		t.Errorf("the server shows %d objects: the wait for the standby was ended", n)
	}
	r.standby.reconnect()
	r.wasMade(t)
	answer, running, err := r.store.ClaimKey(t.Context(), AnswerKey{"p", "POST", "/endpoints", "k"})
	if err != nil || running || len(answer) != 1 || answer[0].Status != 201 {
		t.Errorf("its Idempotency-Key then: %+v, running %v, %v", answer, running, err)
	}
}

// Promise 1: what a promoted standby lacks has never happened.
func TestAChangeThatAPromotedStandbyLacksIsUndone(t *testing.T) {
	r := stall(t)
	r.primary.kill()
	r.standby.promote()
	if outcome := r.outcome(t); outcome.Err == nil {
		t.Errorf("it is told to be recorded: %+v", outcome)
	}
	eventually(t, "writes go on", func() bool { return r.store.Recorder().Away() == nil })
	rec := record(t, r.store, creation(endpoint(newID(t), "alpha", "second")))[0]
	if rec.Change.ID != 3 {
		t.Errorf("the next change has the id %d", rec.Change.ID)
	}
	if d := next(t, r.watcher); d.Stale {
		d = next(t, r.watcher)
	} else if d.Position != (Position{ID: 3}) {
		t.Errorf("the watcher got %+v", d)
	}
	_, err := r.store.Get(t.Context(), dat.TypeEndpoint, r.pending)
	wantError(t, err, dat.RetInvalidHandle, "")
}

// Promise 1: a server that starts again shows what its standby never had; this service
// does not.
func TestAServerThatStartsAgainWithoutItsStandbyIsNotReadFrom(t *testing.T) {
	r := stall(t)
	r.primary.kill()
	r.standby.freeze() // else it finds the primary again
	r.primary.start()
	if n := r.primary.number(`SELECT count(*)::text FROM objects`); n != 2 {
		t.Fatalf("the server shows %d objects: it does not do what this test is about", n)
	}
	const barriers = `SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'datapi alpha' AND wait_event = 'SyncRep'`
	eventually(t, "barriers on connections", func() bool { return r.primary.number(barriers) > 1 })
	r.isHidden(t)
	r.standby.thaw()
	r.wasMade(t)
}

// Promise 1: a wait for the standby that somebody cancels is no acknowledgement.
func TestACommitWhoseWaitWasCancelledIsNotAcknowledged(t *testing.T) {
	primary := newServer(t)
	standby := primary.newStandby()
	s := openStore(t, primary.url(), "alpha")
	standby.cutOff(primary)
	answered := make(chan error, 1)
	go func() {
		_, err := s.Recorder().Record(context.Background(), creation(endpoint(newID(t), "alpha", "")))
		answered <- err
	}()
	cancelled := func() bool {
		return primary.text(`SELECT pg_cancel_backend(pid)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'`) == "true"
	}
	eventually(t, "the COMMIT is cancelled", cancelled)
	eventually(t, "it is noticed", func() bool {
		return s.Recorder().Away() != nil || primary.number(`SELECT count(*)::text FROM objects`) == 1
	})
	select {
	case err := <-answered:
		wantError(t, err, dat.RetInternalError, KindOutcomeUnknown)
	default:
	}
	if s.Log().Last() != 1 {
		t.Error("the change is shown")
	}
	standby.reconnect()
	eventually(t, "the change is acknowledged or unknown, and shown", func() bool { return s.Log().Last() == 2 })
}

// fillPool makes connections of the pool that lie idle: a new one would wait for a standby
// that is away.
func fillPool(t *testing.T, s *Store) {
	t.Helper()
	var idle []*pgxpool.Conn
	for range poolMin / 2 {
		c, err := s.pool.Acquire(t.Context())
		must(t, err)
		idle = append(idle, c)
	}
	for _, c := range idle {
		c.Release()
	}
}

// Promise 3: an answer of which the standby may know nothing is not taken for stored.
func TestAnAnswerWhoseWaitWasCancelledIsNotTakenForStored(t *testing.T) {
	primary := newServer(t)
	standby := primary.newStandby()
	s := openStore(t, primary.url(), "alpha")
	fillPool(t, s)
	standby.cutOff(primary)
	answered := make(chan error, 1)
	go func() {
		answered <- s.SaveAnswer(context.Background(), AnswerKey{"p", "POST", "/x", "k"}, StoredAnswer{BodyHash: []byte{1}, Status: 200})
	}()
	eventually(t, "the wait is cancelled", func() bool {
		return primary.text(`SELECT pg_cancel_backend(pid)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'INSERT INTO kept%'`) == "true"
	})
	wantError(t, <-answered, dat.RetInternalError, KindStoreAway)
}

// Promise 1: a retention that the standby may lack is not acknowledged.
func TestARetentionWhoseWaitWasCancelledHasAnUnknownOutcome(t *testing.T) {
	primary := newServer(t)
	standby := primary.newStandby()
	s := openIdle(t, primary.url(), "alpha")
	fillPool(t, s)
	standby.cutOff(primary)
	answered := make(chan error, 1)
	go func() {
		_, _, err := s.SetRetention(context.Background(), Age(day), "test", false)
		answered <- err
	}()
	eventually(t, "the wait is cancelled", func() bool {
		return primary.text(`SELECT pg_cancel_backend(pid)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'commit'`) == "true"
	})
	wantError(t, <-answered, dat.RetInternalError, KindOutcomeUnknown)
}

// Promise 2: the former session of a killed process is not ended while it waits for a
// standby; one that waits for nothing is.
func TestAFormerSessionIsEndedUnlessItMayBeCommitting(t *testing.T) {
	url := newDatabase(t)
	cfg, err := parseURL(url, "datapi alpha")
	must(t, err)
	for _, c := range []struct {
		commitOpen bool
		want       error
	}{{false, nil}, {true, errNodeTaken}} {
		former, err := dialSession(t.Context(), cfg.ConnConfig, "alpha", formerSession{}, time.Second)
		must(t, err)
		s, err := dialSession(t.Context(), cfg.ConnConfig, "alpha", formerSession{pid: former.pid, commitOpen: c.commitOpen}, 100*time.Millisecond)
		if !errors.Is(err, c.want) {
			t.Errorf("commit open %v: %v", c.commitOpen, err)
		}
		former.close()
		if s != nil {
			s.close()
		}
	}
}

// Promise 1: giving a connection up never asks the server to cancel what runs on it.
func TestGivingASessionUpCancelsNothing(t *testing.T) {
	cfg, err := parseURL(newDatabase(t), "datapi alpha")
	must(t, err)
	conn, err := connectWithoutCancel(t.Context(), cfg.ConnConfig)
	must(t, err)
	if err := conn.PgConn().CancelRequest(t.Context()); !errors.Is(err, errNoCancel) {
		t.Errorf("got %v", err)
	}
	must(t, conn.Close(context.Background()))
}
