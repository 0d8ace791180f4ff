package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/faultpoint"
)

// The group commit: the recorder takes what waits in its queue and commits it as one
// transaction. Many clients share a commit then, and one alone waits for no other.

// errStopped says that the recorder has ended.
var errStopped = errors.New("the service has stopped")

// commitLoop commits what is handed over, until the recorder is closed or ctx ends.
func (r *Recorder) commitLoop(ctx context.Context) {
	defer close(r.done)
	defer func() {
		if r.session != nil {
			r.session.close()
		}
		r.setAway(errStopped, true)
	}()
	check := time.NewTicker(ownerCheck)
	defer check.Stop()
	for r.ensureSession(ctx) {
		if r.isSuspicious() {
			r.dropSession()
			continue
		}
		units, more := r.nextUnits()
		switch {
		case len(units) > 0:
			r.commit(ctx, units)
		case !more:
			return
		default:
			select {
			case <-r.wakeup:
			case <-check.C:
				r.checkSession(ctx)
			case <-ctx.Done():
				return
			}
		}
	}
}

// errCommitPending says that a COMMIT has no answer after answerTimeout.
var errCommitPending = errors.New("the database has not answered a COMMIT in time")

// errWentBack says that a group got ids that were acknowledged before, or found an
// object other than it was recorded.
var errWentBack = errors.New("the database is not as it was")

// nextUnits returns the units to commit as the next group, and whether there may be
// more: not if the recorder is closed and nothing waits.
func (r *Recorder) nextUnits() (units []*unit, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := maxGroup
	if r.oneByOne > 0 {
		r.oneByOne, limit = r.oneByOne-1, 1
	}
	n, entries := 0, 0
	for _, u := range r.queue {
		if entries += len(u.entries); n > 0 && entries > limit {
			break
		}
		n++
		if u.ctx != nil && u.ctx.Err() != nil {
			u.reply(dat.Outcome{Err: interrupted(u.ctx)})
			continue
		}
		units = append(units, u)
	}
	r.queue, r.waitingEvents = r.queue[n:], nil
	return units, !r.closing || len(r.queue) > 0
}

// requeue puts units that were not committed back to the head of the queue. Those that
// nobody waits for any more are refused: what was not recorded in time is undone.
func (r *Recorder) requeue(units []*unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var again []*unit
	for _, u := range units {
		switch {
		case u.abandoned:
			u.reply(dat.Outcome{Err: storeAway(errCommitPending)})
		case !u.reconciles:
			again = append(again, u)
		}
	}
	r.queue, r.waitingEvents = append(again, r.queue...), nil
}

// commit commits units as one group, without those that are refused one by one.
func (r *Recorder) commit(ctx context.Context, units []*unit) {
	for retried := false; len(units) > 0; {
		start := time.Now()
		g, bad := r.buildGroup(units)
		if len(bad) > 0 {
			r.refuse(bad)
			units = withoutUnits(units, bad)
			continue
		}
		id := uuid.New()
		end, err := r.session.write(ctx, g, id, r.node, r.epoch, r.acknowledged.id)
		if err == nil {
			if err = r.commitWritten(ctx, g, id, end); !isUncommitted(err) {
				r.metrics.took(outcomeOf(err), start)
				return // its units are answered or wait for confirmGroup
			}
		}
		r.metrics.took(commitFailed, start)
		var refused refusedUnits
		switch {
		case errors.Is(err, errWentBack) || errors.As(err, &refused) && isOtherState(refused):
			r.reconcileDue = true
			r.groupFailed(units, errWentBack)
			return
		case errors.Is(err, errNameTaken) && refused == nil && !retried:
			retried = true // a moment ago: another attempt finds whose it is
			if err := r.session.rollback(ctx); err != nil {
				r.groupFailed(units, err)
				return
			}
			continue
		case refused != nil:
			if err := r.session.rollback(ctx); err != nil {
				r.groupFailed(units, err)
				return
			}
			r.refuse(refused)
			units = withoutUnits(units, refused)
			continue
		default:
			r.groupFailed(units, err)
			return
		}
	}
}

