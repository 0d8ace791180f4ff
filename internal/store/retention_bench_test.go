package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/migrations"
)

// unpartition makes the log of a database one table, as it was before partitions. Programs
// that are running write into it as before.
func unpartition(b *testing.B, url string) {
	b.Helper()
	down, err := migrations.FS.ReadFile("0011_change_partitions.down.sql")
	must(b, err)
	must(b, admin(b.Context(), url, string(down)))
}

// BenchmarkPartitions compares writes into a log in partitions with writes into one table,
// taking turns: of 32 clients that share commits, and of one alone. The results say how many
// times as many changes the former are.
func BenchmarkPartitions(b *testing.B) {
	var stores [2]*Store
	for i := range stores {
		url := newDatabase(b)
		inPartitions(b, url, 1<<20, 16<<20)
		stores[i] = openIdle(b, url, "alpha")
		if i == 1 {
			unpartition(b, url)
		}
		createAll(b, stores[i], 64, 32, true) // prepares the statements
	}
	var together, alone [2]time.Duration
	for b.Loop() {
		for i, s := range stores {
			together[i] += createAll(b, s, 3200, 32, true)
			alone[i] += createAll(b, s, 200, 1, true)
		}
	}
	b.ReportMetric(float64(together[1])/float64(together[0]), "times-together")
	b.ReportMetric(float64(alone[1])/float64(alone[0]), "times-alone")
}

const (
	// agingObjects change agingChanges times in all in BenchmarkRetention, and half of that is
	// past the retention.
	agingObjects = 500
	agingChanges = 100_000
)

// fillLog fills a log with changes, one a second until now, whose images are as large as those
// of endpoints.
func fillLog(b *testing.B, url string) {
	b.Helper()
	must(b, admin(b.Context(), url, fmt.Sprintf(`INSERT INTO changes (id, at, node, ia, object_type, object_id, cause, actor, outcome, fields, before, after, image, version)
		SELECT id, now() - (%[2]d - id) * interval '1 second', 'alpha', 'soft0@alpha', 'endpoint', 'object ' || id %% %[1]d, 'dat_ep_modify', 'test', 'DAT_SUCCESS', '{}',
			'{}', '{}', jsonb_build_object('body', '%[3]s'), 1 + id / %[1]d FROM generate_series(1, %[2]d) AS id;
		UPDATE change_head SET last = %[2]d`, agingObjects, agingChanges, strings.Repeat("0123456789abcdef", 64))))
	must(b, admin(b.Context(), url, `VACUUM ANALYZE changes`))
}

// BenchmarkRetention compares the retention of a log in partitions, half of which are past it, with
// that of one in a single partition: the result says how many times as fast changes are dropped
// with their partitions as they are deleted one by one.
func BenchmarkRetention(b *testing.B) {
	var took [2]time.Duration
	for b.Loop() {
		for i, ids := range []int64{agingChanges / 16, 2 * agingChanges} {
			url := newDatabase(b)
			inPartitions(b, url, ids, max(ids, agingChanges+1))
			fillLog(b, url)
			conn, err := pgx.Connect(b.Context(), url)
			must(b, err)
			began := time.Now()
			n, err := pruneBefore(b.Context(), conn, began.Add(-agingChanges/2*time.Second), 0)
			must(b, err)
			took[i] += time.Since(began)
			if n < agingChanges/2-2*agingObjects {
				b.Errorf("%d changes are gone", n)
			}
			must(b, conn.Close(b.Context()))
		}
	}
	b.ReportMetric(took[1].Seconds()/float64(b.N), "s/delete")
	b.ReportMetric(took[0].Seconds()/float64(b.N), "s/drop")
	b.ReportMetric(float64(took[1])/float64(took[0]), "times")
}
