package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// causeReconcile is the cause of the changes that make what is recorded agree with what
// is in force, after the database went back.
const causeReconcile = "reconcile"

// difference is an object that is recorded otherwise than it is in force.
type difference struct {
	// recorded is the object in the database, inForce that of this process; one of them
	// may be zero.
	recorded, inForce image
}

// reconcile records what is in force in this process where the database has something
// else: an older version, nothing, or an object that had ended here.
func (r *Recorder) reconcile(ctx context.Context) error {
	recorded, err := livingImages(ctx, r.session.conn, r.node)
	if err != nil {
		return err
	}
	different := r.differences(recorded)
	for some := range slices.Chunk(different, maxGroup) {
		if err := r.recordDifferences(ctx, some); err != nil {
			return err
		}
	}
	r.reconcileDue = false
	if len(different) > 0 {
		r.logger.Warn("objects were recorded again as they are in force", "objects", len(different))
	}
	return nil
}

// differences returns the differences between what is recorded and what is in force.
// An object that differs in its version only, and is newer there, is taken as recorded:
// an attempt before this one recorded it.
func (r *Recorder) differences(recorded []image) []difference {
	there := make(map[dat.Handle]bool, len(recorded))
	var all []difference
	for _, img := range recorded {
		id := img.obj.Head().ID
		there[id] = true
		now, living := r.images[id]
		switch {
		case !living || !sameContent(img, now) || img.obj.Head().Version < now.obj.Head().Version:
			all = append(all, difference{recorded: img, inForce: now})
		case img.obj.Head().Version > now.obj.Head().Version:
			r.adopt(img)
		}
	}
	for id, img := range r.images {
		if !there[id] {
			all = append(all, difference{inForce: img})
		}
	}
	return all
}

// sameContent reports whether two images differ in nothing but version and times.
func sameContent(a, b image) bool {
	bodies := [2][]byte{}
	for i, img := range []image{a, b} {
		o := img.obj.Clone()
		h := o.Head()
		h.Version, h.CreatedAt, h.UpdatedAt = 0, dat.Time{}, dat.Time{}
		var err error
		if bodies[i], err = json.Marshal(o); err != nil {
			return false
		}
	}
	return string(bodies[0]) == string(bodies[1])
}

// adopt takes an object as it is recorded.
func (r *Recorder) adopt(img image) {
	r.mu.Lock()
	r.images[img.obj.Head().ID] = img
	tell := r.reconciled
	r.mu.Unlock()
	if tell != nil {
		tell(dat.Recorded{Object: img.obj})
	}
}

// recordDifferences records objects as they are in force, as one group. An object that
// the database refuses is recorded without its name if that is to blame, and left out
// if nothing helps.
func (r *Recorder) recordDifferences(ctx context.Context, some []difference) error {
	for len(some) > 0 {
		g, err := r.groupOfDifferences(some)
		if err != nil {
			return err
		}
		id := uuid.New()
		end, err := r.session.write(ctx, g, id, r.node, r.epoch, r.acknowledged.id)
		if err == nil {
			if err = r.commitWritten(ctx, g, id, end); err == nil || !isUncommitted(err) {
				return err
			}
		}
		var refused refusedUnits
		if !errors.As(err, &refused) && mappingOf(err).class != classRefused {
			return err
		}
		if err := r.session.rollback(ctx); err != nil {
			return err
		}
		if refused == nil && len(some) > 1 {
			for i := range some {
				if err := r.recordDifferences(ctx, some[i:i+1]); err != nil {
					return err
				}
			}
			return nil
		}
		some = r.withoutRefused(some, g, refused, err)
	}
	return nil
}

// withoutRefused returns the differences of a group without those that were refused;
// nil for refused stands for all. An object whose name is taken goes on without it.
func (r *Recorder) withoutRefused(some []difference, g *group, refused refusedUnits, err error) []difference {
	var rest []difference
	for i, d := range some {
		why, is := refused[g.units[i]]
		if refused == nil {
			why, is = err, true
		}
		if !is {
			rest = append(rest, d)
			continue
		}
		if d.inForce.obj != nil && d.inForce.obj.Head().Name != "" {
			unnamed := d.inForce.obj.Clone()
			unnamed.Head().Name = ""
			r.logger.Warn("an object loses its name, which another one has since the database went back",
				"object", unnamed.Head().ID, "name", d.inForce.obj.Head().Name)
			d.inForce.obj = unnamed
			rest = append(rest, d)
			continue
		}
		r.logger.Error("an object cannot be recorded again as it is in force", "error", why, "object", d.ref().ID)
	}
	return rest
}

// ref returns the object of a difference.
func (d *difference) ref() dat.ObjectRef {
	obj := d.inForce.obj
	if obj == nil {
		obj = d.recorded.obj
	}
	h := obj.Head()
	return dat.ObjectRef{Type: obj.Type(), ID: h.ID, Name: h.Name}
}

// groupOfDifferences returns the group that records objects as they are in force, one
// unit for each.
func (r *Recorder) groupOfDifferences(some []difference) (*group, error) {
	g := &group{objects: map[dat.Handle]*groupObject{}}
	r.mu.Lock()
	tell := r.reconciled
	r.mu.Unlock()
	for _, d := range some {
		u := &unit{reconciles: true, entries: []dat.Entry{{Object: d.ref(), Cause: causeReconcile, Published: tell}}}
		reason := "the database went back: recorded again as it is in force"
		if d.inForce.obj == nil {
			reason = "the database went back: it had ended"
		}
		s := step{unit: u, entry: &u.entries[0], before: d.recorded, change: dat.Change{
			At: r.clock.tick(), Node: r.node, Object: d.ref(), Cause: causeReconcile, Actor: dat.ActorEngine, ActorKind: new(dat.ActorEngine),
			Reason: &reason, Outcome: dat.RetSuccess, Fields: []string{},
		}}
		if d.inForce.obj == nil {
			s.endObject()
		} else {
			s.inForce = d.inForce.obj.Head().Version
			if err := s.setObject(d.inForce.obj.Clone(), r.node); err != nil {
				return nil, err
			}
			s.after.newer = d.inForce.newer
		}
		g.units, g.steps = append(g.units, u), append(g.steps, s)
		g.addStep(&s, len(g.steps))
	}
	return g, nil
}
