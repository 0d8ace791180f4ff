package store

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"

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

func TestANewerDatabaseIsRefused(t *testing.T) {
	url := newDatabase(t)
	must(t, admin(t.Context(), url, `UPDATE schema_migrations SET version = 9999`))
	_, err := Open(t.Context(), Config{URL: url, Node: "alpha"})
	if err == nil || !strings.Contains(err.Error(), "schema version 9999") || !strings.Contains(err.Error(), "run the newer program") {
		t.Errorf("got %v", err)
	}
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
	refusedBy(t, conn, "changes_version", change(", version, outcome, image", ", 1, 'DAT_SUCCESS', '{}'"))
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
