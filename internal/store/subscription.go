package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// Subscription is one watcher's place in the log; it is for one goroutine and
// needs no closing.
type Subscription struct {
	log    *Log
	filter ChangeFilter
	at     int64
	stale  bool
}

// Delivery is what a watcher gets: changes in order, or the news that the log
// has become stale or fresh.
type Delivery struct {
	Changes []dat.Change
	// Position is the id up to which the watcher has seen everything, filtered
	// changes included.
	Position int64
	// Stale is Log.Stale as of now.
	Stale bool
}

// Subscribe follows the log after a position (0 = from its beginning; Last() =
// from now). Errors: ErrGone, ErrBeyond, and *dat.Error of KindStoreAway where a
// position beyond what this process has seen cannot be looked up.
func (l *Log) Subscribe(ctx context.Context, after int64, f ChangeFilter) (*Subscription, error) {
	if after > l.Last() {
		if err := l.catchUp(ctx); err != nil {
			return nil, mapError(err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case after > l.last:
		return nil, ErrBeyond
	case after < l.gone:
		return nil, ErrGone
	}
	return &Subscription{log: l, filter: f, at: after}, nil
}

// Next waits for at least one change that passes the filter, or for Stale to
// turn. Errors: ctx's, ErrGone when the watcher fell behind the retention.
func (s *Subscription) Next(ctx context.Context) (Delivery, error) {
	for {
		changes, stale, turned, err := s.more(ctx)
		if err != nil {
			return Delivery{}, err
		}
		if len(changes) > 0 {
			s.at = changes[len(changes)-1].ID
		}
		fit := slices.DeleteFunc(slices.Clone(changes), func(c dat.Change) bool { return !s.filter.passes(&c) })
		if len(fit) > 0 || stale != s.stale {
			s.stale = stale
			return Delivery{Changes: fit, Position: s.at, Stale: stale}, nil
		}
		if len(changes) > 0 {
			continue
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}

// more are the next changes after the watcher's place: from memory, or from the
// table where the watcher is behind that. A table that does not answer is stale.
func (s *Subscription) more(ctx context.Context) (changes []dat.Change, stale bool, turned <-chan struct{}, err error) {
	l := s.log
	l.mu.Lock()
	first := l.last - int64(len(l.tail)) + 1
	behind := s.at+1 < first
	if !behind {
		rest := l.tail[s.at+1-first:]
		changes = rest[:min(len(rest), logChunk)]
	}
	stale, turned = l.stale, l.turned
	l.mu.Unlock()
	if !behind {
		return changes, stale, turned, nil
	}
	changes, err = l.read(ctx, s.at, logChunk)
	if errors.Is(err, ErrGone) || ctx.Err() != nil {
		return nil, stale, turned, cmp.Or(ctx.Err(), err)
	}
	return changes, stale || err != nil, turned, nil
}

// passes tells whether a change is among those asked for.
func (f *ChangeFilter) passes(c *dat.Change) bool {
	return among(f.Objects, c.Object.ID) && among(f.Types, c.Object.Type) && among(f.Nodes, c.Node) && among(f.IAs, c.IA) &&
		among(f.Causes, c.Cause) && among(f.Actors, c.Actor) && among(f.Outcomes, c.Outcome)
}

func among[T comparable](wanted []T, is T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, is)
}
