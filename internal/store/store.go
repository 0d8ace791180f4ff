package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

// Config says which database to open, and as whom.
type Config struct {
	// URL is a PostgreSQL connection string; several hosts are allowed.
	URL string
	// Node is this host's name in ids; two processes cannot open the same one.
	Node string
	// Address is where other nodes reach this one's API; Version the program's.
	Address, Version string
	// Logger may be nil.
	Logger *slog.Logger
	// Retention is the age of changes kept; 0 keeps all.
	Retention time.Duration
}

// Store is an open database. Its methods may be called from several goroutines.
type Store struct {
	cfg      Config
	pool     *pgxpool.Pool
	recorder *Recorder
	log      *Log
	keys     keyring
	stop     context.CancelFunc
	tasks    sync.WaitGroup
}

// Open connects (with patience), brings the schema up, claims the node's name
// and starts the recorder and the log.
//
// Errors are one clear line with the remedy: no database, a newer database,
// another process with the same node name.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Node == "" {
		return nil, errors.New("the node has no name; give it one with --node")
	}
	pgcfg, err := parseURL(cfg.URL, "datapi "+cfg.Node)
	if err != nil {
		return nil, err
	}
	pool, err := openPool(ctx, pgcfg, cfg.Logger)
	if err != nil {
		return nil, err
	}
	s := &Store{cfg: cfg, pool: pool, keys: keyring{held: map[keptKey]bool{}}}
	if err := s.open(ctx, pgcfg.ConnConfig); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, cfg *pgx.ConnConfig) error {
	if _, err := migrateUp(ctx, s.pool); err != nil {
		return err
	}
	session, err := dial(ctx, cfg, s.cfg.Node, 0, nodePatience)
	if errors.Is(err, errNodeTaken) {
		return fmt.Errorf("another process runs as node %q on this database; stop it, or start this one with another --node", s.cfg.Node)
	}
	if err != nil {
		return fmt.Errorf("the node's name cannot be claimed: %w", plainConnect(err))
	}
	epoch, err := claimNode(ctx, session.conn, s.cfg)
	if err != nil {
		session.close()
		return err
	}
	living, err := s.livingImages(ctx, s.cfg.Node)
	if err != nil {
		session.close()
		return err
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	if s.log, err = newLog(ctx, s.pool); err != nil {
		session.close()
		stop()
		return err
	}
	newest, err := s.newestTime(ctx)
	if err != nil {
		session.close()
		stop()
		return err
	}
	s.recorder = start(session, s.cfg.Node, epoch, cfg, living, newest, s.cfg.Logger, s.log.publish)
	s.tasks.Go(func() { s.log.follow(background) })
	s.tasks.Go(func() { s.log.listen(background, cfg) })
	s.tasks.Go(func() { s.heartbeats(background) })
	s.tasks.Go(func() { s.prunes(background) })
	return nil
}

// Close records what waits, as long as ctx lives and the database is there, ends
// the recorder and the log, gives the node's name back and closes all connections.
func (s *Store) Close(ctx context.Context) error {
	err := s.recorder.close(ctx)
	s.stop()
	s.tasks.Wait()
	s.pool.Close()
	return err
}

// Recorder is the only writer of this process's objects.
func (s *Store) Recorder() *Recorder { return s.recorder }

// Log is the log of changes as watchers see it.
func (s *Store) Log() *Log { return s.log }

// Ready is nil while the database answers and the log is not behind; the error
// says in one line what is wrong, and how many events wait for their record.
func (s *Store) Ready(ctx context.Context) error {
	waiting := s.recorder.Waiting()
	if err := s.recorder.Away(); err != nil {
		return fmt.Errorf("the database is away; %d events wait for their record", waiting)
	}
	if err := s.pool.Ping(ctx); err != nil {
		return fmt.Errorf("the database does not answer; %d events wait for their record", waiting)
	}
	if s.log.Stale() {
		return errors.New("the log of changes is being caught up")
	}
	return nil
}

// Living are all objects of a node that were not freed, in the order of their creation.
func (s *Store) Living(ctx context.Context, node string) ([]dat.Object, error) {
	images, err := s.livingImages(ctx, node)
	if err != nil {
		return nil, err
	}
	objs := make([]dat.Object, len(images))
	for i, img := range images {
		objs[i] = img.obj
	}
	return objs, nil
}

// livingImages is Living with what the recorder needs to write them again.
func (s *Store) livingImages(ctx context.Context, node string) ([]image, error) {
	ctx, cancel := context.WithTimeout(ctx, livingPatience)
	defer cancel()
	rows, err := s.pool.Query(ctx, `SELECT type, `+whole("body")+` FROM objects
		WHERE node = $1 AND freed_at IS NULL ORDER BY created_change`, node)
	if err != nil {
		return nil, mapError(err)
	}
	images, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (image, error) {
		var word string
		var o storedObject
		if err := row.Scan(&word, &o.Body, &o.Form); err != nil {
			return image{}, err
		}
		t, err := typeOf(word)
		if err != nil {
			return image{}, err
		}
		return o.image(t)
	})
	return images, mapError(err)
}

// Get is the recorded living object of any node. A type that does not fit, a
// freed or an unknown id is DAT_INVALID_HANDLE.
func (s *Store) Get(ctx context.Context, t dat.ObjectType, id dat.Handle) (dat.Object, error) {
	obj, freed, err := s.GetFreed(ctx, t, id)
	if err == nil && !freed.IsZero() {
		return nil, notThere(t, id)
	}
	return obj, err
}

// GetFreed is an object's last image and when it was freed; the time is zero
// while it lives. Errors: as Get, for an id that never was or is past retention.
func (s *Store) GetFreed(ctx context.Context, t dat.ObjectType, id dat.Handle) (dat.Object, dat.Time, error) {
	var o storedObject
	var freed *time.Time
	err := s.pool.QueryRow(ctx, `SELECT `+whole("body")+`, freed_at FROM objects WHERE id = $1 AND type = $2`,
		string(id), t.String()).Scan(&o.Body, &o.Form, &freed)
	if errors.Is(err, pgx.ErrNoRows) || isText(err) {
		return nil, dat.Time{}, notThere(t, id)
	}
	if err != nil {
		return nil, dat.Time{}, mapError(err)
	}
	obj, err := o.read(t)
	if err != nil || freed == nil {
		return obj, dat.Time{}, err
	}
	return obj, dat.At(*freed), nil
}
