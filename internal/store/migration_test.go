package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang-migrate/migrate/v4/source"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/migrations"
)

var quiet = slog.New(slog.DiscardHandler)

// emptyDatabase returns the URL of a database without a schema.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	url := newDatabase(t)
	_, err := MigrateDown(t.Context(), url, int(newestVersion(t)), quiet)
	must(t, err)
	return url
}

func newestVersion(t *testing.T) uint {
	t.Helper()
	v, err := newestMigration()
	must(t, err)
	return v
}

// schemaOf returns the tables, constraints, indexes and functions of a database.
func schemaOf(t *testing.T, url string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`)
	must(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return lines
}

func TestMigrationsGoUpDownAndUpAgain(t *testing.T) {
	url := newDatabase(t)
	before := strings.Join(schemaOf(t, url), "\n")
	top := newestVersion(t)
	for want := int(top) - 1; want >= 0; want-- {
		v, err := MigrateDown(t.Context(), url, 1, quiet)
		must(t, err)
		if v != uint(want) {
			t.Fatalf("after a step down the version is %d, want %d", v, want)
		}
	}
	for _, line := range schemaOf(t, url) {
		if !strings.Contains(line, "schema_migrations") {
			t.Errorf("after all steps down there is still %s", line)
		}
	}
	_, err := MigrateDown(t.Context(), url, 1, quiet)
	if err == nil {
		t.Error("a step below nothing was taken")
	}
	v, err := MigrateUp(t.Context(), url, quiet)
	must(t, err)
	if after := strings.Join(schemaOf(t, url), "\n"); v != top || after != before {
		t.Errorf("version %d; the schema differs:\n%s\n--- before\n%s", v, after, before)
	}
	present, needed, err := MigrateVersion(t.Context(), url)
	must(t, err)
	if present != top || needed != top {
		t.Errorf("versions %d and %d", present, needed)
	}
}

func TestEveryMigrationCanBeTakenBack(t *testing.T) {
	ups, err := fs.Glob(migrations.FS, "*.up.sql")
	must(t, err)
	for _, up := range ups {
		if _, err := fs.Stat(migrations.FS, strings.Replace(up, ".up.", ".down.", 1)); err != nil {
			t.Error(err)
		}
	}
}

func TestSeveralStartersMigrateOnce(t *testing.T) {
	url := emptyDatabase(t)
	var wg sync.WaitGroup
	for _, node := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			s, err := Open(t.Context(), Config{URL: url, Node: node})
			if err != nil {
				t.Error(err)
				return
			}
			closeStore(t, s)
		})
	}
	wg.Wait()
}

// Promise 13: of newer schemas those are refused that do not name this program as one that
// may use them.
func TestANewerDatabaseIsRefusedUnlessItSaysOtherwise(t *testing.T) {
	url := newDatabase(t)
	known := newestVersion(t)
	s := openAs(t, url, "alpha")
	id := newID(t)
	record(t, s, creation(endpoint(id, "alpha", "")))
	closeStore(t, s)
	must(t, admin(t.Context(), url, fmt.Sprintf(`ALTER TABLE objects ADD COLUMN newer text;
		ALTER TABLE changes ADD COLUMN newer text; UPDATE schema_migrations SET version = %d`, known+2)))
	refused := fmt.Sprintf(`DELETE FROM schema_versions WHERE version > %[1]d; INSERT INTO schema_versions VALUES (%[1]d + 2, %[1]d + 1)`, known)
	for _, unnamed := range []string{`SELECT 1`, fmt.Sprintf(`INSERT INTO schema_versions VALUES (%[1]d + 1, %[1]d)`, known), refused} {
		must(t, admin(t.Context(), url, unnamed))
		_, err := Open(t.Context(), Config{URL: url, Node: "alpha"})
		wantFailure(t, err, fmt.Sprintf("schema version %d", known+2))
		wantFailure(t, err, "run the newer program")
	}
	must(t, admin(t.Context(), url, fmt.Sprintf(`UPDATE schema_versions SET oldest_program = %d WHERE version = %d`, known, known+2)))
	s = openStore(t, url, "alpha")
	record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV = 3 }))
	present, needed, err := MigrateVersion(t.Context(), url)
	must(t, err)
	if present != known+2 || needed != known {
		t.Errorf("the schema is at %d, and this program knows %d", present, needed)
	}
	_, err = Backup(t.Context(), url, "test", io.Discard)
	wantFailure(t, err, "use the newer program") // it does not know all tables
}

// Each migration says which programs may use the schema that it makes, and one that takes
// something away does not name programs that may need it.
func TestMigrationsSayWhichProgramsMayUseTheirSchema(t *testing.T) {
	files, err := fs.Glob(migrations.FS, "*.up.sql")
	must(t, err)
	row := regexp.MustCompile(`INSERT INTO schema_versions \(version, oldest_program\) VALUES \((\d+), (\d+)\)`)
	takes := regexp.MustCompile(`(?i)\b(DROP|RENAME|SET NOT NULL|ALTER COLUMN \S+ TYPE)\b`)
	for _, name := range files {
		text, err := fs.ReadFile(migrations.FS, name)
		must(t, err)
		m, err := source.DefaultParse(name)
		must(t, err)
		if m.Version < 10 {
			continue // from before schemas said so
		}
		says := row.FindStringSubmatch(string(text))
		if says == nil || says[1] != fmt.Sprint(m.Version) {
			t.Errorf("%s does not say which programs may use its schema", name)
			continue
		}
		if takes.Match(withoutReplaced(text)) && says[2] != fmt.Sprint(m.Version) {
			t.Errorf("%s takes something away that programs from %s on may need", name, says[2])
		}
	}
}

// withoutReplaced returns a migration without the new names of tables, and of their indexes,
// instead of which it makes other tables of the former names: programs find those. Nor has it
// the ends of constraints that are made again by their names: no program needs a row to be refused.
func withoutReplaced(migration []byte) []byte {
	ended := regexp.MustCompile(`DROP CONSTRAINT (\w+),`)
	migration = ended.ReplaceAllFunc(migration, func(end []byte) []byte {
		if bytes.Contains(migration, slices.Concat([]byte("ADD CONSTRAINT "), ended.FindSubmatch(end)[1], []byte(" "))) {
			return nil
		}
		return end
	})
	renamed := regexp.MustCompile(`ALTER (?:TABLE|INDEX) (\w+) RENAME TO \w+;`)
	made := regexp.MustCompile(`CREATE TABLE (\w+) `).FindAllSubmatch(migration, -1)
	return renamed.ReplaceAllFunc(migration, func(statement []byte) []byte {
		name := renamed.FindSubmatch(statement)[1]
		for _, table := range made {
			if bytes.Equal(name, table[1]) || bytes.HasPrefix(name, append(table[1], '_')) {
				return nil
			}
		}
		return statement
	})
}

// refusedBy executes a statement, which a constraint must refuse.
func refusedBy(t *testing.T, conn *pgx.Conn, constraint, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.ConstraintName != constraint {
		t.Errorf("%s: got %v\nfor %s", constraint, err, sql)
	}
}

func TestConstraintsMakeImpossibleRowsImpossible(t *testing.T) {
	url := newDatabase(t)
	s := openStore(t, url, "alpha")
	record(t, s, creation(endpoint("ep", "alpha", "named")), creation(endpoint("other", "alpha", "")))
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	set := func(path, value string) string {
		return `UPDATE objects SET body = jsonb_set(body, '{` + path + `}', '` + value + `') WHERE id = 'ep'`
	}
	cases := []struct{ constraint, sql string }{
		{"objects_state_known", set("state", `"CONFUSED"`)},
		{"objects_state_known", set("state", `"UNCONFIGURED_UNCONNECTED"`)},
		{"objects_state_known", set("state", `null`)},
		{"objects_remote_address_fits_state", set("remote_ia_address", `"10.0.0.1"`)},
		{"objects_remote_address_fits_state", set("state", `"CONNECTED"`)},
		{"objects_marks_in_range", set("watermarks,soft_high", `-1`)},
		{"objects_marks_in_range", set("watermarks,soft_high", `2147483648`)},
		{"objects_armed_is_finite", set("watermarks,hard_high", `7`)},
		{"objects_armed_is_finite", set("watermarks,soft_armed", `true`)},
		{"objects_counts_in_range", set("attributes,max_recv_dtos", `-1`)},
		{"objects_counts_in_range", set("attributes,max_recv_dtos", `null`)},
		{"objects_labels_object", set("labels", `[]`)},
		{"objects_body_agrees", set("id", `"another"`)},
		{"objects_body_agrees", `UPDATE objects SET version = 7 WHERE id = 'ep'`},
		{"objects_version_counts", `UPDATE objects SET version = 0, body = jsonb_set(body, '{version}', '0') WHERE id = 'ep'`},
		{"objects_name_pattern", `UPDATE objects SET name = 'Ä', body = jsonb_set(body, '{name}', '"Ä"') WHERE id = 'ep'`},
		{"objects_name_living", `UPDATE objects SET name = 'named', body = jsonb_set(body, '{name}', '"named"') WHERE id = 'other'`},
		{"objects_freed_after_created", `UPDATE objects SET freed_at = created_at - interval '1 second' WHERE id = 'ep'`},
		{"objects_updated_after_created", `UPDATE objects SET updated_at = created_at - interval '1 second' WHERE id = 'ep'`},
		{"objects_type_known", `UPDATE objects SET type = 'widget', body = body - 'state' WHERE id = 'ep'`},
		{"objects_node", `UPDATE objects SET node = 'nowhere', body = jsonb_set(body, '{node}', '"nowhere"') WHERE id = 'ep'`},
		{"objects_qualifier_in_range", `UPDATE objects SET type = 'psp', body = body - 'state' WHERE id = 'ep'`},
		{"objects_queue_in_range", `UPDATE objects SET type = 'evd', body = body - 'state' WHERE id = 'ep'`},
		{"changes_are_kept", `UPDATE changes SET actor = 'nobody'`},
		{"changes_are_kept", `DELETE FROM changes`},
		{"changes_are_kept", `TRUNCATE changes`},
		{"change_head_one", `INSERT INTO change_head (one) VALUES (false)`},
		{"change_head_gone_before_last", `UPDATE change_head SET gone = last + 1`},
		{"kept_status_final", `INSERT INTO kept VALUES ('p', 'POST', '/', 'k', '', 503, '{}', '')`},
		{"groups_epoch", `INSERT INTO groups VALUES (gen_random_uuid(), 'alpha', 99)`},
	}
	for _, c := range cases {
		refusedBy(t, conn, c.constraint, c.sql)
	}
	change := func(columns, values string) string {
		return `INSERT INTO changes (id, at, node, ia, object_type, object_id, cause, actor, fields` + columns + `) VALUES
			(99, now(), 'alpha', 'soft0@alpha', 'endpoint', 'ep', 'c', 'a', '{}'` + values + `)`
	}
	refusedBy(t, conn, "changes_outcome_known", change(", version, outcome", ", 1, 'DAT_WHATEVER'"))
	refusedBy(t, conn, "changes_version_counts", change(", version, outcome", ", -1, 'DAT_SUCCESS'"))
	refusedBy(t, conn, "changes_first_version", change(", version, outcome, image", ", 1, 'DAT_SUCCESS', '{}'"))
	refusedBy(t, conn, "changes_reason_short", change(", version, outcome, reason", ", 1, 'DAT_SUCCESS', repeat('x', 501)"))
	refusedBy(t, conn, "changes_refusal_changes_nothing", change(", version, outcome, after", ", 1, 'DAT_SUCCESS', '{}'"))
}

func TestEveryStateThatOccursCanBeRecorded(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	address := "10.77.0.2"
	for _, state := range []dat.EPState{
		dat.EPUnconnected, dat.EPReserved, dat.EPPassiveConnectionPending, dat.EPActiveConnectionPending,
		dat.EPTentativeConnectionPending, dat.EPConnected, dat.EPDisconnectPending, dat.EPDisconnected, dat.EPCompletionPending,
	} {
		e := endpoint(newID(t), "alpha", "")
		e.State = state
		if state == dat.EPConnected {
			e.RemoteIAAddress = &address
		}
		record(t, s, creation(e))
	}
}
