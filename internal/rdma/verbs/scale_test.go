//go:build verbs && rxe

package verbs

import (
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pairsAtOnce is how many pairs connect at the same time where DATAPI_TEST_PAIRS does not say it.
const pairsAtOnce = 100

// numberFrom returns the number that an environment variable has, or fallback without one.
func numberFrom(t *testing.T, name string, fallback int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q; it must be a positive number", name, text)
	}
	return n
}

// kilobytes returns a value of one of the kernel's files about memory.
func kilobytes(t *testing.T, file, name string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no %s", file, name)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// resident returns the process's resident size in KiB, after what is garbage was given back.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	return kilobytes(t, "/proc/self/status", "VmRSS")
}

// connectAll connects as many pairs as there are endpoints of each kind, all at once, and accepts
// them meanwhile: siw gives up a connection that is not accepted within ten seconds. One that is
// rejected because the service point's backlog is full is connected again. It returns how often
// that was.
func (b *bench) connectAll(l rdma.Listener, from map[dat.Handle]rdma.EP, to []rdma.EP) (again int) {
	b.t.Helper()
	attributes, _ := b.ia.Attributes()
	peer := rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: l.Qual()}
	refused := make(chan error, len(from))
	go func() {
		for _, e := range from {
			if err := e.Connect(peer); err != nil {
				refused <- err
			}
		}
	}()
	late := time.After(10 * waitLimit)
	for accepted, established := 0, 0; established < 2*len(to); {
		select {
		case r := <-b.ia.Reports():
			switch r.Kind {
			case rdma.ReportRequest:
				b.must(r.Request.Accept(to[accepted], nil))
				accepted++
			case rdma.ReportEstablished:
				established++
			case rdma.ReportNonPeerRejected:
				if r.Reason == "ECONNREFUSED" {
					b.t.Fatalf("nobody listens any more: %+v\n%s", r, b.whoWaits())
				}
				again++
				b.must(from[r.EP].Reset())
				b.must(from[r.EP].Connect(peer))
			case rdma.ReportReset:
			default:
				b.t.Fatalf("after %d of %d: %+v\n%s", established, 2*len(to), r, b.whoWaits())
			}
		case err := <-refused:
			b.t.Fatal(err)
		case <-late:
			b.t.Fatalf("%d of %d ends are connected\n%s", established, 2*len(to), b.whoWaits())
		}
	}
	return again
}

func TestManyPairsConnectAtOnce(t *testing.T) {
	pairs := numberFrom(t, "DATAPI_TEST_PAIRS", pairsAtOnce)
	b := newBench(t)
	b.pz.Free()
	b.evd.Free()
	before := census(t)
	b.makeParents()
	l, err := b.ia.Listen("sp", 0, false)
	b.must(err)
	from, to := map[dat.Handle]rdma.EP{}, []rdma.EP(nil)
	rss, free := resident(t), kilobytes(t, "/proc/meminfo", "MemAvailable")
	descriptors, threads := entries(t, "/proc/self/fd"), entries(t, "/proc/self/task")
	for i := range pairs {
		id := dat.Handle(fmt.Sprintf("x%d", i))
		from[id] = b.ep(id)
		to = append(to, b.ep(dat.Handle(fmt.Sprintf("y%d", i))))
	}
	begin := time.Now()
	again := b.connectAll(l, from, to)
	took := time.Since(begin).Round(time.Millisecond)
	t.Logf("%d pairs in %v, %d connected again after a rejection, %d asked for again by the engine; for each of %d connections: resident %.1f KiB, of the machine's memory %.1f KiB; descriptors %d → %d, threads %d → %d",
		pairs, took, again, b.repeated(), 2*pairs, float64(resident(t)-rss)/float64(2*pairs), float64(free-kilobytes(t, "/proc/meminfo", "MemAvailable"))/float64(2*pairs),
		descriptors, entries(t, "/proc/self/fd"), threads, entries(t, "/proc/self/task"))
	for _, e := range from {
		e.Free()
	}
	for _, e := range to {
		e.Free()
	}
	l.Free()
	b.pz.Free()
	b.evd.Free()
	if left := leftover(t, before); left != "" {
		t.Errorf("the kernel counts %s", left)
	}
}

// cyclesInSequence is how many pairs come and go where DATAPI_TEST_SEQUENCE does not say it.
const cyclesInSequence = 100

func TestPairsThatComeAndGoKeepTheResidentSize(t *testing.T) {
	n := numberFrom(t, "DATAPI_TEST_SEQUENCE", cyclesInSequence)
	s := newSpeed(t)
	cycle := func(n int) {
		for range n {
			s.connectPair()
			s.disconnectPair()
		}
		s.awaitRelease()
	}
	cycle(n)
	before, objects := resident(t), census(t)
	cycle(n)
	after := resident(t)
	t.Logf("%d cycles: resident %d KiB, before %d KiB", n, after, before)
	if after > before+before/10 {
		t.Errorf("the resident size is %d KiB, it was %d KiB", after, before)
	}
	if left := leftover(t, objects); left != "" {
		t.Errorf("the kernel counts %s", left)
	}
}
