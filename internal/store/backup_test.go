package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// recordEverything records objects of all types, a change of every kind, and answers
// with and without a change.
func recordEverything(t *testing.T, s *Store) {
	t.Helper()
	recordFixture(t, s)
	stored := creation(endpoint(newID(t), "alpha", "stored"))
	stored.Answer = &dat.KeyedAnswer{
		Principal: "p", Method: "POST", Path: "/endpoints", Key: "with its change", BodyHash: []byte{0, '\\', '\n', 255},
		Make: func(dat.Object) (int, map[string]string, []byte) {
			return 201, map[string]string{"ETag": `"1"`}, []byte("\x00\t\\N\n{}")
		},
	}
	record(t, s, stored)
	must(t, s.SaveAnswer(t.Context(), AnswerKey{"p", "POST", "/endpoints", "a refusal"}, StoredAnswer{BodyHash: []byte{1}, Status: 409}))
}

// rowsOfTables returns all rows of all tables of a database as JSON, by table.
func rowsOfTables(t *testing.T, url string, tables []string) map[string][]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	out := map[string][]string{}
	for _, table := range tables {
		rows, err := conn.Query(t.Context(), `SELECT to_json(r)::text FROM `+table+` r ORDER BY 1`)
		must(t, err)
		out[table], err = pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
	}
	return out
}

// generationMember is the member of change_head that a restore sets.
var generationMember = regexp.MustCompile(`"generation":\d+`)

// sameButGeneration compares the rows of two databases, but for the generation of the
// log, which must be newer in the second one.
func sameButGeneration(t *testing.T, source, target string) {
	t.Helper()
	tables := tablesOf(t, source)
	want, got := rowsOfTables(t, source, tables), rowsOfTables(t, target, tables)
	for _, rows := range []map[string][]string{want, got} {
		rows["change_head"][0] = generationMember.ReplaceAllString(rows["change_head"][0], "")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the rows differ (-source +restored):\n%s", d)
	}
	const generation = `SELECT lpad(generation::text, 20, '0') FROM change_head`
	if was, is := column(t, source, generation), column(t, target, generation); is <= was {
		t.Errorf("the log is in generation %s after a restore, it was in %s", is, was)
	}
}

