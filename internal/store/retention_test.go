package store

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// ages are words that ParseAge reads, with the word that it writes.
var ages = map[string]struct {
	age  time.Duration
	word string
}{
	"90d":      {90 * day, "90d"},
	"36500d":   {36500 * day, "36500d"},
	"36h":      {36 * time.Hour, "36h"},
	"48h":      {2 * day, "2d"},
	"1h30m":    {90 * time.Minute, "1h30m"},
	"10m":      {10 * time.Minute, "10m"},
	"2s":       {2 * time.Second, "2s"},
	"1h0m5s":   {time.Hour + 5*time.Second, "1h0m5s"},
	"1500ns":   {time.Microsecond, "1µs"},
	"1.5h":     {90 * time.Minute, "1h30m"},
	"876000h":  {36500 * day, "36500d"},
	"100h0m5s": {100*time.Hour + 5*time.Second, "100h0m5s"},
}

func TestAnAgeIsReadAsItIsWritten(t *testing.T) {
	for word, want := range ages {
		a, err := ParseAge(word)
		must(t, err)
		if time.Duration(a) != want.age || a.String() != want.word {
			t.Errorf("%s is read as %s (%s), want %s", word, time.Duration(a), a, want.word)
		}
		if again, err := ParseAge(a.String()); err != nil || again != a {
			t.Errorf("%s is written as %s, which is read as %s, %v", word, a, again, err)
		}
	}
	for _, word := range []string{"", "0d", "-1d", "90", "d", "1.5d", "36501d", "876001h", "0s", "-5m", "999ns", "forever", "9999999999999999999d"} {
		if a, err := ParseAge(word); err == nil || !strings.Contains(err.Error(), "write it as 90d or 36h, 36500d at most") {
			t.Errorf("%q is read as %s, %v", word, a, err)
		}
	}
}

