package store

import (
	"context"
	"errors"

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
	results := g.results()
	for i, recorded := range results {
		for j, e := range g.units[i].entries {
			if e.Published != nil {
				e.Published(recorded[j])
			}
		}
	}
	r.publish(changes)
	for i, recorded := range results {
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
