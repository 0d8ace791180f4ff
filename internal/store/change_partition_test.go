package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

// beginAt makes a database's log begin after an id, as if what was before it were past the
// retention.
func beginAt(t *testing.T, url, id string) {
	t.Helper()
	must(t, admin(t.Context(), url, `UPDATE change_head SET last = `+id+`, gone = `+id+`, gone_at = now()`))
}

func TestTheNextPartitionIsMadeBeforeItIsNeeded(t *testing.T) {
	url := newDatabase(t)
	inPartitions(t, url, 10, 10)
	s := openIdle(t, url, "alpha")
	must(t, admin(t.Context(), url, `UPDATE retention SET age = interval '1 hour', set_by = 'test', set_at = now()`))
	for _, c := range []struct {
		versions int
		want     string
	}{
		{1, "before_10 before_20 open"},                      // there was room for 8, it is to be for 10
		{6, "before_10 before_20 open"},                      // to 8 of 19
		{4, "before_10 before_20 before_31 open"},            // to 12; 11 came in the last hour
		{16, "before_10 before_20 before_31 before_58 open"}, // to 28; 27 came
	} {
		recordVersions(t, s, c.versions)
		must(t, extendLog(t.Context(), s.pool, 10))
		if names := partitionNames(t, url); names != c.want {
			t.Errorf("at change %d there are the partitions %s, want %s", lastChange(t, url), names, c.want)
		}
	}
	if n := column(t, url, `SELECT count(*)::text FROM changes_open`); n != "0" {
		t.Errorf("%s changes lie beyond the partitions", n)
	}
}

// An insert never lacks a partition: what nobody was in time for goes into the open one, and
// the next one takes it over.
func TestChangesBeyondAllPartitionsAreTakenOverByTheNextOne(t *testing.T) {
	url := newDatabase(t)
	inPartitions(t, url, 5, 5)
	s := openIdle(t, url, "alpha")
	must(t, admin(t.Context(), url, `ALTER TABLE changes_open ADD CHECK (id < 30)`)) // who comes later finds another one
	recordVersions(t, s, 20)
	before := rowsOfTables(t, url, []string{"changes"})
	if n := column(t, url, `SELECT count(*)::text FROM changes_open`); n == "0" {
		t.Error("no change lies beyond the partitions")
	}
	must(t, extendLog(t.Context(), s.pool, 10))
	if d := cmp.Diff(before, rowsOfTables(t, url, []string{"changes"})); d != "" {
		t.Errorf("what lay beyond the partitions (-before +after):\n%s", d)
	}
	recordVersions(t, s, 30)
	if page, err := s.Changes(t.Context(), ChangeQuery{Asc: true, Limit: 1000}); err != nil || len(page.Items) != 51 || page.Items[50].ID != 51 {
		t.Errorf("of 51 changes there are %d, %v", len(page.Items), err)
	}
}

// A log that is being locked lets writers through while somebody reads for long.
func TestWhoReadsForLongHoldsUpNoWriter(t *testing.T) {
	url := newDatabase(t)
	inPartitions(t, url, 5, 20)
	s := openIdle(t, url, "alpha")
	id := recordVersions(t, s, 12)
	reader, err := pgx.Connect(t.Context(), url)
	must(t, err)
	_, err = reader.Exec(t.Context(), `BEGIN; SELECT count(*) FROM changes`)
	must(t, err)
	var dropped atomic.Bool
	var done sync.WaitGroup
	done.Go(func() {
		err := error(&pgconn.PgError{Code: lockTimeoutCode})
		for isLockTimeout(err) { // it gave up
			_, err = pruneBefore(t.Context(), s.pool, time.Now().Add(time.Minute), 0)
		}
		dropped.Store(true)
		if err != nil {
			t.Error(err)
		}
	})
	eventually(t, "the log is being locked", func() bool {
		return column(t, url, `SELECT count(*)::text FROM pg_locks WHERE relation = 'changes'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`) != "0"
	})
	for range 5 {
		record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
	}
	if dropped.Load() || changesLeft(t, url, id) != "17" {
		t.Errorf("beside a reader %s changes are left", changesLeft(t, url, id))
	}
	must(t, reader.Close(context.Background()))
	done.Wait()
	if names := partitionNames(t, url); names != "kept_before_10 before_15 before_20 open" {
		t.Errorf("there are the partitions %s", names)
	}
}

// terminateElected ends the connection of the node that holds pruneLock.
var terminateElected = fmt.Sprintf(`SELECT pg_terminate_backend(pid) FROM pg_locks
	WHERE locktype = 'advisory' AND (classid::bigint << 32) + objid::bigint = %d`, int64(pruneLock))

// tendOnce makes partitions of 20 ids and deletes what is past its time, all but the last change
// of each object, if no other node is at it. It counts the times at which partitions were dropped.
func tendOnce(ctx context.Context, s *Store, drops *atomic.Int64) {
	_ = s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		var elected bool
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, int64(pruneLock)).Scan(&elected); err != nil || !elected {
			return err
		}
		defer unlockPruning(ctx, c.Conn())
		if err := extendLog(ctx, c, 20); err != nil {
			return err
		}
		aged, err := ageLog(ctx, c, time.Now(), 0)
		if err != nil {
			return err
		}
		if _, err = pruneBefore(ctx, c, time.Now(), 0); err == nil && len(aged.old) > 0 {
			drops.Add(1)
		}
		return err
	})
}

