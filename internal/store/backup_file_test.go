package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

func TestADamagedBackupIsRefusedAndChangesNothing(t *testing.T) {
	source, target := newDatabase(t), newDatabase(t)
	for _, url := range []string{source, target} {
		s := openAs(t, url, "alpha")
		recordFixture(t, s)
		closeStore(t, s)
	}
	file := backup(t, source)
	before := rowsOfTables(t, target, tablesOf(t, target))
	const gzipHeader = 10 // it has no checksum, and nothing that matters
	damages := map[string][]byte{
		"empty":                  {},
		"no backup":              []byte("# datapi\n"),
		"with something behind":  append(slices.Clone(file), 'x'),
		"with itself behind":     append(slices.Clone(file), file...),
		"without its last byte":  file[:len(file)-1],
		"without its last bytes": file[:len(file)-8],
		"cut in the middle":      file[:len(file)/2],
	}
	for at := gzipHeader; at < len(file); at += 97 {
		flipped := slices.Clone(file)
		flipped[at] ^= 0xff
		if !bytes.Equal(uncompressed(flipped), uncompressed(file)) { // not a bit that means nothing
			damages[fmt.Sprint("flipped at ", at)] = flipped
		}
	}
	for what, bad := range damages {
		if _, err := CheckBackup(bytes.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: the check says %v", what, err)
		}
	}
	for _, what := range []string{"empty", "with something behind", "without its last byte", "cut in the middle"} {
		if _, err := restore(t, target, damages[what], true); err == nil {
			t.Errorf("%s: it was restored", what)
		}
	}
	if d := cmp.Diff(before, rowsOfTables(t, target, tablesOf(t, target))); d != "" {
		t.Errorf("a refused restore has changed the database:\n%s", d)
	}
}

// uncompressed returns what can be read of a file.
func uncompressed(file []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return text
}

func TestABackupOfANewerProgramIsRefused(t *testing.T) {
	url := newDatabase(t)
	pack := func(change func(*BackupHead)) []byte {
		conn, err := pgx.Connect(t.Context(), url)
		must(t, err)
		defer func() { _ = conn.Close(context.Background()) }()
		head := BackupHead{Format: backupFormat, Program: "v9", Schema: newestVersion(t), Nodes: []string{}, At: dat.At(time.Now())}
		change(&head)
		var file bytes.Buffer
		must(t, writeArchive(t.Context(), conn, head, &file))
		return file.Bytes()
	}
	cases := map[string]func(*BackupHead){
		"schema version 99": func(h *BackupHead) { h.Schema = 99 },
		"has form 2":        func(h *BackupHead) { h.Format = 2 },
		`a table "pg_auth`:  func(h *BackupHead) { h.Tables = []BackupTable{{"pg_auth_members", []string{"roleid"}}} },
		"up to 7":           func(h *BackupHead) { h.LastChange = 7 },
	}
	for says, change := range cases {
		_, err := restore(t, url, pack(change), false)
		wantFailure(t, err, says)
	}
	must(t, admin(t.Context(), url, `UPDATE schema_migrations SET version = 9999`))
	_, err := Backup(t.Context(), url, "test", io.Discard)
	wantFailure(t, err, "schema version 9999")
	_, err = restore(t, url, backup(t, newDatabase(t)), true)
	wantFailure(t, err, "schema version 9999")
}

// Promise 12
func TestABackupOfAnOlderSchemaIsBroughtUp(t *testing.T) {
	for schema := range newestVersion(t) {
		source, target := newDatabase(t), emptyDatabase(t)
		s := openAs(t, source, "alpha")
		recordEverything(t, s)
		closeStore(t, s)
		_, err := MigrateDown(t.Context(), source, int(newestVersion(t)-schema), quiet)
		must(t, err)
		if schema == 0 {
			_, err := Backup(t.Context(), source, "test", io.Discard)
			wantFailure(t, err, "nothing to back up")
			continue
		}
		_, err = restore(t, target, backup(t, source), false)
		must(t, err)
		_, err = MigrateUp(t.Context(), source, quiet)
		must(t, err)
		sameButGeneration(t, source, target) // what the migration makes of it
		closeStore(t, openAs(t, target, "alpha"))
	}
}
