//go:build verbs && rxe

package verbs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// waitLimit is how long a test waits for something that must happen. It ends a test that
// hangs, and is longer than any machine is slow.
const waitLimit = 2 * time.Minute

// bench is an open IA of the device under test, with what it reported.
type bench struct {
	t   testing.TB
	p   *Provider
	ia  rdma.IA
	pz  rdma.Object
	evd rdma.EVD
	log []rdma.Report
}

// deviceName returns the device under test (DATAPI_TEST_DEVICE, as rxe0).
func deviceName(t testing.TB) string {
	t.Helper()
	name := os.Getenv("DATAPI_TEST_DEVICE")
	if name == "" {
		t.Fatal("DATAPI_TEST_DEVICE does not name an RDMA device")
	}
	return name
}

// newBench opens the provider and finds the IA of the device under test.
func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{t: t, p: New()}
	ias, err := b.p.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.p.Close() })
	for _, ia := range ias {
		if ia.Device() == deviceName(t) {
			b.ia = ia
		}
	}
	if b.ia == nil {
		t.Fatalf("no IA of %s among %d", deviceName(t), len(ias))
	}
	b.makeParents()
	return b
}

// makeParents creates the zone and the EVD that the endpoints use.
func (b *bench) makeParents() {
	b.t.Helper()
	var err error
	if b.pz, err = b.ia.CreatePZ("pz"); err != nil {
		b.t.Fatal(err)
	}
	if b.evd, err = b.ia.CreateEVD("evd", 64, []dat.Stream{dat.StreamDTO, dat.StreamRMRBind}); err != nil {
		b.t.Fatal(err)
	}
}

// ep creates an endpoint with 8 DTOs each way and 4 reads, on the bench's EVD.
func (b *bench) ep(id dat.Handle) rdma.EP {
	return b.epOn(id, b.evd)
}

// epOn creates such an endpoint on another EVD.
func (b *bench) epOn(id dat.Handle, evd rdma.EVD) rdma.EP {
	e, err := b.ia.CreateEP(id, rdma.EPParams{PZ: b.pz, RecvEVD: evd, RequestEVD: evd, Attributes: dat.EPAttributes{
		MaxRecvDTOs: 8, MaxRequestDTOs: 8, MaxRecvIOV: 1, MaxRequestIOV: 1, MaxRDMAReadIn: 4, MaxRDMAReadOut: 4,
	}})
	if err != nil {
		b.t.Helper() // only here, as in must
		b.t.Fatal(err)
	}
	return e
}

// want waits for the first report that matches and takes it out of the log.
func (b *bench) want(what string, match func(rdma.Report) bool) rdma.Report {
	b.t.Helper()
	late := time.After(waitLimit)
	for {
		for i, r := range b.log {
			if match(r) {
				b.log = append(b.log[:i:i], b.log[i+1:]...)
				return r
			}
		}
		select {
		case r, ok := <-b.ia.Reports():
			if !ok {
				b.t.Fatalf("%s: the reports ended", what)
			}
			b.log = append(b.log, r)
		case <-late:
			b.t.Fatalf("%s: nothing for %v; there were %+v", what, waitLimit, b.log)
		}
	}
}

// wantKind waits for the first report of a kind about an endpoint.
func (b *bench) wantKind(kind rdma.ReportKind, ep dat.Handle) rdma.Report {
	b.t.Helper()
	return b.want("report", func(r rdma.Report) bool { return r.Kind == kind && r.EP == ep })
}

// wantCompletion waits for the completion of a work request and demands its status.
func (b *bench) wantCompletion(ep dat.Handle, wr uint64, status dat.DTOStatus) rdma.Report {
	b.t.Helper()
	r := b.want("completion", func(r rdma.Report) bool { return r.Kind == rdma.ReportCompletion && r.EP == ep && r.WR == wr })
	if r.Status != status {
		b.t.Fatalf("completion %d of %s is %v (%s), want %v", wr, ep, r.Status, r.Reason, status)
	}
	return r
}

func (b *bench) must(err error) {
	if err != nil {
		b.t.Helper() // only here: it looks for its caller, which takes as long as posting
		b.t.Fatal(err)
	}
}

// connect connects two endpoints of one device.
func (b *bench) connect(from, to rdma.EP, fromID, toID dat.Handle) {
	b.t.Helper()
	l, err := b.ia.Listen("sp", 0, false)
	b.must(err)
	defer l.Free()
	attributes, _ := b.ia.Attributes()
	b.must(from.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: l.Qual(), PrivateData: []byte("hello")}))
	r := b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	if !bytes.HasPrefix(r.PrivateData, []byte("hello")) {
		b.t.Fatalf("private data %q of the request", r.PrivateData)
	}
	b.must(r.Request.Accept(to, []byte("accepted")))
	if r := b.wantKind(rdma.ReportEstablished, fromID); !bytes.HasPrefix(r.PrivateData, []byte("accepted")) {
		b.t.Fatalf("private data %q of the answer", r.PrivateData)
	}
	b.wantKind(rdma.ReportEstablished, toID)
}

// census returns the kernel's count of the device's objects. The library keeps its
// context of a device, so contexts are left out.
func census(t testing.TB) map[string]uint64 {
	t.Helper()
	now, err := Census(deviceName(t))
	if err != nil {
		t.Fatal(err)
	}
	delete(now, "ctx")
	return now
}

// leftover waits until the kernel counts what it counted before. It returns "", or after
// waitLimit a text with both counts.
func leftover(t testing.TB, before map[string]uint64) string {
	t.Helper()
	late := time.Now().Add(waitLimit)
	for {
		now := census(t)
		if maps.Equal(now, before) {
			return ""
		}
		if time.Now().After(late) {
			return fmt.Sprintf("%v, before it was %v", now, before)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// link runs rdma or another program of the guest, which must succeed.
func link(t testing.TB, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v %s", program, args, err, out)
	}
}
