package store

import "github.com/datapi/datapi/internal/dat"

// mergeEvent merges an event into the last one that waits for the same object, if at
// least two do: the first one stays as it is, the last one stands for all after it.
// It reports whether it has merged them. The database is away, and the caller holds
// r.mu.
func (r *Recorder) mergeEvent(u *unit) bool {
	if r.waitingEvents == nil {
		r.waitingEvents = map[dat.Handle][]*unit{}
		for _, q := range r.queue {
			id := q.entries[0].Object.ID
			r.waitingEvents[id] = append(r.waitingEvents[id], q)
		}
	}
	waiting := r.waitingEvents[u.entries[0].Object.ID]
	if len(waiting) < 2 {
		return false
	}
	last := waiting[len(waiting)-1]
	if last.objectAfter == nil && r.unconfirmed == nil {
		last.objectAfter = r.objectAfterEvents(waiting)
	}
	apply := u.entries[0].Apply
	if last.objectAfter != nil {
		if after := apply(last.objectAfter); after != nil {
			last.objectAfter = after
			apply = func(dat.Object) dat.Object { return after }
		}
	} else {
		apply = applyBoth(last.entries[0].Apply, apply)
	}
	last.entries[0] = u.entries[0]
	last.entries[0].Apply = apply
	last.merged++
	last.done = callBoth(last.done, u.done)
	return true
}

// objectAfterEvents returns the object after its waiting events, nil if it is gone
// then. With it a flood of further events needs one object, and not a chain of all
// their functions. It may be called while the recorded image cannot change.
func (r *Recorder) objectAfterEvents(waiting []*unit) dat.Object {
	o := r.images[waiting[0].entries[0].Object.ID].obj
	for _, u := range waiting {
		if o == nil {
			return nil
		}
		o = u.entries[0].Apply(o)
	}
	return o
}

// applyBoth returns the function that applies one change after the other.
func applyBoth(first, second func(dat.Object) dat.Object) func(dat.Object) dat.Object {
	return func(o dat.Object) dat.Object { return second(first(o)) }
}

// callBoth returns the function that calls both, either of which may be nil.
func callBoth(first, second func(dat.Recorded)) func(dat.Recorded) {
	if first == nil {
		return second
	}
	if second == nil {
		return first
	}
	return func(rec dat.Recorded) { first(rec); second(rec) }
}
