//go:build verbs && rxe

package verbs

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func TestDataFlowsAndNothingLeaks(t *testing.T) {
	b := newBench(t)
	b.pz.Free()
	b.evd.Free()
	before := census(t)
	b.makeParents()
	for round := range 3 {
		x, y := b.ep("x"), b.ep("y")
		b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: 64}, {WR: 2, Size: 64}}))
		b.connect(x, y, "x", "y")
		if s := x.Transport(); s.QPState == nil || *s.QPState != "RTS" {
			t.Fatalf("round %d: the QP of a connected endpoint is %v", round, s)
		}
		b.must(x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: []byte("ping")}}))
		b.wantCompletion("x", 10, dat.DTOSuccess)
		if r := b.wantCompletion("y", 1, dat.DTOSuccess); string(r.Payload) != "ping" || r.Length != 4 {
			t.Fatalf("round %d: received %q of %d bytes", round, r.Payload, r.Length)
		}
		b.must(x.Probe())
		b.want("probe", func(r rdma.Report) bool { return r.Kind == rdma.ReportProbe && r.Status == dat.DTOSuccess })
		x.Disconnect()
		b.wantKind(rdma.ReportDisconnected, "y")
		b.wantCompletion("y", 2, dat.DTOErrFlushed)
		b.must(y.PostRecv([]rdma.Recv{{WR: 3, Size: 8}}))
		b.wantCompletion("y", 3, dat.DTOErrFlushed)
		x.Free()
		y.Free()
		x.Free()
	}
	b.pz.Free()
	b.evd.Free()
	if left := leftover(t, before); left != "" {
		t.Fatalf("the kernel counts %s", left)
	}
}

func TestRDMAReachesTheMemoryOfThePeer(t *testing.T) {
	b := newBench(t)
	rights := []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead, dat.PrivRemoteWrite}
	m, err := b.ia.CreateLMR("m", rdma.LMRSpec{PZ: b.pz, Length: 8192, Privileges: rights})
	b.must(err)
	n, err := b.ia.CreateLMR("n", rdma.LMRSpec{PZ: b.pz, Length: 8192, Privileges: rights})
	b.must(err)
	x, y := b.ep("x"), b.ep("y")
	b.connect(x, y, "x", "y")
	_, err = m.WriteAt([]byte("over there"), 100)
	b.must(err)
	key, at := n.Context()
	b.must(x.Post([]rdma.Request{{WR: 1, Kind: dat.KindRDMAWrite, LMR: m, Offset: 100, Length: 10, RemoteContext: key, RemoteAddress: at + 8}}))
	b.wantCompletion("x", 1, dat.DTOSuccess)
	b.must(x.Post([]rdma.Request{{WR: 2, Kind: dat.KindRDMARead, LMR: m, Offset: 4000, Length: 10, RemoteContext: key, RemoteAddress: at + 8}}))
	b.wantCompletion("x", 2, dat.DTOSuccess)
	got := make([]byte, 10)
	_, err = m.ReadAt(got, 4000)
	b.must(err)
	if string(got) != "over there" {
		t.Fatalf("read back %q", got)
	}
	// An iWARP write completes when it is sent; only a read hears of the refusal.
	b.must(x.Post([]rdma.Request{{WR: 3, Kind: dat.KindRDMARead, LMR: m, Length: 10, RemoteContext: key ^ 0xffff00, RemoteAddress: at}}))
	r := b.want("the refusal", func(r rdma.Report) bool { return r.EP == "x" })
	t.Logf("a read with a wrong key: %v %v %s", r.Kind, r.Status, r.Reason)
	x.Free()
	y.Free()
	m.Free()
	n.Free()
}

func TestWindowsAreBoundAndUnbound(t *testing.T) {
	b := newBench(t)
	attributes, _ := b.ia.Attributes()
	if attributes.MaxRMRs == 0 {
		_, err := b.ia.CreateRMR("w", b.pz)
		if e, ok := err.(*dat.Error); !ok || e.Return != dat.RetModelNotSupported {
			t.Fatalf("a device without windows answers %v, want DAT_MODEL_NOT_SUPPORTED", err)
		}
		return
	}
	rights := []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead, dat.PrivRemoteWrite}
	m, err := b.ia.CreateLMR("m", rdma.LMRSpec{PZ: b.pz, Length: 4096, Privileges: rights[:2]})
	b.must(err)
	w, err := b.ia.CreateRMR("w", b.pz)
	b.must(err)
	x, y := b.ep("x"), b.ep("y")
	b.connect(x, y, "x", "y")
	b.must(y.Post([]rdma.Request{{WR: 1, Kind: dat.KindRMRBind, RMR: w, LMR: m, Offset: 64, Length: 128, Privileges: rights[2:]}}))
	bound := b.wantCompletion("y", 1, dat.DTOSuccess)
	write := rdma.Request{WR: 2, Kind: dat.KindRDMAWrite, LMR: m, Length: 8, RemoteContext: bound.RMRContext, RemoteAddress: bound.TargetAddress}
	b.must(x.Post([]rdma.Request{write}))
	b.wantCompletion("x", 2, dat.DTOSuccess)
	b.must(y.Post([]rdma.Request{{WR: 3, Kind: dat.KindRMRBind, RMR: w}}))
	b.wantCompletion("y", 3, dat.DTOSuccess)
	write.WR = 4
	b.must(x.Post([]rdma.Request{write}))
	b.wantCompletion("x", 4, dat.DTOErrRemoteAccess)
	x.Free()
	y.Free()
	w.Free()
	m.Free()
}

