//go:build verbs

package verbs

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// TestAnEventReachesTheObjectThatItIsAboutAlone: the ports of a device share its events, and each numbers
// its own objects.
func TestAnEventReachesTheObjectThatItIsAboutAlone(t *testing.T) { // D23
	p := New()
	keys := map[uint64]devicePort{}
	var ports []*adapter
	for _, port := range []devicePort{{"mlx5_0", 1}, {"mlx5_0", 2}, {"mlx5_1", 1}} {
		a := newAdapter(p, port)
		a.hw = &hardware{ia: a, srqs: map[uint64]*srq{}, cqs: map[uint64]*cq{}, connsByKey: map[uint64]*conn{}}
		p.adapters[port] = a
		ports = append(ports, a)
		for range 3 {
			key := a.hw.newKey()
			if other, given := keys[key]; given {
				t.Fatalf("the key %d names an object of %v and one of %v", key, other, port)
			}
			keys[key] = port
			s := &srq{}
			s.id = dat.Handle(port.iaName())
			a.hw.srqs[key] = s
		}
	}
	for key, port := range keys {
		p.dispatchAsync(port.device, asyncEvent{kind: asyncSRQErr, key: key})
	}
	for _, a := range ports {
		for range 3 {
			if r := <-a.Reports(); r.Kind != rdma.ReportSRQError || r.SRQ != dat.Handle(a.iaName()) {
				t.Errorf("%s reports %+v", a.iaName(), r)
			}
		}
		a.reports.Put(rdma.Report{Kind: rdma.ReportPort})
		if r := <-a.Reports(); r.Kind != rdma.ReportPort {
			t.Errorf("%s reports %+v beyond its 3 SRQs", a.iaName(), r)
		}
		a.reports.Close()
	}
}
