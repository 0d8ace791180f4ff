package store

import (
	"sync"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// createAll creates n endpoints with a number of concurrent clients, which share
// commits if together is set. It returns the time that one creation took.
func createAll(b *testing.B, s *Store, n, clients int, together bool) time.Duration {
	b.Helper()
	work := make(chan dat.Object, n)
	for range n {
		work <- endpoint(newID(b), "alpha", "")
	}
	close(work)
	var wg sync.WaitGroup
	var alone sync.Mutex
	began := time.Now()
	for range clients {
		wg.Go(func() {
			for obj := range work {
				if !together {
					alone.Lock()
				}
				if _, err := s.Recorder().Record(b.Context(), creation(obj)); err != nil {
					b.Error(err)
				}
				if !together {
					alone.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began) / time.Duration(n)
}

// BenchmarkGroupCommit compares 32 clients that share commits with 32 clients that do
// not. The result says how many times as many changes the former make.
func BenchmarkGroupCommit(b *testing.B) {
	s := openStore(b, newDatabase(b), "alpha")
	createAll(b, s, 64, 32, true) // prepares the statements
	var alone, together time.Duration
	for b.Loop() {
		alone += createAll(b, s, 320, 32, false)
		together += createAll(b, s, 3200, 32, true)
	}
	b.ReportMetric(float64(alone)/float64(together), "times")
}

// BenchmarkTenThousandEndpoints creates them with 32 clients and lists them all.
func BenchmarkTenThousandEndpoints(b *testing.B) {
	for b.Loop() {
		s := openStore(b, newDatabase(b), "alpha")
		each := createAll(b, s, 10_000, 32, true)
		began := time.Now()
		q := Query{Type: dat.TypeEndpoint, Limit: 1000, Total: true}
		for n := 0; ; {
			page, err := s.List(b.Context(), q)
			must(b, err)
			if n += len(page.Items); page.Next == "" {
				if n != 10_000 || *page.Total != 10_000 {
					b.Fatalf("%d endpoints of %d", n, *page.Total)
				}
				break
			}
			q.Cursor = page.Next
		}
		b.ReportMetric(each.Seconds()*10_000, "s/create-all")
		b.ReportMetric(time.Since(began).Seconds(), "s/list-all")
	}
}