func TestSharedReceiveQueueFeedsTwoEndpointsAndFiresItsMark(t *testing.T) {
	b := newBench(t)
	s, err := b.ia.CreateSRQ("s", b.pz, 16, 1)
	b.must(err)
	b.must(s.PostRecv([]rdma.Recv{{WR: 1, Size: 32}, {WR: 2, Size: 32}, {WR: 3, Size: 32}}))
	b.must(s.SetLowWatermark(2))
	y, err := b.ia.CreateEP("y", rdma.EPParams{
		PZ: b.pz, RecvEVD: b.evd, RequestEVD: b.evd, SRQ: s,
		Attributes: dat.EPAttributes{MaxRequestDTOs: 4, MaxRequestIOV: 1, MaxRecvIOV: 1},
	})
	b.must(err)
	x := b.ep("x")
	b.connect(x, y, "x", "y")
	b.must(x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: []byte("one")}, {WR: 11, Kind: dat.KindSend, Data: []byte("two")}}))
	b.wantCompletion("x", 10, dat.DTOSuccess)
	if r := b.wantCompletion("y", 1, dat.DTOSuccess); string(r.Payload) != "one" {
		t.Fatalf("received %q", r.Payload)
	}
	b.wantCompletion("y", 2, dat.DTOSuccess)
	b.want("low watermark", func(r rdma.Report) bool { return r.Kind == rdma.ReportSRQLimit && r.SRQ == "s" })
	x.Free()
	b.wantKind(rdma.ReportDisconnected, "y")
	y.Free()
	s.Free()
}

func TestRefusalsAreTold(t *testing.T) {
	b := newBench(t)
	attributes, _ := b.ia.Attributes()
	x := b.ep("x")
	b.must(x.PostRecv([]rdma.Recv{{WR: 1, Size: 8}}))
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4242}))
	b.wantKind(rdma.ReportNonPeerRejected, "x")
	b.wantCompletion("x", 1, dat.DTOErrFlushed)
	l, err := b.ia.Listen("sp", 4243, false)
	b.must(err)
	if _, err := b.ia.Listen("sp2", 4243, false); err == nil || err.(*dat.Error).Return != dat.RetConnQualInUse {
		t.Fatalf("a second listener answers %v, want DAT_CONN_QUAL_IN_USE", err)
	}
	b.must(x.Reset())
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4243}))
	r := b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	r.Request.Reject(true, []byte("no"))
	if r := b.wantKind(rdma.ReportPeerRejected, "x"); !bytes.HasPrefix(r.PrivateData, []byte("no")) {
		t.Fatalf("private data %q of the rejection", r.PrivateData)
	}
	b.must(x.Reset())
	b.must(x.Connect(rdma.Connect{RemoteAddress: *attributes.IAAddress, RemoteQual: 4243}))
	r = b.want("request", func(r rdma.Report) bool { return r.Kind == rdma.ReportRequest })
	// The kernel tells of a vanished peer only when its request is accepted (T46, T15).
	x.Disconnect()
	y := b.ep("y")
	b.must(r.Request.Accept(y, nil))
	// On iWARP the aborted side still answers until its kernel has given up: then the connection comes up and ends.
	b.want("the end of the accepted endpoint", func(r rdma.Report) bool {
		return r.EP == "y" && (r.Kind == rdma.ReportAcceptFailed || r.Kind == rdma.ReportDisconnected)
	})
	l.Free()
	x.Free()
	y.Free()
}

func TestFailuresHaveTheirStatus(t *testing.T) {
	b := newBench(t)
	x, y := b.ep("x"), b.ep("y")
	b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: 4}}))
	b.connect(x, y, "x", "y")
	b.must(x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: []byte("longer than four")}}))
	b.wantCompletion("y", 1, dat.DTOErrLocalLength)
	r := b.want("the sender's completion", func(r rdma.Report) bool { return r.Kind == rdma.ReportCompletion && r.EP == "x" })
	t.Logf("too long a message: the sender sees %v (%s)", r.Status, r.Reason)
	x.Disconnect()
	y.Disconnect()
	b.must(x.Reset())
	b.must(y.Reset())
	b.log = nil
	z, err := b.ia.CreatePZ("z")
	b.must(err)
	b.must(y.PostRecv([]rdma.Recv{{WR: 2, Size: 64}}))
	b.must(y.Modify(rdma.EPParams{PZ: z, RecvEVD: b.evd, RequestEVD: b.evd, Attributes: dat.EPAttributes{MaxRecvDTOs: 8, MaxRequestDTOs: 8}}))
	b.connect(x, y, "x", "y")
	b.must(x.Post([]rdma.Request{{WR: 11, Kind: dat.KindSend, Data: []byte("hello")}}))
	b.wantCompletion("y", 2, dat.DTOErrLocalProtection)
	x.Free()
	y.Free()
	z.Free()
}

