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
	// nodePatience is how long a start waits for a name's lock: the backend of a
	// predecessor that was killed may linger.
	nodePatience = 3 * time.Second
)

// errNodeTaken says that another session holds the node's name.
var errNodeTaken = errors.New("another process has this node's name")

// session is the recorder's own connection. It holds the node's advisory lock
// as long as it lives, so writer and owner are never two.
type session struct {
	conn *pgx.Conn
	pid  uint32
	// settled is the group before, which is known to be committed or not; its row
	// is deleted by the next group.
	settled uuid.UUID
}

// dial connects and takes the node's lock. A former session of this process
// that the server still believes in is ended first.
func dial(ctx context.Context, cfg *pgx.ConnConfig, node string, former uint32, patience time.Duration) (*session, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, pid: conn.PgConn().PID()}
	if former != 0 {
		_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE pid = $1 AND application_name = $2 AND usename = current_user`, int64(former), cfg.RuntimeParams["application_name"])
		if err != nil {
			s.close()
			return nil, err
		}
	}
	deadline := time.Now().Add(patience)
	var wait backoff
	for {
		var got bool
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1::integer, hashtext($2))", nodeLock, node).Scan(&got)
		if err == nil && got {
			return s, nil
		}
		if err == nil && time.Now().After(deadline) {
			err = errNodeTaken
		}
		if err != nil {
			s.close()
			return nil, err
		}
		wait.sleep(ctx)
	}
}

// close ends the connection without waiting for anything.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx)
}

// refusedUnits names the units of a group that the database refused alone. The
// transaction is still open.
type refusedUnits map[*unit]error

func (r refusedUnits) Error() string { return fmt.Sprintf("%d units were refused", len(r)) }

// write sends a group's rows in one round trip and looks at the answers. The
// transaction stays open: nothing is committed before commit.
func (s *session) write(ctx context.Context, g *group, id uuid.UUID, node string, epoch int64) (last int64, err error) {
	rs, err := rowsOf(g)
	if err != nil {
		return 0, err
	}
	n := int64(len(rs.changes))
	ctx, cancel := context.WithTimeout(ctx, roundTrip+time.Duration(n)*perChange)
	defer cancel()
	refused := refusedUnits{}
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	if s.settled != uuid.Nil {
		b.Queue(sqlForget, s.settled)
	}
	b.Queue(sqlGroup, id, node, epoch)
	b.Queue(sqlTakeIDs, n).QueryRow(func(row pgx.Row) error { return row.Scan(&last) })
	if err := queueRows(b, g, rs, n, refused); err != nil {
		return 0, err
	}
	b.Queue(sqlLastOfGroup, id)
	b.Queue(sqlBell, node)
	if err := s.conn.SendBatch(ctx, b).Close(); err != nil {
		return 0, err
	}
	if len(refused) > 0 {
		return 0, refused
	}
	return last, nil
}

// queueRows adds the statements that write rows; what their RETURNING leaves out
// is refused.
func queueRows(b *pgx.Batch, g *group, rs rows, n int64, refused refusedUnits) error {
	made, err := encode(rs.made)
	if err != nil {
		return err
	}
	changed, err := encode(rs.changed)
	if err != nil {
		return err
	}
	changes, err := encode(rs.changes)
	if err != nil {
		return err
	}
	kept, err := encode(rs.kept)
	if err != nil {
		return err
	}
	if len(rs.renamed) > 0 {
		b.Queue(sqlDropNames, rs.renamed)
	}
	if len(rs.changed) > 0 {
		b.Queue(sqlChange, changed).Query(missingObjects(g, rs.changed, refused, ""))
	}
	if len(rs.made) > 0 {
		b.Queue(sqlMake, made, n).Query(missingObjects(g, rs.made, refused, "objects_name_living"))
	}
	b.Queue(sqlChanges, changes, n)
	if len(rs.kept) > 0 {
		b.Queue(sqlKeep, kept).Query(missingKept(rs.kept, refused))
	}
	return nil
}

// missingObjects refuses the units whose objects a statement did not return.
func missingObjects(g *group, sent []objectRow, refused refusedUnits, match string) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(ids) == len(sent) {
			return err
		}
		there := map[string]bool{}
		for _, id := range ids {
			there[id] = true
		}
		for _, row := range sent {
			if there[string(row.ID)] {
				continue
			}
			for i := range g.steps {
				if g.steps[i].changes() && g.steps[i].change.Object.ID == row.ID {
					refused[g.steps[i].unit] = refusal(match)
				}
			}
		}
		return nil
	}
}

// missingKept refuses the units whose keys already have an answer.
func missingKept(sent []keptRow, refused refusedUnits) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		there := map[[4]string]bool{}
		for rows.Next() {
			var k [4]string
			if err := rows.Scan(&k[0], &k[1], &k[2], &k[3]); err != nil {
				return err
			}
			there[k] = true
		}
		for _, row := range sent {
			if !there[[4]string{row.Principal, row.Method, row.Path, row.Key}] {
				refused[row.unit] = refusal("kept_key")
			}
		}
		return rows.Err()
	}
}

// end sends COMMIT or ROLLBACK.
func (s *session) end(ctx context.Context, word string) error {
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	tag, err := s.conn.Exec(ctx, word)
	if err == nil && tag.String() != word {
		// A COMMIT of a failed transaction is answered with ROLLBACK.
		err = fmt.Errorf("%s was answered with %s", word, tag)
	}
	return err
}

// committed asks over this new connection what became of a group whose answer
// was lost: inserting its id waits for a transaction that still runs; a conflict
// means committed (and gives its last change id), success that it never will be.
func (s *session) committed(ctx context.Context, id uuid.UUID, node string, epoch int64) (last int64, was bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	tag, err := s.conn.Exec(ctx, sqlGroup+` ON CONFLICT (id) DO NOTHING`, id, node, epoch)
	if err != nil {
		return 0, false, err
	}
	if tag.RowsAffected() == 1 {
		return 0, false, nil
	}
	err = s.conn.QueryRow(ctx, `SELECT last FROM groups WHERE id = $1`, id).Scan(&last)
	return last, true, err
}
