package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
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
	// Fingerprint is the SHA-256 of the certificate that it serves with, nil for plain HTTP.
	Fingerprint []byte
	// Version is the version of this program.
	Version string
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
	// Retention is set as the age up to which changes are kept, where the database has no
	// such setting yet; 0 sets none. RetentionGiven says that an operator has asked for it:
	// the log then says where the database has another one.
	Retention      Age
	RetentionGiven bool
	// Private is the private PostgreSQL that URL leads to, nil if it leads to another one.
	Private *Postgres

	// secret is what Secret returns.
	secret []byte
	// nodeID is the id of the node, once it is claimed.
	nodeID string
	// hostClock returns this host's time, time.Now unless a test has its own.
	hostClock func() time.Time
}

// secretLength is the length of a node's secret, in bytes.
const secretLength = 32

// Store is an open database. Its methods may be called from several goroutines.
type Store struct {
	cfg      Config
	pool     *pgxpool.Pool
	recorder *Recorder
	log      *Log
	claims   keyClaims
	// identity is what Identity returns.
	identity string
	clock    *databaseClock
	// lastSeen is the time of the last heartbeat, in nanoseconds of Unix time.
	lastSeen atomic.Int64
	// nodesSeen is how many nodes there were when this one last looked at their states.
	nodesSeen atomic.Int64
	// silence is the last time in which no heartbeat could be sent, nil if there was none.
	silence atomic.Pointer[silence]
	// moves counts the moves of nodes that this process has recorded.
	moves moveCounts
	// readsFail says that the last read of a list found the database away.
	readsFail atomic.Bool
	// database is since when the database answers, or does not.
	database Since
	// pruneSoon makes pruneRegularly look immediately.
	pruneSoon chan struct{}
	// opened is when the node was claimed.
	opened time.Time
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
	servers := newServers(pgcfg)
	pool, err := openPool(ctx, pgcfg, cfg.Logger)
	if err != nil {
		return nil, err
	}
	cfg.secret = make([]byte, secretLength)
	_, _ = rand.Read(cfg.secret) // it never fails
	s := &Store{cfg: cfg, pool: pool, claims: newKeyClaims(), clock: newDatabaseClock(cfg.hostClock), pruneSoon: make(chan struct{}, 1)}
	if err := s.open(ctx, servers); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// open is Open from the migrations on.
func (s *Store) open(ctx context.Context, servers *servers) error {
	if _, err := migrateUp(ctx, s.pool); err != nil {
		if half := (*halfMigratedError)(nil); errors.As(err, &half) && s.cfg.Private != nil {
			return half.inPrivate(s.cfg.Private)
		}
		return err
	}
	var err error
	if s.identity, err = readIdentity(ctx, s.pool); err != nil {
		return err
	}
	if s.cfg.Private == nil { // the lock of its data directory is proof enough
		if err := awaitFormerOwner(ctx, s.pool, s.cfg.Node); err != nil {
			return fmt.Errorf("the node's name cannot be claimed: %w", connectCause(err))
		}
	}
	session, err := dialSession(ctx, servers.config(ctx), s.cfg.Node, formerSession{}, nodeLockTimeout)
	if errors.Is(err, errNodeTaken) {
		return fmt.Errorf("another process runs as node %q on this database; stop it, or start this one with another --node", s.cfg.Node)
	}
	if err != nil {
		return fmt.Errorf("the node's name cannot be claimed: %w", connectCause(err))
	}
	if err := s.start(ctx, session, servers); err != nil {
		session.close()
		return err
	}
	return nil
}

// start starts the recorder, which owns the session from then on, and the
// background tasks. On an error nothing runs.
func (s *Store) start(ctx context.Context, session *session, servers *servers) error {
	servers.choose(session.conn)
	if err := finishRetirement(ctx, session.conn, s.cfg.Node); err != nil {
		return err
	}
	epoch, id, err := claimNode(ctx, session.conn, s.cfg)
	if err != nil {
		return err
	}
	s.cfg.nodeID = id
	s.lastSeen.Store(time.Now().UnixNano())
	if err := s.adoptRetention(ctx); err != nil {
		return err
	}
	living, err := livingImages(ctx, s.pool, s.cfg.Node)
	if err != nil {
		return err
	}
	former, err := formerIAs(ctx, s.pool, s.cfg.Node)
	if err != nil {
		return err
	}
	if err := s.clock.ask(ctx, s.pool); err != nil {
		return err
	}
	newest, err := s.newestTime(ctx)
	if err != nil {
		return err
	}
	if s.log, err = newLog(ctx, s.pool, s.cfg.Node); err != nil {
		return err
	}
	s.opened = s.database.Observe(true)
	s.recorder = &Recorder{
		node: s.cfg.Node, servers: servers, logger: s.cfg.Logger, private: s.cfg.Private, log: s.log, forgetReads: s.pool.Reset, answerTimeout: answerTimeout,
		reclaim: func(ctx context.Context, conn *pgx.Conn) error { return reclaimNode(ctx, conn, s.cfg, epoch) },
		session: session, epoch: epoch, clock: clock{last: newest, database: s.clock}, images: make(map[dat.Handle]image, len(living)), formerIAs: former,
	}
	for _, img := range living {
		s.recorder.images[img.obj.Head().ID] = img
	}
	s.log.suspect = s.recorder.suspect
	s.recorder.start()
	var background context.Context
	background, s.stop = context.WithCancel(context.Background())
	s.tasks.Go(func() { s.log.follow(background) })
	s.tasks.Go(func() { s.log.listen(background, servers) })
	s.tasks.Go(func() { s.sendHeartbeats(background) })
	s.tasks.Go(func() { s.pruneRegularly(background) })
	return nil
}

// Close records what waits for its record, for as long as ctx lives and the
// database is there, ends the recorder and the log, and closes all connections;
// the node's name is free then.
func (s *Store) Close(ctx context.Context) error {
	err := s.recorder.close(ctx)
	s.stop()
	s.tasks.Wait()
	s.leave(ctx)
	s.closePool()
	return err
}

// poolCloseTimeout bounds the wait for the connections of the pool to close, which a
// server that is frozen does not answer.
const poolCloseTimeout = 3 * time.Second

// closePool closes the pool. Connections that do not close in time end by themselves.
func (s *Store) closePool() {
	closed := make(chan struct{})
	go func() { s.pool.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(poolCloseTimeout):
	}
}

// Recorder returns the only writer of this process's objects.
func (s *Store) Recorder() *Recorder { return s.recorder }

// Log returns the log of changes as watchers see it.
func (s *Store) Log() *Log { return s.log }

// TakenOver returns a channel that is closed when another process has claimed this
// node: this one writes nothing any more, and what it knows is of the past.
func (s *Store) TakenOver() <-chan struct{} { return s.recorder.takenOver }
