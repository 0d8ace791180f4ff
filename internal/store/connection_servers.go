package store

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A URL may name several servers, of which one is the primary. For a time there may be two
// that call themselves so: a former one that nobody has stopped yet, and its successor. With
// synchronous standbys the former one commits nothing any more, because they follow the
// other. So a server that is there and does not do what it should is tried after all others,
// and all connections of this process follow the recorder's.

// servers are the servers of a URL, in the order in which they are tried. The methods may
// be called from several goroutines.
type servers struct {
	cfg *pgx.ConnConfig

	mu sync.Mutex
	// recorder is the address of the server on which the recorder records, empty before that
	// is known. It is tried first unless it has failed since.
	recorder string
	// failed are the addresses of those that were there and did not do what they should, in
	// the order in which that was noticed last. They are tried after all others.
	failed []string
	// stay ends when the recorder goes to another server.
	stay  context.Context
	leave context.CancelFunc
}

// newServers returns the servers of a pool that is not opened yet, and lets it follow the
// recorder. Nothing is read over a new connection that a standby may not have.
func newServers(cfg *pgxpool.Config) *servers {
	s := &servers{cfg: cfg.ConnConfig}
	s.stay, s.leave = context.WithCancel(context.Background())
	cfg.BeforeConnect = func(ctx context.Context, c *pgx.ConnConfig) error {
		s.arrange(ctx, c)
		return nil
	}
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ctx, cancel := s.whileThere(ctx)
		defer cancel()
		err := barrier(ctx, conn, s.barrierTimeout())
		if ctx.Err() == nil {
			s.fail(conn, err)
		}
		return err
	}
	return s
}

// config returns the configuration of a connection, with the servers in their order.
func (s *servers) config(ctx context.Context) *pgx.ConnConfig {
	c := s.cfg.Copy()
	s.arrange(ctx, c)
	return c
}

// arrange puts the servers of a configuration into their order. Names are resolved, since
// several servers may share one; where none can be, all stays as it is.
func (s *servers) arrange(ctx context.Context, c *pgx.ConnConfig) {
	var all []*pgconn.FallbackConfig
	for _, f := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...) {
		hosts := []string{f.Host}
		if !filepath.IsAbs(f.Host) {
			var err error
			if hosts, err = c.LookupFunc(ctx, f.Host); err != nil {
				hosts = nil
			}
		}
		for _, host := range hosts {
			all = append(all, &pgconn.FallbackConfig{Host: host, Port: f.Port, TLSConfig: f.TLSConfig})
		}
	}
	if len(all) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(all, func(a, b *pgconn.FallbackConfig) int { return cmp.Compare(s.place(a), s.place(b)) })
	c.Host, c.Port, c.TLSConfig, c.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
}

// place returns the place of a server in the order. The caller holds s.mu.
func (s *servers) place(f *pgconn.FallbackConfig) int {
	_, address := pgconn.NetworkAddress(f.Host, f.Port)
	after := 1 + slices.Index(s.failed, address)
	if after == 0 && address == s.recorder {
		return -1
	}
	return after
}

// addressOf returns the address of the server of a connection.
func addressOf(conn *pgx.Conn) string { return conn.PgConn().Conn().RemoteAddr().String() }

// fail puts the server of a connection behind all others if an error says that it is there
// and does not do what it should.
func (s *servers) fail(conn *pgx.Conn, err error) {
	if !isStuck(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	address := addressOf(conn)
	s.failed = append(slices.DeleteFunc(s.failed, func(a string) bool { return a == address }), address)
}

// isStuck reports whether an error says that a server neither does what it was asked for nor
// has ended.
func isStuck(err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, errCommitPending) || errors.Is(err, errStandbysAway) || errors.Is(err, errNotReplicated) ||
		errors.Is(err, errNodeTaken) || errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err) ||
		errors.As(err, &pg) && pg.Code == lockTimeoutCode
}

// choose makes the server of a connection the one on which the recorder records, and reports
// whether it was another one before.
func (s *servers) choose(conn *pgx.Conn) (moved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	address := addressOf(conn)
	s.failed = slices.DeleteFunc(s.failed, func(a string) bool { return a == address })
	moved = s.recorder != "" && s.recorder != address
	s.recorder = address
	if moved {
		s.leave()
		s.stay, s.leave = context.WithCancel(context.Background())
	}
	return moved
}

// whileThere returns a context that ends when the recorder goes to another server.
func (s *servers) whileThere(ctx context.Context) (context.Context, context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.stay, cancel)
	return ctx, func() { stop(); cancel() }
}

// barrierTimeout returns how long a new connection of the pool may wait for the standbys.
func (s *servers) barrierTimeout() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recorder == "" {
		return startBarrier
	}
	return poolBarrier
}
