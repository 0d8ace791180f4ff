package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

// logWriter records random changes of objects of all types, and remembers the state of
// every object after each of them.
type logWriter struct {
	*testing.T
	store *Store
	rand  *rand.Rand
	// living and ever are ids with their types, and states the state of each object
	// after a change: the members as JSON, nil after its end.
	living, ever map[dat.Handle]dat.ObjectType
	order        []dat.Handle
	states       []map[dat.Handle]any
	changes      []dat.Change
}

// newLogWriter returns a writer to a new database; the seed makes its changes.
func newLogWriter(t *testing.T, seed uint64) *logWriter {
	return logWriterOf(t, openStore(t, newDatabase(t), "alpha"), seed)
}

// logWriterOf returns a writer to a store in whose log nothing but the start of its node is.
func logWriterOf(t *testing.T, s *Store, seed uint64) *logWriter {
	t.Logf("seed %d", seed)
	return &logWriter{
		T: t, store: s, rand: rand.New(rand.NewPCG(seed, 0)),
		living: map[dat.Handle]dat.ObjectType{}, ever: map[dat.Handle]dat.ObjectType{}, states: []map[dat.Handle]any{{}},
	}
}

// write records n changes.
func (w *logWriter) write(n int) {
	for range n {
		w.note(record(w.T, w.store, w.entry())[0])
	}
}

// note remembers a change.
func (w *logWriter) note(r dat.Recorded) {
	after := map[dat.Handle]any{}
	for id, state := range w.states[len(w.states)-1] {
		after[id] = state
	}
	id, changed := r.Change.Object.ID, r.Change.Outcome == dat.RetSuccess
	switch {
	case changed && r.Object != nil:
		if _, before := w.ever[id]; !before {
			w.order = append(w.order, id)
		}
		w.living[id], w.ever[id], after[id] = r.Change.Object.Type, r.Change.Object.Type, plain(w.T, r.Object)
	case changed:
		delete(w.living, id)
		after[id] = nil
	}
	w.states, w.changes = append(w.states, after), append(w.changes, r.Change)
	if r.Change.ID != int64(len(w.changes))+1 { // the first one is the start of the node
		w.Fatalf("change %d is the %dth", r.Change.ID, len(w.changes)+1)
	}
}

// entry returns a random change: of an object that lives a modification, an end or a
// refusal; else a creation or a refused one.
func (w *logWriter) entry() dat.Entry {
	var living []dat.Handle
	for _, id := range w.order {
		if _, there := w.living[id]; there {
			living = append(living, id)
		}
	}
	kind := w.rand.IntN(20)
	if len(living) < 3 || kind < 2 {
		return w.creation()
	}
	id := living[w.rand.IntN(len(living))]
	object := dat.ObjectRef{Type: w.living[id], ID: id}
	switch {
	case kind < 4:
		return ending(object.Type, id)
	case kind < 7:
		return dat.Entry{Object: object, Cause: "dat_ep_modify", Actor: "test", Outcome: dat.RetInvalidState}
	case kind < 8:
		return dat.Entry{Object: dat.ObjectRef{Type: dat.TypePZ}, IA: "soft0@alpha", Cause: "dat_pz_create", Actor: "test", Outcome: dat.RetInsufficientResources}
	}
	n := w.rand.IntN(1000)
	return dat.Entry{Object: object, Cause: "modify", Actor: "test", Apply: func(before dat.Object) dat.Object {
		after := before.Clone()
		after.Head().Labels = map[string]string{fmt.Sprint("key", n%3): fmt.Sprint(n)}
		if e, is := after.(*dat.Endpoint); is && n%2 == 0 {
			e.Attributes.MaxRecvDTOs, e.Attributes.EPTransportSpecific, e.Peer = int32(n), map[string]string{"x": fmt.Sprint(n)}, nil
		}
		return after
	}}
}

// creation returns the creation of an object of a random type.
func (w *logWriter) creation() dat.Entry {
	all := everyMemberSet()
	obj := identify(all[w.rand.IntN(len(all))], 1000+len(w.states))
	if obj.Type() == dat.TypeIA {
		obj.Head().ID = dat.Handle(fmt.Sprintf("soft%d@alpha", len(w.states)))
		obj.Head().IA = obj.Head().ID
	}
	return creation(obj)
}

