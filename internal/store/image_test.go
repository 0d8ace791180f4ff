package store

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

func TestEveryTypeIsRecordedReadListedAndFreed(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	for _, obj := range everyMemberSet() {
		rec := record(t, s, creation(obj))[0]
		got, err := s.Get(t.Context(), obj.Type(), rec.Change.Object.ID)
		must(t, err)
		if d := cmp.Diff(rec.Object, got); d != "" {
			t.Errorf("%s:\n%s", obj.Type(), d)
		}
		for _, filter := range FilterNames(obj.Type()) {
			_, err := s.List(t.Context(), Query{Type: obj.Type(), Filters: map[string][]string{filter: {"7"}}})
			if err != nil {
				wantError(t, err, dat.RetInvalidParameter, "") // an enum's word
			}
		}
		for _, by := range SortNames(obj.Type()) {
			page, err := s.List(t.Context(), Query{Type: obj.Type(), Sort: by, Desc: true})
			must(t, err)
			if len(page.Items) != 1 {
				t.Errorf("%s sorted by %s: %d items", obj.Type(), by, len(page.Items))
			}
		}
		record(t, s, ending(obj.Type(), rec.Change.Object.ID))
		last, freed, err := s.GetFreed(t.Context(), obj.Type(), rec.Change.Object.ID)
		must(t, err)
		if freed.IsZero() || last.Head().Version != 2 {
			t.Errorf("%s: freed at %v in version %d", obj.Type(), freed, last.Head().Version)
		}
	}
}

func TestTwoNodesMayHaveIAsOfOneName(t *testing.T) {
	url := newDatabase(t)
	for _, node := range []string{"alpha", "beta"} {
		id := dat.Handle("soft0@" + node)
		record(t, openStore(t, url, node), creation(&dat.IA{Meta: dat.Meta{ID: id, Name: "soft0", IA: id}, State: dat.IAUp}))
	}
}

func TestEVDsAreListedByStream(t *testing.T) {
	s := openStore(t, newDatabase(t), "alpha")
	record(t, s, creation(&dat.EVD{
		Meta: dat.Meta{ID: newID(t), IA: "soft0@alpha"}, QLen: 8, Streams: []dat.Stream{dat.StreamDTO, dat.StreamConnection},
	}))
	for stream, want := range map[string]int{"DTO": 1, "CONNECTION": 1, "CR": 0} {
		page, err := s.List(t.Context(), Query{Type: dat.TypeEVD, Filters: map[string][]string{"stream": {stream}}})
		must(t, err)
		if len(page.Items) != want {
			t.Errorf("stream %s: %d EVDs, want %d", stream, len(page.Items), want)
		}
	}
}

func TestDiffNamesWhatDiffers(t *testing.T) {
	cases := map[string]struct {
		before, after string
		fields        []string
		was, is       string
	}{
		"nothing":              {`{"a":1}`, `{"a":1}`, nil, `{}`, `{}`},
		"bookkeeping":          {`{"version":1,"updated_at":1}`, `{"version":2,"updated_at":2}`, nil, `{}`, `{}`},
		"a member":             {`{"a":1,"b":2}`, `{"a":1,"b":3}`, []string{"b"}, `{"b":2}`, `{"b":3}`},
		"an attribute":         {`{"attributes":{"x":1,"y":2}}`, `{"attributes":{"x":1,"y":3}}`, []string{"attributes.y"}, `{"attributes":{"y":2}}`, `{"attributes":{"y":3}}`},
		"a whole peer":         {`{"peer":null}`, `{"peer":{"node":"b"}}`, []string{"peer"}, `{"peer":null}`, `{"peer":{"node":"b"}}`},
		"labels as a whole":    {`{"labels":{"x.y":"1"}}`, `{"labels":{}}`, []string{"labels"}, `{"labels":{"x.y":"1"}}`, `{"labels":{}}`},
		"a member of no older": {`{}`, `{"new":1}`, []string{"new"}, `{"new":null}`, `{"new":1}`},
		"a member of no newer": {`{"old":1}`, `{}`, []string{"old"}, `{"old":1}`, `{"old":null}`},
	}
	for name, c := range cases {
		fields, was, is, err := diff([]byte(c.before), []byte(c.after))
		must(t, err)
		if !slices.Equal(fields, c.fields) || string(was) != c.was || string(is) != c.is {
			t.Errorf("%s: %q, %s, %s", name, fields, was, is)
		}
	}
}
