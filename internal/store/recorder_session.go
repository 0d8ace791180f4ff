package store

import (
	"context"
	"errors"
	"fmt"
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
)

// errNodeTaken says that another session holds the node's name.
var errNodeTaken = errors.New("another process has this node's name")

// session is the recorder's own connection. It holds the node's advisory lock for as
// long as it lives, so that only the owner of the node writes its objects.
type session struct {
	conn *pgx.Conn
	// pid is the process id of the server's backend.
	pid uint32
	// previousGroup is the group before, of which it is known whether it was committed.
	// Its row is deleted by the next group.
	previousGroup uuid.UUID
}

// dialSession connects and takes the node's lock, for which it waits up to a timeout:
// errNodeTaken after that.
func dialSession(ctx context.Context, cfg *pgx.ConnConfig, node string, timeout time.Duration) (*session, error) {
	s, err := connectSession(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := s.lockNode(ctx, node, timeout); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// redialSession is dialSession for a process that owns the node with an epoch: it is
// errTakenOver if another one has claimed it and runs. One that has ended again is
// noticed by checkSession, or by the next group. previousPID is the backend of this
// process's session before, or 0; the server may still take that for alive, so it is
// ended first.
func redialSession(ctx context.Context, cfg *pgx.ConnConfig, node string, epoch int64, previousPID uint32) (*session, error) {
	s, err := connectSession(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if previousPID != 0 {
		_, err = s.conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE pid = $1 AND application_name = $2 AND usename = current_user`, oneTrip, int64(previousPID), cfg.RuntimeParams["application_name"])
	}
	if err == nil {
		err = s.lockNode(ctx, node, time.Second)
	}
	if errors.Is(err, errNodeTaken) {
		if lost := s.checkOwner(ctx, node, epoch); lost != nil {
			err = lost
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// oneTrip sends a statement that a session needs once without preparing it before.
const oneTrip = pgx.QueryExecModeExec

// connectSession connects.
func connectSession(ctx context.Context, cfg *pgx.ConnConfig) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, pid: conn.PgConn().PID()}, nil
}

// lockNode takes the node's lock, for which it waits up to a timeout: errNodeTaken
// after that.
func (s *session) lockNode(ctx context.Context, node string, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	var retry backoff
	for {
		var locked bool
		err := s.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1::integer, hashtext($2))", oneTrip, nodeLock, node).Scan(&locked)
		if err != nil || locked {
			return err
		}
		if time.Now().After(deadline) {
			return errNodeTaken
		}
		retry.sleep(ctx)
	}
}

// close closes the connection; it gives up waiting for the server after a second.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx)
}

// endTransaction sends COMMIT or ROLLBACK.
func (s *session) endTransaction(ctx context.Context, word string) error {
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	tag, err := s.conn.Exec(ctx, word)
	if err == nil && tag.String() != word {
		// A COMMIT of a failed transaction is answered with ROLLBACK.
		err = fmt.Errorf("%s was answered with %s", word, tag)
	}
	return err
}

// wasCommitted finds out over this new connection whether a group was committed whose
// answer was lost, and returns the id of its last change if it was. It inserts the
// group's id again: that waits for a transaction that still runs, a conflict means
// that the group was committed, and success that it never will be.
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
	err = s.conn.QueryRow(ctx, `SELECT last FROM groups WHERE id = $1`, id).Scan(&last)
	return last, true, err
}