// checkAsOf compares each object as of a moment with its state after a change. Where
// pruned is set, ErrGone is right too.
func (w *logWriter) checkAsOf(after int, m Moment, pruned bool) {
	w.Helper()
	for _, id := range w.order {
		want := w.states[after][id]
		got, err := w.store.AsOf(w.Context(), w.ever[id], id, m, nil)
		var refused *dat.Error
		switch {
		case pruned && errors.Is(err, ErrGone):
		case want == nil && errors.As(err, &refused) && refused.Return == dat.RetInvalidHandle:
		case err != nil || want == nil:
			w.Errorf("%s as of %+v: %v, %v; there it was %v", id, m, got, err, want != nil)
		default:
			if d := cmp.Diff(inLog(want), inLog(plain(w.T, got))); d != "" {
				w.Errorf("%s as of %+v (-was +as_of):\n%s", id, m, d)
			}
		}
	}
}

// momentsOf returns the moments at which the state is that after a change: its id, its
// time, and the last nanosecond before its time is over.
func (w *logWriter) momentsOf(change int) []Moment {
	if change == 0 {
		return []Moment{{At: w.changes[0].At.Add(-time.Microsecond)}}
	}
	at := w.changes[change-1].At.Time
	moments := []Moment{{Change: w.changes[change-1].ID}, {At: at}, {At: at.Add(time.Microsecond - time.Nanosecond)}}
	if change < len(w.changes) {
		moments = append(moments, Moment{At: w.changes[change].At.Add(-time.Microsecond)})
	}
	return moments
}

// rebuilt returns the state of every object after each change, from the log alone.
func (w *logWriter) rebuilt() []map[dat.Handle]any {
	w.Helper()
	page, err := w.store.Changes(w.Context(), ChangeQuery{Asc: true, Limit: 1000})
	must(w.T, err)
	states := []map[dat.Handle]any{{}}
	for _, c := range page.Items {
		if c.Object.Type == dat.TypeNode {
			continue
		}
		after := map[dat.Handle]any{}
		for id, state := range states[len(states)-1] {
			after[id] = state
		}
		id := c.Object.ID
		was, _ := after[id].(map[string]any)
		switch {
		case c.Outcome != dat.RetSuccess:
		case c.After == nil:
			after[id] = nil
		case c.Before == nil:
			after[id] = plain(w.T, c.After)
		default:
			after[id] = w.overlaid(was, c)
		}
		states = append(states, after)
	}
	return states
}

// overlaid returns a state with a change laid over it.
func (w *logWriter) overlaid(was map[string]any, c dat.Change) map[string]any {
	is := map[string]any{}
	for name, value := range was {
		is[name] = value
	}
	for name, value := range plain(w.T, c.After).(map[string]any) {
		inner, nested := value.(map[string]any)
		if outer, there := was[name].(map[string]any); nestedObjects[name] && nested && there {
			all := map[string]any{}
			for k, v := range outer {
				all[k] = v
			}
			for k, v := range inner {
				all[k] = v
			}
			value = all
		}
		is[name] = value
	}
	is["version"], is["updated_at"] = plain(w.T, c.Version), plain(w.T, c.At)
	return is
}

// Promise 4
func TestEveryPastStateIsReadAndRebuiltFromHistoryAlone(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		w := newLogWriter(t, seed)
		w.write(70)
		if d := cmp.Diff(statesInLog(w.states), statesInLog(w.rebuilt())); d != "" {
			t.Fatalf("the log makes other states (-recorded +rebuilt):\n%s", d)
		}
		for change := range w.states {
			for _, m := range w.momentsOf(change) {
				w.checkAsOf(change, m, false)
			}
		}
		for id, typ := range w.ever {
			now, err := w.store.Get(t.Context(), typ, id)
			if want := w.states[len(w.states)-1][id]; err == nil && !cmp.Equal(want, plain(t, now)) || err != nil && want != nil {
				t.Errorf("%s is now %v, %v; want %v", id, now, err, want)
			}
		}
	}
}

