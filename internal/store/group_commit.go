package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// The group commit: the recorder takes what waits in its queue and commits it as one
// transaction. Many clients share a commit then, and one alone waits for no other.

// commitLoop commits what is handed over, until the recorder is closed or ctx ends.
func (r *Recorder) commitLoop(ctx context.Context) {
	defer close(r.done)
	defer func() {
		if r.session != nil {
			r.session.close()
		}
		r.setAway(errors.New("the service has stopped"), true)
	}()
	for r.ensureSession(ctx) {
		units, more := r.nextUnits()
		switch {
		case len(units) > 0:
			r.commit(ctx, units)
		case !more:
			return
		default:
			select {
			case <-r.wakeup:
			case <-ctx.Done():
				return
			}
		}
	}
}

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
			u.answer <- answer{err: interrupted(u.ctx)}
			continue
		}
		units = append(units, u)
	}
	r.queue, r.waitingEvents = r.queue[n:], nil
	return units, !r.closing || len(r.queue) > 0
}

// requeue puts units that were not committed back to the head of the queue.
func (r *Recorder) requeue(units []*unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue, r.waitingEvents = append(units[:len(units):len(units)], r.queue...), nil
}

// commit commits units as one group, without those that are refused one by one.
func (r *Recorder) commit(ctx context.Context, units []*unit) {
	for len(units) > 0 {
		g, bad := r.buildGroup(units)
		if len(bad) > 0 {
			r.refuse(bad)
			units = withoutUnits(units, bad)
			continue
		}
		id := uuid.New()
		last, err := r.session.write(ctx, g, id, r.node, r.epoch)
		var refused refusedUnits
		switch {
		case errors.As(err, &refused):
			if err := r.session.endTransaction(ctx, "ROLLBACK"); err != nil {
				r.groupFailed(units, err)
				return
			}
			r.refuse(refused)
			units = withoutUnits(units, refused)
			continue
		case err != nil:
			r.groupFailed(units, err)
			return
		}
		r.log.holdBack()
		if err := r.session.endTransaction(ctx, "COMMIT"); err != nil {
			r.commitUnconfirmed(g, id, err)
			return
		}
		r.session.previousGroup = id
		r.announce(g, last)
		r.log.release()
		return
	}
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
	for i, recorded := range results {
		u := g.units[i]
		if !u.isNote() {
			u.answer <- answer{recorded: recorded}
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
			u.answer <- answer{err: mapError(err)}
		} else if u.done != nil {
			u.done(dat.Recorded{Object: r.images[u.entries[0].Object.ID].obj})
		}
	}
}
