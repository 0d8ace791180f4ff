package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

var errUnbuilt = errors.New("store: not there yet")

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

// Store is an open database.
type Store struct {
	recorder *Recorder
	log      *Log
}

// Open connects (with patience), brings the schema up, claims the node's name
// and starts the recorder and the log.
func Open(ctx context.Context, cfg Config) (*Store, error) { return nil, errUnbuilt }

// Close records what waits as far as the database is there, ends the recorder
// and the log, gives the node's name back and closes all connections.
func (s *Store) Close(ctx context.Context) error { return errUnbuilt }

// Recorder is the only writer of this process's objects.
func (s *Store) Recorder() *Recorder { return s.recorder }

// Log is the log of changes as watchers see it.
func (s *Store) Log() *Log { return s.log }

// Ready is nil while the database answers, no event waits for its record and
// the log is not behind; the error says in one line what is wrong.
func (s *Store) Ready(ctx context.Context) error { return errUnbuilt }

// Living are all objects of a node that were not freed, in the order of their creation.
func (s *Store) Living(ctx context.Context, node string) ([]dat.Object, error) {
	return nil, errUnbuilt
}

// Get is the recorded living object of any node. A type that does not fit, a
// freed or an unknown id is DAT_INVALID_HANDLE.
func (s *Store) Get(ctx context.Context, t dat.ObjectType, id dat.Handle) (dat.Object, error) {
	return nil, errUnbuilt
}

// GetFreed is an object's last image and when it was freed; the time is zero
// while it lives. Errors: as Get, for an id that never was or is past retention.
func (s *Store) GetFreed(ctx context.Context, t dat.ObjectType, id dat.Handle) (dat.Object, dat.Time, error) {
	return nil, dat.Time{}, errUnbuilt
}