// openWith opens a store with a retention, which an operator has asked for. What it logs
// is in the buffer after it was closed.
func openWith(t *testing.T, url, node string, age time.Duration) (*Store, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s, err := Open(t.Context(), Config{
		URL: url, Node: node, Retention: Age(age), RetentionGiven: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	must(t, err)
	return s, &log
}

// retentionOf returns the retention of the database.
func retentionOf(t *testing.T, s *Store) Retention {
	t.Helper()
	r, err := s.Retention(t.Context())
	must(t, err)
	return r
}

func TestTheFirstStartSetsTheRetentionAndLaterOnesGoByIt(t *testing.T) {
	url := newDatabase(t)
	if r := retentionOf(t, openStore(t, url, "none")); r != (Retention{}) {
		t.Errorf("a new database has the retention %+v", r)
	}
	first, log := openWith(t, url, "alpha", 30*day)
	set := retentionOf(t, first)
	closeStore(t, first)
	if set.Age != Age(30*day) || set.SetBy != "node alpha" || set.SetAt.IsZero() || strings.Contains(log.String(), "--retention") {
		t.Errorf("the first start sets %+v and logs %s", set, log)
	}
	for age, logs := range map[time.Duration]int{30 * day: 0, 2 * time.Second: 1} {
		s, log := openWith(t, url, "beta", age)
		if r := retentionOf(t, s); r != set {
			t.Errorf("a start with %s changes the retention to %+v", Age(age), r)
		}
		closeStore(t, s)
		if n := strings.Count(log.String(), "--retention is not what the database has"); n != logs {
			t.Errorf("a start with %s says so %d times, want %d: %s", Age(age), n, logs, log)
		}
	}
	s, err := Open(t.Context(), Config{URL: url, Node: "gamma", Retention: Age(90 * day), Logger: slog.New(slog.NewTextHandler(log, nil))})
	must(t, err)
	closeStore(t, s)
	if strings.Contains(log.String(), "given=90d") {
		t.Errorf("a start without --retention complains: %s", log)
	}
}

func TestARetentionIsSetForAllNodesAndADryRunSetsNothing(t *testing.T) {
	url := newDatabase(t)
	alpha, beta := openStore(t, url, "alpha"), openStore(t, url, "beta")
	before, rehearsed, err := alpha.SetRetention(t.Context(), Age(90*day), "somebody", true)
	must(t, err)
	if before != (Retention{}) || rehearsed.Age != Age(90*day) || rehearsed.SetBy != "somebody" || retentionOf(t, beta) != before {
		t.Errorf("a dry run answers %+v, %+v; then it is %+v", before, rehearsed, retentionOf(t, beta))
	}
	_, set, err := alpha.SetRetention(t.Context(), Age(36*time.Hour), "somebody", false)
	must(t, err)
	if set.Age != Age(36*time.Hour) || set.SetAt.IsZero() || retentionOf(t, beta) != set {
		t.Errorf("set to %+v; another node reads %+v", set, retentionOf(t, beta))
	}
	was, now, err := beta.SetRetention(t.Context(), Age(time.Minute), "another", false)
	must(t, err)
	if was != set || now.SetBy != "another" || !now.SetAt.After(set.SetAt) || retentionOf(t, alpha) != now {
		t.Errorf("from %+v to %+v; the other node reads %+v", was, now, retentionOf(t, alpha))
	}
}

// openIdle opens a store without its background tasks, which would delete by themselves.
func openIdle(t testing.TB, url, node string) *Store {
	t.Helper()
	s := openStore(t, url, node)
	s.stop()
	s.tasks.Wait()
	return s
}

// setDue sets a retention by which everything of the past is too old, and which is due.
func setDue(t *testing.T, url string) {
	t.Helper()
	must(t, admin(t.Context(), url, `UPDATE retention SET age = interval '1 microsecond', set_by = 'test', set_at = now(), pruned_at = NULL`))
}

// recordVersions records an endpoint with a number of versions.
func recordVersions(t *testing.T, s *Store, versions int) (id dat.Handle) {
	t.Helper()
	id = newID(t)
	record(t, s, creation(endpoint(id, s.cfg.Node, "")))
	for range versions - 1 {
		record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
	}
	return id
}

// changesLeft returns how many changes of an object are in the database.
func changesLeft(t *testing.T, url string, id dat.Handle) string {
	t.Helper()
	return column(t, url, `SELECT count(*)::text FROM changes WHERE object_id = '`+string(id)+`'`)
}

func TestOfSeveralNodesOneDeletesWhatIsTooOld(t *testing.T) {
	url := newDatabase(t)
	nodes := []*Store{openIdle(t, url, "alpha"), openIdle(t, url, "beta"), openIdle(t, url, "gamma")}
	id := recordVersions(t, nodes[0], 5)
	setDue(t, url)
	var done atomic.Int32
	var all sync.WaitGroup
	for _, s := range nodes {
		all.Go(func() {
			pruned, err := s.pruneWhenDue(t.Context())
			if err != nil {
				t.Error(err)
			}
			if pruned {
				done.Add(1)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 || changesLeft(t, url, id) != "1" {
		t.Errorf("%d nodes have deleted; of the object there are %s changes, want its last one", done.Load(), changesLeft(t, url, id))
	}
}

func TestANodeDeletesNothingWhileAnotherOneDoes(t *testing.T) {
	url := newDatabase(t)
	alpha, beta := openIdle(t, url, "alpha"), openIdle(t, url, "beta")
	id := recordVersions(t, alpha, 3)
	setDue(t, url)
	other, err := pgx.Connect(t.Context(), url)
	must(t, err)
	_, err = other.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, int64(pruneLock))
	must(t, err)
	if done, err := beta.pruneWhenDue(t.Context()); done || err != nil || changesLeft(t, url, id) != "3" {
		t.Errorf("beside another node: %t, %v, %s changes are left", done, err, changesLeft(t, url, id))
	}
	must(t, other.Close(context.Background())) // the lock goes with the connection
	eventually(t, "a node takes over", func() bool {
		done, err := beta.pruneWhenDue(t.Context())
		must(t, err)
		return done
	})
	if changesLeft(t, url, id) != "1" {
		t.Errorf("%s changes are left, want 1", changesLeft(t, url, id))
	}
}

func TestWhatIsTooOldIsDeletedOncePerInterval(t *testing.T) {
	url := newDatabase(t)
	s := openIdle(t, url, "alpha")
	due := func(prunedAt string) bool {
		must(t, admin(t.Context(), url, `UPDATE retention SET pruned_at = `+prunedAt))
		done, err := s.pruneWhenDue(t.Context())
		must(t, err)
		return done
	}
	for prunedAt, want := range map[string]bool{
		"NULL": true, "now()": false, "now() - interval '59 minutes'": false, "now() - interval '61 minutes'": true,
		"now() + interval '1 minute'": true, // the database's clock was set back
	} {
		if got := due(prunedAt); got != want {
			t.Errorf("with pruned_at %s it is carried out: %t, want %t", prunedAt, got, want)
		}
	}
}

// clockOff sets the clock of a database, as sessions that begin later see it, off by an
// interval.
func clockOff(t *testing.T, url, interval string) {
	t.Helper()
	must(t, admin(t.Context(), url, `CREATE SCHEMA elsewhere;
		CREATE FUNCTION elsewhere.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.now() + interval '`+interval+`' $$`))
	must(t, admin(t.Context(), url, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = elsewhere, pg_catalog, public', current_database()); END $$`))
}

func TestTheDatabasesClockSaysWhatIsTooOld(t *testing.T) {
	for _, c := range []struct{ clock, left string }{{"91 days", "1"}, {"89 days", "3"}, {"-91 days", "3"}} {
		url := newDatabase(t)
		clockOff(t, url, c.clock)
		s := openIdle(t, url, "alpha")
		id := recordVersions(t, s, 3)
		must(t, admin(t.Context(), url, `UPDATE retention SET age = interval '90 days', set_by = 'test', set_at = now(), pruned_at = NULL`))
		if done, err := s.pruneWhenDue(t.Context()); err != nil || !done || changesLeft(t, url, id) != c.left {
			t.Errorf("with a clock off by %s: %t, %v; of 3 changes there are %s, want %s", c.clock, done, err, changesLeft(t, url, id), c.left)
		}
	}
}

func TestARetentionThatIsSetMeanwhileIsCarriedOutByTheSameNode(t *testing.T) {
	url := newDatabase(t)
	s := openIdle(t, url, "alpha")
	id := recordVersions(t, s, 3)
	must(t, admin(t.Context(), url, `UPDATE retention SET age = interval '90 days', set_by = 'test', set_at = now()`))
	// The setting is changed when the first pass deletes objects that were freed.
	must(t, admin(t.Context(), url, `CREATE FUNCTION set_meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			UPDATE retention SET age = interval '1 microsecond', set_at = clock_timestamp() WHERE age = interval '90 days';
			RETURN NULL;
		END $$;
		CREATE TRIGGER set_meanwhile AFTER DELETE ON objects FOR EACH STATEMENT EXECUTE FUNCTION set_meanwhile()`))
	if done, err := s.pruneWhenDue(t.Context()); err != nil || !done || changesLeft(t, url, id) != "1" {
		t.Errorf("%t, %v; %s changes are left, want 1", done, err, changesLeft(t, url, id))
	}
}

func TestAShorterRetentionIsCarriedOutSoonAfterItIsSet(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	id := recordVersions(t, s, 4)
	_, _, err := s.SetRetention(t.Context(), Age(time.Microsecond), "test", false)
	must(t, err)
	eventually(t, "older changes are deleted", func() bool { return changesLeft(t, url, id) == "1" })
}

func TestWithoutARetentionAllChangesAreKept(t *testing.T) {
	url := newDatabase(t)
	s := openIdle(t, url, "alpha")
	id := recordVersions(t, s, 3)
	must(t, s.SaveAnswer(t.Context(), AnswerKey{"p", "POST", "/pzs", "k"}, StoredAnswer{BodyHash: []byte{1}, Status: 201}))
	must(t, admin(t.Context(), url, `UPDATE retention SET pruned_at = NULL; UPDATE kept SET at = now() - interval '25 hours'`))
	done, err := s.pruneWhenDue(t.Context())
	must(t, err)
	if answers := column(t, url, `SELECT count(*)::text FROM kept`); !done || changesLeft(t, url, id) != "3" || answers != "0" {
		t.Errorf("carried out: %t; %s changes and %s answers are left, want 3 and 0", done, changesLeft(t, url, id), answers)
	}
}

func TestTheRetentionIsRefusedWithoutTheDatabase(t *testing.T) {
	p, through := newProxy(t, newDatabase(t))
	s := openStore(t, through, "alpha")
	p.refusing.Store(true)
	p.cut()
	eventually(t, "writes are refused", func() bool { return s.Recorder().Away() != nil })
	_, err := s.Retention(t.Context())
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	_, _, err = s.SetRetention(t.Context(), Age(day), "test", false)
	wantError(t, err, dat.RetInternalError, KindStoreAway)
	p.refusing.Store(false)
	eventually(t, "writes are taken", func() bool { return s.Recorder().Away() == nil })
}
