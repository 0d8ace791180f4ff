package store

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// nodeLock is the class of the advisory locks of node names.
	nodeLock = 0xDA7
	// nodeLockTimeout is how long a start waits for a name's lock, which the backend of
	// a process that was killed may still hold for a while.
	nodeLockTimeout = 3 * time.Second
	// reconnectLockTimeout is the same for one attempt of a recorder to connect again.
	reconnectLockTimeout = time.Second
)

// errNodeTaken says that another session holds the node's name.
var errNodeTaken = errors.New("another process has this node's name")

// errNoCancel is what an attempt to cancel a query of a session meets.
var errNoCancel = errors.New("queries of this connection are not cancelled")

// session is the recorder's own connection. It holds the node's advisory lock for as
// long as it lives, so that only the owner of the node writes its objects.
type session struct {
	conn *pgx.Conn
	// pid is the process id of the server's backend.
	pid uint32
	// commitOpen means that a COMMIT was sent that has no answer yet.
	commitOpen bool
	// previousGroup is the group before, of which it is known whether it was committed.
	// Its row is deleted by the next group.
	previousGroup uuid.UUID
}

// formerSession is what a new session must know of the one before it.
type formerSession struct {
	// pid is that of the server's backend, 0 if there is nothing to end.
	pid uint32
	// commitOpen means that the backend may be committing.
	commitOpen    bool
	previousGroup uuid.UUID
	// epoch is this process's, 0 before it has one.
	epoch int64
}

// dialSession connects and takes the node's lock, for which it waits up to a timeout:
// errNodeTaken after that, errFenced if the node has a higher epoch by then. The server may take
// the former session for alive although nobody speaks to it any more, so that one is ended first.
func dialSession(ctx context.Context, cfg *pgx.ConnConfig, node string, former formerSession, timeout time.Duration) (*session, error) {
	conn, err := connectWithoutCancel(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return newSession(ctx, conn, node, former, timeout)
}

// newSession is dialSession over a connection, which it closes on an error.
func newSession(ctx context.Context, conn *pgx.Conn, node string, former formerSession, timeout time.Duration) (*session, error) {
	s := &session{conn: conn, pid: conn.PgConn().PID()}
	if err := s.endFormer(ctx, former, conn.Config().RuntimeParams["application_name"]); err != nil {
		s.close()
		return nil, err
	}
	deadline := time.Now().Add(timeout)
	var retry backoff
	for {
		var locked bool
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1::integer, hashtext($2))", pgx.QueryExecModeExec, nodeLock, node).Scan(&locked)
		if err == nil && locked {
			return s, nil
		}
		if err == nil && time.Now().After(deadline) {
			err = s.whyTaken(ctx, node, former.epoch)
		}
		if err != nil {
			s.close()
			return nil, err
		}
		retry.sleep(ctx)
	}
}

// whyTaken returns errNodeTaken, or errFenced if another process has taken over the node
// since this one had its epoch.
func (s *session) whyTaken(ctx context.Context, node string, epoch int64) error {
	var fenced bool
	err := s.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM nodes WHERE name = $1 AND $2 > 0 AND epoch > $2)`, node, epoch).Scan(&fenced)
	switch {
	case err != nil:
		return err
	case fenced:
		return errFenced
	}
	return errNodeTaken
}

// connectWithoutCancel connects so that nothing on the connection is ever cancelled.
// pgx asks the server to cancel what runs whenever it gives a connection up, and a
// COMMIT that waits for a standby would then end without it. The server gives up what
// waits for another node's COMMIT itself, after roundTrip.
func connectWithoutCancel(ctx context.Context, cfg *pgx.ConnConfig) (*pgx.Conn, error) {
	cfg = cfg.Copy()
	cfg.RuntimeParams["lock_timeout"] = strconv.FormatInt(roundTrip.Milliseconds(), 10)
	dial := cfg.DialFunc
	var connected atomic.Bool
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if connected.Load() {
			return nil, errNoCancel
		}
		return dial(ctx, network, address)
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	connected.Store(true)
	return conn, err
}

// endFormer ends the backend of a former session, but not while it may be committing:
// that would end its wait for a standby. If a COMMIT is open, only a backend is ended
// that has waited in vain for its client, so that the COMMIT never came, or not all that
// stands before it.
func (s *session) endFormer(ctx context.Context, former formerSession, application string) error {
	if former.pid == 0 {
		return nil
	}
	_, err := s.conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE pid = $1 AND application_name = $2 AND usename = current_user AND wait_event IS DISTINCT FROM 'SyncRep'
			AND (NOT $3 OR (state <> 'active' OR wait_event = 'ClientRead') AND state_change < clock_timestamp() - interval '2 seconds')`,
		pgx.QueryExecModeExec, int64(former.pid), application, former.commitOpen)
	return err
}

// close closes the connection; it gives up waiting for the server after a second.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx)
}

// former returns what the next session must know of this one.
func (s *session) former() formerSession {
	return formerSession{pid: s.pid, commitOpen: s.commitOpen, previousGroup: s.previousGroup}
}

// rollback ends the transaction without its changes.
func (s *session) rollback(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	_, err := s.conn.Exec(ctx, "ROLLBACK")
	return err
}

// abandon closes the connection under a commit that waits. The server goes on with it.
func (s *session) abandon() { _ = s.conn.PgConn().Conn().Close() }

// wasCommitted finds out over this new connection whether a group was committed whose
// answer was lost, and returns the id of its last change if it was. It inserts the
// group's id again: that waits for a transaction that still runs, a conflict means
// that the group was committed, and success that it never will be. A row without its
// last change is from an insertion like this one.
func (s *session) wasCommitted(ctx context.Context, id uuid.UUID, node string, epoch int64) (last int64, committed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	tag, err := s.conn.Exec(ctx, sqlInsertGroup+` ON CONFLICT (id) DO NOTHING`, id, node, epoch)
	if err != nil {
		return 0, false, err
	}
	if tag.RowsAffected() == 1 {
		return 0, false, nil
	}
	var found *int64
	if err = s.conn.QueryRow(ctx, `SELECT last FROM groups WHERE id = $1`, id).Scan(&found); err != nil || found == nil {
		return 0, false, err
	}
	return *found, true, nil
}