// Promise 4
func TestWithinTheRetentionEveryStateIsKnownAndBeforeItNoneIsWrong(t *testing.T) {
	for _, seed := range []uint64{3, 4} {
		w := newLogWriter(t, seed)
		w.write(60)
		for _, boundary := range []int{20, 45} {
			from := w.changes[boundary-1].At.Time
			_, err := pruneBefore(t.Context(), w.store.pool, from, 0)
			must(t, err)
			for change := range w.states {
				for _, m := range w.momentsOf(change) {
					w.checkAsOf(change, m, change < boundary)
				}
			}
			w.checkLastChanges()
		}
	}
}

// checkLastChanges fails unless each object's last change, and its last version, are
// still there.
func (w *logWriter) checkLastChanges() {
	w.Helper()
	last := map[dat.Handle]dat.Change{}
	for _, c := range w.changes {
		last[c.Object.ID] = c
	}
	for id, typ := range w.ever {
		page, err := w.store.History(w.Context(), typ, id, ChangeQuery{Limit: 1})
		must(w.T, err)
		if page.Items[0].ID != last[id].ID {
			w.Errorf("the last change of %s is %d, want %d", id, page.Items[0].ID, last[id].ID)
		}
		if _, _, err := w.store.HistoryVersion(w.Context(), typ, id, last[id].Version, nil); err != nil {
			w.Errorf("the last version of %s, %d: %v", id, last[id].Version, err)
		}
	}
}

// Promise 4
func TestTheBoundaryOfTheRetentionIsExactToTheMicrosecond(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id := newID(t)
	var at []time.Time
	at = append(at, record(t, s, creation(endpoint(id, "alpha", "")))[0].Change.At.Time)
	for range 3 {
		at = append(at, record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))[0].Change.At.Time)
	}
	versions := func() (left []int64) {
		page, err := s.History(t.Context(), dat.TypeEndpoint, id, ChangeQuery{})
		must(t, err)
		for _, c := range page.Items {
			left = append(left, c.Version)
		}
		return left
	}
	// The state at the boundary is that of version 2 until the moment of version 3.
	for _, c := range []struct {
		boundary time.Time
		left     []int64
	}{
		{at[1].Add(-time.Microsecond), []int64{4, 3, 2, 1}},
		{at[1], []int64{4, 3, 2}},
		{at[2].Add(-time.Microsecond), []int64{4, 3, 2}},
		{at[2], []int64{4, 3}},
		{at[3].Add(time.Hour), []int64{4}},
	} {
		_, err := pruneBefore(t.Context(), s.pool, c.boundary, 0)
		must(t, err)
		if d := cmp.Diff(c.left, versions()); d != "" {
			t.Errorf("before %s (-want +left):\n%s", c.boundary, d)
		}
	}
	for _, m := range []Moment{{Change: 4}, {At: at[0]}, {At: at[3].Add(-time.Microsecond)}} {
		if _, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil); !errors.Is(err, ErrGone) {
			t.Errorf("as of %+v: %v", m, err)
		}
	}
	_, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, Moment{At: at[0].Add(-time.Microsecond)}, nil)
	wantError(t, err, dat.RetInvalidHandle, "")
	for _, m := range []Moment{{Change: 5}, {At: at[3]}} {
		obj, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil)
		must(t, err)
		if obj.Head().Version != 4 {
			t.Errorf("as of %+v it has version %d", m, obj.Head().Version)
		}
	}
}

// Promise 4
func TestOfAnObjectThatWasFreedBeforeTheRetentionThePastIsGone(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id, recorded := recordLife(t, s)
	_, err := pruneBefore(t.Context(), s.pool, time.Now().Add(time.Minute), 0)
	must(t, err)
	at := func(i int) time.Time { return recorded[i].Change.At.Time }
	for _, m := range []Moment{{At: at(0)}, {At: at(3).Add(-time.Microsecond)}, {Change: recorded[1].Change.ID}} {
		if _, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil); !errors.Is(err, ErrGone) {
			t.Errorf("as of %+v: %v", m, err)
		}
	}
	for _, m := range []Moment{{At: at(0).Add(-time.Microsecond)}, {At: at(3)}, {Change: recorded[3].Change.ID}} {
		_, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil)
		wantError(t, err, dat.RetInvalidHandle, "")
	}
	_, err = s.AsOf(t.Context(), dat.TypeEndpoint, newID(t), Moment{Change: 1}, nil)
	wantError(t, err, dat.RetInvalidHandle, "")
}