func TestADeviceGoesAndComesBack(t *testing.T) {
	b := newBench(t)
	x, y := b.ep("x"), b.ep("y")
	b.connect(x, y, "x", "y")
	b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: 8}}))
	link(t, "rdma", "link", "delete", deviceName(t))
	b.want("gone", func(r rdma.Report) bool { return r.Kind == rdma.ReportDeviceGone })
	if s, why := b.ia.State(); s != dat.IAGone || why == "" {
		t.Fatalf("the IA of a device that is gone is %v (%s)", s, why)
	}
	b.wantCompletion("y", 1, dat.DTOErrFlushed)
	if _, err := b.ia.CreatePZ("q"); err == nil || err.(*dat.Error).Kind != "ia-gone" {
		t.Fatalf("a call on it answers %v, want ia-gone", err)
	}
	x.Free()
	y.Free()
	name := deviceName(t)
	kind, netdev := name[:3], map[string]string{"rxe0": "dummy0", "siw0": "dummy1"}[name]
	link(t, "rdma", "link", "add", name, "type", kind, "netdev", netdev)
	b.want("back", func(r rdma.Report) bool { return r.Kind == rdma.ReportDeviceBack })
	b.makeParents()
	x, y = b.ep("x"), b.ep("y")
	b.connect(x, y, "x", "y")
	x.Free()
	y.Free()
}

// TestSettingsReachTheQueuePair: what endpoints ask for by name is what their queue pairs have.
func TestSettingsReachTheQueuePair(t *testing.T) {
	b := newBench(t)
	_, provider := b.ia.Attributes()
	declared := provider.ProviderSpecificAttr
	inline, err := strconv.Atoi(declared["max_inline_data"])
	if err != nil || inline < 32 {
		t.Fatalf("max_inline_data is %q", declared["max_inline_data"])
	}
	vectors, err := strconv.Atoi(declared["comp_vectors"])
	if err != nil || vectors < 1 {
		t.Fatalf("comp_vectors is %q", declared["comp_vectors"])
	}
	asked := map[string]string{"max_inline_data": strconv.Itoa(inline), "comp_vector": strconv.Itoa(vectors - 1)}
	hasTimer := declared["min_rnr_timer"] == "SETTABLE"
	if hasTimer {
		asked["min_rnr_timer"] = "14"
	}
	make := func(id dat.Handle) *ep {
		e, err := b.ia.CreateEP(id, rdma.EPParams{
			PZ: b.pz, RecvEVD: b.evd, RequestEVD: b.evd,
			Attributes: dat.EPAttributes{MaxRecvDTOs: 8, MaxRequestDTOs: 8, MaxRequestIOV: 1, MaxRecvIOV: 1, EPProviderSpecific: asked},
		})
		b.must(err)
		return e.(*ep)
	}
	x, y := make("x"), make("y")
	b.must(y.PostRecv([]rdma.Recv{{WR: 1, Size: int64(inline)}}))
	b.connect(x, y, "x", "y")
	for _, e := range []*ep{x, y} {
		c := e.conn
		if c.inline < uint32(inline) {
			t.Errorf("%s: %d bytes fit inline, want %d", e.id, c.inline, inline)
		}
		if got := c.sendQ.cq.vector; got != vectors-1 {
			t.Errorf("%s: completions come by vector %d, want %d", e.id, got, vectors-1)
		}
		if got := c.id.minRNRTimer(); hasTimer && got != 14 {
			t.Errorf("%s: min_rnr_timer is %d, want 14", e.id, got)
		}
	}
	b.must(x.Post([]rdma.Request{{WR: 10, Kind: dat.KindSend, Data: bytes.Repeat([]byte("i"), inline)}}))
	b.wantCompletion("x", 10, dat.DTOSuccess)
	if r := b.wantCompletion("y", 1, dat.DTOSuccess); r.Length != int64(inline) {
		t.Errorf("%d bytes came of a message that was sent inline", r.Length)
	}
	x.Free()
	y.Free()
}

func TestQueuesAreSpreadOverTheCompletionVectors(t *testing.T) {
	b := newBench(t)
	h, err := b.ia.(*adapter).hardware()
	b.must(err)
	seen := map[int]bool{}
	for range h.ctx.vectors() {
		seen[h.vector(anyVector)] = true
	}
	if len(seen) != h.ctx.vectors() {
		t.Errorf("%d queues are on the vectors %v, want %d vectors", h.ctx.vectors(), seen, h.ctx.vectors())
	}
}
