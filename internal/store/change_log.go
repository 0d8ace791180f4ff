package store

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// tailLength is how many of the newest changes are in memory.
	tailLength = 4096
	// logTimeout bounds a look at the end of the log.
	logTimeout = 5 * time.Second
	// logChunk is how many changes are read or delivered at once.
	logChunk = 1000
	// wakePerWatcher is the least time between two wake-ups of the watchers, for each of
	// them that waits. Many watchers hear of several changes at once, so that they leave
	// most of the processor to the writers.
	wakePerWatcher = 200 * time.Microsecond
)

// Log is the log of changes of the whole database as watchers see it: in order,
// without a gap or a duplicate, the newest part in memory. Its methods may be called
// from several goroutines.
type Log struct {
	pool *pgxpool.Pool
	// node is the node of this process.
	node string
	// wakeup makes follow look at the end of the log.
	wakeup chan struct{}
	// unpublished holds one token while this process may have committed changes that
	// it has not published: nobody hears of them from the table before that.
	unpublished chan struct{}
	// suspect is called when the log seems to have gone back; see rewind.
	suspect func()

	mu sync.Mutex
	// seen is the end up to which the log was seen.
	seen logEnd
	// tail are the newest changes seen, up to the end, without a gap.
	tail []*LoggedChange
	// published is the id of the last change that this process has committed and published,
	// or was there before it.
	published int64
	// shown is the id up to which watchers were told.
	shown int64
	// gone is the highest id that the retention has deleted.
	gone  int64
	stale bool
	// fresh is since when the log is not stale, or is.
	fresh Since
	// news is closed, and replaced, when there is a change or stale has changed.
	news chan struct{}
	// waiting counts the watchers that wait for news; they are not woken again before
	// nextWake, for which wakePlanned says that a timer runs.
	waiting     int
	nextWake    time.Time
	wakePlanned bool
	// watchers counts those who wait for changes at this moment, and watchedUntil is how
	// long the log counts as watched without them. firstWatcher is closed, and replaced,
	// when it becomes watched.
	watchers     int
	watchedUntil time.Time
	firstWatcher chan struct{}
	// watchGrace is the constant of this name, but for tests.
	watchGrace time.Duration
}

// LoggedChange is a change in the log, which many watchers get.
type LoggedChange struct {
	dat.Change
	encode  sync.Once
	encoded []byte
}

// JSON returns the change as JSON. It is encoded once for all watchers, who must not
// change it.
func (c *LoggedChange) JSON() []byte {
	c.encode.Do(func() {
		var err error
		if c.encoded, err = json.Marshal(&c.Change); err != nil {
			panic(err) // the log has read it from JSON
		}
	})
	return c.encoded
}

// newLog returns the log, which begins at the present end.
func newLog(ctx context.Context, pool *pgxpool.Pool, node string) (*Log, error) {
	l := &Log{
		pool: pool, node: node, wakeup: make(chan struct{}, 1), news: make(chan struct{}), unpublished: make(chan struct{}, 1),
		firstWatcher: make(chan struct{}), watchGrace: watchGrace,
	}
	l.fresh.Observe(true)
	found, err := findEnd(ctx, pool, 0, "")
	l.rewind(&found)
	return l, mapError(err)
}

// Last returns the id of the newest change seen, 0 if there is none.
func (l *Log) Last() int64 { return l.Position().ID }

// Position returns the position of the newest change seen: whoever subscribes there
// gets what comes later.
func (l *Log) Position() Position {
	end := l.end()
	return Position{Generation: end.generation, ID: end.last.id}
}

// end returns the end up to which the log was seen.
func (l *Log) end() logEnd {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
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
	logged := make([]*LoggedChange, len(changes))
	for i := range changes {
		logged[i] = &LoggedChange{Change: changes[i]}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(logged)
	l.published = changes[len(changes)-1].ID
	if l.seen.last.id < l.published && l.isWatched() {
		l.wake()
	}
}

// rewind takes the end of a log that went back, and of a new one. Subscriptions to the
// generation before end.
func (l *Log) rewind(to *foundEnd) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.gone, l.tail, l.published = to.logEnd, to.gone, nil, to.last.id
	l.wakeWatchers()
}

// add appends those of the changes that follow the last one. The caller holds l.mu.
func (l *Log) add(changes []*LoggedChange) {
	n := 0
	for _, c := range changes {
		if c.ID == l.seen.last.id+1 {
			l.tail, l.seen.last = append(l.tail, c), markOf(&c.Change)
			n++
		}
	}
	if n == 0 {
		return
	}
	if over := len(l.tail) - tailLength; over > tailLength/4 {
		l.tail = append([]*LoggedChange(nil), l.tail[over:]...)
	}
	l.wakeWatchersSoon()
}

// wakeWatchersSoon makes the subscriptions look for news, at once if few wait or none
// were woken lately. The caller holds l.mu.
func (l *Log) wakeWatchersSoon() {
	wait := time.Until(l.nextWake)
	if wait <= 0 {
		l.wakeWatchers()
		return
	}
	if l.wakePlanned {
		return
	}
	l.wakePlanned = true
	time.AfterFunc(wait, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.wakePlanned = false
		l.wakeWatchers()
	})
}

// wakeWatchers makes the subscriptions look for news. The caller holds l.mu.
func (l *Log) wakeWatchers() {
	l.nextWake = time.Now().Add(time.Duration(l.waiting) * wakePerWatcher)
	l.waiting, l.shown = 0, l.seen.last.id
	close(l.news)
	l.news = make(chan struct{})
}

// setStale takes whether the database is away.
func (l *Log) setStale(stale bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stale != stale {
		l.stale = stale
		l.fresh.Observe(!stale)
		l.wakeWatchers()
	}
}

// append adds changes from the table to the tail, but for those of a generation that has
// ended. What this process has committed and not published yet waits for that, with what is
// after it.
func (l *Log) append(ctx context.Context, generation int64, changes []*LoggedChange) error {
	l.mu.Lock()
	published := l.published
	l.mu.Unlock()
	own := slices.IndexFunc(changes, func(c *LoggedChange) bool { return c.Node == l.node && c.ID > published })
	if own < 0 {
		return l.addRead(generation, changes)
	}
	if err := l.addRead(generation, changes[:own]); err != nil {
		return err
	}
	select {
	case l.unpublished <- struct{}{}:
	case <-ctx.Done():
		return mapError(ctx.Err())
	}
	defer l.release()
	return l.addRead(generation, changes[own:])
}

// addRead is append of changes that may be shown.
func (l *Log) addRead(generation int64, changes []*LoggedChange) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if generation != l.seen.generation {
		return mapError(errWentBack)
	}
	l.add(changes)
	return nil
}

// read returns the changes after a position from the table, in order and without a
// gap; ErrGone if the retention has deleted some of them.
func (l *Log) read(ctx context.Context, after int64, limit int) ([]*LoggedChange, error) {
	rows, err := l.pool.Query(ctx, selectChange+` WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil {
		return nil, mapError(err)
	}
	changes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*LoggedChange, error) {
		c, err := scanChange(row)
		return &LoggedChange{Change: c}, err
	})
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
