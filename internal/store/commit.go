package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// run commits what is handed over until the recorder is closed.
func (r *Recorder) run(ctx context.Context) {
	defer close(r.done)
	defer func() {
		if r.session != nil {
			r.session.close()
		}
		r.goAway(errors.New("the service has stopped"), true)
	}()
	for r.connected(ctx) {
		units, more := r.take()
		switch {
		case len(units) > 0:
			r.commit(ctx, units)
		case !more:
			return
		default:
			select {
			case <-r.bell:
			case <-ctx.Done():
				return
			}
		}
	}
}

// take gives the next units to commit as one group; more is false when the
// recorder is closed and nothing waits.
func (r *Recorder) take() (units []*unit, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	most := maxGroup
	if r.solo > 0 {
		r.solo, most = r.solo-1, 1
	}
	n, entries := 0, 0
	for _, u := range r.queue {
		if entries += len(u.entries); n > 0 && entries > most {
			break
		}
		n++
		if u.ctx != nil && u.ctx.Err() != nil {
			u.answer <- answer{err: interrupted(u.ctx)}
			continue
		}
		units = append(units, u)
	}
	r.queue, r.events = r.queue[n:], nil
	return units, !r.closing || len(r.queue) > 0
}

// putBack returns units to the head of the queue: certainly not committed, to
// be tried again.
func (r *Recorder) putBack(units []*unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue, r.events = append(units[:len(units):len(units)], r.queue...), nil
}

// commit commits units as one group, without those that are refused alone.
func (r *Recorder) commit(ctx context.Context, units []*unit) {
	for len(units) > 0 {
		g, bad := r.build(units)
		if len(bad) > 0 {
			r.refuse(bad)
			units = without(units, bad)
			continue
		}
		id := uuid.New()
		last, err := r.session.write(ctx, g, id, r.node, r.epoch)
		var refused refusedUnits
		switch {
		case errors.As(err, &refused):
			if err := r.session.end(ctx, "ROLLBACK"); err != nil {
				r.failed(units, err)
				return
			}
			r.refuse(refused)
			units = without(units, refused)
			continue
		case err != nil:
			r.failed(units, err)
			return
		}
		if err := r.session.end(ctx, "COMMIT"); err != nil {
			r.lose(g, id, err)
			return
		}
		r.session.settled = id
		r.finish(g, last)
		return
	}
}

// failed handles a group that certainly was not committed.
func (r *Recorder) failed(units []*unit, err error) {
	m := mappingOf(err)
	if m.fate == fateFenced {
		r.goAway(err, true)
	}
	if m.fate != fateRefused || r.session.end(context.Background(), "ROLLBACK") != nil {
		r.drop()
		r.failures++
		r.putBack(units)
		if r.failures > 1 || m.fate == fateFenced {
			r.goAway(err, m.fate == fateFenced)
		}
		return
	}
	if len(units) > 1 {
		r.solo = len(units)
		r.putBack(units)
		return
	}
	r.logger.Error("a change was refused by the database", "cause", units[0].entries[0].Cause,
		"object", units[0].entries[0].Object.ID, "error", err)
	r.refuse(map[*unit]error{units[0]: mapError(err)})
}

// lose handles a group whose answer to COMMIT did not come, or was an error.
// Nobody is answered and nothing undone until a new connection has told.
func (r *Recorder) lose(g *group, id uuid.UUID, err error) {
	r.logger.Warn("the answer to a commit was lost", "group", id, "changes", len(g.steps), "error", err)
	r.drop()
	r.failures++
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = &lostGroup{g: g, id: id}
}

// drop gives the session up.
func (r *Recorder) drop() {
	if r.session != nil {
		r.former, r.settled = r.session.pid, r.session.settled
		r.session.close()
		r.session = nil
	}
}

// connected sees to it that there is a session, for as long as it takes. It is
// false when the recorder must end: closed with nothing to do, or fenced.
func (r *Recorder) connected(ctx context.Context) bool {
	for r.session == nil {
		if r.isOver() {
			return false
		}
		err := r.reconnect(ctx)
		if err == nil {
			r.wait.reset()
			return true
		}
		r.goAway(err, mappingOf(err).fate == fateFenced)
		if !r.pause(ctx) {
			return false
		}
	}
	return ctx.Err() == nil
}

