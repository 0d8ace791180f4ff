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
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/datapi/datapi/migrations"
)

const (
	// migrateLock is the advisory lock under which one starter migrates at a time.
	migrateLock = 0x6461746170690001
	// migratePatience is how long a starter waits for another's migration.
	migratePatience = 5 * time.Minute
	migratePoll     = 50 * time.Millisecond
)

// MigrateUp brings a database's schema to this program's version and returns it.
// Several may call it at once. Errors: a newer database, a migration that failed.
func MigrateUp(ctx context.Context, url string, log *slog.Logger) (uint, error) {
	return migrateURL(ctx, url, log, migrateUp)
}

// MigrateDown takes the last n migrations back and returns the version then.
// Errors: as MigrateUp; n below 1 or above what there is.
func MigrateDown(ctx context.Context, url string, n int, log *slog.Logger) (uint, error) {
	return migrateURL(ctx, url, log, func(ctx context.Context, pool *pgxpool.Pool) (uint, error) {
		return migrateDown(ctx, pool, n)
	})
}

// MigrateVersion is a database's schema version (0 = empty) and this program's.
func MigrateVersion(ctx context.Context, url string) (is, ours uint, err error) {
	if ours, err = newest(); err != nil {
		return 0, 0, err
	}
	is, err = migrateURL(ctx, url, slog.New(slog.DiscardHandler), func(ctx context.Context, pool *pgxpool.Pool) (uint, error) {
		return withMigrator(ctx, pool, versionOf)
	})
	return is, ours, err
}

// migrateURL opens a pool for one piece of work.
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

func migrateUp(ctx context.Context, pool *pgxpool.Pool) (uint, error) {
	return withMigrator(ctx, pool, func(m *migrate.Migrate) (uint, error) {
		is, err := versionOf(m)
		if err != nil {
			return 0, err
		}
		ours, err := newest()
		if err != nil {
			return 0, err
		}
		if is > ours {
			return is, fmt.Errorf("the database has schema version %d, this program knows %d; run the newer program, or take the schema back with the newer program's `datapi migrate down %d`", is, ours, is-ours)
		}
		if err := m.Up(); err != nil && !errors.Is(err, migrate.ErrNoChange) {
			return is, fmt.Errorf("bringing the schema up from version %d: %w", is, err)
		}
		return versionOf(m)
	})
}

func migrateDown(ctx context.Context, pool *pgxpool.Pool, n int) (uint, error) {
	return withMigrator(ctx, pool, func(m *migrate.Migrate) (uint, error) {
		is, err := versionOf(m)
		if err != nil {
			return 0, err
		}
		if n < 1 || uint(n) > is {
			return is, fmt.Errorf("the database has schema version %d; give a number from 1 to %d", is, is)
		}
		if err := m.Steps(-n); err != nil {
			return is, fmt.Errorf("taking the schema back from version %d: %w", is, err)
		}
		return versionOf(m)
	})
}

// versionOf is the schema's version, 0 where there is none. A migration that
// failed half-way is an error that says what to do.
func versionOf(m *migrate.Migrate) (uint, error) {
	v, dirty, err := m.Version()
	switch {
	case errors.Is(err, migrate.ErrNilVersion):
		return 0, nil
	case err != nil:
		return 0, err
	case dirty:
		return v, fmt.Errorf("migration %d failed earlier and was rolled back; set version = %d, dirty = false in schema_migrations after removing what was in its way, then start again", v, v-1)
	}
	return v, nil
}

// withMigrator runs work under the migration lock. The lock is polled for: a
// waiting pg_advisory_lock would hold a snapshot that some migrations wait for.
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
		return 0, err
	}
	m, err := migrate.NewWithInstance("iofs", files, "pgx5", driver)
	if err != nil {
		return 0, err
	}
	v, err := work(m)
	srcErr, dbErr := m.Close()
	return v, errors.Join(err, srcErr, dbErr)
}

func lockMigrations(ctx context.Context, pool *pgxpool.Pool) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, migratePatience)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	poll := time.NewTicker(migratePoll)
	defer poll.Stop()
	for {
		var got bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(migrateLock)).Scan(&got); err != nil {
			conn.Release()
			return nil, err
		}
		if got {
			break
		}
		select {
		case <-ctx.Done():
			conn.Release()
			return nil, fmt.Errorf("another process has been migrating the schema for %s; wait for it or end it: %w", migratePatience, ctx.Err())
		case <-poll.C:
		}
	}
	return func() {
		// Closing the session gives the lock back whatever its state.
		c := conn.Hijack()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(closing)
	}, nil
}

// newest is the highest version among the embedded migrations.
func newest() (uint, error) {
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
