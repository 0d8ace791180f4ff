package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// Subscription is the place of one watcher in the log. It is for one goroutine and
// needs no closing.
type Subscription struct {
	log    *Log
	filter ChangeFilter
	// generation is that of the log when the subscription began.
	generation int64
	// at is the id of the last change that was looked at, delivered or not.
	at int64
	// stale is what the watcher was told last.
	stale bool
}

// Delivery is what a watcher gets: changes in order, or the news that the log has
// become stale or is no longer.
type Delivery struct {
	// Changes are the changes that pass the filter; empty if only Stale has changed.
	Changes []*LoggedChange
	// Position is that up to which the watcher has seen everything, including the
	// changes that did not pass the filter.
	Position Position
	// Stale is Log.Stale at this moment.
	Stale bool
}

// Subscribe follows the log after a position: 0 is its beginning, Log.Position its
// present end. Errors are ErrGone, ErrBeyond, ErrRewound, and *dat.Error of
// KindStoreAway if a position beyond what this process has seen cannot be looked up.
func (l *Log) Subscribe(ctx context.Context, after Position, f ChangeFilter) (*Subscription, error) {
	if now := l.Position(); after.Generation > now.Generation || after.Generation == now.Generation && after.ID > now.ID {
		if err := l.catchUp(ctx); err != nil {
			return nil, mapError(err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case after.ID != 0 && after.Generation != l.seen.generation:
		return nil, ErrRewound
	case after.ID > l.seen.last.id:
		return nil, ErrBeyond
	case after.ID < l.gone:
		return nil, ErrGone
	}
	l.expectWatcher()
	return &Subscription{log: l, filter: f, generation: l.seen.generation, at: after.ID}, nil
}

// Next waits until there is a change that passes the filter or Stale has changed.
// Errors are that of ctx, ErrGone if the retention has overtaken the watcher, and
// ErrRewound if the log went back.
func (s *Subscription) Next(ctx context.Context) (Delivery, error) {
	defer s.log.watch()()
	for {
		changes, stale, news, err := s.nextChanges(ctx)
		if err != nil {
			return Delivery{}, err
		}
		if len(changes) > 0 {
			s.at = changes[len(changes)-1].ID
		}
		passing := slices.DeleteFunc(slices.Clone(changes), func(c *LoggedChange) bool { return !s.filter.matches(&c.Change) })
		if len(passing) > 0 || stale != s.stale {
			s.stale = stale
			return Delivery{Changes: passing, Position: Position{Generation: s.generation, ID: s.at}, Stale: stale}, nil
		}
		if len(changes) > 0 {
			continue
		}
		select {
		case <-news:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}

// nextChanges returns the changes after the watcher's place: from memory, or from
// the table if the watcher is behind that; whether the log is stale, as it also is
// when the table does not answer; and a channel that is closed when there is news.
func (s *Subscription) nextChanges(ctx context.Context) (changes []*LoggedChange, stale bool, news <-chan struct{}, err error) {
	l := s.log
	l.mu.Lock()
	if l.seen.generation != s.generation {
		l.mu.Unlock()
		return nil, false, nil, ErrRewound
	}
	first := l.seen.last.id - int64(len(l.tail)) + 1
	behind := s.at+1 < first
	if !behind && s.at < l.shown {
		rest := l.tail[s.at+1-first : l.shown+1-first]
		changes = rest[:min(len(rest), logChunk)]
	}
	stale, news = l.stale, l.news
	last := l.seen.last.id
	if !behind && len(changes) == 0 {
		l.waiting++
	}
	l.mu.Unlock()
	if !behind {
		return changes, stale, news, nil
	}
	changes, err = l.read(ctx, s.at, int(min(logChunk, last-s.at))) // what is newer may not be published yet
	if errors.Is(err, ErrGone) || ctx.Err() != nil {
		return nil, stale, news, cmp.Or(ctx.Err(), err)
	}
	return changes, stale || err != nil, news, nil
}

// matches reports whether a change passes the filter.
func (f *ChangeFilter) matches(c *dat.Change) bool {
	return (f.Scope == nil || c.Object.Type == dat.TypeNode || f.Scope.Holds(string(c.IA), c.Labels)) &&
		allows(f.Objects, c.Object.ID) && allows(f.Types, c.Object.Type) && allows(f.Nodes, c.Node) && allows(f.IAs, c.IA) &&
		allows(f.Causes, c.Cause) && allows(f.Actors, c.Actor) && allows(f.Outcomes, c.Outcome)
}

// allows reports whether a value is among those wanted; none allow any.
func allows[T comparable](wanted []T, value T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, value)
}
