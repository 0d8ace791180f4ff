//go:build verbs && rxe

package verbs

import (
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// synRetries is how often the kernel asks a TCP peer that does not answer.
const synRetries = "/proc/sys/net/ipv4/tcp_syn_retries"

// hardware returns the open device of the bench.
func (b *bench) hardware() *hardware {
	b.t.Helper()
	h, err := b.ia.(*adapter).hardware()
	b.must(err)
	return h
}

// soon fails the test where do takes longer than half a minute; a TCP peer that does not
// answer is waited for two minutes.
func (b *bench) soon(what string, do func()) {
	b.t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		b.t.Fatalf("%s waits for the peer", what)
	}
}

// await polls a condition that no report announces.
func (b *bench) await(what string, holds func() bool) {
	b.t.Helper()
	late := time.Now().Add(waitLimit)
	for !holds() {
		if time.Now().After(late) {
			b.t.Fatalf("in vain: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

// nobodysPort is the port that connectToNobody connects to.
const nobodysPort = 4244

// connectToNobody lets an endpoint connect to an address of the device's network that
// nobody has, and returns when the device asks for the connection.
func (b *bench) connectToNobody(e rdma.EP) {
	b.t.Helper()
	attributes, _ := b.ia.Attributes()
	nobody := netip.MustParseAddr(*attributes.IAAddress).As4()
	nobody[3] = 99
	b.must(e.Connect(rdma.Connect{RemoteAddress: netip.AddrFrom4(nobody).String(), RemoteQual: nobodysPort}))
	e.(*ep).mu.Lock()
	c := e.(*ep).conn
	e.(*ep).mu.Unlock()
	b.await("the device asks for the connection", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.connecting || c.asked
	})
}

// giveUpSilentPeers lets the kernel give up TCP peers that do not answer. It returns what
// undoes that, as the end of the test does.
func (b *bench) giveUpSilentPeers() func() {
	b.t.Helper()
	retries, err := os.ReadFile(synRetries)
	b.must(err)
	b.must(os.WriteFile(synRetries, []byte("1"), 0))
	undo := func() { _ = os.WriteFile(synRetries, retries, 0) }
	b.t.Cleanup(undo)
	return undo
}

func TestNothingWaitsForAPeerThatDoesNotAnswer(t *testing.T) {
	b := newBench(t)
	b.pz.Free()
	b.evd.Free()
	before := census(t)
	b.makeParents()
	x := b.ep("x")
	b.must(x.PostRecv([]rdma.Recv{{WR: 1, Size: 64}}))
	b.connectToNobody(x)
	b.soon("disconnecting", x.Disconnect)
	b.wantCompletion("x", 1, dat.DTOErrFlushed)
	b.soon("connecting again and freeing", func() {
		b.must(x.Reset())
		b.connectToNobody(x)
		x.Free()
		b.pz.Free()
		b.evd.Free()
	})
	patient := b.giveUpSilentPeers()
	b.await("everything is released when the kernel gives up", func() bool { return leftover(t, before) == "" })
	patient()
	b.makeParents()
	b.connectToNobody(b.ep("y"))
	b.soon("closing", func() { b.must(b.p.Close()) })
}

func TestAConnectionThatEndsWhileItIsAskedForKeepsNoOther(t *testing.T) {
	b := newBench(t)
	if !b.hardware().iwarp { // there asking does not wait
		return
	}
	x := b.ep("x")
	b.connectToNobody(x)
	attributes, _ := b.ia.Attributes()
	somebody := netip.MustParseAddr(*attributes.IAAddress).As4()
	somebody[3] = 99
	address := netip.AddrFrom4(somebody)
	netdev := b.netdevOf()
	x.Disconnect()
	link(t, "ip", "address", "add", address.String()+"/32", "dev", netdev)
	defer link(t, "ip", "address", "delete", address.String()+"/32", "dev", netdev)
	late, err := net.Listen("tcp", netip.AddrPortFrom(address, nobodysPort).String())
	b.must(err)
	defer late.Close()
	taken, err := late.Accept() // the connection is made now, and not answered
	b.must(err)
	defer taken.Close()
	given := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, taken)
		given <- err
	}()
	y, z := b.ep("y"), b.ep("z")
	b.connect(y, z, "y", "z")
	select {
	case err := <-given:
		t.Errorf("another connection is made only when the device has given up the one that ended: %v", err)
	default:
	}
}

func TestALateEventOfADisconnectIsNoBrokenConnection(t *testing.T) { // T36
	b := newBench(t)
	x, y := b.ep("x"), b.ep("y")
	b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: 64}}))
	b.connect(x, y, "x", "y")
	h := b.hardware()
	h.cmLock.Lock() // no event of the connection manager is read
	disconnected := make(chan struct{})
	go func() { defer close(disconnected); x.Disconnect() }()
	if h.iwarp {
		b.wantCompletion("y", 1, dat.DTOErrFlushed) // the device flushes by itself
	}
	none := time.After(3 * graceTime)
	for waiting := true; waiting; {
		select {
		case r := <-b.ia.Reports():
			if r.EP == "y" {
				t.Errorf("before the event of the disconnect there is %+v", r)
			}
		case <-none:
			waiting = false
		}
	}
	h.cmLock.Unlock()
	<-disconnected
	b.wantKind(rdma.ReportDisconnected, "y")
	x.Free()
	y.Free()
}

