package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/store"
)

// refusedServe starts the service, which must say in one line why it does not, and returns that.
func refusedServe(t *testing.T, args ...string) string {
	t.Helper()
	status, out, said := runProgram(t, nil, append([]string{"serve", "--listen=127.0.0.1:0", "--node=alpha", "--engine=soft", "--log-level=error"}, args...)...)
	if status != exitRefused || out != "" || strings.Count(said, "\n") != 1 {
		t.Errorf("status %d, printed %q, said %q; want one line and %d", status, out, said, exitRefused)
	}
	return said
}

// Promise 13: a database of any newer program is refused, and nothing in it changes.
func TestNewerDatabaseIsRefused(t *testing.T) {
	db := database(t, stateDir(t))
	wantRun(t, exitDone, "the schema is at version", "migrate", "up", "--database-url="+db.URL())
	execute(t, db.URL(), `UPDATE schema_migrations SET version = version + 1`)
	said := refusedServe(t, "--data-dir="+stateDir(t), "--database-url="+db.URL())
	if !strings.Contains(said, "run the newer program") {
		t.Errorf("said %q", said)
	}
	execute(t, db.URL(), `DO $$ BEGIN ASSERT (SELECT count(*) = 0 FROM nodes); END $$`)
}

// Promise 13: an older database is brought up by the start, and what it holds stays.
func TestOlderDatabaseIsMigrated(t *testing.T) {
	db := database(t, stateDir(t))
	dir := stateDir(t)
	p := serveIn(t, dir, "--database-url="+db.URL())
	ep := p.must(t, "POST", "/endpoints", object{"ia": "soft0@alpha", "name": "there"})
	p.end(t, syscall.SIGTERM)
	wantRun(t, exitDone, "the schema is at version", "migrate", "down", "1", "--database-url="+db.URL())
	p = serveIn(t, dir, "--database-url="+db.URL())
	if now := p.must(t, "GET", "/endpoints/"+ep["id"].(string), nil); now["name"] != "there" {
		t.Errorf("what was acknowledged is %v", now)
	}
}

// schemaAt brings the schema of an empty database up and down again to a version, which 0 is none.
func schemaAt(t *testing.T, db *store.Postgres, version uint) {
	t.Helper()
	wantRun(t, exitDone, "", "migrate", "up", "--database-url="+db.URL())
	newest, _, err := store.MigrateVersion(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	wantRun(t, exitDone, "", "migrate", "down", strconv.FormatUint(uint64(newest-version), 10), "--database-url="+db.URL())
}

// Promise 13: a half-migrated database is reported, and the remedy that the report names is one.
func TestHalfMigratedDatabaseIsReportedWithTheRemedy(t *testing.T) {
	statement := regexp.MustCompile("say so with `([^`]+)`")
	for _, version := range []string{"1", "3"} {
		db := database(t, stateDir(t))
		if version == "3" {
			schemaAt(t, db, 2)
		} else {
			execute(t, db.URL(), `CREATE TABLE schema_migrations (version bigint PRIMARY KEY, dirty boolean NOT NULL)`)
		}
		execute(t, db.URL(), `DELETE FROM schema_migrations`, `INSERT INTO schema_migrations VALUES (`+version+`, true)`)
		said := refusedServe(t, "--data-dir="+stateDir(t), "--database-url="+db.URL())
		remedy := statement.FindStringSubmatch(said)
		if remedy == nil || !strings.Contains(said, "half migrated") {
			t.Fatalf("said %q", said)
		}
		execute(t, db.URL(), remedy[1])
		if p := serveIn(t, stateDir(t), "--database-url="+db.URL()); !p.canWrite() {
			t.Error("after the remedy it does not write")
		}
	}
}

// Promise 13: the private PostgreSQL is down when the report is read, so the report names the command that mends it.
func TestHalfMigratedPrivateDatabaseIsReportedWithTheCommand(t *testing.T) {
	dir := stateDir(t)
	db := database(t, dir)
	wantRun(t, exitDone, "", "migrate", "up", "--database-url="+db.URL())
	wantRun(t, exitDone, "", "migrate", "down", "1", "--database-url="+db.URL())
	execute(t, db.URL(), `UPDATE schema_migrations SET version = version + 1, dirty = true`)
	stopDatabase(t, db)
	command := regexp.MustCompile("in the private PostgreSQL: `([^`]+)`").FindStringSubmatch(refusedServe(t, "--data-dir="+dir))
	if command == nil {
		t.Fatal("the report names no command")
	}
	if out, err := exec.Command("sh", "-c", command[1]).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command[1], err, out)
	}
	if p := serveIn(t, dir); !p.canWrite() {
		t.Error("after the remedy it does not write")
	}
}

// Promise 13: a migration that is cut off by kill -9 has left nothing, and the next start carries it out.
func TestMigrationThatIsCutOffIsCarriedOutByTheNextStart(t *testing.T) {
	db := database(t, stateDir(t))
	wantRun(t, exitDone, "", "migrate", "up", "--database-url="+db.URL())
	wantRun(t, exitDone, "", "migrate", "down", "2", "--database-url="+db.URL())
	execute(t, db.URL(),
		// A migration that has done its first statement waits there.
		`CREATE FUNCTION hold() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN IF current_setting(''application_name'') LIKE ''datapi%'' THEN PERFORM pg_sleep(3600); END IF; END'`,
		`CREATE EVENT TRIGGER hold ON ddl_command_end EXECUTE FUNCTION hold()`)
	p, _ := begin(t, "migrate", "up", "--database-url="+db.URL())
	go func() {
		_ = p.cmd.Wait() // the state has the outcome
		close(p.exited)
	}()
	eventually(t, "a migration is under way", func() bool {
		conn, err := pgx.Connect(t.Context(), db.URL())
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(t.Context()) }()
		var waits bool
		err = conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')`).Scan(&waits)
		return err == nil && waits
	})
	p.end(t, syscall.SIGKILL)
	execute(t, db.URL(), `DROP EVENT TRIGGER hold`, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
	if again := serveIn(t, stateDir(t), "--database-url="+db.URL()); !again.canWrite() {
		t.Error("the next start does not write")
	}
}

// Promise 13: a migration that the database refuses is reported in one line, has left nothing, and is tried again.
func TestMigrationThatFailsIsReportedAndLeavesNothing(t *testing.T) {
	db := database(t, stateDir(t))
	schemaAt(t, db, 0)
	execute(t, db.URL(), `CREATE TABLE groups (in_the_way integer)`)
	for range 2 {
		said := refusedServe(t, "--data-dir="+stateDir(t), "--database-url="+db.URL())
		if !strings.Contains(said, `from version 0: relation "groups" already exists; nothing of what failed is in force`) {
			t.Errorf("said %q", said)
		}
	}
	execute(t, db.URL(), `DO $$ BEGIN ASSERT to_regclass('nodes') IS NULL; END $$`, `DROP TABLE groups`)
	if p := serveIn(t, stateDir(t), "--database-url="+db.URL()); !p.canWrite() {
		t.Error("afterwards it does not write")
	}
}
