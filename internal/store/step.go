package store

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/datapi/datapi/internal/dat"
)

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

// changes tells whether a step changes its object; a refusal does not.
func (s *step) changes() bool { return s.before.obj != nil || s.after.obj != nil }

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
	img.newer = s.before.newer
	s.after = img
	s.change.Object = dat.ObjectRef{Type: after.Type(), ID: h.ID, Name: h.Name}
	s.change.IA, s.change.Version, s.change.After = h.IA, h.Version, img.body
	if s.before.obj == nil {
		return nil
	}
	s.change.Fields, s.change.Before, s.change.After, err = diff(s.before.body, img.body)
	return err
}

// last is the final image of an object that a step ends: as it was, with the
// version and the time of its end.
func (s *step) last() image {
	obj := s.before.obj.Clone()
	obj.Head().Version, obj.Head().UpdatedAt = s.change.Version, s.change.At
	img, err := newImage(obj)
	img.newer = s.before.newer
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