func TestALinkLocalConnectionHasLinkLocalAddresses(t *testing.T) {
	b := newBench(t)
	var local string
	for _, a := range b.ia.(*adapter).bindAddresses() {
		if a.ip.IsLinkLocalUnicast() {
			local = a.ip.String()
		}
	}
	if !strings.Contains(local, "%") {
		t.Fatalf("the link-local address is %q", local)
	}
	x, y := b.ep("x"), b.ep("y")
	l, err := b.ia.Listen("sp", 0, false)
	b.must(err)
	b.must(x.Connect(rdma.Connect{RemoteAddress: local, RemoteQual: l.Qual()}))
	request := b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	b.must(request.Request.Accept(y, nil))
	for _, r := range []rdma.Report{request, b.wantKind(rdma.ReportEstablished, "x"), b.wantKind(rdma.ReportEstablished, "y")} {
		if r.LocalAddress != local || r.RemoteAddress != local {
			t.Errorf("the connection is from %s to %s, not %s", r.LocalAddress, r.RemoteAddress, local)
		}
	}
	l.Free()
	x.Free()
	y.Free()
}

func TestAQueuePairThatCannotBeOpenedLeaksNothing(t *testing.T) {
	b := newBench(t)
	before := census(t)
	room := b.evd.(*evd).cq.room
	attributes, _ := b.ia.Attributes()
	many := make([]rdma.Recv, 4096) // more than the queue of 8 that is asked for can have
	for i := range many {
		many[i] = rdma.Recv{WR: uint64(i), Size: 8}
	}
	for range 20 {
		x := b.ep("x")
		b.must(x.PostRecv(many))
		if err := x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4242}); err == nil {
			t.Fatal("a queue of 8 took 4096 receives")
		}
		x.Free()
	}
	if now := b.evd.(*evd).cq.room; now != room {
		t.Errorf("the completion queue has room for %d, before it was %d", now, room)
	}
	delete(before, "mr") // the buffers of the receives stay registered
	h := b.hardware()
	h.mu.RLock()
	if len(h.conns)+len(h.connsByKey)+len(h.handlers) > 0 {
		t.Errorf("%d, %d and %d entries are left", len(h.conns), len(h.connsByKey), len(h.handlers))
	}
	h.mu.RUnlock()
	b.await("the kernel counts what it counted", func() bool {
		now := census(t)
		for what, n := range before {
			if now[what] != n {
				return false
			}
		}
		return true
	})
}

