package soft

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a provider with two adapters and what they reported, in order.
type rig struct {
	*testing.T
	provider *Provider
	fabric   *Fabric
	ias      []rdma.IA
	mu       sync.Mutex
	seen     [][]rdma.Report
	zones    []rdma.Object
	wr       uint64
}

// run runs a test in a bubble of its own time, and fails it where something is left afterwards.
func run(t *testing.T, test func(r *rig), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, provider: New(2, opts...)}
		r.fabric = r.provider.Fabric()
		ias, err := r.provider.Open(t.Context())
		r.must(err)
		r.ias, r.seen = ias, make([][]rdma.Report, len(ias))
		for i, ia := range ias {
			z, err := ia.CreatePZ(dat.Handle(fmt.Sprint("pz", i)))
			r.must(err)
			r.zones = append(r.zones, z)
			go func() {
				for report := range ia.Reports() {
					r.mu.Lock()
					r.seen[i] = append(r.seen[i], report)
					r.mu.Unlock()
				}
			}()
		}
		defer func() {
			r.must(r.provider.Close())
			if c := r.fabric.Census(); c != (Census{}) {
				t.Errorf("the closed provider still holds %+v", c)
			}
		}()
		test(r)
	})
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// take waits until no goroutine runs and takes the reports of an adapter.
func (r *rig) take(ia int) []rdma.Report {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.seen[ia]
	r.seen[ia] = nil
	return got
}

// expect takes the reports of an adapter and compares them in short form.
func (r *rig) expect(ia int, want ...string) []rdma.Report {
	r.Helper()
	got := r.take(ia)
	var short []string
	for _, g := range got {
		short = append(short, brief(g))
	}
	if fmt.Sprint(short) != fmt.Sprint(want) {
		r.Fatalf("soft%d reported\n %q\nwant\n %q", ia, short, want)
	}
	return got
}

var kindNames = map[rdma.ReportKind]string{
	rdma.ReportRequest: "request", rdma.ReportRequestGone: "request gone", rdma.ReportEstablished: "established",
	rdma.ReportPeerRejected: "peer rejected", rdma.ReportNonPeerRejected: "non peer rejected",
	rdma.ReportUnreachable: "unreachable", rdma.ReportAcceptFailed: "accept failed",
	rdma.ReportDisconnected: "disconnected", rdma.ReportBroken: "broken", rdma.ReportEPError: "ep error",
	rdma.ReportRecvTaken: "taken", rdma.ReportSRQLimit: "srq limit", rdma.ReportPort: "port",
	rdma.ReportDeviceGone: "device gone", rdma.ReportDeviceBack: "device back", rdma.ReportProbe: "probe",
	rdma.ReportReset: "reset",
}

// brief returns a report in a few words: `established`, `SEND 3 DAT_DTO_SUCCESS`.
func brief(g rdma.Report) string {
	switch g.Kind {
	case rdma.ReportCompletion:
		return fmt.Sprintf("%s %d %s", g.Operation, g.WR, g.Status)
	case rdma.ReportRecvTaken:
		return fmt.Sprintf("taken %d", g.WR)
	case rdma.ReportProbe:
		return fmt.Sprintf("probe %s", g.Status)
	}
	return kindNames[g.Kind]
}

// ep creates an endpoint with 16 DTOs each way and 4 reads.
func (r *rig) ep(ia int, name string, change ...func(*rdma.EPParams)) rdma.EP {
	r.Helper()
	p := rdma.EPParams{PZ: r.zones[ia], Attributes: dat.EPAttributes{
		MaxRecvDTOs: 16, MaxRequestDTOs: 16, MaxRDMAReadIn: 4, MaxRDMAReadOut: 4,
	}}
	for _, c := range change {
		c(&p)
	}
	e, err := r.ias[ia].CreateEP(dat.Handle(name), p)
	r.must(err)
	return e
}

// request lets active ask for qual at soft1 and returns the request.
func (r *rig) request(active rdma.EP, qual int32) rdma.ConnRequest {
	r.Helper()
	r.must(active.Connect(rdma.Connect{RemoteAddress: "10.77.0.2", RemoteQual: qual, PrivateData: []byte("hello")}))
	got := r.take(1)
	if len(got) != 1 || got[0].Kind != rdma.ReportRequest {
		r.Fatalf("no request arrived: %v", got)
	}
	return got[0].Request
}

// pair connects two endpoints, a on soft0 and b on soft1.
func (r *rig) pair(change ...func(*rdma.EPParams)) (a, b rdma.EP) {
	r.Helper()
	a, b = r.ep(0, "a", change...), r.ep(1, "b", change...)
	r.connect(a, b)
	return a, b
}

// connect connects a to b through a service point that it frees again.
func (r *rig) connect(a, b rdma.EP) {
	r.Helper()
	l, err := r.ias[1].Listen("sp", 0, false)
	r.must(err)
	r.must(r.request(a, l.Qual()).Accept(b, []byte("accepted")))
	l.Free()
	r.expect(0, "established")
	r.expect(1, "established")
}

// recvs makes n receives of size bytes with the next WR ids.
func (r *rig) recvs(n int, size int64) (all []rdma.Recv) {
	for range n {
		r.wr++
		all = append(all, rdma.Recv{WR: r.wr, Size: size})
	}
	return all
}

// sends makes a send of each text with the next WR ids.
func (r *rig) sends(texts ...string) (all []rdma.Request) {
	for _, text := range texts {
		r.wr++
		all = append(all, rdma.Request{WR: r.wr, Kind: dat.KindSend, Data: []byte(text)})
	}
	return all
}
