package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// inPartitions puts the log of a database without changes into partitions of so many ids, up
// to an id.
func inPartitions(t testing.TB, url string, ids, to int64) {
	t.Helper()
	sql := `DROP TABLE changes_first, changes_open;`
	from := "MINVALUE"
	for end := ids; end <= to; end += ids {
		sql += fmt.Sprintf(`CREATE TABLE %[1]s%[3]d PARTITION OF changes FOR VALUES FROM (%[2]s) TO (%[3]d); SELECT complete_change_partition('%[1]s%[3]d');`,
			partitionPrefix, from, end)
		from = fmt.Sprint(end)
	}
	sql += fmt.Sprintf(`CREATE TABLE %[1]s PARTITION OF changes FOR VALUES FROM (%[2]s) TO (MAXVALUE); SELECT complete_change_partition('%[1]s')`, openPartition, from)
	must(t, admin(t.Context(), url, sql))
}

// partitionNames returns the names of the partitions of a database's log, in order, without what
// they begin with.
func partitionNames(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	all, err := partitionsOf(t.Context(), conn)
	must(t, err)
	var names []string
	for _, p := range all {
		names = append(names, strings.TrimPrefix(p.name, "changes_"))
	}
	return strings.Join(names, " ")
}

// copyDatabase returns the URL of a copy of a database that nobody uses.
func copyDatabase(t *testing.T, url string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	must(t, err)
	name := fmt.Sprint(cfg.Database, "_copy")
	must(t, admin(t.Context(), cluster.URL(), "CREATE DATABASE "+name+" TEMPLATE "+cfg.Database))
	t.Cleanup(func() { must(t, admin(context.Background(), cluster.URL(), "DROP DATABASE "+name+" WITH (FORCE)")) })
	return onDatabase(cluster.URL(), name)
}

// Promise 4: of partitions that are dropped stays what would stay if each change were deleted
// for itself, and the positions that are gone are the same.
func TestOfDroppedPartitionsTheSameStaysAsOfDeletedChanges(t *testing.T) {
	for _, seed := range []uint64{5, 6, 7} {
		url := newDatabase(t)
		inPartitions(t, url, 10, 100)
		w := logWriterOf(t, openAs(t, url, "alpha"), seed)
		w.write(115)
		closeStore(t, w.store)
		whole := copyDatabase(t, url)
		_, err := MigrateDown(t.Context(), whole, int(newestVersion(t))-partitionedSchema+1, quiet)
		must(t, err)
		_, err = MigrateUp(t.Context(), whole, quiet)
		must(t, err)
		for _, boundary := range []int{15, 16, 42, 63, 64, 99, 110, 115} {
			older := w.changes[boundary-1].At.Time
			deleted := map[string]int64{}
			for _, u := range []string{whole, url} {
				pool, err := pgx.Connect(t.Context(), u)
				must(t, err)
				deleted[u], err = pruneBefore(t.Context(), pool, older, 0)
				must(t, err)
				must(t, pool.Close(t.Context()))
			}
			tables := []string{"changes", "objects", "change_head"}
			if d := cmp.Diff(withoutLaterColumns(rowsOfTables(t, whole, tables)), withoutLaterColumns(rowsOfTables(t, url, tables))); d != "" || deleted[url] != deleted[whole] {
				t.Fatalf("before change %d: %d are gone, want %d (-deleted +dropped):\n%s", boundary+1, deleted[url], deleted[whole], d)
			}
		}
		if names := partitionNames(t, url); names != "kept_before_100 before_1048676 open" {
			t.Errorf("there are the partitions %s", names)
		}
		w.store = openStore(t, url, "alpha")
		for change := range w.states {
			for _, m := range w.momentsOf(change) {
				w.checkAsOf(change, m, change < 115)
			}
		}
		w.checkLastChanges()
	}
}
