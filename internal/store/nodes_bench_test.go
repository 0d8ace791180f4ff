package store

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// writeFor lets each of the stores change an endpoint of its own, one change after the
// other, for a time. It returns the number of changes per second of all.
func writeFor(b *testing.B, stores []*Store, d time.Duration) float64 {
	b.Helper()
	var wg sync.WaitGroup
	counts := make([]int, len(stores))
	began := time.Now()
	for i, s := range stores {
		id := newID(b)
		record(b, s, creation(endpoint(id, s.cfg.Node, "")))
		wg.Go(func() {
			for n := int32(1); time.Since(began) < d; n++ {
				change := modification(id, func(e *dat.Endpoint) { e.Attributes.MaxRecvDTOs = n })
				if _, err := s.Recorder().Record(b.Context(), change); err != nil {
					b.Error(err)
					return
				}
				counts[i]++
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / time.Since(began).Seconds()
}

// openNodes opens stores of so many nodes on a database.
func openNodes(b *testing.B, url, name string, n int) []*Store {
	b.Helper()
	out := make([]*Store, n)
	for i := range out {
		out[i] = openStore(b, url, fmt.Sprintf("%s%d", name, i))
	}
	return out
}

// writers is the number of nodes that write in BenchmarkNodesThatWrite.
const writers = 16

// BenchmarkNodesThatWrite compares 16 nodes that have one writer each with one node that
// has one writer: the result says how many times as many changes they make.
func BenchmarkNodesThatWrite(b *testing.B) {
	nodes := openNodes(b, newDatabase(b), "node", writers)
	var one, all float64
	for b.Loop() {
		one += writeFor(b, nodes[:1], time.Second)
		all += writeFor(b, nodes, time.Second)
	}
	b.ReportMetric(one/float64(b.N), "changes/s-of-one")
	b.ReportMetric(all/float64(b.N), "changes/s-of-16")
	b.ReportMetric(all/one, "times")
}
