package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// A process reads every change of the database while somebody watches here. While nobody
// does it neither listens nor reads: it only looks with each heartbeat where the log ends,
// so that hundreds of idle nodes cost those that write little.

const (
	// logPoll is the interval at which the end of a watched log is looked at without a
	// notification: one that comes while the listener connects is lost.
	logPoll = time.Second
	// presentTimeout bounds the look at the end of the log before somebody begins to watch.
	presentTimeout = time.Second
	// watchGrace is how long a log counts as watched after the last watcher has waited.
	// It is longer than a delivery takes to be sent.
	watchGrace = 30 * time.Second
)

// isWatched reports whether somebody watches the log. The caller holds l.mu.
func (l *Log) isWatched() bool { return l.watchers > 0 || time.Now().Before(l.watchedUntil) }

// watched is isWatched for a caller that does not hold l.mu, and returns what is closed
// when the log becomes watched.
func (l *Log) watched() (is bool, first <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isWatched(), l.firstWatcher
}

// watchedLast returns the id of the newest change seen, nil while nobody watches.
func (l *Log) watchedLast() *int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isWatched() {
		return nil
	}
	return new(l.seen.last.id)
}

// watch counts somebody who waits for changes until the returned function is called.
func (l *Log) watch() (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expectWatcher()
	l.watchers++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watchers--
		l.watchedUntil = time.Now().Add(l.watchGrace)
	}
}

// expectWatcher makes the log watched for a while. The caller holds l.mu.
func (l *Log) expectWatcher() {
	first := !l.isWatched()
	l.watchedUntil = time.Now().Add(l.watchGrace)
	if first {
		close(l.firstWatcher)
		l.firstWatcher = make(chan struct{})
	}
}

// wake makes follow look at the end of the log.
func (l *Log) wake() {
	select {
	case l.wakeup <- struct{}{}:
	default:
	}
}

// follow keeps the log at the end of the database's until ctx ends.
func (l *Log) follow(ctx context.Context) {
	poll := time.NewTicker(logPoll)
	defer poll.Stop()
	for {
		watched, first := l.watched()
		due := poll.C
		if !watched && !l.Stale() {
			due = nil // then each heartbeat wakes it
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wakeup:
		case <-first:
		case <-due:
		}
		l.setStale(l.catchUp(ctx) != nil && ctx.Err() == nil)
	}
}

// Present returns the position of the newest change that the database has. It is
// Position where that is kept up to date already, or the database does not answer.
func (l *Log) Present(ctx context.Context) Position {
	if watched, _ := l.watched(); !watched && !l.Stale() {
		ctx, cancel := context.WithTimeout(ctx, presentTimeout)
		defer cancel()
		if err := l.catchUp(ctx); err != nil {
			l.wake() // let it find out; what the position lacks, the watcher gets
		}
	}
	return l.Position()
}

// catchUp brings the log to the end of the table: it reads what the table has beyond the
// tail if somebody watches, and takes the end without what is before it where it can. If that does not continue what was seen, nothing is read, and the recorder finds out
// whether the log went back.
func (l *Log) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	seen := l.end()
	found, err := findEnd(ctx, l.pool, seen.last.id, "")
	if err != nil {
		return mapError(err)
	}
	if found.isRewound(seen) {
		l.suspect()
		return mapError(errWentBack)
	}
	at, err := l.takeEnd(seen, &found)
	if err != nil {
		return err
	}
	for at < found.last.id {
		changes, err := l.read(ctx, at, logChunk)
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return errors.New("the log of changes has a gap")
		}
		if err := l.append(ctx, seen.generation, changes); err != nil {
			return err
		}
		at = changes[len(changes)-1].ID
	}
	return nil
}

// takeEnd takes what is known from an end that was found after seen, and returns the id up
// to which the log was seen then. If nobody watches that is the end itself, unless this
// process is committing: its own changes are published first.
func (l *Log) takeEnd(seen logEnd, found *foundEnd) (at int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen.generation != seen.generation {
		return 0, mapError(errWentBack)
	}
	l.gone = max(l.gone, found.gone)
	if l.gone > l.seen.last.id {
		l.tail, l.seen.last = nil, mark{id: l.gone} // the database was away for longer than the retention
	}
	if !l.isWatched() && found.last.id > l.seen.last.id {
		select {
		case l.unpublished <- struct{}{}:
			l.tail, l.seen.last = nil, found.last
			l.release()
		default:
		}
	}
	return l.seen.last.id, nil
}

// listen wakes follow whenever another process has committed, while somebody watches,
// until ctx ends.
func (l *Log) listen(ctx context.Context, servers *servers) {
	var retry backoff
	for ctx.Err() == nil {
		if watched, first := l.watched(); !watched {
			select {
			case <-ctx.Done():
				return
			case <-first:
			}
		}
		there, leave := servers.whileThere(ctx)
		conn, err := pgx.ConnectConfig(there, servers.config(there))
		if err == nil {
			err = l.listenOver(there, conn, &retry)
			closing, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = conn.Close(closing)
			cancel()
		}
		leave()
		if err != nil {
			retry.sleep(ctx)
		}
	}
}

// listenOver is listen over one connection. It returns nil when nobody watches any more.
func (l *Log) listenOver(ctx context.Context, conn *pgx.Conn, retry *backoff) error {
	if _, err := conn.Exec(ctx, "LISTEN datapi_changes"); err != nil {
		return err
	}
	retry.reset()
	for {
		l.wake()
		waiting, cancel := context.WithTimeout(ctx, l.watchGrace)
		_, err := conn.WaitForNotification(waiting)
		cancel()
		if watched, _ := l.watched(); !watched {
			return nil
		}
		if err != nil && (waiting.Err() == nil || ctx.Err() != nil) {
			return err
		}
	}
}
