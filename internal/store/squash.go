package store

import "github.com/datapi/datapi/internal/dat"

// squash merges an event into the last one that waits for the same object, where
// at least two do: the first stays as it is, the last stands for all after it.
// It tells whether it did. r.mu is held, the database is away.
func (r *Recorder) squash(u *unit) bool {
	if r.events == nil {
		r.events = map[dat.Handle][]*unit{}
		for _, q := range r.queue {
			id := q.entries[0].Object.ID
			r.events[id] = append(r.events[id], q)
		}
	}
	waiting := r.events[u.entries[0].Object.ID]
	if len(waiting) < 2 {
		return false
	}
	last := waiting[len(waiting)-1]
	if last.outcome == nil && r.lost == nil {
		last.outcome = r.foresee(waiting)
	}
	apply := u.entries[0].Apply
	if last.outcome != nil {
		if after := apply(last.outcome); after != nil {
			last.outcome = after
			apply = func(dat.Object) dat.Object { return after }
		}
	} else {
		apply = chain(last.entries[0].Apply, apply)
	}
	last.entries[0] = u.entries[0]
	last.entries[0].Apply = apply
	last.squashed++
	last.done = both(last.done, u.done)
	return true
}

// foresee is the object after its waiting events, so that a flood of further
// ones leaves one object behind and not a chain of functions. It is known while
// the recorded image cannot move; nil where the object is gone.
func (r *Recorder) foresee(waiting []*unit) dat.Object {
	o := r.images[waiting[0].entries[0].Object.ID].obj
	for _, u := range waiting {
		if o == nil {
			return nil
		}
		o = u.entries[0].Apply(o)
	}
	return o
}

// chain applies one change after the other.
func chain(first, second func(dat.Object) dat.Object) func(dat.Object) dat.Object {
	return func(o dat.Object) dat.Object { return second(first(o)) }
}

// both calls two functions, either of which may be nil.
func both(first, second func(dat.Recorded)) func(dat.Recorded) {
	if first == nil {
		return second
	}
	if second == nil {
		return first
	}
	return func(rec dat.Recorded) { first(rec); second(rec) }
}
