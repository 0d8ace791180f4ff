package rdmatest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// Recorder is a manager.Recorder in memory. It records immediately, in the order of
// the calls, and can be made to be away, to refuse, or to hold its events back. All
// methods may be called from several goroutines.
type Recorder struct {
	mu      sync.Mutex
	changes []dat.Change
	images  map[dat.Handle]dat.Object
	// names are the handles of the living objects, by type and name.
	names  map[dat.ObjectRef]dat.Handle
	away   error
	refuse func([]dat.Entry) error
	// held: events wait in waiting until Return.
	held    bool
	waiting []waitingNote
}

// waitingNote is an event that is not recorded yet.
type waitingNote struct {
	entry dat.Entry
	done  func(dat.Recorded)
}

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder {
	return &Recorder{images: map[dat.Handle]dat.Object{}, names: map[dat.ObjectRef]dat.Handle{}}
}

// Record implements manager.Recorder.
func (r *Recorder) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	away, refuse := r.away, r.refuse
	r.mu.Unlock()
	if away != nil {
		return nil, away
	}
	if refuse != nil {
		if err := refuse(entries); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	recs, err := r.commitLocked(entries)
	r.mu.Unlock()
	for i, rec := range recs {
		if entries[i].Published != nil {
			entries[i].Published(rec)
		}
	}
	return recs, err
}

// commitLocked applies the entries, all or none.
func (r *Recorder) commitLocked(entries []dat.Entry) ([]dat.Recorded, error) {
	staged := map[dat.Handle]dat.Object{}
	names := map[dat.ObjectRef]dat.Handle{}
	out := make([]dat.Recorded, 0, len(entries))
	id := int64(len(r.changes))
	for _, e := range entries {
		before, ok := staged[e.Object.ID]
		if !ok {
			before = r.images[e.Object.ID]
		}
		after := before
		if e.Apply != nil {
			after = stamp(e, before)
		}
		if e.Apply != nil && before == nil && after == nil {
			return nil, dat.InvalidHandle(e.Object.Type, e.Object.ID, "")
		}
		if err := r.nameLocked(names, e.Object, before, after); err != nil {
			return nil, err
		}
		staged[e.Object.ID] = after
		id++
		out = append(out, dat.Recorded{Change: change(id, e, before, after), Object: after})
	}
	maps.Copy(r.names, names)
	for h, img := range staged {
		r.images[h] = img
		if img == nil {
			delete(r.images, h)
		}
	}
	for _, o := range out {
		r.changes = append(r.changes, o.Change)
	}
	return out, nil
}

// stamp applies an entry and sets what the recorder owns of the image: version and times.
func stamp(e dat.Entry, before dat.Object) dat.Object {
	after := e.Apply(before)
	if after == nil {
		return nil
	}
	after = after.Clone()
	now := dat.At(time.Now())
	h := after.Head()
	h.Version, h.CreatedAt, h.UpdatedAt = 1, now, now
	if before != nil {
		h.Version, h.CreatedAt = before.Head().Version+1, before.Head().CreatedAt
	}
	return after
}

// nameLocked keeps names unique per type; names are those of the unit of entries,
// null for a name that it released.
func (r *Recorder) nameLocked(names map[dat.ObjectRef]dat.Handle, ref dat.ObjectRef, before, after dat.Object) error {
	if before != nil && before.Head().Name != "" {
		names[dat.ObjectRef{Type: ref.Type, Name: before.Head().Name}] = dat.HandleNull
	}
	if after == nil || after.Head().Name == "" {
		return nil
	}
	key := dat.ObjectRef{Type: ref.Type, Name: after.Head().Name}
	owner, ok := names[key]
	if !ok {
		owner = r.names[key]
	}
	if owner != dat.HandleNull && owner != ref.ID {
		return &dat.Error{Return: dat.RetInvalidState, Kind: "name-taken", Field: "name", Detail: "another living " + ref.Type.String() + " has this name; choose another"}
	}
	names[key] = ref.ID
	return nil
}

