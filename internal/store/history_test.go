package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

// recordLife records the creation of an object, two modifications and its end, with
// changes of another object in between.
func recordLife(t *testing.T, s *Store) (id dat.Handle, recorded []dat.Recorded) {
	id = newID(t)
	other := newID(t)
	record(t, s, creation(endpoint(other, "alpha", "")))
	recorded = append(recorded, record(t, s, creation(endpoint(id, "alpha", "")))...)
	for i := range 2 {
		record(t, s, modification(other, func(e *dat.Endpoint) { e.Attributes.MaxRecvIOV++ }))
		recorded = append(recorded, record(t, s, modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRequestIOV = int32(i) + 5 }))...)
	}
	recorded = append(recorded, record(t, s, ending(dat.TypeEndpoint, id))...)
	return id, recorded
}

func TestHistoryVersionReturnsTheWholeObject(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id, recorded := recordLife(t, s)
	for _, want := range recorded[:3] {
		c, obj, err := s.HistoryVersion(t.Context(), dat.TypeEndpoint, id, want.Change.Version, nil)
		must(t, err)
		if d := cmp.Diff(want.Object, obj); d != "" || c.ID != want.Change.ID {
			t.Errorf("version %d is change %d:\n%s", want.Change.Version, c.ID, d)
		}
	}
	if _, obj, err := s.HistoryVersion(t.Context(), dat.TypeEndpoint, id, 4, nil); obj != nil || err != nil {
		t.Errorf("the end gives %v, %v", obj, err)
	}
	_, _, err := s.HistoryVersion(t.Context(), dat.TypeEndpoint, id, 5, nil)
	wantError(t, err, dat.RetInvalidHandle, "")
	_, _, err = s.HistoryVersion(t.Context(), dat.TypePZ, id, 1, nil)
	wantError(t, err, dat.RetInvalidHandle, "")
}

func TestAsOfByChangeAndByTime(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id, recorded := recordLife(t, s)
	for _, want := range recorded[:3] {
		for _, m := range []Moment{{Change: want.Change.ID}, {At: want.Change.At.Time}, {Change: want.Change.ID + 1}} {
			if m.Change == recorded[3].Change.ID {
				continue // the end
			}
			obj, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil)
			must(t, err)
			if d := cmp.Diff(want.Object, obj); d != "" {
				t.Errorf("as of %+v:\n%s", m, d)
			}
		}
	}
	nowhere := map[string]Moment{
		"before its creation":       {Change: 1},
		"a time before":             {At: recorded[0].Change.At.Add(-time.Microsecond)},
		"after its end":             {Change: recorded[3].Change.ID},
		"the time of its end":       {At: recorded[3].Change.At.Time},
		"long before anything here": {At: time.Unix(0, 0)},
	}
	for what, m := range nowhere {
		if _, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil); err == nil {
			t.Error(what + ": an object was found")
		} else {
			wantError(t, err, dat.RetInvalidHandle, "")
		}
	}
	for _, m := range []Moment{{Change: 1000}, {Change: -1}, {At: time.Now().Add(time.Hour)}} {
		_, err := s.AsOf(t.Context(), dat.TypeEndpoint, id, m, nil)
		wantError(t, err, dat.RetInvalidParameter, "")
	}
	_, err := s.AsOf(t.Context(), dat.TypeEndpoint, "no-such-id", Moment{Change: 1}, nil)
	wantError(t, err, dat.RetInvalidHandle, "")
}

func TestPruneKeepsEachObjectsLastChangeAndSaysWhatIsGone(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id, recorded := recordLife(t, s)
	_, err := pruneBefore(t.Context(), s.pool, time.Now().Add(time.Minute), 0)
	must(t, err)
	page, err := s.History(t.Context(), dat.TypeEndpoint, id, ChangeQuery{})
	must(t, err)
	if len(page.Items) != 1 || page.Items[0].Version != 4 {
		t.Errorf("left of the history: %+v", page.Items)
	}
	if _, _, err := s.HistoryVersion(t.Context(), dat.TypeEndpoint, id, 2, nil); !errors.Is(err, ErrGone) {
		t.Errorf("a pruned version: %v", err)
	}
	living, err := s.List(t.Context(), Query{Type: dat.TypeEndpoint})
	must(t, err)
	other := living.Items[0].Head().ID
	if _, err := s.AsOf(t.Context(), dat.TypeEndpoint, other, Moment{Change: recorded[0].Change.ID}, nil); !errors.Is(err, ErrGone) {
		t.Errorf("a moment past the retention: %v", err)
	}
	now, err := s.AsOf(t.Context(), dat.TypeEndpoint, other, Moment{Change: lastChange(t, s.cfg.URL)}, nil)
	must(t, err)
	if now.Head().Version != 3 {
		t.Errorf("now it has version %d", now.Head().Version)
	}
}

func TestChangesFilter(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	id, recorded := recordLife(t, s)
	record(t, s, dat.Entry{
		Object: dat.ObjectRef{Type: dat.TypeEndpoint, ID: id}, IA: "soft0@alpha", Cause: "dat_ep_free",
		Actor: "someone", RequestID: "r", Reason: "why not", Outcome: dat.RetInvalidHandle,
	})
	cases := map[string]struct {
		q    ChangeQuery
		want int
	}{
		"object":          {ChangeQuery{ChangeFilter: ChangeFilter{Objects: []dat.Handle{id}}}, 5},
		"type":            {ChangeQuery{ChangeFilter: ChangeFilter{Types: []dat.ObjectType{dat.TypePZ}}}, 0},
		"node":            {ChangeQuery{ChangeFilter: ChangeFilter{Nodes: []string{"alpha", "beta"}}}, 9},
		"ia":              {ChangeQuery{ChangeFilter: ChangeFilter{IAs: []dat.Handle{"soft0@beta"}}}, 0},
		"cause":           {ChangeQuery{ChangeFilter: ChangeFilter{Causes: []string{"dat_ep_modify"}}}, 4},
		"actor":           {ChangeQuery{ChangeFilter: ChangeFilter{Actors: []string{"someone"}}}, 1},
		"outcome":         {ChangeQuery{ChangeFilter: ChangeFilter{Outcomes: []dat.Return{dat.RetInvalidHandle}}}, 1},
		"since":           {ChangeQuery{Since: recorded[3].Change.At.Time}, 2},
		"until":           {ChangeQuery{Until: recorded[0].Change.At.Time}, 3},
		"a NUL in it":     {ChangeQuery{ChangeFilter: ChangeFilter{Actors: []string{"a\x00"}}}, 0},
		"since in future": {ChangeQuery{Since: time.Now().Add(time.Hour)}, 0},
	}
	for name, c := range cases {
		page, err := s.Changes(t.Context(), c.q)
		must(t, err)
		if len(page.Items) != c.want {
			t.Errorf("%s: %d changes, want %d", name, len(page.Items), c.want)
		}
	}
}
