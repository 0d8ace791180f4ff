package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// tailLength is how many of the newest changes are in memory.
	tailLength = 4096
	// logPoll is the interval at which the end of the log is looked at without a
	// notification: one that comes while the listener connects is lost.
	logPoll = time.Second
	// logTimeout bounds a look at the end of the log.
	logTimeout = 5 * time.Second
	// logChunk is how many changes are read or delivered at once.
	logChunk = 1000
)

// Log is the log of changes of the whole database as watchers see it: in order,
// without a gap or a duplicate, the newest part in memory. Its methods may be called
// from several goroutines.
type Log struct {
	pool *pgxpool.Pool
	// wakeup makes follow look at the end of the log.
	wakeup chan struct{}
	// unpublished holds one token while this process may have committed changes that
	// it has not published: nobody hears of them from the table before that.
	unpublished chan struct{}

	mu sync.Mutex
	// tail are the newest changes seen, with ids up to last, without a gap.
	tail []dat.Change
	last int64
	// gone is the highest id that the retention has deleted.
	gone  int64
	stale bool
	// fresh is since when the log is not stale, or is.
	fresh Since
	// news is closed, and replaced, when there is a change or stale has changed.
	news chan struct{}
}

// newLog returns the log, which begins at the present end.
func newLog(ctx context.Context, pool *pgxpool.Pool) (*Log, error) {
	l := &Log{pool: pool, wakeup: make(chan struct{}, 1), news: make(chan struct{}), unpublished: make(chan struct{}, 1)}
	l.fresh.Observe(true)
	err := pool.QueryRow(ctx, `SELECT last, gone FROM change_head`).Scan(&l.last, &l.gone)
	return l, mapError(err)
}

// Last returns the id of the newest change seen, 0 if there is none.
func (l *Log) Last() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Stale reports whether the database is away, so that there may be newer changes.
func (l *Log) Stale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stale
}

// holdBack keeps what the table has from watchers until release: a commit begins. It
// waits for an append that is under way.
func (l *Log) holdBack() { l.unpublished <- struct{}{} }

// release ends holdBack: what was committed is published, or nothing was committed.
func (l *Log) release() { <-l.unpublished }

// publish takes the changes that this process has just committed. If another process
// committed before it, the changes of both are read from the table.
func (l *Log) publish(changes []dat.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(changes)
	if len(changes) > 0 && l.last < changes[len(changes)-1].ID {
		l.wake()
	}
}

// add appends those of the changes that follow the last one. The caller holds l.mu.
func (l *Log) add(changes []dat.Change) {
	n := 0
	for _, c := range changes {
		if c.ID == l.last+1 {
			l.tail, l.last = append(l.tail, c), c.ID
			n++
		}
	}
	if n == 0 {
		return
	}
	if over := len(l.tail) - tailLength; over > tailLength/4 {
		l.tail = append([]dat.Change(nil), l.tail[over:]...)
	}
	l.wakeWatchers()
}

// wakeWatchers makes the subscriptions look for news. The caller holds l.mu.
func (l *Log) wakeWatchers() {
	close(l.news)
	l.news = make(chan struct{})
}

// wake makes follow look at the end of the log.
func (l *Log) wake() {
	select {
	case l.wakeup <- struct{}{}:
	default:
	}
}

// follow keeps the tail at the end of the log until ctx ends.
func (l *Log) follow(ctx context.Context) {
	t := time.NewTicker(logPoll)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wakeup:
		case <-t.C:
		}
		l.setStale(l.catchUp(ctx) != nil && ctx.Err() == nil)
	}
}

func (l *Log) setStale(stale bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stale != stale {
		l.stale = stale
		l.fresh.Observe(!stale)
		l.wakeWatchers()
	}
}

// catchUp reads what the table has beyond the tail.
func (l *Log) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	var last, gone int64
	if err := l.pool.QueryRow(ctx, `SELECT last, gone FROM change_head`).Scan(&last, &gone); err != nil {
		return mapError(err)
	}
	l.mu.Lock()
	l.gone = max(l.gone, gone)
	if l.gone > l.last {
		l.tail, l.last = nil, l.gone // the database was away for longer than the retention
	}
	at := l.last
	l.mu.Unlock()
	for at < last {
		changes, err := l.read(ctx, at, logChunk)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return errors.New("the log of changes has a gap")
		}
		select {
		case l.unpublished <- struct{}{}:
		case <-ctx.Done():
			return mapError(ctx.Err())
		}
		l.mu.Lock()
		l.add(changes)
		l.mu.Unlock()
		l.release()
		at = changes[len(changes)-1].ID
	}
	return nil
}

// read returns the changes after a position from the table, in order and without a
// gap; ErrGone if the retention has deleted some of them.
func (l *Log) read(ctx context.Context, after int64, limit int) ([]dat.Change, error) {
	rows, err := l.pool.Query(ctx, selectChange+` WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil {
		return nil, mapError(err)
	}
	changes, err := pgx.CollectRows(rows, scanChange)
	if err != nil {
		return nil, mapError(err)
	}
	for i, c := range changes {
		if c.ID != after+1+int64(i) {
			return nil, ErrGone
		}
	}
	return changes, nil
}

// listen wakes follow whenever another process has committed, until ctx ends.
func (l *Log) listen(ctx context.Context, cfg *pgx.ConnConfig) {
	var retry backoff
	for ctx.Err() == nil {
		conn, err := pgx.ConnectConfig(ctx, cfg.Copy())
		if err == nil {
			_, err = conn.Exec(ctx, "LISTEN datapi_changes")
			retry.reset()
		}
		for err == nil {
			l.wake()
			_, err = conn.WaitForNotification(ctx)
		}
		if conn != nil {
			closing, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = conn.Close(closing)
			cancel()
		}
		retry.sleep(ctx)
	}
}
