package store

import (
	"context"
	"slices"

	"github.com/datapi/datapi/internal/dat"
)

// unit is what is recorded as a whole or not at all: the entries of one Record
// call, or one noted entry.
type unit struct {
	entries []dat.Entry
	// A Record has ctx and answer (of room for one); a Note has done, or nil.
	ctx    context.Context
	answer chan answer
	done   func(dat.Recorded)
	// squashed is the number of events between that a Note stands for.
	squashed int
	// outcome is the object after a Note that stands for several, once worked out.
	outcome dat.Object
}

type answer struct {
	recorded []dat.Recorded
	err      error
}

func (u *unit) isNote() bool { return u.answer == nil }

// isRefusal tells a Note that changes nothing.
func (u *unit) isRefusal() bool { return u.isNote() && u.entries[0].Apply == nil }

// group is what one transaction commits: the steps of its units in order, and
// the objects as they will be.
type group struct {
	units []*unit
	steps []step
	// touched are the objects after the group, by id, in the order of their
	// first step.
	touched map[dat.Handle]*touched
	order   []dat.Handle
}

// touched is what a group does to one object.
type touched struct {
	// was is the recorded version before the group, 0 for one that it makes.
	was int64
	// made is the step that makes it, from 1; 0 where it was there.
	made int
	now  image
	// freed is when it ended, zero while it lives. now is its last image then.
	freed   dat.Time
	renamed bool
}

var errNothingThere = &dat.Error{Return: dat.RetInvalidHandle, Detail: "the object is not there any more; list the objects to see which there are"}

// build works a group out from the recorded images. A unit that cannot be (its
// Apply fails) is named with its error; the group is then to be built without it.
func (r *Recorder) build(units []*unit) (*group, map[*unit]error) {
	g := &group{units: units, touched: map[dat.Handle]*touched{}}
	bad := map[*unit]error{}
	for _, u := range units {
		for i := range u.entries {
			s, err := r.step(g, u, &u.entries[i])
			if err != nil {
				bad[u] = err
				break
			}
			g.steps = append(g.steps, s)
			g.settle(&s, len(g.steps))
		}
	}
	return g, bad
}

// settle enters the group's step number ord into the picture of the objects
// after the group.
func (g *group) settle(s *step, ord int) {
	if !s.changes() {
		return
	}
	id := s.change.Object.ID
	t := g.touched[id]
	if t == nil {
		t = &touched{}
		if s.before.obj != nil {
			t.was = s.before.obj.Head().Version
		} else {
			t.made = ord
		}
		g.touched[id] = t
		g.order = append(g.order, id)
	}
	if s.after.obj == nil {
		t.freed, t.now = s.change.At, s.last()
		return
	}
	t.renamed = t.renamed || s.before.obj != nil && s.before.obj.Head().Name != s.after.obj.Head().Name
	t.now, t.freed = s.after, dat.Time{}
}

// results are what became of the entries, unit by unit in the group's order.
func (g *group) results() [][]dat.Recorded {
	out := make([][]dat.Recorded, len(g.units))
	rest := g.steps
	for i, u := range g.units {
		for n := range u.entries {
			s := &rest[n]
			obj := s.after.obj
			if !s.changes() {
				obj = s.present
			}
			out[i] = append(out[i], dat.Recorded{Change: s.change, Object: obj})
		}
		rest = rest[len(u.entries):]
	}
	return out
}

// without are the units that are not among the refused.
func without(units []*unit, refused map[*unit]error) []*unit {
	return slices.DeleteFunc(slices.Clone(units), func(u *unit) bool { _, is := refused[u]; return is })
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
