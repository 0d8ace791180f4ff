package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The ids of changes are dense and in the order of commits over all nodes, so whoever
// takes some holds up the others until its COMMIT. A group takes its ids last: they,
// the rows that need them and the COMMIT are sent as one message, and nobody waits for
// the time that this process takes between two messages.

// headLock is the advisory lock of those who wait for the end of the log.
const headLock = migrateLock + 2

// groupEnd is the last part of a group's transaction.
type groupEnd struct {
	batch *pgx.Batch
	// changes is the number of changes of the group.
	changes int
	// last is the id of the group's last change, known after commit.
	last int64
	// tag is what COMMIT was answered with.
	tag string
}

// uncommittedError says that a transaction was certainly not committed: the server
// refused a statement of its last part. It is still open, for a ROLLBACK.
type uncommittedError struct{ reason error }

// Error implements error.
func (e *uncommittedError) Error() string { return e.reason.Error() }

// Unwrap returns why.
func (e *uncommittedError) Unwrap() error { return e.reason }

// newGroupEnd returns the last part of the transaction of a group with an id.
func newGroupEnd(rs rows, id uuid.UUID, node string, acknowledged int64) (*groupEnd, error) {
	end := &groupEnd{batch: &pgx.Batch{}, changes: len(rs.changes)}
	renamed, err := encode(rs.renamed)
	if err != nil {
		return nil, err
	}
	created, err := encode(rs.created)
	if err != nil {
		return nil, err
	}
	changes, err := encode(rs.changes)
	if err != nil {
		return nil, err
	}
	n, b := int64(end.changes), end.batch
	b.Queue(sqlAwaitHead, int64(headLock))
	b.Queue(sqlTakeChangeIDs, n, acknowledged).QueryRow(func(row pgx.Row) error { return row.Scan(&end.last) })
	if len(rs.renamed) > 0 {
		b.Queue(sqlClearNames, rowIDs(rs.renamed))
	}
	if named := rs.named(); len(named) > 0 {
		w := wantedNames(named)
		b.Queue(sqlCheckNames, w.ids, w.types, w.names, id)
	}
	if len(rs.renamed) > 0 {
		b.Queue(sqlUpdateObjects, renamed, rowIDs(rs.renamed))
	}
	if len(rs.created) > 0 {
		b.Queue(sqlInsertObjects, created, n)
	}
	b.Queue(sqlInsertChanges, changes, n)
	b.Queue(sqlSetLastOfGroup, id)
	b.Queue(sqlNotifyOthers, node)
	b.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error { end.tag = tag.String(); return nil })
	return end, nil
}

// commit sends the last part of the transaction and waits for the answer, without a
// deadline. An *uncommittedError means that nothing was committed. Any other error means
// that it is not known whether it was, or on which servers. abandon, called by another
// goroutine, ends the wait.
func (s *session) commit(end *groupEnd) error {
	s.commitOpen = true
	conn := s.conn.PgConn()
	takeWarning(conn)
	err := s.conn.SendBatch(context.Background(), end.batch).Close()
	if err != nil {
		if conn.TxStatus() == failedTx {
			s.commitOpen = false
			return &uncommittedError{whyFailed(err)}
		}
		return err
	}
	s.commitOpen = false
	if warning := takeWarning(conn); warning != "" {
		return fmt.Errorf("%w: %s", errNotReplicated, warning)
	}
	if end.tag != "COMMIT" {
		return fmt.Errorf("COMMIT was answered with %s", end.tag)
	}
	return nil
}

// failedTx is the status of a connection whose transaction is open and has failed.
const failedTx = 'E'

// whyFailed returns errWentBack for the error of sqlTakeChangeIDs, errNameTaken for that of
// sqlCheckNames, and other errors as they are.
func whyFailed(err error) error {
	var pg *pgconn.PgError
	switch {
	case !errors.As(err, &pg):
		return err
	case pg.TableName == "change_head" && pg.ColumnName == "last":
		return errWentBack
	case pg.TableName == "groups" && pg.ColumnName == "id":
		return errNameTaken
	}
	return err
}