// outcomeOf returns how a group commit ended, from the error of commitWritten.
func outcomeOf(err error) string {
	if err != nil {
		return commitUnknown
	}
	return commitDone
}

// isOtherState reports whether refused units show that the database is not the one that
// it was: an object is not as it was recorded, for the first time for that unit.
func isOtherState(refused refusedUnits) (other bool) {
	for u, err := range refused {
		if errors.Is(err, errMismatched) && !u.mismatched {
			u.mismatched, other = true, true
		}
	}
	return other
}

// isUncommitted reports whether an error of commitWritten is an *uncommittedError.
func isUncommitted(err error) bool {
	var uncommitted *uncommittedError
	return errors.As(err, &uncommitted)
}

// commitWritten commits a group that was written, and announces it. On an error it is
// not known whether it was committed, and confirmGroup finds out; unless the error is an
// *uncommittedError, with which it was not.
func (r *Recorder) commitWritten(ctx context.Context, g *group, id uuid.UUID, end *groupEnd) error {
	r.log.holdBack()
	err := faultpoint.Hit("store.before-commit")
	if err == nil {
		err = r.awaitCommit(ctx, end)
	}
	if isUncommitted(err) {
		r.log.release()
		return err
	}
	if err == nil {
		err = faultpoint.Hit("store.after-commit")
	}
	if err != nil {
		r.commitUnconfirmed(g, id, err)
		return err
	}
	r.session.previousGroup = id
	r.announce(g, end.last)
	r.log.release()
	return nil
}

// awaitCommit sends the end of a transaction and waits for the answer, up to
// answerTimeout, and longer only for many changes. The COMMIT itself is never cancelled:
// beyond that time its outcome is found out over another connection, which may be to
// another server.
func (r *Recorder) awaitCommit(ctx context.Context, end *groupEnd) error {
	s, done := r.session, make(chan error, 1)
	go func() { done <- s.commit(end) }()
	bound := time.NewTimer(max(r.answerTimeout, time.Duration(end.changes)*perChange))
	defer bound.Stop()
	err := errCommitPending
	select {
	case err := <-done:
		if errors.Is(err, errNotReplicated) {
			r.forgetReads() // what they show now, a standby may not have
		}
		return err
	case <-bound.C:
		r.setAway(errCommitPending, false)
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.abandon()
	if late := <-done; late != nil { // what its COMMIT did is asked over another session
		r.logger.Debug("a session that was given up has ended", "error", late)
	}
	return err
}

// announce makes a committed group known: to the images, the watchers and the
// callers. last is the id of the group's last change.
func (r *Recorder) announce(g *group, last int64) {
	r.failures = 0
	changes := make([]dat.Change, len(g.steps))
	for i := range g.steps {
		g.steps[i].change.ID = last - int64(len(g.steps)) + int64(i) + 1
		changes[i] = g.steps[i].change
	}
	r.acknowledged = markOf(&changes[len(changes)-1])
	r.metrics.committed(changes)
	r.mu.Lock()
	for id, o := range g.objects {
		if o.freedAt.IsZero() {
			if o.createdBy > 0 {
				o.image.createdChange = changes[o.createdBy-1].ID
			}
			r.images[id] = o.image
		} else {
			delete(r.images, id)
		}
	}
	r.mu.Unlock()
	results := g.results()
	for i, recorded := range results {
		for j, e := range g.units[i].entries {
			if e.Published != nil {
				e.Published(recorded[j])
			}
		}
	}
	r.log.publish(changes)
	_ = faultpoint.Hit("store.published") // a point to end at: nothing fails any more
	for i, recorded := range results {
		u := g.units[i]
		if !u.isNote() {
			u.reply(dat.Outcome{Recorded: recorded})
		} else if u.done != nil {
			u.done(recorded[0])
		}
	}
}

// refuse answers units that cannot be recorded. The Notes among them are told the
// object as it was recorded last.
func (r *Recorder) refuse(units map[*unit]error) {
	for u, err := range units {
		if !u.isNote() {
			u.reply(dat.Outcome{Err: mapError(err)})
		} else if u.done != nil {
			u.done(dat.Recorded{Object: r.images[u.entries[0].Object.ID].obj})
		}
	}
}
