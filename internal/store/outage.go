package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

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
	if m.ret == dat.RetInternalError { // not the caller's fault, so ours
		r.logger.Error("a change was refused by the database", "cause", units[0].entries[0].Cause,
			"object", units[0].entries[0].Object.ID, "error", err)
	}
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
		if !r.wait.sleep(ctx) {
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

// reconnect makes a session and settles what became of a lost group.
func (r *Recorder) reconnect(ctx context.Context) error {
	if r.failures > 1 && !r.wait.sleep(ctx) {
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

// goAway refuses the calls that wait and those to come until a session is back;
// events keep waiting. Refusals that wait are dropped.
func (r *Recorder) goAway(err error, forGood bool) {
	away := &dat.Error{Return: dat.RetInternalError, Kind: KindStoreAway, Detail: awayDetail, Cause: err}
	if m := mappingOf(err); m.detail != "" && m.kind == KindStoreAway {
		away.Detail = m.detail
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
