package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// groupFailed handles an error for a group that was certainly not committed. If the
// database is to blame, the units are tried again over a new connection. If the data
// is, they are tried again one by one, and the one that is to blame is refused.
func (r *Recorder) groupFailed(units []*unit, err error) {
	m := mappingOf(err)
	if m.class == classFenced {
		r.setAway(err, true)
	}
	if m.class != classRefused || r.session.endTransaction(context.Background(), "ROLLBACK") != nil {
		r.dropSession()
		r.failures++
		r.requeue(units)
		if r.failures > 1 || m.class == classFenced {
			r.setAway(err, m.class == classFenced)
		}
		return
	}
	if len(units) > 1 {
		r.oneByOne = len(units)
		r.requeue(units)
		return
	}
	if m.ret == dat.RetInternalError { // a fault of the service and not of the caller
		r.logger.Error("a change was refused by the database", "cause", units[0].entries[0].Cause,
			"object", units[0].entries[0].Object.ID, "error", err)
	}
	r.refuse(map[*unit]error{units[0]: mapError(err)})
}

// commitUnconfirmed handles a group whose COMMIT had no answer or failed. Nobody is
// answered before confirmGroup has found out whether it was committed.
func (r *Recorder) commitUnconfirmed(g *group, id uuid.UUID, err error) {
	r.logger.Warn("the answer to a commit was lost", "group", id, "changes", len(g.steps), "error", err)
	r.dropSession()
	r.failures++
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unconfirmed = &unconfirmedGroup{group: g, id: id}
}

// dropSession closes the session, which is of no use any more.
func (r *Recorder) dropSession() {
	if r.session != nil {
		r.previousPID, r.previousGroup = r.session.pid, r.session.previousGroup
		r.session.close()
		r.session = nil
	}
}

// ensureSession waits until there is a session. It returns false if the recorder must
// end: it was stopped, it was closed with nothing left to do, or it is fenced.
func (r *Recorder) ensureSession(ctx context.Context) bool {
	for r.session == nil {
		if r.isFinished() {
			return false
		}
		err := r.reconnect(ctx)
		if err == nil {
			r.retry.reset()
			return true
		}
		r.setAway(err, mappingOf(err).class == classFenced)
		if !r.retry.sleep(ctx) {
			return false
		}
	}
	return ctx.Err() == nil
}

// isFinished reports whether a recorder without a session needs no other one.
func (r *Recorder) isFinished() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closing && len(r.queue) == 0 && r.unconfirmed == nil || r.fenced
}

// reconnect makes a session, and finds out what became of an unconfirmed group.
func (r *Recorder) reconnect(ctx context.Context) error {
	if r.failures > 1 && !r.retry.sleep(ctx) {
		return ctx.Err()
	}
	s, err := redialSession(ctx, r.cfg, r.node, r.epoch, r.previousPID)
	if err != nil {
		return err
	}
	s.previousGroup = r.previousGroup
	if err := r.confirmGroup(ctx, s); err != nil {
		s.close()
		return err
	}
	r.session, r.previousPID = s, 0
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away != nil {
		r.logger.Info("the database is back", "waiting", len(r.queue))
		r.away, r.attempts = nil, 0
		r.writable.Observe(true)
	}
	return nil
}

// confirmGroup finds out whether the unconfirmed group was committed, if there is
// one: its units are answered then, or put back into the queue.
func (r *Recorder) confirmGroup(ctx context.Context, s *session) error {
	u := r.unconfirmed
	if u == nil {
		return nil
	}
	last, committed, err := s.wasCommitted(ctx, u.id, r.node, r.epoch)
	if err != nil {
		return err
	}
	s.previousGroup = u.id
	r.logger.Info("it is known what became of a commit whose answer was lost", "group", u.id, "committed", committed)
	if committed {
		r.announce(u.group, last)
	} else {
		r.requeue(u.group.units)
	}
	r.log.release()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unconfirmed = nil
	return nil
}

// setAway refuses the calls of Record that wait, and new ones until there is a session
// again; forGood means that there never will be. Waiting events go on waiting,
// waiting refusals are dropped.
func (r *Recorder) setAway(err error, forGood bool) {
	m := mappingOf(err)
	away := &dat.Error{Return: dat.RetInternalError, Kind: KindStoreAway, Detail: m.detail, Cause: err}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts++
	r.writable.Observe(false)
	if m.kind != KindStoreAway || m.detail == "" {
		away.Detail = awayDetail + " (" + r.awayReason(err) + ")"
	}
	if m.class == classFenced && !r.fenced {
		close(r.takenOver)
	}
	if r.away == nil && !r.closing {
		r.logger.Error("the database is away: writes are refused", "error", err, "for good", forGood)
	}
	r.away, r.waitingEvents = away, nil
	r.fenced = r.fenced || forGood
	var events []*unit
	for _, u := range r.queue {
		switch {
		case !u.isNote():
			u.answer <- answer{err: away}
		case !u.isRefusal():
			events = append(events, u)
		}
	}
	r.queue = events
	if forGood && r.unconfirmed != nil {
		unknown := *away
		unknown.Detail = "the database went away while the change was committed, and the service ended before it could find out; look at the object before repeating the call"
		for _, u := range r.unconfirmed.group.units {
			if !u.isNote() {
				u.answer <- answer{err: &unknown}
			}
		}
		r.unconfirmed = nil
		r.log.release()
	}
}
