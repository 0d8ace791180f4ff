package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// inLog returns what the log shows of a decoded value: a key of memory is null.
func inLog(v any) any {
	switch v := v.(type) {
	case map[dat.Handle]any:
		all := map[dat.Handle]any{}
		for id, object := range v {
			all[id] = inLog(object)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, value := range v {
			all[name] = value
		}
		if _, there := all["rmr_context"]; there {
			all["rmr_context"] = nil
		}
		return all
	}
	return v
}

// statesInLog returns what the log shows of the states of objects.
func statesInLog(states []map[dat.Handle]any) []any {
	all := make([]any, len(states))
	for i, state := range states {
		all[i] = inLog(state)
	}
	return all
}

// Rights: the key of memory is never in lists, log or history
func TestNoChangeShowsTheKeyOfMemory(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	sub, err := s.Log().Subscribe(t.Context(), s.Log().Position(), ChangeFilter{})
	must(t, err)
	lmr := identify(dat.TypeLMR.New(), 1).(*dat.LMR)
	lmr.RMRContext = "0x5ec3e7"
	rmr := identify(dat.TypeRMR.New(), 2).(*dat.RMR)
	record(t, s, creation(lmr))
	record(t, s, creation(rmr))
	bound := record(t, s, dat.Entry{
		Object: dat.ObjectRef{Type: dat.TypeRMR, ID: rmr.ID}, Cause: "dat_rmr_bind", Actor: "test",
		Apply: func(before dat.Object) dat.Object {
			after := before.Clone().(*dat.RMR)
			after.RMRContext = new("0x5ec3e7")
			return after
		},
	})[0]
	record(t, s, ending(dat.TypeRMR, rmr.ID))
	record(t, s, ending(dat.TypeLMR, lmr.ID))
	if bound.Object.(*dat.RMR).RMRContext == nil || len(bound.Change.Fields) != 1 {
		t.Errorf("bound: %+v", bound)
	}
	page, err := s.Changes(t.Context(), ChangeQuery{Asc: true})
	must(t, err)
	_, version, err := s.HistoryVersion(t.Context(), dat.TypeRMR, rmr.ID, 2, nil)
	must(t, err)
	then, err := s.AsOf(t.Context(), dat.TypeRMR, rmr.ID, Moment{Change: bound.Change.ID}, nil)
	must(t, err)
	var watched []*LoggedChange
	for len(watched) < 5 {
		watched = append(watched, next(t, sub).Changes...)
	}
	for where, shown := range map[string]any{"the answer": bound.Change, "the log": page.Items, "a version": version, "a moment": then, "a watcher": watched} {
		text, err := json.Marshal(shown)
		must(t, err)
		if strings.Contains(string(text), "5ec3e7") || !strings.Contains(string(text), "rmr_context") {
			t.Errorf("%s: %s", where, text)
		}
	}
}
