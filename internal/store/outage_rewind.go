package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// The log goes back where a fail-over lost commits, or where an older backup is put
// back under a running service. Ids then mean other changes than before. Every process
// compares what it has seen with what the database has, whenever it connects and
// whenever it reads the end of the log. The first one that finds a difference begins a
// new generation of the log, which the others find.

// mark identifies a change by more than its id, which another one may bear after the
// log went back.
type mark struct {
	id      int64
	at      time.Time
	object  dat.Handle
	version int64
}

// markOf returns the mark of a change.
func markOf(c *dat.Change) mark {
	return mark{id: c.ID, at: c.At.Time, object: c.Object.ID, version: c.Version}
}

// isSame reports whether two marks are of one change.
func (m mark) isSame(o mark) bool {
	return m.id == o.id && m.at.Equal(o.at) && m.object == o.object && m.version == o.version
}

// logEnd is the end of the log as a process has seen it.
type logEnd struct {
	generation int64
	// last is the newest change; its id is 0 if there is none.
	last mark
	// system identifies the cluster.
	system string
}

// foundEnd is what the database has where a process looks for the end that it has seen.
type foundEnd struct {
	logEnd
	// gone is the highest id that the retention has deleted.
	gone int64
	// epoch is that of a node, 0 if the database does not know the node.
	epoch int64
	// known is the change with the id of the end that was seen; its id is 0 if there is
	// none with that id.
	known mark
	// timeline is that of the server, for people.
	timeline string
}

// errRestoring says that the database is not complete.
var errRestoring = errors.New("the database is not complete; it looks as if it were being restored")

// findEnd reads the end of the log, the change at the end that was seen, and the epoch
// of a node.
func findEnd(ctx context.Context, db querier, seen int64, node string) (foundEnd, error) {
	f := foundEnd{known: mark{id: seen}}
	var last, known struct {
		at      *time.Time
		object  *string
		version *int64
	}
	var complete bool
	err := db.QueryRow(ctx, `SELECT h.generation, h.last, h.gone, l.at, l.object_id, l.version, k.at, k.object_id, k.version,
			(SELECT system_identifier::text FROM pg_control_system()), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
			EXISTS (SELECT FROM pg_constraint WHERE conname = 'groups_epoch'), coalesce((SELECT epoch FROM nodes WHERE name = $2), 0)
		FROM change_head h LEFT JOIN changes l ON l.id = h.last LEFT JOIN changes k ON k.id = $1`, seen, node).
		Scan(&f.generation, &f.last.id, &f.gone, &last.at, &last.object, &last.version, &known.at, &known.object, &known.version,
			&f.system, &f.timeline, &complete, &f.epoch)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !complete {
		return f, errRestoring
	}
	if err != nil {
		return f, err
	}
	if last.at != nil {
		f.last.at, f.last.object, f.last.version = *last.at, dat.Handle(*last.object), *last.version
	}
	if known.at == nil {
		f.known = mark{}
	} else {
		f.known.at, f.known.object, f.known.version = *known.at, dat.Handle(*known.object), *known.version
	}
	return f, nil
}

// isRewound reports whether what was found does not continue what was seen.
func (f *foundEnd) isRewound(seen logEnd) bool {
	switch {
	case f.generation != seen.generation || f.last.id < seen.last.id:
		return true
	case seen.last.at.IsZero(): // nothing was seen, or it was past the retention even then
		return false
	case f.known.id == 0 && f.gone >= seen.last.id: // it is past the retention by now
		return f.system != seen.system
	}
	return !f.known.isSame(seen.last)
}

// suspect makes the recorder look whether the log went back.
func (r *Recorder) suspect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.suspicious = true
	r.wake()
}

// isSuspicious reports whether somebody called suspect since the last time.
func (r *Recorder) isSuspicious() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := r.suspicious
	r.suspicious = false
	return is
}

// lookForRewind compares the end of the log with what this process has acknowledged and
// seen. If the log went back, it makes this process the owner of its node in the new
// generation, and returns the end; else nil.
func (r *Recorder) lookForRewind(ctx context.Context) (*foundEnd, error) {
	seen := r.log.end()
	if r.acknowledged.id > seen.last.id {
		seen.last = r.acknowledged
	}
	ctx, cancel := context.WithTimeout(ctx, roundTrip)
	defer cancel()
	conn := r.session.conn
	found, err := findEnd(ctx, conn, seen.last.id, r.node)
	switch {
	case err != nil:
		return nil, err
	case found.epoch > r.epoch:
		return nil, errFenced
	case found.epoch < r.epoch:
		if err := r.reclaim(ctx, conn); err != nil {
			return nil, err
		}
	case !found.isRewound(seen):
		return nil, nil
	}
	if found.generation <= seen.generation {
		if found.generation, err = beginGeneration(ctx, conn, found.generation, seen.generation); err != nil {
			return nil, err
		}
	}
	r.logger.Error("the log of changes went back: changes that were acknowledged are lost",
		"last_seen", seen.last.id, "last_found", found.last.id, "generation", found.generation,
		"system_before", seen.system, "system", found.system, "timeline", found.timeline)
	return &found, nil
}

// beginGeneration begins a generation of the log that is newer than those found and
// seen, and returns it. If another process has just done so, it is that one's.
func beginGeneration(ctx context.Context, conn *pgx.Conn, found, seen int64) (generation int64, err error) {
	_, err = conn.Exec(ctx, `UPDATE change_head SET generation = greatest($2::bigint + 1, extract(epoch FROM clock_timestamp())::bigint)
		WHERE generation = $1`, found, max(found, seen))
	if err == nil {
		err = conn.QueryRow(ctx, `SELECT generation FROM change_head`).Scan(&generation)
	}
	if err != nil {
		return 0, fmt.Errorf("a new generation of the log cannot begin: %w", err)
	}
	return generation, nil
}

// rewind makes this process go on from where the log went back to.
func (r *Recorder) rewind(to *foundEnd) {
	r.acknowledged, r.reconcileDue = mark{}, true
	r.log.rewind(to)
}
