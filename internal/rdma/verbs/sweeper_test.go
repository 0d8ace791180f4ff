//go:build verbs && rxe

package verbs

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// idleQueues is how many queues in solicited mode wait for messages that do not come.
const idleQueues = 10_000

// processorTime returns what the process has used of the processors.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestIdleQueuesInSolicitedModeCostNothingThatGrowsWithTheirNumber(t *testing.T) {
	b := newBench(t)
	h := b.hardware()
	threads := runtime.NumGoroutine()
	looks := func() int64 {
		h.sweeper.mu.Lock()
		defer h.sweeper.mu.Unlock()
		return h.sweeper.looks
	}
	// idle returns how many queues are looked into in a while; the processor time, which depends
	// on the load of the machine, is only told.
	idle := func(queues int) int64 {
		runtime.GC()
		begin, used, looked := time.Now(), processorTime(t), looks()
		<-time.After(4 * time.Second)
		took := time.Since(begin)
		used, looked = processorTime(t)-used, looks()-looked
		t.Logf("%d idle queues use %.2f %% of a processor, %d looks in %v", queues, used.Seconds()/took.Seconds()*100, looked, took)
		return looked - sweepBudget*int64(took/longestSweepInterval)
	}
	idle(0)
	all := make([]*cq, idleQueues)
	for i := range all {
		var err error
		if all[i], err = h.newCQ("", 8, true, 0); err != nil {
			t.Fatalf("queue %d: %v", i, err)
		}
	}
	if more := runtime.NumGoroutine() - threads; more > 1 {
		t.Errorf("%d queues have %d goroutines", idleQueues, more)
	}
	// Until the pause is at its longest there are a few ticks more.
	if more := idle(idleQueues); more > 10*sweepBudget {
		t.Errorf("%d idle queues have %d looks more than the budget", idleQueues, more)
	}
	for _, q := range all {
		q.free()
	}
	b.await("the sweeper ends with the last queue", func() bool {
		h.sweeper.mu.Lock()
		defer h.sweeper.mu.Unlock()
		return !h.sweeper.running
	})
}

// solicitedPair connects x with y, which has three receives in SOLICITED_WAIT.
func (b *bench) solicitedPair() (x, y rdma.EP) {
	b.t.Helper()
	y, err := b.ia.CreateEP("y", rdma.EPParams{PZ: b.pz, RecvEVD: b.evd, RequestEVD: b.evd, Attributes: dat.EPAttributes{
		MaxRecvDTOs: 8, MaxRequestDTOs: 8, MaxRecvIOV: 1, MaxRequestIOV: 1, RecvCompletionFlags: dat.CompletionSolicitedWait,
	}})
	b.must(err)
	x = b.ep("x")
	b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: 64}, {WR: 2, Size: 64}, {WR: 3, Size: 64}}))
	b.connect(x, y, "x", "y")
	return x, y
}

func TestMessagesWithoutAnEventAreFound(t *testing.T) {
	b := newBench(t)
	x, y := b.solicitedPair()
	b.must(x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: []byte("unasked")}}))
	told := b.hardware().tellsSolicited()
	if r := b.wantCompletion("y", 1, dat.DTOSuccess); r.Solicited == told {
		t.Errorf("an unsolicited message is told as solicited: %t", r.Solicited)
	}
	b.must(x.Post([]rdma.Request{{WR: 11, Kind: dat.KindSend, Data: []byte("asked"), Solicited: true}}))
	if r := b.wantCompletion("y", 2, dat.DTOSuccess); !r.Solicited { // its event came late
		b.wantKind(rdma.ReportSolicited, "y")
	}
	b.must(x.Post([]rdma.Request{{WR: 12, Kind: dat.KindSend, Data: []byte("unasked")}}))
	b.wantCompletion("y", 3, dat.DTOSuccess)
	if told {
		q := y.(*ep).conn.recvQ.cq
		q.mu.Lock()
		q.deliverPolledLocked(true) // as if an event came late
		q.mu.Unlock()
		b.wantKind(rdma.ReportSolicited, "y")
	}
	x.Free()
	y.Free()
}