// isOver tells a recorder without a session that has no reason to get one.
func (r *Recorder) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closing && len(r.queue) == 0 && r.lost == nil || r.fenced
}

// pause waits before the next attempt.
func (r *Recorder) pause(ctx context.Context) bool { return r.wait.sleep(ctx) }

// reconnect makes a session and settles what became of a lost group.
func (r *Recorder) reconnect(ctx context.Context) error {
	if r.failures > 1 && !r.pause(ctx) {
		return ctx.Err()
	}
	s, err := dial(ctx, r.cfg, r.node, r.former, time.Second)
	if err != nil {
		return err
	}
	s.settled = r.settled
	if err := r.settle(ctx, s); err != nil {
		s.close()
		return err
	}
	r.session, r.former = s, 0
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away != nil {
		r.logger.Info("the database is back", "waiting", len(r.queue))
		r.away = nil
	}
	return nil
}

// settle finds out about the lost group, if there is one.
func (r *Recorder) settle(ctx context.Context, s *session) error {
	lost := r.lost
	if lost == nil {
		return nil
	}
	last, was, err := s.committed(ctx, lost.id, r.node, r.epoch)
	if err != nil {
		return err
	}
	s.settled = lost.id
	r.logger.Info("a lost commit is settled", "group", lost.id, "committed", was)
	if was {
		r.finish(lost.g, last)
	} else {
		r.putBack(lost.g.units)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = nil
	return nil
}

// finish makes a committed group known: images, watchers, callers.
func (r *Recorder) finish(g *group, last int64) {
	r.failures = 0
	changes := make([]dat.Change, len(g.steps))
	for i := range g.steps {
		g.steps[i].change.ID = last - int64(len(g.steps)) + int64(i) + 1
		changes[i] = g.steps[i].change
	}
	r.mu.Lock()
	for id, t := range g.touched {
		if t.freed.IsZero() {
			r.images[id] = t.now
		} else {
			delete(r.images, id)
		}
	}
	r.mu.Unlock()
	r.publish(changes)
	for i, recorded := range g.results() {
		u := g.units[i]
		if !u.isNote() {
			u.answer <- answer{recorded: recorded}
		} else if u.done != nil {
			u.done(recorded[0])
		}
	}
}

// refuse answers units that cannot be recorded.
func (r *Recorder) refuse(units map[*unit]error) {
	for u, err := range units {
		if !u.isNote() {
			u.answer <- answer{err: mapError(err)}
		} else if u.done != nil {
			u.done(dat.Recorded{Object: r.images[u.entries[0].Object.ID].obj})
		}
	}
}

// goAway refuses the calls that wait and those to come until a session is back;
// events keep waiting. Refusals that wait are dropped.
func (r *Recorder) goAway(err error, forGood bool) {
	away := &dat.Error{Return: dat.RetInternalError, Kind: KindStoreAway, Detail: awayDetail, Cause: err}
	if own, is := mapError(err).(*dat.Error); is && own.Kind == KindStoreAway && own.Detail != "" {
		away.Detail = own.Detail
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away == nil && !r.closing {
		r.logger.Error("the database is away: writes are refused", "error", err, "for good", forGood)
	}
	r.away, r.events = away, nil
	r.fenced = r.fenced || forGood
	var keep []*unit
	for _, u := range r.queue {
		switch {
		case !u.isNote():
			u.answer <- answer{err: away}
		case !u.isRefusal():
			keep = append(keep, u)
		}
	}
	r.queue = keep
	if forGood && r.lost != nil {
		unknown := *away
		unknown.Detail = "the database went away while the change was committed, and the service ended before it could find out; look at the object before repeating the call"
		for _, u := range r.lost.g.units {
			if !u.isNote() {
				u.answer <- answer{err: &unknown}
			}
		}
		r.lost = nil
	}
}
