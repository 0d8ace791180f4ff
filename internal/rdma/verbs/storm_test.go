//go:build verbs && rxe

package verbs

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

const (
	// stormWorkers is how many pairs connect and disconnect at the same time.
	stormWorkers = 8
	// shortStorm is how many pairs there are where DATAPI_TEST_CYCLES does not say it.
	shortStorm = 400
)

// cycles returns how many pairs the storm has.
func cycles(t *testing.T) int {
	t.Helper()
	text := os.Getenv("DATAPI_TEST_CYCLES")
	if text == "" {
		return shortStorm
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < stormWorkers {
		t.Fatalf("DATAPI_TEST_CYCLES is %q; it must be a number of %d or more", text, stormWorkers)
	}
	return n
}

// sorter gives the reports of an IA to the workers that they belong to.
type sorter struct {
	mu  sync.Mutex
	of  map[dat.Handle]chan rdma.Report
	end chan struct{}
}

// sortReports starts to sort the reports of the bench's IA, until the IA is closed.
func sortReports(b *bench) *sorter {
	s := &sorter{of: map[dat.Handle]chan rdma.Report{}, end: make(chan struct{})}
	go func() {
		defer close(s.end)
		for r := range b.ia.Reports() {
			id := r.EP
			if r.Kind == rdma.ReportRequest || r.Kind == rdma.ReportRequestGone {
				id = r.SP
			}
			s.mu.Lock()
			to := s.of[id]
			s.mu.Unlock()
			if to != nil {
				to <- r
			}
		}
	}()
	return s
}

// add sends the reports about objects to a channel, until remove.
func (s *sorter) add(to chan rdma.Report, ids ...dat.Handle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.of[id] = to
	}
}

func (s *sorter) remove(ids ...dat.Handle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.of, id)
	}
}

// wait takes reports from a channel until each condition has held for one of them. It returns "" and the
// last report; where a connection ended instead, or after waitLimit, it returns what did not hold and what
// there was. name begins the handles of the cycle's endpoints: reports of other cycles are passed over.
func wait(from chan rdma.Report, name dat.Handle, conditions map[string]func(rdma.Report) bool) (string, rdma.Report) {
	var seen []rdma.Report
	var last rdma.Report
	late := time.After(waitLimit)
	for len(conditions) > 0 {
		select {
		case last = <-from:
			if last.EP != "" && last.EP != name+"x" && last.EP != name+"y" {
				continue
			}
			seen = append(seen, last)
			met := anyKey(conditions, func(holds func(rdma.Report) bool) bool { return holds(last) })
			delete(conditions, met)
			if met == "" && endsConnection[last.Kind] {
				return fmt.Sprintf("%s ended before there was: %v; reports were %+v", last.EP, slices.Collect(maps.Keys(conditions)), seen), last
			}
		case <-late:
			return fmt.Sprintf("in vain: %v; reports were %+v", slices.Collect(maps.Keys(conditions)), seen), last
		}
	}
	return "", last
}

// anyKey returns a key whose value has a property, "" if none has.
func anyKey[V any](m map[string]V, has func(V) bool) string {
	for k, v := range m {
		if has(v) {
			return k
		}
	}
	return ""
}

// kindOf and completionOf are conditions of wait.
func kindOf(kind rdma.ReportKind, ep dat.Handle) func(rdma.Report) bool {
	return func(r rdma.Report) bool { return r.Kind == kind && r.EP == ep }
}

func completionOf(ep dat.Handle, wr uint64, status dat.DTOStatus) func(rdma.Report) bool {
	return func(r rdma.Report) bool {
		return r.Kind == rdma.ReportCompletion && r.EP == ep && r.WR == wr && r.Status == status
	}
}

// cycle connects a pair, sends a message, disconnects and frees the pair. It returns what
// went wrong, "" for nothing.
func (b *bench) cycle(s *sorter, l rdma.Listener, name dat.Handle, reports chan rdma.Report) string {
	xID, yID := name+"x", name+"y"
	s.add(reports, xID, yID)
	defer s.remove(xID, yID)
	x, y := b.ep(xID), b.ep(yID)
	defer x.Free()
	defer y.Free()
	if err := y.PostRecv([]rdma.Recv{{WR: 1, Size: 64}, {WR: 2, Size: 64}}); err != nil {
		return "posting receives: " + err.Error()
	}
	attributes, _ := b.ia.Attributes()
	if err := x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: l.Qual()}); err != nil {
		return "connecting: " + err.Error()
	}
	wrong, r := wait(reports, name, map[string]func(rdma.Report) bool{"a request": kindOf(rdma.ReportRequest, "")})
	if wrong != "" {
		return wrong
	}
	if err := r.Request.Accept(y, nil); err != nil {
		return "accepting: " + err.Error()
	}
	if wrong, _ := wait(reports, name, map[string]func(rdma.Report) bool{"x is connected": kindOf(rdma.ReportEstablished, xID), "y is connected": kindOf(rdma.ReportEstablished, yID)}); wrong != "" {
		return wrong
	}
	if err := x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: []byte("storm")}}); err != nil {
		return "sending: " + err.Error()
	}
	if wrong, _ := wait(reports, name, map[string]func(rdma.Report) bool{"sent": completionOf(xID, 10, dat.DTOSuccess), "received": completionOf(yID, 1, dat.DTOSuccess)}); wrong != "" {
		return wrong
	}
	x.Disconnect()
	wrong, _ = wait(reports, name, map[string]func(rdma.Report) bool{"y is disconnected": kindOf(rdma.ReportDisconnected, yID), "flushed": completionOf(yID, 2, dat.DTOErrFlushed)})
	return wrong
}

func TestAStormOfConnectionsLosesNothing(t *testing.T) {
	b := newBench(t)
	b.pz.Free()
	b.evd.Free()
	before := census(t)
	b.makeParents()
	s := sortReports(b)
	total, begin := cycles(t), time.Now()
	var workers sync.WaitGroup
	var once sync.Once // what each party waits for is long
	longest := make([]time.Duration, stormWorkers)
	for w := range stormWorkers {
		workers.Go(func() {
			sp := dat.Handle(fmt.Sprintf("sp%d", w))
			reports := make(chan rdma.Report, 64)
			s.add(reports, sp)
			defer s.remove(sp)
			l, err := b.ia.Listen(sp, 0, false)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Free()
			for n := range total / stormWorkers {
				began := time.Now()
				if wrong := b.cycle(s, l, dat.Handle(fmt.Sprintf("%d-%d", w, n)), reports); wrong != "" {
					t.Errorf("worker %d, cycle %d: %s", w, n, wrong)
					once.Do(func() { t.Log(b.whoWaits()) })
					return
				}
				longest[w] = max(longest[w], time.Since(began))
			}
		})
	}
	workers.Wait()
	t.Logf("%d cycles in %v, the longest took %v, %d connections were asked for again",
		total, time.Since(begin).Round(time.Millisecond), slices.Max(longest).Round(time.Millisecond), b.repeated())
	b.pz.Free()
	b.evd.Free()
	if left := leftover(t, before); left != "" {
		t.Errorf("the kernel counts %s", left)
	}
}
