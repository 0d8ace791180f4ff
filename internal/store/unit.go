package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

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

// step is one change of a group with what it is made of.
type step struct {
	unit   *unit
	entry  *dat.Entry
	change dat.Change
	before image
	after  image
	// present is the object that a refusal speaks of, nil where it is not there.
	present dat.Object
}

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

// clock gives the times of changes: never the same twice, never back.
type clock struct{ last time.Time }

func (c *clock) tick() dat.Time {
	now := dat.At(time.Now())
	if !now.After(c.last) {
		now = dat.At(c.last.Add(time.Microsecond))
	}
	c.last = now.Time
	return now
}

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

// changes tells whether a step changes its object; a refusal does not.
func (s *step) changes() bool { return s.before.obj != nil || s.after.obj != nil }

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

// last is the final image of an object that a step ends: as it was, with the
// version and the time of its end.
func (s *step) last() image {
	obj := s.before.obj.Clone()
	obj.Head().Version, obj.Head().UpdatedAt = s.change.Version, s.change.At
	img, err := newImage(obj)
	if err != nil {
		return s.before // it was written before, so it can be written now
	}
	return img
}

// current is an object's image with what the group has done to it so far.
func (r *Recorder) current(g *group, id dat.Handle) image {
	if t := g.touched[id]; t != nil {
		if !t.freed.IsZero() {
			return image{}
		}
		return t.now
	}
	return r.images[id]
}

// step applies one entry.
func (r *Recorder) step(g *group, u *unit, e *dat.Entry) (step, error) {
	s := step{unit: u, entry: e, change: dat.Change{
		At: r.clock.tick(), Node: r.node, IA: e.IA, Object: e.Object, Cause: e.Cause, Actor: e.Actor,
		RequestID: textOrNil(e.RequestID), Reason: textOrNil(e.Reason), Outcome: e.Outcome, Fields: []string{},
	}}
	if e.RevertedTo != 0 {
		s.change.RevertedTo = &e.RevertedTo
	}
	if u.squashed > 0 {
		s.change.Reason = textOrNil(fmt.Sprintf("%d events in between were not recorded one by one: the database was away", u.squashed))
	}
	before := r.current(g, e.Object.ID)
	if e.Apply == nil {
		if before.obj != nil {
			h := before.obj.Head()
			s.present = before.obj
			s.change.IA, s.change.Version, s.change.Object.Name = h.IA, h.Version, h.Name
		}
		return s, nil
	}
	after, err := r.apply(e, before.obj)
	if err != nil {
		return s, err
	}
	s.before, s.after = before, image{}
	if after == nil {
		s.end()
		return s, nil
	}
	return s, s.become(after, r.node)
}

// apply calls an entry's Apply; a panic in it is a fault that refuses its unit
// and not the end of the recorder.
func (r *Recorder) apply(e *dat.Entry, before dat.Object) (after dat.Object, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.logger.Error("a change could not be applied", "cause", e.Cause, "object", e.Object.ID, "panic", p, "stack", string(debug.Stack()))
			err = &dat.Error{Return: dat.RetInternalError, Detail: "the change could not be applied; this is a fault of the service"}
		}
	}()
	after = e.Apply(before)
	if before == nil && after == nil {
		return nil, errNothingThere
	}
	if after != nil {
		after = after.Clone()
	}
	return after, nil
}

// end completes a step whose object is gone afterwards.
func (s *step) end() {
	h := s.before.obj.Head()
	s.change.IA, s.change.Version, s.change.Object.Name, s.change.Before = h.IA, h.Version+1, h.Name, s.before.body
}

// become completes a step that makes or changes an object.
func (s *step) become(after dat.Object, node string) error {
	h := after.Head()
	h.Version, h.CreatedAt, h.UpdatedAt = 1, s.change.At, s.change.At
	if h.Node == "" {
		h.Node = node
	}
	if s.before.obj != nil {
		was := s.before.obj.Head()
		h.Version, h.CreatedAt = was.Version+1, was.CreatedAt
	}
	if h.ID == dat.HandleNull || s.change.Object.ID != dat.HandleNull && s.change.Object.ID != h.ID {
		return errors.New("an entry and its object have different ids")
	}
	img, err := newImage(after)
	if err != nil {
		return err
	}
	s.after = img
	s.change.Object = dat.ObjectRef{Type: after.Type(), ID: h.ID, Name: h.Name}
	s.change.IA, s.change.Version, s.change.After = h.IA, h.Version, img.body
	if s.before.obj == nil {
		return nil
	}
	s.change.Fields, s.change.Before, s.change.After, err = diff(s.before.body, img.body)
	return err
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
