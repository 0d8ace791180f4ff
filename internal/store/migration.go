package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/golang-migrate/migrate/v4"
	mpgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/datapi/datapi/migrations"
)

const (
	// migrateLock is the advisory lock under which one process migrates at a time.
	migrateLock = 0x6461746170690001
	// migrateTimeout is how long a process waits for the migration of another one.
	migrateTimeout = 5 * time.Minute
	// migratePoll is the interval at which it tries to get the lock.
	migratePoll = 50 * time.Millisecond
)

// MigrateUp brings a database's schema to this program's version and returns that. A
// newer schema that this program may use, as it says itself, stays. Several processes may
// call it at once. Errors are a newer database that it may not use and a migration that
// failed.
func MigrateUp(ctx context.Context, url string, log *slog.Logger) (uint, error) {
	return migrateURL(ctx, url, log, migrateUp)
}

// MigrateDown takes the last n migrations back and returns the version after that. It
// is an error if n is less than 1 or greater than the version.
func MigrateDown(ctx context.Context, url string, n int, log *slog.Logger) (uint, error) {
	return migrateURL(ctx, url, log, func(ctx context.Context, pool *pgxpool.Pool) (uint, error) {
		return migrateDown(ctx, pool, n)
	})
}

// MigrateVersion returns the version of a database's schema, 0 if it has none, and the
// version that this program needs.
func MigrateVersion(ctx context.Context, url string) (present, needed uint, err error) {
	if needed, err = newestMigration(); err != nil {
		return 0, 0, err
	}
	present, err = migrateURL(ctx, url, slog.New(slog.DiscardHandler), func(ctx context.Context, pool *pgxpool.Pool) (uint, error) {
		return withMigrator(ctx, pool, versionOf)
	})
	return present, needed, err
}

// migrateURL calls work with a pool for a database.
func migrateURL(ctx context.Context, url string, log *slog.Logger, work func(context.Context, *pgxpool.Pool) (uint, error)) (uint, error) {
	cfg, err := parseURL(url, "datapi migrate")
	if err != nil {
		return 0, err
	}
	pool, err := openPool(ctx, cfg, log)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	return work(ctx, pool)
}

// migrateUp is MigrateUp with a pool.
func migrateUp(ctx context.Context, pool *pgxpool.Pool) (uint, error) {
	return withMigrator(ctx, pool, func(m *migrate.Migrate) (uint, error) {
		present, err := versionOf(m)
		if err != nil {
			return 0, err
		}
		needed, err := newestMigration()
		if err != nil {
			return 0, err
		}
		if present > needed {
			if usable, err := isUsableBy(ctx, pool, present, needed); usable || err != nil {
				return present, err
			}
			return present, fmt.Errorf("the database has schema version %d, this program knows %d; run the newer program, or take the schema back with the newer program's `datapi migrate down %d`", present, needed, present-needed)
		}
		if err := m.Up(); err != nil && !errors.Is(err, migrate.ErrNoChange) {
			return present, fmt.Errorf("the schema cannot be brought up from version %d: %w; nothing of what failed is in force", present, migrationCause(err))
		}
		return versionOf(m)
	})
}

// undefinedTable is the code of a statement on a table that is not there.
const undefinedTable = "42P01"

// isUsableBy reports whether a schema of a newer program says that one which knows
// versions up to known may read and write it.
func isUsableBy(ctx context.Context, db querier, present, known uint) (usable bool, err error) {
	err = db.QueryRow(ctx, `SELECT oldest_program <= $2 FROM schema_versions WHERE version = $1`, present, known).Scan(&usable)
	var pg *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &pg) && pg.Code == undefinedTable {
		return false, nil
	}
	return usable, err
}

// migrateDown is MigrateDown with a pool.
func migrateDown(ctx context.Context, pool *pgxpool.Pool, n int) (uint, error) {
	return withMigrator(ctx, pool, func(m *migrate.Migrate) (uint, error) {
		present, err := versionOf(m)
		if err != nil {
			return 0, err
		}
		if err := checkSteps(n, present); err != nil {
			return present, err
		}
		if err := m.Steps(-n); err != nil {
			return present, fmt.Errorf("the schema cannot be taken back from version %d: %w; nothing of what failed is in force", present, migrationCause(err))
		}
		return versionOf(m)
	})
}

// checkSteps refuses to take back another number of migrations than the schema has.
func checkSteps(n int, present uint) error {
	if n < 1 || uint(n) > present {
		return fmt.Errorf("the database has schema version %d; give a number from 1 to %d", present, present)
	}
	return nil
}

// versionOf returns the version of the schema, 0 if there is none. A migration of this
// program that has begun and did not end is an error that names the remedy.
func versionOf(m *migrate.Migrate) (uint, error) {
	v, dirty, err := m.Version()
	newest, newestErr := newestMigration()
	switch {
	case newestErr != nil:
		return 0, newestErr
	case err == nil && v > newest:
		return v, nil // only the newer program knows
	case errors.Is(err, migrate.ErrNilVersion):
		return 0, nil
	case err != nil:
		return 0, err
	case dirty:
		return v, &halfMigratedError{version: v}
	}
	return v, nil
}

// withMigrator calls work under the lock of migrations.
func withMigrator(ctx context.Context, pool *pgxpool.Pool, work func(*migrate.Migrate) (uint, error)) (uint, error) {
	unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return 0, err
	}
	defer unlock()
	files, err := iofs.New(migrations.FS, ".")
	if err != nil {
		return 0, err
	}
	own := pool.Config().ConnConfig
	own.Tracer = nil // a migration takes the time that it takes
	db := stdlib.OpenDB(*own)
	defer func() { _ = db.Close() }()
	driver, err := mpgx.WithInstance(db, &mpgx.Config{})
	if err != nil {
		return 0, fmt.Errorf("the schema's version cannot be read or kept: %w; the database's user must own its schema", migrationCause(err))
	}
	m, err := migrate.NewWithInstance("iofs", files, "pgx5", &stepDriver{Driver: driver})
	if err != nil {
		return 0, err
	}
	v, err := work(m)
	srcErr, dbErr := m.Close()
	return v, errors.Join(err, srcErr, dbErr)
}

// lockMigrations takes the lock of migrations. It tries again and again: a
// pg_advisory_lock that waits would hold a snapshot, for whose end some migrations wait.
func lockMigrations(ctx context.Context, pool *pgxpool.Pool) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	poll := time.NewTicker(migratePoll)
	defer poll.Stop()
	for {
		var locked bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(migrateLock)).Scan(&locked); err != nil {
			conn.Release()
			return nil, err
		}
		if locked {
			break
		}
		select {
		case <-ctx.Done():
			conn.Release()
			return nil, fmt.Errorf("another process has been migrating the schema for %s; wait for it or end it: %w", migrateTimeout, ctx.Err())
		case <-poll.C:
		}
	}
	return func() {
		// Closing the connection releases the lock whatever state it is in.
		c := conn.Hijack()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(closing)
	}, nil
}

// newestMigration returns the highest version among the embedded migrations.
func newestMigration() (uint, error) {
	files, err := fs.Glob(migrations.FS, "*.up.sql")
	if err != nil {
		return 0, err
	}
	var top uint
	for _, f := range files {
		m, err := source.DefaultParse(f)
		if err != nil {
			return 0, fmt.Errorf("migration %s: %w", f, err)
		}
		top = max(top, m.Version)
	}
	return top, nil
}
