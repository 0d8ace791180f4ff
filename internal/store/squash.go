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
	id := u.entries[0].Object.ID
	waiting := r.events[id]
	if len(waiting) < 2 {
		return false
	}
	last := waiting[len(waiting)-1]
	apply := chain(last.entries[0].Apply, u.entries[0].Apply)
	if r.lost == nil {
		apply = r.outcome(waiting, apply)
	}
	last.entries[0] = u.entries[0]
	last.entries[0].Apply = apply
	last.squashed++
	last.done = both(last.done, u.done)
	return true
}

// outcome works the last change of the waiting ones out now, so that a flood of
// events leaves one object behind and not a chain of functions. It may, while
// the recorded image cannot move.
func (r *Recorder) outcome(waiting []*unit, last func(dat.Object) dat.Object) func(dat.Object) dat.Object {
	o := r.images[waiting[0].entries[0].Object.ID].obj
	for _, u := range waiting[:len(waiting)-1] {
		if o == nil {
			return last
		}
		o = u.entries[0].Apply(o)
	}
	if o == nil {
		return last
	}
	after := last(o)
	return func(dat.Object) dat.Object { return after }
}

// chain applies one change after the other.
func chain(first, second func(dat.Object) dat.Object) func(dat.Object) dat.Object {
	return func(o dat.Object) dat.Object { return second(first(o)) }
}

func both(first, second func(dat.Recorded)) func(dat.Recorded) {
	if first == nil || second == nil {
		if first == nil {
			return second
		}
		return first
	}
	return func(rec dat.Recorded) { first(rec); second(rec) }
}
