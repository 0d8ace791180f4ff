//go:build verbs && rxe

package verbs

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// portRange is where the kernel has the local ports that it chooses among.
const portRange = "/proc/sys/net/ipv4/ip_local_port_range"

// The two local ports that there are for a test of ports that are taken.
const firstPort, lastPort = 40000, 40001

// onlyTwoPorts leaves those two ports to choose among until the test ends. What was open
// before keeps its own.
func (b *bench) onlyTwoPorts() {
	b.t.Helper()
	was, err := os.ReadFile(portRange)
	b.must(err)
	b.must(os.WriteFile(portRange, fmt.Appendf(nil, "%d %d", firstPort, lastPort), 0))
	b.t.Cleanup(func() { b.must(os.WriteFile(portRange, was, 0)) })
}

// portTaken lets TCP have a port of the device's address until the test ends: the port
// itself, so that its refusal is EADDRINUSE, or where to is not 0 a connection to that port
// of the same address, beside which others may use it to other ends: EADDRNOTAVAIL.
func (b *bench) portTaken(port, to uint16) {
	b.t.Helper()
	attributes, _ := b.ia.Attributes()
	here := netip.MustParseAddr(*attributes.IAAddress)
	if to == 0 {
		l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(here, port)))
		b.must(err)
		b.t.Cleanup(func() { _ = l.Close() })
		return
	}
	from := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(here, port))}
	from.Control = func(_, _ string, c syscall.RawConn) (err error) {
		if failed := c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) }); failed != nil {
			return failed
		}
		return err
	}
	c, err := from.DialContext(b.t.Context(), "tcp", netip.AddrPortFrom(here, to).String())
	b.must(err)
	b.t.Cleanup(func() { _ = c.Close() })
}

// bothPortsFree reports whether the connection manager has both ports to give: it takes ids
// off its list before it gives up their ports.
func (b *bench) bothPortsFree() bool {
	b.t.Helper()
	h := b.hardware()
	attributes, _ := b.ia.Attributes()
	here := netip.AddrPortFrom(netip.MustParseAddr(*attributes.IAAddress), 0)
	for range []int{firstPort, lastPort} {
		id, err := h.cm.createID(h.newKey())
		b.must(err)
		defer h.destroyID(id)
		if id.bind(here, 0) != nil {
			return false
		}
	}
	return true
}

// repeated returns how often the IA has asked again for a connection.
func (b *bench) repeated() uint64 { return b.ia.(*adapter).repeats.Load() }

// pairOver connects two endpoints over a service point, lets messages pass and frees both.
func (b *bench) pairOver(l rdma.Listener) {
	b.t.Helper()
	ids := census(b.t)["cm_id"]
	x, y := b.ep("x"), b.ep("y")
	b.must(x.PostRecv([]rdma.Recv{{WR: 1, Size: 64}})) // moves to the next id with the queue pair
	b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: 64}}))
	attributes, _ := b.ia.Attributes()
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: l.Qual(), PrivateData: []byte("hello")}))
	number := *x.Transport().QPNum
	r := b.want("a request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	if !bytes.HasPrefix(r.PrivateData, []byte("hello")) {
		b.t.Errorf("private data %q of the request", r.PrivateData)
	}
	b.must(r.Request.Accept(y, nil))
	b.wantKind(rdma.ReportEstablished, "x")
	b.wantKind(rdma.ReportEstablished, "y")
	if now := *x.Transport().QPNum; now != number {
		b.t.Errorf("the queue pair was %d and is %d", number, now)
	}
	b.must(x.Post([]rdma.Request{{WR: 2, Kind: dat.KindSend, Data: []byte("over")}}))
	b.wantCompletion("y", 1, dat.DTOSuccess)
	b.must(y.Post([]rdma.Request{{WR: 2, Kind: dat.KindSend, Data: []byte("back")}}))
	b.wantCompletion("x", 1, dat.DTOSuccess)
	x.Free()
	b.wantKind(rdma.ReportDisconnected, "y")
	y.Free()
	b.await("the connection manager has given up both ids", func() bool { return census(b.t)["cm_id"] == ids && b.bothPortsFree() })
	for _, r := range b.log {
		if r.Kind != rdma.ReportCompletion {
			b.t.Errorf("beside what a connection reports there is %+v", r)
		}
	}
	b.log = nil
}

