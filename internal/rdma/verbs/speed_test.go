//go:build verbs && rxe

package verbs

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
	"github.com/datapi/datapi/internal/rdma/feed"
)

// These benchmarks and the C program scripts/rxe/bench/reference do the same things on the
// same device; scripts/rxe/bench runs them in turn and compares them.

const (
	// messageSize is the size of a message that goes there and back, in bytes.
	messageSize = 64
	// writeSize is the size of an RDMA write in bytes, writesAtOnce how many are outstanding.
	writeSize    = 1 << 20
	writesAtOnce = 8
)

// speed is two endpoints, each with an EVD of its own.
type speed struct {
	*bench
	listener rdma.Listener
	address  string
	x, y     rdma.EP
	other    rdma.EVD // y's
	recvs    []rdma.Recv
	sends    []rdma.Request
}

func newSpeed(b testing.TB) *speed {
	b.Helper()
	s := &speed{bench: newBench(b), recvs: []rdma.Recv{{WR: 1, Size: messageSize}}, sends: []rdma.Request{{WR: 2, Kind: dat.KindSend}}}
	var err error
	if s.listener, err = s.ia.Listen("sp", 0, false); err != nil {
		b.Fatal(err)
	}
	if s.other, err = s.ia.CreateEVD("other", 64, []dat.Stream{dat.StreamDTO}); err != nil {
		b.Fatal(err)
	}
	attributes, _ := s.ia.Attributes()
	s.address = *attributes.IAAddress
	return s
}

// next returns the next report that is no completion of a send.
func (s *speed) next() rdma.Report {
	for {
		r, ok := <-s.ia.Reports()
		if !ok {
			s.t.Fatal("the reports ended")
		}
		if r.Kind == rdma.ReportCompletion && r.Status != dat.DTOSuccess {
			s.t.Fatalf("completion %d of %s is %v (%s)", r.WR, r.EP, r.Status, r.Reason)
		}
		if r.Kind != rdma.ReportCompletion || r.Operation != dat.KindSend {
			return r
		}
	}
}

// connectPair creates and connects two endpoints.
func (s *speed) connectPair() {
	s.x, s.y = s.ep("x"), s.epOn("y", s.other)
	s.must(s.x.Connect(rdma.Connect{RemoteAddress: s.address, RemoteQual: s.listener.Qual()}))
	for established := 0; established < 2; {
		switch r := s.next(); r.Kind {
		case rdma.ReportRequest:
			s.must(r.Request.Accept(s.y, nil))
		case rdma.ReportEstablished:
			established++
		default:
			s.t.Fatalf("connecting: %+v", r)
		}
	}
}

// disconnectPair disconnects the endpoints and frees them.
func (s *speed) disconnectPair() {
	s.x.Disconnect()
	if r := s.next(); r.Kind != rdma.ReportDisconnected {
		s.t.Fatalf("disconnecting: %+v", r)
	}
	s.x.Free()
	s.y.Free()
}

// parents are the objects that stay: the zone, the two EVDs and the listener.
const parents = 4

// awaitRelease waits until nothing but the parents is left of the adapter's
// objects: the ids of connections stay until the peer has confirmed their end.
func (s *speed) awaitRelease() {
	h := s.hardware()
	for late := time.Now().Add(waitLimit); ; <-time.After(time.Millisecond) {
		h.mu.RLock()
		left := len(h.live)
		h.mu.RUnlock()
		if left <= parents {
			return
		}
		if time.Now().After(late) {
			s.t.Fatalf("%d objects are left", left)
		}
	}
}

func BenchmarkPair(b *testing.B) {
	s := newSpeed(b)
	for range b.N/10 + 1 {
		s.connectPair()
		s.disconnectPair()
	}
	b.ResetTimer()
	for range b.N {
		s.connectPair()
		s.disconnectPair()
	}
	s.awaitRelease()
	b.StopTimer()
}

// connected returns two connected endpoints with an EVD each.
func connected(b *testing.B) *speed {
	s := newSpeed(b)
	s.connectPair()
	return s
}

// receive posts a receive.
func (s *speed) receive(to rdma.EP) { s.must(to.PostRecv(s.recvs)) }

// send sends a message from one end, and waits until the other has received it.
func (s *speed) send(from, to rdma.EP, toID dat.Handle, data []byte) {
	s.sends[0].Data = data
	s.must(from.Post(s.sends))
	if r := s.next(); r.Kind != rdma.ReportCompletion || r.EP != toID {
		s.t.Fatalf("sending to %s: %+v", toID, r)
	}
	s.receive(to)
}

func BenchmarkPingPong(b *testing.B) {
	s := connected(b)
	data := make([]byte, messageSize)
	for range 8 {
		s.receive(s.x)
		s.receive(s.y)
	}
	thereAndBack := func(n int) {
		for range n {
			s.send(s.x, s.y, "y", data)
			s.send(s.y, s.x, "x", data)
		}
	}
	thereAndBack(b.N/10 + 1)
	b.ResetTimer()
	thereAndBack(b.N)
	b.StopTimer()
}

func BenchmarkWrites(b *testing.B) {
	s := connected(b)
	rights := []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteWrite}
	from, err := s.ia.CreateLMR("from", rdma.LMRSpec{PZ: s.pz, Length: writeSize, Privileges: rights})
	s.must(err)
	to, err := s.ia.CreateLMR("to", rdma.LMRSpec{PZ: s.pz, Length: writeSize, Privileges: rights})
	s.must(err)
	key, at := to.Context()
	write := []rdma.Request{{WR: 1, Kind: dat.KindRDMAWrite, LMR: from, Length: writeSize, RemoteContext: key, RemoteAddress: at}}
	writes := func(n int) {
		for posted, done := 0, 0; done < n; done++ {
			for ; posted < min(n, done+writesAtOnce); posted++ {
				s.must(s.x.Post(write))
			}
			s.next()
		}
	}
	writes(b.N/10 + 1)
	b.ResetTimer()
	writes(b.N)
	b.StopTimer()
	b.SetBytes(writeSize)
}

// BenchmarkWaiting is what waiting costs without a device: twice an operation an event is
// waited for as completions are, and handed over as a report is.
func BenchmarkWaiting(b *testing.B) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		b.Fatal(err)
	}
	events := feed.New[uint64]()
	defer events.Close()
	count := make([]byte, 8)
	w, err := watch(fd, "eventfd", func() error {
		if _, err := unix.Read(fd, count); err != nil {
			return err
		}
		events.Put(1)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	one := []byte{1, 0, 0, 0, 0, 0, 0, 0}
	b.ResetTimer()
	for range 2 * b.N {
		if _, err := unix.Write(fd, one); err != nil {
			b.Fatal(err)
		}
		<-events.Out()
	}
}
