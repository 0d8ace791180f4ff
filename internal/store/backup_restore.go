package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/golang-migrate/migrate/v4/source"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/migrations"
)

// replaceLockTimeout is how long a restore waits for others that read the tables which
// it replaces, such as a backup or somebody with psql.
const replaceLockTimeout = 30 * time.Second

// Restored says what a restore did.
type Restored struct {
	// Head is the head of the backup.
	Head BackupHead
	// Replaced says what was in the database before and is lost, in a part of a
	// sentence for people; empty if there was nothing.
	Replaced string
}

// Restore fills the database of a connection string from a backup, in one transaction:
// on an error the database is as it was. The schema is made as the backup has it and
// then brought up to this program's. The log begins a new generation. Errors are a backup that is none, is not whole or
// is of a newer program, a database that a service uses, and, unless replace is set,
// one that is not empty.
func Restore(ctx context.Context, url string, r io.Reader, replace bool) (Restored, error) {
	a, err := openArchive(r)
	if err != nil {
		return Restored{}, err
	}
	pool, err := openForCopy(ctx, url, "datapi restore")
	if err != nil {
		return Restored{}, err
	}
	defer pool.Close()
	// A service that starts meanwhile waits here, as for a migration.
	unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	if err := awaitUnused(ctx, pool); err != nil {
		return Restored{}, err
	}
	present, err := presentTables(ctx, pool)
	if err != nil {
		return Restored{}, err
	}
	tables := tableNames(present)
	tx, err := pool.Begin(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer rollBack(ctx, tx)
	out := Restored{Head: a.head}
	if err := setForCopy(ctx, tx); err != nil {
		return out, err
	}
	replaced, err := generationOf(ctx, tx, tables)
	if err != nil {
		return out, err
	}
	if out.Replaced, err = clearDatabase(ctx, tx, tables, replace); err != nil {
		return out, err
	}
	if err := fillFrom(ctx, tx, a); err != nil {
		return out, err
	}
	if err := checkRestored(ctx, tx, a.head); err != nil {
		return out, err
	}
	generation, err := generationOf(ctx, tx, backupTables)
	if err != nil {
		return out, err
	}
	// The log may have gone back, and the ids that follow may have meant other changes.
	if _, err := beginGeneration(ctx, tx.Conn(), generation, replaced); err != nil {
		return out, err
	}
	if err := checkUnused(ctx, tx); err != nil {
		return out, err
	}
	if err := tx.Commit(context.WithoutCancel(ctx)); err != nil {
		return out, fmt.Errorf("it is not known whether the restore took place; run it again: %w", err)
	}
	return out, nil
}

// clearDatabase removes the schema from the database, with all that is in it, and says what
// that was. It is an error if there is something and replace is not set. A database
// that no node has ever used has nothing.
func clearDatabase(ctx context.Context, tx pgx.Tx, tables []string, replace bool) (lost string, err error) {
	present, err := knownSchema(ctx, tx)
	if err != nil {
		return "", err
	}
	c, err := readContents(ctx, tx, tables)
	if err != nil {
		return "", err
	}
	if len(c.nodes) > 0 {
		lost = fmt.Sprintf("%d living objects of %s and %d changes up to change %d of %s",
			c.living, namesOr(c.nodes, "no node"), c.changes, c.last, c.at.UTC().Format(time.RFC3339))
	}
	if lost != "" && !replace {
		return "", fmt.Errorf("the database is not empty: %s would be lost; name another database, or give --replace to lose them", lost)
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, replaceLockTimeout.Milliseconds())); err != nil {
		return "", err
	}
	if err := migrateWithin(ctx, tx, present, 0); err != nil {
		return "", fmt.Errorf("removing what is there: %w", err)
	}
	_, err = tx.Exec(ctx, `SET LOCAL lock_timeout = 0`)
	return lost, err
}