func TestAConnectionIsAskedForAgainWhereTCPHasItsLocalPort(t *testing.T) {
	b := newBench(t)
	iwarp := b.hardware().iwarp
	b.onlyTwoPorts()
	b.portTaken(firstPort, 0)
	const most = 20 // the first port is chosen in every second connection, or by chance
	for n := 0; n < most && b.repeated() == 0; n++ {
		l, err := b.ia.Listen("sp", int32(4711+n), false) // TCP keeps the ends of the last connection for a while
		b.must(err)
		b.pairOver(l)
		l.Free()
	}
	if asked := b.repeated() > 0; asked != iwarp {
		t.Errorf("connections were asked for again %d times", b.repeated())
	}
	counters, err := b.ia.Counters()
	b.must(err)
	if n, there := counters["connects_asked_again"]; there != iwarp || n != b.repeated() {
		t.Errorf("the counters are %v", counters)
	}
}

func TestAConnectionIsAskedForAgainWhereTCPHasOneBetweenTheSamePorts(t *testing.T) {
	b := newBench(t)
	b.onlyTwoPorts()
	const most = 20
	for n := 0; n < most && b.repeated() == 0; n++ {
		qual := 4811 + n
		l, err := b.ia.Listen("sp", int32(qual), false)
		b.must(err)
		if b.hardware().iwarp { // elsewhere TCP does not know the service point
			b.portTaken(firstPort, uint16(qual))
		}
		b.pairOver(l)
		l.Free()
	}
	if asked := b.repeated() > 0; asked != b.hardware().iwarp {
		t.Errorf("connections were asked for again %d times", b.repeated())
	}
}

func TestAConnectionIsUnreachableWhereTCPHasEveryLocalPort(t *testing.T) {
	b := newBench(t)
	b.onlyTwoPorts()
	b.portTaken(firstPort, 0)
	b.portTaken(lastPort, 0)
	x := b.ep("x")
	b.must(x.PostRecv([]rdma.Recv{{WR: 1, Size: 64}}))
	attributes, _ := b.ia.Attributes()
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4911}))
	if !b.hardware().iwarp { // TCP's ports are not its
		b.wantKind(rdma.ReportNonPeerRejected, "x")
		return
	}
	r := b.wantKind(rdma.ReportUnreachable, "x")
	if r.Reason != "EADDRINUSE" || b.repeated() != mostRepeats {
		t.Errorf("asked for again %d times the connection ended with %+v", b.repeated(), r)
	}
	b.wantCompletion("x", 1, dat.DTOErrFlushed)
}

func TestAConnectionThatIsFreedWhileItIsAskedForAgainLeavesNothing(t *testing.T) {
	b := newBench(t)
	h := b.hardware()
	b.pz.Free()
	b.evd.Free()
	before := census(t)
	b.makeParents()
	b.onlyTwoPorts()
	b.portTaken(firstPort, 0)
	b.portTaken(lastPort, 0)
	attributes, _ := b.ia.Attributes()
	for range 20 {
		b.await("both ports are free", b.bothPortsFree)
		x, repeated := b.ep("x"), b.repeated()
		b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4911}))
		x.(*ep).mu.Lock()
		c := x.(*ep).conn
		x.(*ep).mu.Unlock()
		if h.iwarp {
			b.await("it is asked for again", func() bool { return b.repeated() > repeated })
		}
		x.Free()
		repeated = b.repeated()
		c.mu.Lock()
		_, again := c.askAgain(syscall.EADDRINUSE)
		c.mu.Unlock()
		if again || b.repeated() != repeated {
			t.Fatal("a connection that was freed is asked for again")
		}
	}
	b.pz.Free()
	b.evd.Free()
	if left := leftover(t, before); left != "" {
		t.Errorf("the kernel counts %s", left)
	}
}
