package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// groupFailed handles an error for a group that was certainly not committed. If the
// database is to blame, the units are tried again over a new connection. If the data
// is, they are tried again one by one, and the one that is to blame is refused.
func (r *Recorder) groupFailed(units []*unit, err error) {
	m := mappingOf(err)
	if m.class != classRefused || r.session.rollback(context.Background()) != nil {
		r.servers.fail(r.session.conn, err)
		r.dropSession()
		r.failures++
		r.requeue(units)
		if r.failures > 1 {
			r.setAway(err, false)
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

// commitUnconfirmed handles a group whose COMMIT had no answer, failed, or did not wait
// for the standbys. Nobody is answered before confirmGroup has found out whether it was
// committed.
func (r *Recorder) commitUnconfirmed(g *group, id uuid.UUID, err error) {
	r.logger.Warn("the outcome of a commit is not known yet", "group", id, "changes", len(g.steps), "error", err)
	r.servers.fail(r.session.conn, err)
	r.dropSession()
	r.failures++
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unconfirmed = &unconfirmedGroup{group: g, id: id}
}

// dropSession closes the session, which is of no use any more.
func (r *Recorder) dropSession() {
	if r.session != nil {
		r.former = r.session.former()
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

// reconnect makes a session, finds out whether the database is the one that it was and
// what became of an unconfirmed group, and records again what is in force if the log
// went back.
func (r *Recorder) reconnect(ctx context.Context) error {
	if r.failures > 1 && !r.retry.sleep(ctx) {
		return ctx.Err()
	}
	r.former.epoch = r.epoch
	conn, err := connectWithoutCancel(ctx, r.servers.config(ctx))
	if err != nil {
		return err
	}
	s, err := newSession(ctx, conn, r.node, r.former, reconnectLockTimeout)
	if err != nil {
		r.servers.fail(conn, err)
		return err
	}
	s.previousGroup = r.former.previousGroup
	r.session = s
	if err := r.resume(ctx); err != nil {
		r.servers.fail(conn, err)
		r.dropSession()
		r.former.commitOpen = true // what it did was a transaction of its own
		return err
	}
	r.former = formerSession{}
	if r.servers.choose(conn) {
		r.logger.Info("changes are recorded on another server of the database URL", "server", addressOf(conn))
		r.forgetReads() // over connections to the former one
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away != nil {
		r.logger.Info("the database is back", "waiting", len(r.queue))
		r.away, r.attempts = nil, 0
		r.writable.Observe(true)
	}
	return nil
}

// resume brings this process and the database of a new session together.
func (r *Recorder) resume(ctx context.Context) error {
	rewound, err := r.lookForRewind(ctx)
	if err != nil {
		return err
	}
	settle, err := r.confirmGroup(ctx)
	if err != nil {
		return err
	}
	if err := r.awaitStandbys(ctx); err != nil {
		return err
	}
	if rewound != nil {
		r.rewind(rewound)
	}
	settle()
	if r.reconcileDue {
		return r.reconcile(ctx)
	}
	return nil
}

// maxPatience is the longest that a barrier of the recorder may take.
const maxPatience = time.Minute

// awaitStandbys waits until the standbys have what was committed before. Each attempt
// may take longer than the one before: a server that was replaced is noticed soon, and
// standbys that are behind catch up in the end.
func (r *Recorder) awaitStandbys(ctx context.Context) error {
	r.patience = min(max(2*r.patience, r.answerTimeout), maxPatience)
	err := barrier(ctx, r.session.conn, r.patience)
	if err == nil {
		r.patience = 0
	}
	return err
}

// confirmGroup finds out whether the unconfirmed group was committed, if there is
// one. settle then answers its units, or puts them back into the queue.
func (r *Recorder) confirmGroup(ctx context.Context) (settle func(), err error) {
	u := r.unconfirmed
	if u == nil {
		return func() {}, nil
	}
	last, committed, err := r.session.wasCommitted(ctx, u.id, r.node, r.epoch)
	if err != nil {
		return nil, err
	}
	return func() {
		r.session.previousGroup = u.id
		r.logger.Info("it is known what became of a commit", "group", u.id, "committed", committed)
		if committed {
			r.announce(u.group, last)
		} else {
			r.requeue(u.group.units)
		}
		r.log.release()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unconfirmed = nil
	}, nil
}

// setAway refuses the calls of Record that wait, and new ones until there is a session
// again; forGood means that there never will be. Waiting events go on waiting,
// waiting refusals are dropped.
func (r *Recorder) setAway(err error, forGood bool) {
	away := storeAway(err)
	m := mappingOf(err)
	// A group that the fence refuses proves nothing yet: the node's row may be of an older
	// backup. Whoever connects next finds out.
	takenOver := forGood && m.class == classFenced
	switch {
	case errors.Is(err, errStandbysAway) || errors.Is(err, errNotReplicated):
		away.Detail = standbyDetail
	case takenOver:
		away.Detail = m.detail
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts++
	r.writable.Observe(false)
	if away.Detail == awayDetail {
		away.Detail += " (" + r.awayReason(err) + ")"
	}
	if takenOver && !r.fenced {
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
			u.reply(dat.Outcome{Err: away})
		case !u.isRefusal():
			events = append(events, u)
		}
	}
	r.queue = events
	if forGood && r.unconfirmed != nil {
		unknown := *away
		unknown.Kind = KindOutcomeUnknown
		unknown.Detail = "the database went away while the change was committed, and the service ended before it could find out; look at the object before repeating the call"
		for _, u := range r.unconfirmed.group.units {
			if !u.isNote() {
				u.reply(dat.Outcome{Err: &unknown})
			}
		}
		r.unconfirmed = nil
		r.log.release()
	}
}
