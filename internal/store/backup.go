package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

// backupTables are the tables of the schema, each after those that it refers to. A
// backup has all of them that are there, and a restore fills no others. What the
// migrations themselves note (schema_migrations, schema_versions) follows from the version
// in the head of the backup.
var backupTables = []string{"nodes", "groups", "objects", "changes", "change_head", "kept", "retention", "tokens", "users", "audit"}

// notBackedUp are the tables that no backup has: what was ended since must not come back to life.
var notBackedUp = []string{"sessions", "signin_links"}

// BackupHead says what a backup holds.
type BackupHead struct {
	// Format is the version of the form of the file, backupFormat.
	Format int `json:"format"`
	// Program is the version of the program that wrote it.
	Program string `json:"program"`
	// Schema is the version of the database's schema.
	Schema uint `json:"schema"`
	// At is the time of the backup by the database's clock.
	At dat.Time `json:"at"`
	// Nodes are the names of the nodes that share the database, sorted.
	Nodes []string `json:"nodes"`
	// LastChange is the id of the newest change, 0 if there is none.
	LastChange int64 `json:"last_change"`
	// Living is the number of objects that were not freed.
	Living int64 `json:"living_objects"`
	// Tables are the tables in the order in which they follow.
	Tables []BackupTable `json:"tables"`
}

// BackupTable is a table of a backup.
type BackupTable struct {
	// Name is the name of the table.
	Name string `json:"name"`
	// Columns are the columns that each row of the backup has, in order.
	Columns []string `json:"columns"`
}

// String says what the backup holds, in a part of a sentence for people.
func (h BackupHead) String() string {
	return fmt.Sprintf("%d living objects of %s and the log up to change %d, as of %s (schema version %d, written by datapi %s)",
		h.Living, namesOr(h.Nodes, "no node"), h.LastChange, h.At.Format(time.RFC3339), h.Schema, h.Program)
}

// namesOr returns names in one text, or another text if there are none.
func namesOr(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// Backup writes the database of a connection string to w as one consistent snapshot:
// services may write meanwhile, objects and log of the backup agree. program is the
// version of this program. The database is only read, so that a URL with
// target_session_attrs=prefer-standby backs a replica up. Errors are a database without
// a schema, one of a newer program, and one that went away.
func Backup(ctx context.Context, url, program string, w io.Writer) (BackupHead, error) {
	pool, err := openForCopy(ctx, url, "datapi backup")
	if err != nil {
		return BackupHead{}, err
	}
	defer pool.Close()
	tables, err := presentTables(ctx, pool)
	if err != nil {
		return BackupHead{}, err
	}
	if len(tables) == 0 {
		return BackupHead{}, errNothingToBackUp
	}
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return BackupHead{}, err
	}
	defer rollBack(ctx, tx)
	// Locks come before the snapshot, which the first query takes: a migration that
	// runs now is either complete in it or has not begun.
	if _, err := tx.Exec(ctx, "LOCK TABLE "+strings.Join(tableNames(tables), ", ")+" IN ACCESS SHARE MODE"); err != nil {
		return BackupHead{}, err
	}
	if err := setForCopy(ctx, tx); err != nil {
		return BackupHead{}, err
	}
	head, err := readHead(ctx, tx, program)
	if err != nil {
		return BackupHead{}, err
	}
	return head, writeArchive(ctx, tx.Conn(), head, w)
}

// openForCopy opens a pool whose statements may take the time that they take.
func openForCopy(ctx context.Context, url, application string) (*pgxpool.Pool, error) {
	cfg, err := parseURL(url, application)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.Tracer = nil // no deadline for statements
	return openPool(ctx, cfg, slog.New(slog.DiscardHandler))
}

// rollBack ends a transaction that is not to be committed; it does nothing after a
// COMMIT.
func rollBack(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), roundTrip)
	defer cancel()
	_ = tx.Rollback(ctx) // the server rolls back with the connection's end too
}