// change is the change that an entry makes of an image.
func change(id int64, e dat.Entry, before, after dat.Object) dat.Change {
	c := dat.Change{
		ID: id, At: dat.At(time.Now()), IA: e.IA, Object: e.Object, Cause: e.Cause, Actor: e.Actor, Outcome: e.Outcome,
		Fields: []string{},
	}
	if e.Reason != "" {
		c.Reason = &e.Reason
	}
	if after != nil {
		c.Version, c.Object.Name = after.Head().Version, after.Head().Name
	} else if before != nil {
		c.Version = before.Head().Version + 1
	}
	return c
}

// Note implements manager.Recorder.
func (r *Recorder) Note(e dat.Entry, done func(dat.Recorded)) {
	r.mu.Lock()
	if r.away != nil || r.held {
		if e.Apply != nil {
			r.waiting = append(r.waiting, waitingNote{e, done})
		}
		r.mu.Unlock()
		return
	}
	rec := r.noteLocked(e)
	r.mu.Unlock()
	waitingNote{e, done}.recorded(rec)
}

// recorded publishes what became of an event and calls its done.
func (w waitingNote) recorded(rec dat.Recorded) {
	if w.entry.Published != nil {
		w.entry.Published(rec)
	}
	if w.done != nil {
		w.done(rec)
	}
}

// noteLocked records an event; it is forgotten where its object is gone.
func (r *Recorder) noteLocked(e dat.Entry) dat.Recorded {
	if e.Apply != nil && r.images[e.Object.ID] == nil && e.Apply(nil) == nil {
		return dat.Recorded{}
	}
	recs, err := r.commitLocked([]dat.Entry{e})
	if err != nil {
		return dat.Recorded{}
	}
	return recs[0]
}

// Away implements manager.Recorder.
func (r *Recorder) Away() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away
}

// GoAway makes every Record fail and holds events back until Return, as a database
// that is away does.
func (r *Recorder) GoAway() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = &dat.Error{Return: dat.RetInterruptedCall, Kind: "store-away", Detail: "the database is away; try again later"}
}

// Hold holds events back until Return while Record still succeeds.
func (r *Recorder) Hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = true
}

// Return undoes GoAway and Hold: the events that waited are recorded in order.
func (r *Recorder) Return() {
	r.mu.Lock()
	r.away, r.held = nil, false
	waiting := r.waiting
	r.waiting = nil
	recs := make([]dat.Recorded, len(waiting))
	for i, w := range waiting {
		recs[i] = r.noteLocked(w.entry)
	}
	r.mu.Unlock()
	for i, w := range waiting {
		w.recorded(recs[i])
	}
}

// Refuse sets the function whose error Record answers instead of committing; nil
// removes it. It is called without a lock, so that events can be noted meanwhile.
func (r *Recorder) Refuse(f func([]dat.Entry) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = f
}

// Changes returns all changes so far, the oldest first.
func (r *Recorder) Changes() []dat.Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.changes)
}

// Of returns the changes of one object, the oldest first.
func (r *Recorder) Of(id dat.Handle) []dat.Change {
	return slices.DeleteFunc(r.Changes(), func(c dat.Change) bool { return c.Object.ID != id })
}

// Living returns the recorded objects that were not freed, the oldest first, as
// Manager.Restore takes them.
func (r *Recorder) Living() []dat.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Collect(maps.Values(r.images))
	slices.SortFunc(out, func(a, b dat.Object) int {
		if d := a.Head().CreatedAt.Compare(b.Head().CreatedAt.Time); d != 0 {
			return d
		}
		return slices.Compare([]byte(a.Head().ID), []byte(b.Head().ID))
	})
	return out
}

// Image returns the recorded image of an object, nil if there is none.
func (r *Recorder) Image(id dat.Handle) dat.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.images[id]
}

var _ manager.Recorder = (*Recorder)(nil)
