//go:build verbs && rxe

package verbs

import (
	"fmt"
	"os"
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

// add returns the channel of an object's reports; nil ends that of the object.
func (s *sorter) add(ids ...dat.Handle) chan rdma.Report {
	c := make(chan rdma.Report, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.of[id] = c
	}
	return c
}

func (s *sorter) remove(ids ...dat.Handle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.of, id)
	}
}

// wait takes reports from a channel until each condition has held for one of them.
// It returns which did not, "" for none, and the reports.
func wait(from chan rdma.Report, conditions map[string]func(rdma.Report) bool) (string, []rdma.Report) {
	var seen []rdma.Report
	late := time.After(waitLimit)
	for len(conditions) > 0 {
		select {
		case r := <-from:
			seen = append(seen, r)
			for name, holds := range conditions {
				if holds(r) {
					delete(conditions, name)
					break
				}
			}
		case <-late:
			return fmt.Sprintf("%d conditions in vain (one is %q), reports were %+v", len(conditions), anyKey(conditions), seen), seen
		}
	}
	return "", seen
}

// queued takes the reports that have come so far.
func queued(from chan rdma.Report) (all []rdma.Report) {
	for {
		select {
		case r := <-from:
			all = append(all, r)
		default:
			return all
		}
	}
}

func anyKey[V any](m map[string]V) string {
	for k := range m {
		return k
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
func (b *bench) cycle(s *sorter, l rdma.Listener, sp, name dat.Handle, requests chan rdma.Report) string {
	xID, yID := name+"x", name+"y"
	reports := s.add(xID, yID)
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
	wrong, got := wait(requests, map[string]func(rdma.Report) bool{"request": func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest && r.SP == sp }})
	if wrong != "" {
		return fmt.Sprintf("%s; %s has reported %+v", wrong, name, queued(reports))
	}
	if err := got[len(got)-1].Request.Accept(y, nil); err != nil {
		return "accepting: " + err.Error()
	}
	if wrong, _ := wait(reports, map[string]func(rdma.Report) bool{"x is connected": kindOf(rdma.ReportEstablished, xID), "y is connected": kindOf(rdma.ReportEstablished, yID)}); wrong != "" {
		return wrong
	}
	if err := x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: []byte("storm")}}); err != nil {
		return "sending: " + err.Error()
	}
	if wrong, _ := wait(reports, map[string]func(rdma.Report) bool{"sent": completionOf(xID, 10, dat.DTOSuccess), "received": completionOf(yID, 1, dat.DTOSuccess)}); wrong != "" {
		return wrong
	}
	x.Disconnect()
	wrong, _ = wait(reports, map[string]func(rdma.Report) bool{"y is disconnected": kindOf(rdma.ReportDisconnected, yID), "flushed": completionOf(yID, 2, dat.DTOErrFlushed)})
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
	for w := range stormWorkers {
		workers.Go(func() {
			sp := dat.Handle(fmt.Sprintf("sp%d", w))
			requests := s.add(sp)
			defer s.remove(sp)
			l, err := b.ia.Listen(sp, 0, false)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Free()
			for n := range total / stormWorkers {
				if wrong := b.cycle(s, l, sp, dat.Handle(fmt.Sprintf("%d-%d", w, n)), requests); wrong != "" {
					t.Errorf("worker %d, cycle %d: %s", w, n, wrong)
					return
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d cycles in %v", total, time.Since(begin).Round(time.Millisecond))
	b.pz.Free()
	b.evd.Free()
	if left := leftover(t, before); left != "" {
		t.Errorf("the kernel counts %s", left)
	}
}
