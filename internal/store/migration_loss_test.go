package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withoutLost returns rows without what steps down have said that they delete, and
// without members that are null, as those of a column that is not there.
func withoutLost(t *testing.T, rows map[string][]string, losses []Loss) map[string][]map[string]any {
	t.Helper()
	out := map[string][]map[string]any{}
	for table, all := range rows {
		if slices.ContainsFunc(losses, func(l Loss) bool { return l.Table == table && l.Column == "" && !l.Some }) {
			continue
		}
		some := func(table string) bool {
			return slices.ContainsFunc(losses, func(l Loss) bool { return l.Table == table && l.Some })
		}
		for _, text := range all {
			row := map[string]any{}
			must(t, json.Unmarshal([]byte(text), &row))
			if some(table) && row["object_type"] == "node" { // what older programs cannot read
				continue
			}
			if table == "change_head" && some("changes") {
				row["gone"], row["gone_at"] = nil, nil
			}
			maps.DeleteFunc(row, func(column string, value any) bool {
				return value == nil || slices.ContainsFunc(losses, func(l Loss) bool { return l.Table == table && l.Column == column })
			})
			out[table] = append(out[table], row)
		}
	}
	return out
}

// Promise 12
func TestEveryStepDownSaysBeforehandWhatItDeletesAndKeepsTheRest(t *testing.T) {
	top := int(newestVersion(t))
	for steps := range top {
		url := newDatabase(t)
		s := openAs(t, url, "alpha")
		recordEverything(t, s)
		closeStore(t, s)
		before := rowsOfTables(t, url, tablesOf(t, url))
		var all []Loss
		for range steps + 1 {
			losses, err := DownLosses(t.Context(), url, 1)
			must(t, err)
			_, err = MigrateDown(t.Context(), url, 1, quiet)
			must(t, err)
			all = append(all, losses...)
		}
		var nodes int64
		for _, l := range all {
			want := int64(len(before[l.Table]))
			if l.Some {
				want = int64(len(slices.DeleteFunc(slices.Clone(before[l.Table]), func(row string) bool { return !strings.Contains(row, `"object_type":"node"`) })))
				nodes = want
			} else if l.Table == "changes" {
				want -= nodes // the step before has deleted them
			}
			if l.Column == "" && l.Rows != want {
				t.Errorf("%d steps down: it says %s, there were %d", steps+1, l, want)
			}
		}
		kept := withoutLost(t, before, all)
		if d := cmp.Diff(kept, withoutLost(t, rowsOfTables(t, url, tablesOf(t, url)), all)); d != "" {
			t.Errorf("%d steps down deleted more than %v (-before +after):\n%s", steps+1, all, d)
		}
		_, err := MigrateUp(t.Context(), url, quiet)
		must(t, err)
		if d := cmp.Diff(kept, withoutLost(t, rowsOfTables(t, url, tablesOf(t, url)), all)); d != "" {
			t.Errorf("%d steps down and up again (-before +after):\n%s", steps+1, d)
		}
		if d := cmp.Diff(before["objects"], rowsOfTables(t, url, []string{"objects"})["objects"]); d == "" && kept["changes"] != nil {
			goesOn(t, url)
		}
	}
}

// goesOn fails unless a service that starts on a database records the next change, and
// every object is as its last change says.
func goesOn(t *testing.T, url string) {
	t.Helper()
	last := lastChange(t, url) + 1 // the start
	s := openAs(t, url, "alpha")
	defer closeStore(t, s)
	if c := record(t, s, creation(endpoint(newID(t), "alpha", "")))[0].Change; c.ID != last+1 {
		t.Errorf("the next change is %d, want %d", c.ID, last+1)
	}
	if n := column(t, url, `SELECT count(*)::text FROM objects o WHERE freed_at IS NULL AND body IS DISTINCT FROM
		(SELECT image FROM changes c WHERE c.object_id = o.id AND image IS NOT NULL ORDER BY id DESC LIMIT 1)`); n != "0" {
		t.Errorf("%s objects differ from their last change", n)
	}
}

func TestWhatAStepDownDeletesIsNamedWithItsRows(t *testing.T) {
	url := newDatabase(t)
	s := openAs(t, url, "alpha")
	recordEverything(t, s)
	closeStore(t, s)
	before := rowsOfTables(t, url, tablesOf(t, url))
	losses, err := DownLosses(t.Context(), url, int(newestVersion(t)))
	must(t, err)
	said := fmt.Sprint(losses)
	for table, rows := range before {
		if want := fmt.Sprintf("the table %s with %d rows", table, len(rows)); len(rows) > 0 && !strings.Contains(said, want) {
			t.Errorf("%s is not said in %s", want, said)
		}
	}
	if d := cmp.Diff(before, rowsOfTables(t, url, tablesOf(t, url))); d != "" {
		t.Errorf("asking what is lost has changed something:\n%s", d)
	}
	for _, n := range []int{0, -1, 1000} {
		_, err := DownLosses(t.Context(), url, n)
		wantFailure(t, err, "give a number from 1 to")
	}
	must(t, admin(t.Context(), url, `UPDATE schema_migrations SET version = 9999`))
	_, err = DownLosses(t.Context(), url, 1)
	wantFailure(t, err, "schema version 9999")
}