// errNothingToBackUp refuses a database that no service has ever used.
var errNothingToBackUp = errors.New("the database has no tables of datapi, so there is nothing to back up; check which database is named")

// presentTables returns those of backupTables that the database has, in their order,
// with the columns that are written, as opposed to generated.
func presentTables(ctx context.Context, db querier) ([]BackupTable, error) {
	rows, err := db.Query(ctx, `SELECT name, array_agg(attname::text ORDER BY attnum)
		FROM unnest($1::text[]) WITH ORDINALITY AS t (name, n)
			JOIN pg_attribute ON attrelid = to_regclass(quote_ident(name)) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
		GROUP BY name, n ORDER BY n`, backupTables)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[BackupTable])
}

// setForCopy makes the text form of values the same on every server, and lets a
// statement take the time that it takes.
func setForCopy(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT set_config(name, value, true) FROM (VALUES
		('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('client_encoding', 'UTF8'),
		('extra_float_digits', '3'), ('bytea_output', 'hex'), ('row_security', 'off'),
		('statement_timeout', '0'), ('idle_in_transaction_session_timeout', '0')) AS s (name, value)`)
	return err
}

// tableNames returns the names of tables.
func tableNames(tables []BackupTable) []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	return names
}

// readHead returns the head of a backup of the database as a transaction sees it.
func readHead(ctx context.Context, tx pgx.Tx, program string) (BackupHead, error) {
	h := BackupHead{Format: backupFormat, Program: program, Nodes: []string{}}
	var err error
	if h.Schema, err = knownSchema(ctx, tx); err != nil {
		return h, err
	}
	var at time.Time
	if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&at); err != nil {
		return h, err
	}
	h.At = dat.At(at)
	if h.Tables, err = presentTables(ctx, tx); err != nil {
		return h, err
	}
	c, err := readContents(ctx, tx, tableNames(h.Tables))
	h.Nodes, h.LastChange, h.Living = c.nodes, c.last, c.living
	return h, err
}

// knownSchema returns the version of the schema, 0 if there is none. One that this
// program does not know and one of a migration that failed are errors.
func knownSchema(ctx context.Context, tx pgx.Tx) (uint, error) {
	needed, err := newestMigration()
	if err != nil {
		return 0, err
	}
	var there bool
	if err := tx.QueryRow(ctx, `SELECT to_regclass('schema_migrations') IS NOT NULL`).Scan(&there); err != nil || !there {
		return 0, err
	}
	var version int64
	var dirty bool
	err = tx.QueryRow(ctx, `SELECT version, dirty FROM schema_migrations`).Scan(&version, &dirty)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, err
	case dirty:
		return 0, fmt.Errorf("migration %d of the database failed earlier; mend that first: `datapi migrate version` says how", version)
	case uint(version) > needed:
		return 0, fmt.Errorf("the database has schema version %d, this program knows %d; use the newer program", version, needed)
	}
	return uint(version), nil
}

// contents is what there is in a database.
type contents struct {
	nodes   []string
	living  int64
	changes int64
	// last is the id of the newest change and at its time, zero if there is none.
	last int64
	at   time.Time
}

// readContents returns what there is in a database with these tables.
func readContents(ctx context.Context, tx pgx.Tx, tables []string) (contents, error) {
	c := contents{nodes: []string{}}
	queries := []struct {
		table, sql string
		into       []any
	}{
		{"nodes", `SELECT coalesce(array_agg(name ORDER BY name), '{}') FROM nodes`, []any{&c.nodes}},
		{"objects", `SELECT count(*) FROM objects WHERE freed_at IS NULL`, []any{&c.living}},
		{"change_head", `SELECT last FROM change_head`, []any{&c.last}},
		{"changes", `SELECT count(*), coalesce(max(at), to_timestamp(0)) FROM changes`, []any{&c.changes, &c.at}},
	}
	for _, q := range queries {
		if !slices.Contains(tables, q.table) {
			continue
		}
		if err := tx.QueryRow(ctx, q.sql).Scan(q.into...); err != nil {
			return c, err
		}
	}
	return c, nil
}
