package store

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestTheDatabaseCheckSaysWhetherStandbysAreWaitedFor(t *testing.T) {
	primary := newServer(t)
	s := openStore(t, primary.url(), "alpha")
	want := func(when, note string) {
		t.Helper()
		database := s.Checks(t.Context())[0]
		must(t, database.Err)
		if database.Name != "database" || database.Note != note {
			t.Errorf("%s the check of the %s says %q, want %q", when, database.Name, database.Note, note)
		}
	}
	want("without a standby", "commits wait for no standby (synchronous_standby_names '', synchronous_commit on), timeline 1")
	primary.newStandby()
	want("with a synchronous standby", "commits wait for standbys, 1 of which stream (synchronous_standby_names 'standby', synchronous_commit on), timeline 1")

	must(t, admin(t.Context(), primary.url(), "CREATE ROLE plain LOGIN"))
	conn, err := pgx.Connect(t.Context(), strings.Replace(primary.url(), clusterUser+"@", "plain@", 1))
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	note, err := replicationNote(t.Context(), conn)
	must(t, err)
	if w := "commits wait for standbys, and pg_read_all_stats is needed to see how many stream (synchronous_standby_names 'standby', synchronous_commit on), timeline 1"; note != w {
		t.Errorf("a user without rights is told %q, want %q", note, w)
	}
	_, err = conn.Exec(t.Context(), "SET synchronous_commit = local")
	must(t, err)
	note, err = replicationNote(t.Context(), conn)
	must(t, err)
	if !strings.HasPrefix(note, "commits wait for no standby (synchronous_standby_names 'standby', synchronous_commit local)") {
		t.Errorf("where commits are local the check says %q", note)
	}
}
