package store

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/datapi/datapi/internal/dat"
)

// unit is what is recorded as a whole or not at all: the entries of a call of Record,
// or the entry of a call of Note.
type unit struct {
	entries []dat.Entry
	// ctx and answer, which has room for one, belong to Record; nil for a Note.
	ctx    context.Context
	answer chan dat.Outcome
	// answered is set before answer gets the outcome.
	answered atomic.Bool
	// abandoned means that the caller was told that the outcome is unknown, and waits
	// for it no longer. It belongs to the recorder's mu.
	abandoned bool
	// reconciles means that the recorder itself records what is in force.
	reconciles bool
	// mismatched means that an object of the unit was not as it was recorded last.
	mismatched bool
	// done belongs to Note and may be nil.
	done func(dat.Recorded)
	// merged is the number of events before its own that a Note stands for beside
	// it; see Recorder.mergeEvent.
	merged int
	// objectAfter is the object after a Note that stands for several events, once it
	// was computed.
	objectAfter dat.Object
}

// reply answers a call of Record.
func (u *unit) reply(o dat.Outcome) {
	u.answered.Store(true)
	u.answer <- o
}

// isNote reports whether the unit comes from Note, as opposed to Record.
func (u *unit) isNote() bool { return u.answer == nil }

// isRefusal reports whether the unit is a Note that changes nothing.
func (u *unit) isRefusal() bool { return u.isNote() && u.entries[0].Apply == nil }

// group is what one transaction commits: the changes of several units in order.
type group struct {
	units []*unit
	// steps are the changes of all units.
	steps []step
	// objects are the objects that the group changes, as they are after it, by id.
	objects map[dat.Handle]*groupObject
	// objectOrder are the ids in the order in which the objects are changed first.
	objectOrder []dat.Handle
}

// groupObject is what a group does to one object.
type groupObject struct {
	// versionBefore is the recorded version before the group, 0 if the group creates
	// the object.
	versionBefore int64
	// createdBy is the number of the step that creates the object, counted from 1; 0
	// if it was there before.
	createdBy int
	// image is the object after the group, or its last image if the group ends it.
	image image
	// freedAt is when the group ends the object, zero if it does not.
	freedAt dat.Time
	renamed bool
}

// errObjectGone refuses a change of an object that is not there.
var errObjectGone = &dat.Error{Return: dat.RetInvalidHandle, Detail: "the object is not there any more; list the objects to see which there are"}

// buildGroup computes the changes of units from the recorded images. If it returns
// units that cannot be recorded, with their errors, the group is of no use and must
// be built again without them.
func (r *Recorder) buildGroup(units []*unit) (*group, map[*unit]error) {
	g := &group{units: units, objects: map[dat.Handle]*groupObject{}}
	bad := map[*unit]error{}
	for _, u := range units {
		for i := range u.entries {
			s, err := r.newStep(g, u, &u.entries[i])
			if err != nil {
				bad[u] = err
				break
			}
			g.steps = append(g.steps, s)
			g.addStep(&s, len(g.steps))
		}
	}
	return g, bad
}

// addStep brings the objects after the group up to date with its step number ord,
// counted from 1.
func (g *group) addStep(s *step, ord int) {
	if !s.changesObject() {
		return
	}
	id := s.change.Object.ID
	o := g.objects[id]
	if o == nil {
		o = &groupObject{}
		if s.before.obj != nil {
			o.versionBefore = s.before.obj.Head().Version
		} else {
			o.createdBy = ord
		}
		g.objects[id] = o
		g.objectOrder = append(g.objectOrder, id)
	}
	if s.after.obj == nil {
		o.image, o.freedAt = s.finalImage(), s.change.At
		return
	}
	o.renamed = o.renamed || s.before.obj != nil && s.before.obj.Head().Name != s.after.obj.Head().Name
	o.image, o.freedAt = s.after, dat.Time{}
}

// results returns what became of the entries, for each unit in the group's order.
func (g *group) results() [][]dat.Recorded {
	out := make([][]dat.Recorded, len(g.units))
	rest := g.steps
	for i, u := range g.units {
		for n := range u.entries {
			s := &rest[n]
			obj := s.after.obj
			if !s.changesObject() {
				obj = s.target
			}
			out[i] = append(out[i], dat.Recorded{Change: s.change, Object: obj})
		}
		rest = rest[len(u.entries):]
	}
	return out
}

// withoutUnits returns the units that are not among the refused ones.
func withoutUnits(units []*unit, refused map[*unit]error) []*unit {
	return slices.DeleteFunc(slices.Clone(units), func(u *unit) bool { _, is := refused[u]; return is })
}

// textOrNil returns nil for an empty text.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
