package store

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// step is one entry of a unit in a group, and the change that it makes.
type step struct {
	unit   *unit
	entry  *dat.Entry
	change dat.Change
	// before and after are the images of the object; both are zero for a refusal.
	before, after image
	// inForce is the version of an object that is recorded again because the database
	// went back; else 0.
	inForce int64
	// former is the last version of an IA that bore the id before; else 0.
	former int64
	// target is the object that a refusal is about, nil if there is none.
	target dat.Object
}

// changesObject reports whether a step changes its object; a refusal does not.
func (s *step) changesObject() bool { return s.before.obj != nil || s.after.obj != nil }

// newStep applies an entry to the object as it is after the group's steps so far.
func (r *Recorder) newStep(g *group, u *unit, e *dat.Entry) (step, error) {
	s := step{unit: u, entry: e, change: dat.Change{
		At: r.clock.tick(), Node: r.node, IA: e.IA, Object: e.Object, Cause: e.Cause, Actor: e.Actor, ActorKind: textOrNil(e.ActorKind),
		RequestID: textOrNil(e.RequestID), Reason: textOrNil(reasonOf(e)), Outcome: e.Outcome, Fields: []string{},
	}}
	if e.RevertedTo != 0 {
		s.change.RevertedTo = &e.RevertedTo
	}
	if u.merged > 0 {
		s.change.Reason = textOrNil(fmt.Sprintf("%d events in between were not recorded one by one: the database was away", u.merged))
	}
	before := r.currentImage(g, e.Object.ID)
	if e.Apply == nil {
		if before.obj != nil {
			h := before.obj.Head()
			s.target = before.obj
			s.change.IA, s.change.Version, s.change.Object.Name, s.change.Labels = h.IA, h.Version, h.Name, h.Labels
		}
		return s, nil
	}
	after, err := r.callApply(e, before.obj)
	if err != nil {
		return s, err
	}
	s.before, s.after, s.former = before, image{}, r.formerIAs[e.Object.ID]
	if after == nil {
		s.endObject()
		return s, nil
	}
	return s, s.setObject(after, r.node)
}

// maxReason is the number of characters that a reason may have; the database holds it too
// (changes_reason_short).
const maxReason = 500

// reasonOf returns the reason of a change. A client's is taken as it is, or refused. That
// of the engine may hold what a device or a peer said: it is made such that it can be
// stored, since an event has happened whatever was said of it.
func reasonOf(e *dat.Entry) string {
	if e.ActorKind != dat.ActorEngine {
		return e.Reason
	}
	text := []rune(strings.ReplaceAll(strings.ToValidUTF8(e.Reason, "\uFFFD"), "\x00", "\uFFFD"))
	if len(text) > maxReason {
		text = append(text[:maxReason-1], '…')
	}
	return string(text)
}

// callApply calls an entry's Apply. A panic in it refuses the unit and does not end
// the recorder.
func (r *Recorder) callApply(e *dat.Entry, before dat.Object) (after dat.Object, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.logger.Error("a change could not be applied", "cause", e.Cause, "object", e.Object.ID, "panic", p, "stack", string(debug.Stack()))
			err = &dat.Error{Return: dat.RetInternalError, Detail: "the change could not be applied; this is a fault of the service"}
		}
	}()
	after = e.Apply(before)
	if before == nil && after == nil {
		return nil, errObjectGone
	}
	if after != nil {
		after = after.Clone()
	}
	return after, nil
}

// endObject completes a step that ends its object.
func (s *step) endObject() {
	h := s.before.obj.Head()
	s.change.IA, s.change.Version, s.change.Object.Name, s.change.Labels = h.IA, h.Version+1, h.Name, h.Labels
	s.change.Before = withoutSecrets(s.before.obj.Type(), s.before.body)
}

// setObject completes a step that creates or changes its object.
func (s *step) setObject(after dat.Object, node string) error {
	h := after.Head()
	created := h.CreatedAt
	h.Version, h.CreatedAt, h.UpdatedAt = s.former+1, s.change.At, s.change.At
	if h.Node == "" {
		h.Node = node
	}
	if s.before.obj != nil {
		was := s.before.obj.Head()
		h.Version, h.CreatedAt = was.Version+1, was.CreatedAt
	}
	if s.inForce != 0 {
		h.Version = max(h.Version, s.inForce+1)
		h.CreatedAt = created
	}
	if h.ID == dat.HandleNull || s.change.Object.ID != dat.HandleNull && s.change.Object.ID != h.ID {
		return errors.New("an entry and its object have different ids")
	}
	img, err := newImage(after)
	if err != nil {
		return err
	}
	img.newer, img.createdChange = s.before.newer, s.before.createdChange
	s.after = img
	s.change.Object = dat.ObjectRef{Type: after.Type(), ID: h.ID, Name: h.Name}
	s.change.IA, s.change.Version, s.change.Labels, s.change.After = h.IA, h.Version, h.Labels, img.body
	if s.before.obj != nil {
		s.change.Fields, s.change.Before, s.change.After, err = diff(s.before.body, img.body)
	}
	redact(&s.change)
	return err
}

// finalImage returns the last image of an object that the step ends: the object as it
// was, with the version and the time of its end.
func (s *step) finalImage() image {
	obj := s.before.obj.Clone()
	obj.Head().Version, obj.Head().UpdatedAt = s.change.Version, s.change.At
	img, err := newImage(obj)
	if err != nil {
		return s.before // not possible: it was written before
	}
	img.newer = s.before.newer
	return img
}

// currentImage returns the image of an object after the group's steps so far; it is
// zero if the object is not there.
func (r *Recorder) currentImage(g *group, id dat.Handle) image {
	if o := g.objects[id]; o != nil {
		if !o.freedAt.IsZero() {
			return image{}
		}
		return o.image
	}
	return r.images[id]
}
