package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A server that waits for synchronous standbys shows a change to nobody before they
// have it, with two exceptions: after a crash it shows what it had written down itself,
// and a wait that somebody cancels ends with a warning and not with an error. What this
// process reads and announces is therefore behind a barrier: a small transaction whose
// commit waits for the standbys. As they take the log in order, they have everything
// before it when it is acknowledged.

// errNotReplicated says that a commit is on this server, and perhaps on no other one.
var errNotReplicated = errors.New("the database did not wait for its standbys")

// errStandbysAway says that the standbys did not take a barrier in time.
var errStandbysAway = errors.New("a standby that the database waits for does not answer")

// poolBarrier bounds the wait for the standbys on a new connection of the pool. It is
// long, for standbys that are behind, and bounded, for a server that was replaced.
const poolBarrier = time.Minute

// startBarrier is the same while nothing is recorded yet: a start tries several servers
// within startTimeout.
const startBarrier = startTimeout / 3

// awaitStandbys is a barrier on a new connection of the pool: nothing is read over it
// that a standby may not have.
func awaitStandbys(ctx context.Context, conn *pgx.Conn) error { return barrier(ctx, conn, poolBarrier) }

// barrier returns nil when the standbys have everything that was committed before. It
// costs a read if the database waits for none.
func barrier(ctx context.Context, conn *pgx.Conn, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	takeWarning(conn.PgConn())
	_, err := conn.Exec(ctx, `SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''
		THEN pg_logical_emit_message(true, 'datapi', 'barrier') END`, pgx.QueryExecModeExec)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errStandbysAway, err)
	case err != nil:
		return err
	}
	if warning := takeWarning(conn.PgConn()); warning != "" {
		return fmt.Errorf("%w: %s", errNotReplicated, warning)
	}
	return nil
}

// waitsForStandbys reports whether the database answers and waits for standbys.
func waitsForStandbys(cfg *pgx.ConnConfig) bool {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(ctx) }()
	var waits bool
	err = conn.QueryRow(ctx, `SELECT current_setting('synchronous_standby_names') <> ''`).Scan(&waits)
	return err == nil && waits
}

// warningKey is the place of the last warning in a connection's own data.
const warningKey = "datapi warning"

// rememberWarning takes the notices of a connection.
func rememberWarning(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[warningKey] = n.Message
	}
}

// takeWarning returns the last warning since it was called last; empty if there was
// none. A server warns during a commit only if its wait for the standbys was cancelled.
func takeWarning(conn *pgconn.PgConn) string {
	warning, _ := conn.CustomData()[warningKey].(string)
	delete(conn.CustomData(), warningKey)
	return warning
}
