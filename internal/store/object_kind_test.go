package store

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/datapi/datapi/internal/dat"
)

// columnsOfObjects are the columns that filters compare.
var columnsOfObjects = []string{"ia", "node", "state", "remote_ia_address"}

func TestEveryObjectTypeHasARowInTheTableOfKinds(t *testing.T) {
	types := dat.ObjectTypes()
	if len(kinds) != len(types) {
		t.Fatalf("the table has %d rows for %d types", len(kinds), len(types))
	}
	for _, typ := range types {
		var has members
		body, err := json.Marshal(typ.New())
		must(t, err)
		must(t, json.Unmarshal(body, &has))
		for name, f := range filtersOf(typ) {
			if f.column != "" && !slices.Contains(columnsOfObjects, f.column) {
				t.Errorf("%s: the filter %s compares the column %s, which is not there", typ, name, f.column)
			}
			compared := slices.DeleteFunc(append([]string{f.member, f.list}, f.handles...), func(m string) bool { return m == "" })
			for _, member := range compared {
				if _, there := has[member]; !there {
					t.Errorf("%s: the filter %s compares the member %s, which is not there", typ, name, member)
				}
			}
			if (f.column == "") != (len(compared) > 0) {
				t.Errorf("%s: the filter %s compares the column %q and the members %q, want one or the other", typ, name, f.column, compared)
			}
		}
		if _, state := has["state"]; state != slices.Contains(SortNames(typ), "state") || state != slices.Contains(FilterNames(typ), "state") {
			t.Errorf("%s: has a state: %v; sorts %v, filters %v", typ, state, SortNames(typ), FilterNames(typ))
		}
	}
}

func TestEveryMemberIsRecordedButTheLiveOnes(t *testing.T) {
	live := map[dat.ObjectType][]string{
		dat.TypeIA:  {"Usage"},
		dat.TypeEVD: {"Depth", "Dropped", "Mode", "InUseBy"},
		dat.TypeSRQ: {"AvailableDTOCount", "OutstandingDTOCount"},
		dat.TypeCR:  {"PrivateData"},
	}
	s := openStore(t, newDatabase(t), "alpha")
	for _, obj := range everyMemberSet() {
		rec := record(t, s, creation(obj))[0]
		for _, member := range live[obj.Type()] {
			reflect.ValueOf(obj).Elem().FieldByName(member).SetZero()
		}
		h, recorded := obj.Head(), rec.Object.Head()
		h.Version, h.CreatedAt, h.UpdatedAt = recorded.Version, recorded.CreatedAt, recorded.UpdatedAt
		got, err := s.Get(t.Context(), obj.Type(), h.ID)
		must(t, err)
		for how, is := range map[string]dat.Object{"recorded": rec.Object, "read": got} {
			if d := cmp.Diff(obj, is); d != "" {
				t.Errorf("%s %s (-given +%s):\n%s", obj.Type(), how, how, d)
			}
		}
	}
}
