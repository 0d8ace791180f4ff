package store

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/golang-migrate/migrate/v4/database"
	"github.com/jackc/pgx/v5/pgconn"
)

// stepDriver commits each migration together with the new version, so that one that is
// cut off, as by the end of the process, has left nothing and is simply tried again. A
// migration that cannot run in a transaction (CONCURRENTLY) is marked as begun, as the
// driver below does with all: if it is cut off, somebody must look.
type stepDriver struct {
	database.Driver
	// target is the version to which the present step leads.
	target int
	// committed means that the present step has set the version.
	committed bool
}

// SetVersion is called before a step with dirty, and after it without.
func (d *stepDriver) SetVersion(version int, dirty bool) error {
	if dirty {
		d.target, d.committed = version, false
		return nil
	}
	if d.committed {
		return nil
	}
	return d.Driver.SetVersion(version, false)
}

// Run carries out a step. PostgreSQL takes the statements of one query as a transaction.
func (d *stepDriver) Run(migration io.Reader) error {
	b, err := io.ReadAll(migration)
	if err != nil {
		return err
	}
	sql := string(b)
	if strings.Contains(strings.ToUpper(sql), "CONCURRENTLY") {
		if err := d.Driver.SetVersion(d.target, true); err != nil {
			return err
		}
		return d.Driver.Run(strings.NewReader(sql))
	}
	sql += ";\nDELETE FROM schema_migrations;\n"
	if d.target != database.NilVersion {
		sql += fmt.Sprintf("INSERT INTO schema_migrations (version, dirty) VALUES (%d, false);\n", d.target)
	}
	err = d.Driver.Run(strings.NewReader(sql))
	d.committed = err == nil
	return err
}

// migrationCause returns what the database said, without the text of the migration.
func migrationCause(err error) error {
	// The library returns its error as a value and as a pointer; neither can be unwrapped.
	var value database.Error
	var pointer *database.Error
	switch {
	case errors.As(err, &value):
	case errors.As(err, &pointer):
		value = *pointer
	}
	if value.OrigErr != nil {
		err = value.OrigErr
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return errors.New(pg.Message)
	}
	return err
}

// halfMigratedError says that a migration was begun and has not ended.
type halfMigratedError struct{ version uint }

// statement returns what says that the migration is not in force.
func (e *halfMigratedError) statement() string {
	if e.version <= 1 {
		return "DELETE FROM schema_migrations"
	}
	return fmt.Sprintf("UPDATE schema_migrations SET version = %d, dirty = false", e.version-1)
}

// Error implements error.
func (e *halfMigratedError) Error() string {
	return fmt.Sprintf("the database is half migrated: the migration to schema version %d has begun and did not end; look what is in its way, take back what it did, say so with `%s`, and start again; or restore a backup",
		e.version, e.statement())
}

// inPrivate returns the error for a private PostgreSQL, which runs only with the
// service: with the command that executes the statement.
func (e *halfMigratedError) inPrivate(p *Postgres) error {
	as := ""
	if p.dir.account.switchUser {
		as = "runuser -u " + p.dir.account.name + " -- "
	}
	p.mu.Lock()
	program := p.programs.postgres
	p.mu.Unlock()
	return fmt.Errorf("%w (in the private PostgreSQL: `echo '%s' | %s%s --single -D %s postgres`)", e, e.statement(), as, program, p.dir.cluster)
}
