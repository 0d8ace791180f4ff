package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// ServerFacts are what a PostgreSQL server says of itself to somebody who only looks.
type ServerFacts struct {
	// Version is as `SHOW server_version` shows it.
	Version string
	// Settings are the settings by name, of those that durability depends on.
	Settings map[string]string
	// Replication is what `/readyz?verbose` says of it.
	Replication string
	// Standbys is how many standbys stream, SyncStandbys how many of them commits wait for;
	// they are known only where StandbysKnown says so: that takes pg_read_all_stats.
	Standbys, SyncStandbys int
	StandbysKnown          bool
	// Patroni says that a Patroni is connected, as far as that can be seen.
	Patroni bool
	// Schema is the version of the schema, 0 for none; Newest the newest that this program
	// knows. Half says that a migration has begun and did not end, Usable that this program
	// may use the schema or bring it up.
	Schema, Newest uint
	Half, Usable   bool
	// ClockAhead is how far the server's clock is ahead of this host's.
	ClockAhead time.Duration
	// Size is that of the database in bytes, FreeConnections how many more the server takes.
	Size, FreeConnections int64
}

// inspectTimeout bounds a look at a server.
const inspectTimeout = 15 * time.Second

// inspectedSettings are the settings that an inspection reads.
var inspectedSettings = []string{"synchronous_commit", "synchronous_standby_names", "fsync", "full_page_writes", "wal_level", "cluster_name"}

// Inspect connects to the server of a URL that takes writes, and reads what it says. It
// changes nothing. The error says in plain words, without passwords, why it cannot be asked.
func Inspect(ctx context.Context, url string) (*ServerFacts, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	cfg, err := parseURL(url, "datapi doctor")
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", plainReason(err), hostsOf(cfg.ConnConfig), connectCause(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	f := &ServerFacts{Settings: map[string]string{}}
	for _, read := range []func(context.Context, *pgx.Conn) error{f.readSettings, f.readServer, f.readClock, f.readSchema} {
		if err := read(ctx, conn); err != nil {
			return nil, fmt.Errorf("%s: %w", plainReason(err), connectCause(err))
		}
	}
	return f, nil
}

func (f *ServerFacts) readSettings(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT name, setting FROM pg_settings WHERE name = ANY ($1)`, inspectedSettings)
	if err != nil {
		return err
	}
	var name, value string
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		f.Settings[name] = value
		return nil
	})
	return err
}

func (f *ServerFacts) readServer(ctx context.Context, conn *pgx.Conn) (err error) {
	if f.Replication, err = replicationNote(ctx, conn); err != nil {
		return err
	}
	return conn.QueryRow(ctx, `SELECT current_setting('server_version'), pg_database_size(current_database()),
			current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL),
			(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'),
			(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
			pg_has_role('pg_read_all_stats', 'USAGE'),
			EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE 'Patroni%')`).
		Scan(&f.Version, &f.Size, &f.FreeConnections, &f.Standbys, &f.SyncStandbys, &f.StandbysKnown, &f.Patroni)
}

// readClock compares the clocks: the server's answer lies between the question and the answer's arrival.
func (f *ServerFacts) readClock(ctx context.Context, conn *pgx.Conn) error {
	var told time.Time
	asked := time.Now()
	err := conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&told)
	f.ClockAhead = told.Sub(asked.Add(time.Since(asked) / 2))
	return err
}

func (f *ServerFacts) readSchema(ctx context.Context, conn *pgx.Conn) (err error) {
	if f.Newest, err = newestMigration(); err != nil {
		return err
	}
	var there bool
	if err = conn.QueryRow(ctx, `SELECT to_regclass('schema_migrations') IS NOT NULL`).Scan(&there); err != nil || !there {
		f.Usable = true
		return err
	}
	err = conn.QueryRow(ctx, `SELECT version, dirty FROM schema_migrations`).Scan(&f.Schema, &f.Half)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if f.Usable = f.Schema <= f.Newest; f.Usable {
		return nil
	}
	f.Usable, err = isUsableBy(ctx, conn, f.Schema, f.Newest)
	return err
}

// InspectPrivate says which programs the private PostgreSQL of a data directory would run
// with, and which version the data there are, "" for none. It changes nothing. The error is
// that of a start.
func InspectPrivate(dataDir string) (programsIn, data string, err error) {
	if data, err = clusterVersionAt(filepath.Join(dataDir, clusterName)); err != nil {
		return "", "", err
	}
	if _, err := findAccount(); err != nil {
		return "", data, err
	}
	found, err := findPrograms(data)
	if err != nil {
		return "", data, err
	}
	return filepath.Dir(found.postgres), data, nil
}

// DirectoryFacts are what is known of a data directory that was only looked at.
type DirectoryFacts struct {
	// Missing says that there is none yet, so that a start would make it.
	Missing bool
	// Replaceable is a parent in which others can put another directory in its place, "" for none.
	Replaceable string
	// Free are the bytes that are free in its file system.
	Free int64
}

// InspectDataDirectory looks whether a start could use a data directory. It changes
// nothing. The error is that of a start.
func InspectDataDirectory(path string) (f DirectoryFacts, err error) {
	existing, missing, err := existingPart(path)
	if err != nil {
		return f, err
	}
	f.Missing = missing != "."
	if f.Replaceable, err = checkParents(filepath.Join(existing, missing)); err != nil {
		return f, err
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(existing, &disk); err != nil {
		return f, fmt.Errorf("the file system of %s cannot be asked: %w", existing, err)
	}
	f.Free = int64(disk.Bavail) * disk.Bsize
	if f.Missing {
		if err := unix.Access(existing, unix.W_OK|unix.X_OK); err != nil {
			return f, fmt.Errorf("the data directory cannot be made in %s: %w; name one that you may write with --data-dir", existing, err)
		}
		return f, nil
	}
	dir, err := openOwnDirectory(existing)
	if err != nil {
		return f, err
	}
	defer func() { _ = dir.Close() }()
	return f, foreignIn(dir)
}

// foreignIn refuses a data directory in which something belongs to another user than the
// start takes it from.
func foreignIn(dir *os.File) error {
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return fmt.Errorf("the data directory %s cannot be read: %w", dir.Name(), err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // it has gone meanwhile
		}
		uid, _ := ownersOf(info)
		if uid != uint32(os.Geteuid()) && os.Geteuid() != 0 {
			return fmt.Errorf("%s belongs to %s, and this runs as %s; take it away, or name another directory with --data-dir",
				filepath.Join(dir.Name(), e.Name()), userName(uid), userName(uint32(os.Geteuid())))
		}
	}
	return nil
}
