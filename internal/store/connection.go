package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"
)

const (
	// startTimeout is how long a start waits for a database that refuses connections,
	// as it does during a fail-over.
	startTimeout = 30 * time.Second
	// connectTimeout bounds one attempt to connect to one host.
	connectTimeout = 4 * time.Second
	// roundTrip bounds a round trip of the recorder to the database, and each change of
	// a group adds perChange. One that takes longer means that the connection is dead.
	// With connectTimeout it is less than answerTimeout.
	roundTrip = 4 * time.Second
	perChange = 5 * time.Millisecond
	// poolMin is the least size of the pool unless the URL gives one: a slow list must
	// not hold up the other reads.
	poolMin = 10
	// poolIdle is how long a connection of the pool that nobody uses stays open, unless the
	// URL says otherwise: hundreds of nodes share the connections of a server. It is not short,
	// because no new one is made while a standby is away.
	poolIdle = 5 * time.Minute
	// backoffMin and backoffMax bound the time between two attempts to connect, which is
	// random and doubles with each attempt.
	backoffMin = 50 * time.Millisecond
	backoffMax = 2 * time.Second
	// deadPeer is how long a host that acknowledges nothing is taken for alive: a COMMIT
	// waits for its answer without a deadline, and must end where the host is gone.
	deadPeer = 25 * time.Second
)

// parseURL reads a connection string and adds what this program relies on: a
// connection is to a server that takes writes, is noticed when it is dead, and bears
// the application's name.
func parseURL(url, application string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be read (%w); it looks like postgres://user:password@host:5432/name", hidePassword(err))
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = max(cfg.MaxConns, poolMin)
	}
	if !strings.Contains(url, "pool_max_conn_idle_time") {
		cfg.MaxConnIdleTime = poolIdle
	}
	// A connection that died with its server looks alive until it is used. Each use
	// pings first, so that after an outage the next read gets a living connection.
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
	cfg.AfterConnect = awaitStandbys
	c := cfg.ConnConfig
	c.Tracer = deadlines{}
	c.DialFunc = dialer().DialContext
	c.OnNotice = rememberWarning
	c.RuntimeParams["client_min_messages"] = "warning" // of a wait that was cancelled only a warning tells
	if c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	defaults := map[string]string{
		"application_name":        application,
		"timezone":                "UTC",
		"jit":                     "off", // of a log in partitions it takes longer than any query
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

// dialer returns the dialer of all connections, which notices within deadPeer that the
// other host is gone, whether data is on its way or not.
func dialer() *net.Dialer {
	const probes = 3
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: deadPeer - 2*probes*time.Second, Interval: 2 * time.Second, Count: probes},
		Control: func(network, _ string, raw syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			var failed error
			err := raw.Control(func(fd uintptr) {
				failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(deadPeer.Milliseconds()))
			})
			return errors.Join(err, failed)
		},
	}
}

// hidePassword returns an error without the connection string.
func hidePassword(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("it is no valid connection string")
	}
	return err
}

// openPool opens a pool and waits up to startTimeout until the database answers.
func openPool(ctx context.Context, cfg *pgxpool.Config, log *slog.Logger) (*pgxpool.Pool, error) {
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("the database cannot be used: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var retry backoff
	for {
		err = pool.Ping(ctx)
		if err == nil {
			return pool, nil
		}
		if !isTemporary(err) || !retry.sleep(ctx) {
			pool.Close()
			if waitsForStandbys(cfg.ConnConfig) {
				return nil, fmt.Errorf("%w (%s); start it, or take it out of synchronous_standby_names", errStandbysAway, hostsOf(cfg.ConnConfig))
			}
			return nil, fmt.Errorf("the database does not take connections (%s): %w; check its address and that it runs",
				hostsOf(cfg.ConnConfig), connectCause(err))
		}
		log.Info("waiting for the database", "hosts", hostsOf(cfg.ConnConfig), "error", connectCause(err))
	}
}

// isTemporary reports whether a later attempt to connect may succeed: not with a wrong
// password or an unknown database.
func isTemporary(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return true
	}
	return pg.Code[:2] != "28" && pg.Code[:2] != "3D" && pg.Code[:2] != "42"
}

// connectCause returns the innermost cause of an error of connecting, which has no
// user names and passwords.
func connectCause(err error) error {
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

// hostsOf returns the hosts of a connection string.
func hostsOf(c *pgx.ConnConfig) string {
	hosts := c.Host
	for _, f := range c.Fallbacks {
		if f.Host != c.Host {
			hosts += ", " + f.Host
		}
	}
	return hosts
}

// backoff is a random wait that grows from attempt to attempt.
type backoff struct{ next time.Duration }

// sleep waits, and reports whether ctx is still alive.
func (b *backoff) sleep(ctx context.Context) bool {
	b.next = min(max(b.next*2, backoffMin), backoffMax)
	t := time.NewTimer(b.next/2 + rand.N(b.next/2))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// reset makes the next wait a short one.
func (b *backoff) reset() { b.next = 0 }