func TestARequestThatIsHandedOnIsTheOtherServicePointsAlone(t *testing.T) { // T19
	b := newBench(t)
	h := b.hardware()
	handlers := func() int {
		h.mu.RLock()
		defer h.mu.RUnlock()
		return len(h.handlers)
	}
	before := handlers()
	first, err := b.ia.Listen("first", 4711, false)
	b.must(err)
	second, err := b.ia.Listen("second", 4712, false)
	b.must(err)
	x, y := b.ep("x"), b.ep("y")
	attributes, _ := b.ia.Attributes()
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4711}))
	r := b.want("a request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest && r.SP == "first" })
	r.Request.Handoff(4712)
	r = b.want("the same request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest && r.SP == "second" })
	b.must(r.Request.Accept(y, nil))
	b.wantKind(rdma.ReportEstablished, "x")
	b.wantKind(rdma.ReportEstablished, "y")
	x.Free()
	b.wantKind(rdma.ReportDisconnected, "y")
	y.Free()
	first.Free()
	second.Free()
	b.await("no event goes to anybody any more", func() bool { return handlers() == before })
}

func TestAnSRQLosesNoReceiveWhenItsEndpointEnds(t *testing.T) {
	const posted = 16
	b := newBench(t)
	s, err := b.ia.CreateSRQ("s", b.pz, posted, 1)
	b.must(err)
	var recvs []rdma.Recv
	for i := range posted {
		recvs = append(recvs, rdma.Recv{WR: uint64(i + 1), Size: 32})
	}
	b.must(s.PostRecv(recvs))
	sender := dat.EPAttributes{MaxRequestDTOs: posted, MaxRequestIOV: 1, MaxRecvIOV: 1}
	completed := map[uint64]bool{}
	round := func(sends int, ending bool) {
		x, err := b.ia.CreateEP("x", rdma.EPParams{PZ: b.pz, RecvEVD: b.evd, RequestEVD: b.evd, Attributes: sender})
		b.must(err)
		y, err := b.ia.CreateEP("y", rdma.EPParams{PZ: b.pz, RecvEVD: b.evd, RequestEVD: b.evd, SRQ: s, Attributes: sender})
		b.must(err)
		b.connect(x, y, "x", "y")
		for i := range sends {
			b.must(x.Post([]rdma.Request{{WR: uint64(100 + i), Kind: dat.KindSend, Data: []byte("message")}}))
		}
		if ending { // whatever of the messages has arrived
			y.Disconnect()
		}
		for got := 0; !ending && got < sends; got++ {
			r := b.want("a receive", func(r rdma.Report) bool { return r.Kind == rdma.ReportCompletion && r.EP == "y" && r.SRQ == "s" })
			completed[r.WR] = true
		}
		x.Free()
		y.Free()
		b.must(y.(*ep).Reset())
		b.want("everything was reported", func(r rdma.Report) bool { return r.Kind == rdma.ReportReset })
		for _, r := range b.log {
			if r.Kind == rdma.ReportCompletion && r.SRQ == "s" {
				completed[r.WR] = true
			}
		}
		b.log = nil
	}
	for range 3 {
		round(3, true)
	}
	left := func() int {
		q := s.(*srq)
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.posted)
	}
	if len(completed)+left() != posted {
		t.Fatalf("%d receives completed and %d are left of %d", len(completed), left(), posted)
	}
	round(left(), false) // all that are left can be used
	if len(completed) != posted {
		t.Fatalf("%d receives of %d completed", len(completed), posted)
	}
	s.Free()
}

func TestAConfirmationThatComesWhileAConnectionEndsIsNotWaitedFor(t *testing.T) {
	b := newBench(t)
	x, y := b.ep("x"), b.ep("y")
	b.connect(x, y, "x", "y")
	c := x.(*ep).conn
	c.once.Do(func() {
		c.stop(false)
		c.awaitFlush()
		c.closeQP()
		b.wantKind(rdma.ReportDisconnected, "y")
		b.await("the connection manager confirms the end", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.confirmed
		})
		c.cleanUp(true)
	})
	h := b.hardware()
	h.mu.RLock()
	defer h.mu.RUnlock()
	for o := range h.live {
		if o == &c.waiting.object {
			t.Error("the id waits for a confirmation that was there already")
		}
	}
}
