package store

import (
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