// fillFrom makes the schema of a backup, copies its rows, and brings the schema up to this
// program's.
func fillFrom(ctx context.Context, tx pgx.Tx, a *archiveReader) error {
	for _, t := range a.head.Tables {
		if !slices.Contains(backupTables, t.Name) {
			return damaged(fmt.Errorf("it has a table %q, which this program does not know", t.Name))
		}
	}
	if err := migrateWithin(ctx, tx, 0, a.head.Schema); err != nil {
		return fmt.Errorf("making the schema: %w", err)
	}
	if a.head.Schema >= partitionedSchema {
		if err := makeRoom(ctx, tx, a.head.LastChange); err != nil {
			return fmt.Errorf("making room for the log: %w", err)
		}
	}
	if err := emptySeeds(ctx, tx, a.head.Tables); err != nil {
		return err
	}
	for {
		t, err := a.nextTable()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, a, "COPY "+t.target()+" FROM STDIN"); err != nil {
			return fmt.Errorf("filling %s: %w", t.Name, err)
		}
	}
	newest, err := newestMigration()
	if err != nil {
		return err
	}
	if err := migrateWithin(ctx, tx, a.head.Schema, newest); err != nil {
		return fmt.Errorf("bringing the schema up from version %d: %w", a.head.Schema, err)
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL);
		DELETE FROM schema_migrations; INSERT INTO schema_migrations VALUES (%d, false); ANALYZE %s`, newest, strings.Join(backupTables, ", ")),
		pgx.QueryExecModeSimpleProtocol)
	return err
}

// generationOf returns the generation of the log in a database with these tables, 0 if
// its schema has none yet.
func generationOf(ctx context.Context, tx pgx.Tx, tables []string) (generation int64, err error) {
	if !slices.Contains(tables, "change_head") {
		return 0, nil
	}
	err = tx.QueryRow(ctx, `SELECT coalesce((to_jsonb(h) ->> 'generation')::bigint, 0) FROM change_head h`).Scan(&generation)
	return generation, err
}

// emptySeeds deletes the rows that migrations have put into tables of a backup, which
// has its own.
func emptySeeds(ctx context.Context, tx pgx.Tx, tables []BackupTable) error {
	for _, t := range slices.Backward(tables) {
		name := pgx.Identifier{t.Name}.Sanitize()
		var seeded bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+name+`)`).Scan(&seeded)
		if err == nil && seeded {
			_, err = tx.Exec(ctx, `DELETE FROM `+name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// migrateWithin takes the schema from one version to another within a transaction, by
// the migrations' own files. It leaves schema_migrations as it is.
func migrateWithin(ctx context.Context, tx pgx.Tx, from, to uint) error {
	pattern, first, last := "*.up.sql", from+1, to
	if to < from {
		pattern, first, last = "*.down.sql", to+1, from
	}
	files, err := fs.Glob(migrations.FS, pattern)
	if err != nil {
		return err
	}
	slices.Sort(files)
	if to < from {
		slices.Reverse(files)
	}
	for _, name := range files {
		m, err := source.DefaultParse(name)
		if err != nil {
			return err
		}
		if m.Version < first || m.Version > last {
			continue
		}
		sql, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return err
		}
		if _, err := tx.Conn().PgConn().Exec(ctx, string(sql)).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// checkRestored compares what a restore has filled in with the head of its backup: the
// head was read in the same snapshot, so a difference is a fault.
func checkRestored(ctx context.Context, tx pgx.Tx, head BackupHead) error {
	c, err := readContents(ctx, tx, backupTables)
	if err != nil {
		return err
	}
	if c.last != head.LastChange || c.living != head.Living || !slices.Equal(c.nodes, head.Nodes) {
		return damaged(fmt.Errorf("it says that it has %d living objects and changes up to %d, and has %d and %d", head.Living, head.LastChange, c.living, c.last))
	}
	return nil
}

// awaitUnused waits up to nodeLockTimeout until no service uses the database: the
// server may take the session of one that was killed for alive for a while.
func awaitUnused(ctx context.Context, db querier) error {
	deadline := time.Now().Add(nodeLockTimeout)
	var retry backoff
	for {
		err := checkUnused(ctx, db)
		if err == nil || time.Now().After(deadline) || !retry.sleep(ctx) {
			return err
		}
	}
}

// checkUnused refuses a database in which a service has claimed its node.
func checkUnused(ctx context.Context, db querier) error {
	rows, err := db.Query(ctx, `SELECT l.objid::bigint FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.classid::bigint = $1 AND l.objsubid = 2 AND l.granted`, nodeLock)
	if err != nil {
		return err
	}
	locks, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(locks) == 0 {
		return err
	}
	var names []string
	var there bool
	if err := db.QueryRow(ctx, `SELECT to_regclass('nodes') IS NOT NULL`).Scan(&there); err != nil {
		return err
	}
	if there {
		err := db.QueryRow(ctx, `SELECT array_agg(name ORDER BY name) FROM nodes WHERE (hashtext(name)::bigint & 4294967295) = ANY($1)`, locks).Scan(&names)
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("a service uses the database (node %s); stop it, then restore", namesOr(names, "unknown"))
}