// tablesOf returns the tables of a database, without those of the migrations.
func tablesOf(t *testing.T, url string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'schema_%' ORDER BY 1`)
	must(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return names
}

// backup returns the backup of a database.
func backup(t *testing.T, url string) []byte {
	t.Helper()
	var file bytes.Buffer
	_, err := Backup(t.Context(), url, "test", &file)
	must(t, err)
	return file.Bytes()
}

// restore restores a backup into a database.
func restore(t *testing.T, url string, file []byte, replace bool) (Restored, error) {
	t.Helper()
	return Restore(t.Context(), url, bytes.NewReader(file), replace)
}

// wantFailure fails unless an error says something.
func wantFailure(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want an error that says %q", err, says)
	}
}

// Promise 12
func TestARestoredDatabaseIsEqualRowByRow(t *testing.T) {
	source := newDatabase(t)
	s := openAs(t, source, "alpha")
	recordEverything(t, s)
	closeStore(t, s)
	file := backup(t, source)
	head, err := CheckBackup(bytes.NewReader(file))
	must(t, err)
	for _, target := range []string{newDatabase(t), emptyDatabase(t)} {
		done, err := restore(t, target, file, false)
		must(t, err)
		if d := cmp.Diff(head, done.Head); d != "" || done.Replaced != "" || head.LastChange != lastChange(t, source) || !slices.Equal(head.Nodes, []string{"alpha"}) {
			t.Errorf("the head is %+v, restored was %+v", head, done)
		}
		sameButGeneration(t, source, target)
		if d := cmp.Diff(schemaOf(t, source), schemaOf(t, target)); d != "" {
			t.Errorf("the schemas differ (-source +restored):\n%s", d)
		}
	}
}

// Promises 3, 4, 5 and 12
func TestIdsVersionsAnswersAndPositionsGoOnAfterARestore(t *testing.T) {
	source, target := newDatabase(t), emptyDatabase(t)
	s := openAs(t, source, "alpha")
	recordEverything(t, s)
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "goes-on")))
	closeStore(t, s)
	last := lastChange(t, source)
	_, err := restore(t, target, backup(t, source), false)
	must(t, err)

	s = openStore(t, target, "alpha")
	last++ // the start
	now := s.Log().Position()
	if now.ID != last || now.Generation == 0 {
		t.Errorf("the log ends at %s, want %d of a new generation", now, last)
	}
	// Positions beyond the backup would come to mean other changes.
	for _, former := range []int64{last - 1, last, last + 1} {
		if _, err := s.Log().Subscribe(t.Context(), Position{ID: former}, ChangeFilter{}); !errors.Is(err, ErrRewound) {
			t.Errorf("a watcher of before the restore goes on after %d: %v", former, err)
		}
	}
	sub, err := s.Log().Subscribe(t.Context(), Position{Generation: now.Generation, ID: last - 1}, ChangeFilter{})
	must(t, err)
	done := record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 3 }))[0]
	if done.Change.ID != last+1 || done.Change.Version != 2 {
		t.Errorf("the next change is %d with version %d, want %d and 2", done.Change.ID, done.Change.Version, last+1)
	}
	var seen []int64
	for len(seen) < 2 {
		for _, c := range next(t, sub).Changes {
			seen = append(seen, c.ID)
		}
	}
	if !slices.Equal(seen, []int64{last, last + 1}) {
		t.Errorf("a watcher after %d gets %v", last-1, seen)
	}
	answer, _, err := s.ClaimKey(t.Context(), AnswerKey{"p", "POST", "/endpoints", "with its change"})
	must(t, err)
	if len(answer) != 1 || answer[0].Status != 201 || string(answer[0].Body) != "\x00\t\\N\n{}" {
		t.Errorf("the stored answer is %+v", answer)
	}
}

// Promises 4, 5 and 12
func TestABackupIsOneSnapshotWhileServicesWrite(t *testing.T) {
	source := newDatabase(t)
	s := openStore(t, source, "alpha")
	w := newWorkload()
	var writers sync.WaitGroup
	writers.Go(func() { w.run(t, s, 8, 60) })
	var files [][]byte
	for i := range 4 {
		eventually(t, "writes go on", func() bool { return w.acks.Load() > int64(100*(i+1)) })
		acknowledged := acknowledgedSoFar(w)
		files = append(files, backup(t, source))
		target := emptyDatabase(t)
		_, err := restore(t, target, files[i], false)
		must(t, err)
		agrees(t, target, acknowledged)
	}
	writers.Wait()
}

// acknowledgedSoFar returns the versions that a workload has had acknowledged so far.
func acknowledgedSoFar(w *workload) map[dat.Handle]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[dat.Handle]int64{}
	for id, v := range w.versions {
		out[id] = v
	}
	return out
}

// agrees fails unless objects and log of a database say the same, and nothing that had
// been acknowledged is missing.
func agrees(t *testing.T, url string, acknowledged map[dat.Handle]int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var count, first, last, head, differ int64
	must(t, conn.QueryRow(t.Context(), `SELECT count(*), min(id), max(id), (SELECT last FROM change_head),
		(SELECT count(*) FROM objects o WHERE o.body IS DISTINCT FROM
			(SELECT image FROM changes c WHERE c.object_id = o.id ORDER BY c.id DESC LIMIT 1)) FROM changes`).
		Scan(&count, &first, &last, &head, &differ))
	if first != 1 || last != count || head != last || differ != 0 {
		t.Errorf("%d changes from %d to %d, the head says %d; %d objects differ from their last change", count, first, last, head, differ)
	}
	for id, v := range acknowledged {
		var found int64
		must(t, conn.QueryRow(t.Context(), `SELECT coalesce((SELECT version FROM objects WHERE id = $1), 0)`, string(id)).Scan(&found))
		if found < v {
			t.Errorf("%s was acknowledged in version %d before the backup, which has version %d", id, v, found)
		}
	}
}

func TestADatabaseThatIsNotEmptyIsReplacedOnlyWhenThatIsSaid(t *testing.T) {
	source, target := newDatabase(t), newDatabase(t)
	s := openAs(t, source, "alpha")
	recordEverything(t, s)
	closeStore(t, s)
	s = openAs(t, target, "beta")
	record(t, s, creation(endpoint(newID(t), "beta", "")), creation(endpoint(newID(t), "beta", "")))
	closeStore(t, s)
	must(t, admin(t.Context(), target, `UPDATE change_head SET generation = 9000000000000`)) // by a clock that was wrong
	file := backup(t, source)
	const lost = "2 living objects of beta and 4 changes up to change 4" // beta came and left
	_, err := restore(t, target, file, false)
	wantFailure(t, err, lost+" of ")
	wantFailure(t, err, "--replace")
	done, err := restore(t, target, file, true)
	must(t, err)
	if !strings.HasPrefix(done.Replaced, lost) {
		t.Errorf("replaced was %q", done.Replaced)
	}
	sameButGeneration(t, source, target)
	if g := column(t, target, `SELECT generation::text FROM change_head`); g != "9000000000001" {
		t.Errorf("the log is in generation %s, want one after the one that was replaced", g)
	}
}

func TestADatabaseThatAServiceUsesIsNotRestoredInto(t *testing.T) {
	file, url := backup(t, newDatabase(t)), newDatabase(t)
	s := openAs(t, url, "alpha")
	_, err := restore(t, url, file, true)
	wantFailure(t, err, "a service uses the database (node alpha)")
	record(t, s, creation(endpoint(newID(t), "alpha", ""))) // it goes on
	closeStore(t, s)
	_, err = restore(t, url, file, true)
	must(t, err)
}

func TestAServiceThatStartsDuringARestoreFindsWhatWasRestored(t *testing.T) {
	source, target := newDatabase(t), newDatabase(t)
	s := openAs(t, source, "alpha")
	recordEverything(t, s)
	closeStore(t, s)
	whole := backup(t, source)
	// The restore reads its file up to the last bytes and then waits.
	file, rest := io.Pipe()
	defer rest.Close()
	result := make(chan error, 1)
	go func() {
		_, err := Restore(t.Context(), target, file, false)
		result <- err
	}()
	_, err := rest.Write(whole[:len(whole)-8])
	must(t, err)
	eventually(t, "the restore keeps services out", func() bool {
		return column(t, target, `SELECT count(*)::text FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND a.datname = current_database() AND a.application_name = 'datapi restore'`) != "0"
	})
	started := make(chan *Store, 1)
	go func() {
		s, err := Open(t.Context(), Config{URL: target, Node: "alpha"})
		if err != nil {
			t.Error(err)
		}
		started <- s
	}()
	eventually(t, "the service waits for its migrations", func() bool {
		return column(t, target, `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'datapi alpha'`) != "0"
	})
	_, err = rest.Write(whole[len(whole)-8:])
	must(t, err)
	must(t, rest.Close())
	must(t, <-result)
	s = <-started
	defer closeStore(t, s)
	if got, want := s.Log().Position().ID, lastChange(t, source)+1; got != want { // the start
		t.Errorf("the service began at change %d, want %d", got, want)
	}
}

// A restore fills the tables that the schema has and no sequences.
func TestABackupHasEveryTableOfTheSchema(t *testing.T) {
	url := newDatabase(t)
	if d := cmp.Diff(slices.Sorted(slices.Values(slices.Concat(backupTables, notBackedUp))), tablesOf(t, url)); d != "" {
		t.Errorf("a new table belongs into backupTables, after those that it refers to (-backup +schema):\n%s", d)
	}
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid`)
	must(t, err)
	var from, to string
	_, err = pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		if !slices.Contains(notBackedUp, from) && slices.Index(backupTables, from) < slices.Index(backupTables, to) {
			t.Errorf("%s refers to %s and is filled before it", from, to)
		}
		return nil
	})
	must(t, err)
	if n := column(t, url, `SELECT count(*)::text FROM pg_sequences WHERE schemaname = 'public'`); n != "0" {
		t.Errorf("the schema has %s sequences, whose values no backup has", n)
	}
}
