package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// connectPatience is how long a start waits for a database that refuses
	// connections, as during a fail-over.
	connectPatience = 30 * time.Second
	// connectTimeout bounds one attempt on one host.
	connectTimeout = 5 * time.Second
	// roundTrip bounds one exchange of the recorder with the database, perChange
	// what each change of a group adds; longer means that the connection is dead.
	roundTrip = 5 * time.Second
	perChange = 5 * time.Millisecond
	// poolLeast is the least room of the pool where the URL says nothing: one slow
	// list must not hold up the rest.
	poolLeast = 10
	// Connection attempts are retried after a random time between these, doubling.
	backoffFirst = 50 * time.Millisecond
	backoffMost  = 2 * time.Second
)

// parseURL reads a connection string and adds what this program relies on: a
// connection is one that can write, is seen dead when it is dead, and bears the
// name of its user.
func parseURL(url, application string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read (%w); it looks like postgres://user:password@host:5432/name", hidePassword(err))
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = max(cfg.MaxConns, poolLeast)
	}
	// A connection that died with its server looks alive until it is asked: every
	// use asks first, so that a database that is back is back for the next read.
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
	c := cfg.ConnConfig
	c.Tracer = deadlines{}
	if c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	defaults := map[string]string{
		"application_name":        application,
		"timezone":                "UTC",
		"tcp_keepalives_idle":     "10",
		"tcp_keepalives_interval": "5",
		"tcp_keepalives_count":    "3",
	}
	for k, v := range defaults {
		if _, set := c.RuntimeParams[k]; !set {
			c.RuntimeParams[k] = v
		}
	}
	return cfg, nil
}

// hidePassword keeps the connection string out of an error.
func hidePassword(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("it is no valid connection string")
	}
	return err
}

// openPool opens a pool and waits, with jitter, until the database answers.
func openPool(ctx context.Context, cfg *pgxpool.Config, log *slog.Logger) (*pgxpool.Pool, error) {
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("the database cannot be used: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	var wait backoff
	for {
		err = pool.Ping(ctx)
		if err == nil {
			return pool, nil
		}
		if !worthWaiting(err) || !wait.sleep(ctx) {
			pool.Close()
			return nil, fmt.Errorf("the database does not take connections (%s): %w; check its address and that it runs",
				hostsOf(cfg.ConnConfig), plainConnect(err))
		}
		log.Info("waiting for the database", "hosts", hostsOf(cfg.ConnConfig), "error", plainConnect(err))
	}
}

// worthWaiting tells whether a later attempt may pass: a wrong password or an
// unknown database will not go away.
func worthWaiting(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return true
	}
	return pg.Code[:2] != "28" && pg.Code[:2] != "3D" && pg.Code[:2] != "42"
}

// plainConnect strips an error of connecting to its last cause, without users
// and passwords.
func plainConnect(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return errors.New(pg.Message)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op
	}
	return err
}

func hostsOf(c *pgx.ConnConfig) string {
	hosts := c.Host
	for _, f := range c.Fallbacks {
		if f.Host != c.Host {
			hosts += ", " + f.Host
		}
	}
	return hosts
}

// backoff is a growing wait with jitter.
type backoff struct{ next time.Duration }

// sleep waits and tells whether ctx is still alive.
func (b *backoff) sleep(ctx context.Context) bool {
	b.next = min(max(b.next*2, backoffFirst), backoffMost)
	t := time.NewTimer(b.next/2 + rand.N(b.next/2))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (b *backoff) reset() { b.next = 0 }
