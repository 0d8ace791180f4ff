package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says which database to open, and for which node.
type Config struct {
	// URL is a PostgreSQL connection string; several hosts are allowed.
	URL string
	// Node is the name of this host in ids. Two processes cannot open a database
	// under the same name.
	Node string
	// Address is where other nodes reach the API of this one.
	Address string
	// Version is the version of this program.
	Version string
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
	// Retention is the age up to which changes are kept; 0 keeps all.
	Retention time.Duration
}

// Store is an open database. Its methods may be called from several goroutines.
type Store struct {
	cfg      Config
	pool     *pgxpool.Pool
	recorder *Recorder
	log      *Log
	claims   keyClaims
	// lastSeen is the time of the last heartbeat, in nanoseconds of Unix time.
	lastSeen atomic.Int64
	// stop ends the background tasks, tasks waits for them.
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// Open connects to the database, waiting up to startTimeout for it, migrates the
// schema, claims the node's name, and starts the recorder and the log of changes.
//
// Each error is one line that names the remedy: no database, a database of a newer
// program, another process with the same node name.
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
	s := &Store{cfg: cfg, pool: pool, claims: newKeyClaims()}
	if err := s.open(ctx, pgcfg.ConnConfig); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// open is Open from the migrations on.
func (s *Store) open(ctx context.Context, cfg *pgx.ConnConfig) error {
	if _, err := migrateUp(ctx, s.pool); err != nil {
		return err
	}
	session, err := dialSession(ctx, cfg, s.cfg.Node, 0, nodeLockTimeout)
	if errors.Is(err, errNodeTaken) {
		return fmt.Errorf("another process runs as node %q on this database; stop it, or start this one with another --node", s.cfg.Node)
	}
	if err != nil {
		return fmt.Errorf("the node's name cannot be claimed: %w", connectCause(err))
	}
	if err := s.start(ctx, session, cfg); err != nil {
		session.close()
		return err
	}
	return nil
}

// start starts the recorder, which owns the session from then on, and the
// background tasks. On an error nothing runs.
func (s *Store) start(ctx context.Context, session *session, cfg *pgx.ConnConfig) error {
	epoch, err := claimNode(ctx, session.conn, s.cfg)
	if err != nil {
		return err
	}
	s.lastSeen.Store(time.Now().UnixNano())
	living, err := s.livingImages(ctx, s.cfg.Node)
	if err != nil {
		return err
	}
	newest, err := s.newestTime(ctx)
	if err != nil {
		return err
	}
	if s.log, err = newLog(ctx, s.pool); err != nil {
		return err
	}
	s.recorder = startRecorder(session, s.cfg.Node, epoch, cfg, living, newest, s.cfg.Logger, s.log)
	var background context.Context
	background, s.stop = context.WithCancel(context.Background())
	s.tasks.Go(func() { s.log.follow(background) })
	s.tasks.Go(func() { s.log.listen(background, cfg) })
	s.tasks.Go(func() { s.sendHeartbeats(background) })
	s.tasks.Go(func() { s.pruneHourly(background) })
	return nil
}

// Close records what waits for its record, for as long as ctx lives and the
// database is there, ends the recorder and the log, and closes all connections;
// the node's name is free then.
func (s *Store) Close(ctx context.Context) error {
	err := s.recorder.close(ctx)
	s.stop()
	s.tasks.Wait()
	s.pool.Close()
	return err
}

// Recorder returns the only writer of this process's objects.
func (s *Store) Recorder() *Recorder { return s.recorder }

// Log returns the log of changes as watchers see it.
func (s *Store) Log() *Log { return s.log }

// Ready returns nil while the database answers and the log is not behind. The
// error says in one line what is wrong, and how many events wait for their record.
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