// Promises 1, 4 and 5: nodes write while partitions are made and dropped, by one node after the
// other, as the one that does so loses its connection.
func TestNoWriteIsRefusedWhilePartitionsComeAndGo(t *testing.T) {
	url := newDatabase(t)
	inPartitions(t, url, 20, 40)
	nodes := []*Store{openIdle(t, url, "alpha"), openIdle(t, url, "beta")}
	var writers, others sync.WaitGroup
	var ended atomic.Bool
	var drops atomic.Int64
	last := make([]dat.Change, 8)
	for i := range last {
		s := nodes[i%2]
		id := newID(t)
		record(t, s, creation(endpoint(id, s.cfg.Node, "")))
		writers.Go(func() {
			for n := int32(0); n < 60 || drops.Load() < 2 && n < 5000; n++ {
				out, err := s.Recorder().Record(t.Context(), modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvDTOs = n + 17 }))
				if err != nil {
					t.Error(err)
					return
				}
				last[i] = out[0].Change
				if i == 0 && n%10 == 9 {
					must(t, admin(t.Context(), url, terminateElected))
				}
			}
		})
	}
	for _, s := range nodes {
		others.Go(func() {
			for !ended.Load() {
				tendOnce(t.Context(), s, &drops) // an error is its connection's end, or the next time's affair
			}
		})
	}
	writers.Wait()
	ended.Store(true)
	others.Wait()
	if drops.Load() == 0 {
		t.Error("no partition was dropped meanwhile")
	}
	_, err := pruneBefore(t.Context(), nodes[0].pool, time.Now().Add(time.Minute), 0)
	must(t, err)
	for _, c := range last {
		page, err := nodes[0].History(t.Context(), dat.TypeEndpoint, c.Object.ID, ChangeQuery{})
		must(t, err)
		if len(page.Items) != 1 || page.Items[0].ID != c.ID || page.Items[0].Version != c.Version {
			t.Errorf("of %s there are %+v, want change %d", c.Object.ID, page.Items, c.ID)
		}
	}
	must(t, nodes[0].Log().catchUp(t.Context()))
	if _, err := nodes[0].Log().Subscribe(t.Context(), Position{ID: 1}, ChangeFilter{}); !errors.Is(err, ErrGone) {
		t.Errorf("a position past the retention: %v", err)
	}
}

// Promise 12
func TestABackupOfALongLogIsPutIntoPartitionsThatHaveRoomForIt(t *testing.T) {
	source, target := newDatabase(t), newDatabase(t)
	beginAt(t, source, "5000000")
	s := openAs(t, source, "alpha")
	recordEverything(t, s)
	closeStore(t, s)
	_, err := restore(t, target, backup(t, source), false)
	must(t, err)
	sameButGeneration(t, source, target)
	if n := column(t, target, `SELECT count(*)::text FROM changes_open`); n != "0" {
		t.Errorf("%s changes lie beyond the partitions", n)
	}
	goesOn(t, target)
}

// Promise 12
func TestALogInPartitionsIsTakenBackToOneTable(t *testing.T) {
	url := newDatabase(t)
	inPartitions(t, url, 5, 20)
	s := openAs(t, url, "alpha")
	recordEverything(t, s)
	closeStore(t, s)
	rows := func() map[string][]string { // what the schema had before the log was in partitions
		return withoutLaterColumns(rowsOfTables(t, url, []string{"nodes", "groups", "objects", "changes", "change_head", "kept", "retention"}))
	}
	before := rows()
	for _, migrate := range []func() error{
		func() error {
			_, err := MigrateDown(t.Context(), url, int(newestVersion(t))-partitionedSchema+1, quiet)
			return err
		},
		func() error { _, err := MigrateUp(t.Context(), url, quiet); return err },
	} {
		must(t, migrate())
		if d := cmp.Diff(before, rows()); d != "" {
			t.Errorf("the rows differ (-before +after):\n%s", d)
		}
	}
	goesOn(t, url)
}

// laterColumns are the columns that tables got after the log was in partitions.
var laterColumns = regexp.MustCompile(`,"actor_kind":(?:null|"\w+")|,"labels":(?:null|\{[^{}]*\})(\})$`)

// withoutLaterColumns returns rows without them.
func withoutLaterColumns(tables map[string][]string) map[string][]string {
	for _, rows := range tables {
		for i := range rows {
			rows[i] = laterColumns.ReplaceAllString(rows[i], "$1")
		}
	}
	return tables
}

// Promise 9: readers do not wait for a standby that is away because a partition was made.
func TestAPartitionIsMadeWithoutItsStandbys(t *testing.T) {
	primary := newServer(t)
	standby := primary.newStandby()
	s := openIdle(t, primary.url(), "alpha")
	fillPool(t, s)
	standby.cutOff(primary)
	must(t, extendLog(t.Context(), s.pool, 1<<22))
	if _, err := s.Changes(t.Context(), ChangeQuery{}); err != nil {
		t.Error(err)
	}
	if names := partitionNames(t, primary.url()); names != "first before_6291457 open" {
		t.Errorf("there are the partitions %s", names)
	}
}
