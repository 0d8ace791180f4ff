//go:build verbs && rxe

package verbs

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// pairsUnderSignals is how many pairs connect while the process gets signals.
const pairsUnderSignals = 200

// signalThreads sends the signal by which Go preempts a thread to every thread of the process, again
// and again until the test ends.
func (b *bench) signalThreads() {
	b.t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	b.t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	go func() {
		defer close(stopped)
		for {
			threads, _ := os.ReadDir("/proc/self/task")
			for _, thread := range threads {
				select {
				case <-stop:
					return
				default:
					id, _ := strconv.Atoi(thread.Name())
					_ = unix.Tgkill(os.Getpid(), id, unix.SIGURG) // the thread may have ended
				}
			}
		}
	}()
}

func TestASignalEndsNoListening(t *testing.T) {
	b := newBench(t)
	l, err := b.ia.Listen("sp", 0, false)
	b.must(err)
	defer l.Free()
	attributes, _ := b.ia.Attributes()
	b.signalThreads()
	for n := range pairsUnderSignals {
		x, y := b.ep("x"), b.ep("y")
		b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: l.Qual()}))
		r := b.want("a request, or the end of the connection", func(r rdma.Report) bool {
			return r.Kind == rdma.ReportRequest || endsConnection[r.Kind] && r.EP == dat.Handle("x")
		})
		if r.Kind != rdma.ReportRequest {
			t.Fatalf("pair %d: %+v", n, r)
		}
		b.must(r.Request.Accept(y, nil))
		b.wantKind(rdma.ReportEstablished, "x")
		b.wantKind(rdma.ReportEstablished, "y")
		x.Disconnect()
		b.wantKind(rdma.ReportDisconnected, "y")
		x.Free()
		y.Free()
	}
	if b.repeated() != 0 {
		t.Errorf("connections were asked for again %d times", b.repeated())
	}
}
