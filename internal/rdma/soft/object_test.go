package soft

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

func TestEveryAttributeIsFilledSensibly(t *testing.T) { // D24–D32
	run(t, func(r *rig) {
		a, p := r.ias[0].Attributes()
		for name, n := range map[string]int64{
			"max_eps": int64(a.MaxEPs), "max_dto_per_ep": int64(a.MaxDTOPerEP), "max_evds": int64(a.MaxEVDs),
			"max_evd_qlen": int64(a.MaxEVDQLen), "max_pzs": int64(a.MaxPZs), "max_message_size": a.MaxMessageSize,
			"max_rdma_size": a.MaxRDMASize, "max_srqs": int64(a.MaxSRQs), "max_ep_per_srq": int64(a.MaxEPPerSRQ),
			"max_recv_per_srq": int64(a.MaxRecvPerSRQ), "max_rdma_read_in": int64(a.MaxRDMAReadIn),
			"firmware_version_major": int64(a.FirmwareVersionMajor), "max_private_data_size": int64(p.MaxPrivateDataSize) - 63,
		} {
			if n <= 0 {
				t.Errorf("%s is too small by %d", name, 1-n)
			}
		}
		if a.NumTransportAttr != len(a.TransportAttr) || a.NumVendorAttr != len(a.VendorAttr) ||
			p.NumProviderSpecificAttr != len(p.ProviderSpecificAttr) {
			t.Error("a count does not agree with its list")
		}
		if !p.EVDStreamMergingSupported[dat.StreamAsync][dat.StreamAsync] || p.EVDStreamMergingSupported[dat.StreamAsync][dat.StreamDTO] {
			t.Error("ASYNC merges with itself only")
		}
		for _, v := range []any{a, p} {
			if _, err := json.Marshal(v); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestExhaustedLimitIsInsufficientResources(t *testing.T) {
	run(t, func(r *rig) {
		r.ep(0, "one")
		_, err := r.ias[0].CreateEP("two", rdma.EPParams{})
		var refused *dat.Error
		if !errors.As(err, &refused) || refused.Return != dat.RetInsufficientResources || refused.Subtype != dat.SubResourceTEP {
			t.Fatalf("the second endpoint of one gave %v", err)
		}
	}, WithLimits(func(a *dat.IAAttributes) { a.MaxEPs = 1 }))
}

func TestListenTakesAQualifierOnce(t *testing.T) {
	run(t, func(r *rig) {
		l, err := r.ias[0].Listen("a", 7000, false)
		r.must(err)
		_, err = r.ias[0].Listen("b", 7000, false)
		var refused *dat.Error
		if !errors.As(err, &refused) || refused.Return != dat.RetConnQualInUse {
			t.Fatalf("a taken qualifier gave %v", err)
		}
		any, err := r.ias[0].Listen("b", 0, false)
		r.must(err)
		if any.Qual() < 1 || any.Qual() > 65535 {
			t.Fatalf("any qualifier is %d", any.Qual())
		}
		l.Free()
		l.Free()
		_, err = r.ias[0].Listen("c", 7000, false)
		r.must(err)
	})
}

func TestEverythingFreedLeavesNothing(t *testing.T) {
	run(t, func(r *rig) {
		a, b := r.pair()
		q, err := r.ias[0].CreateSRQ("srq", r.zones[0], 4, 1)
		r.must(err)
		d, err := r.ias[0].CreateEVD("evd", 8, nil)
		r.must(err)
		r.must(d.Resize(16))
		r.must(q.Resize(8))
		for _, o := range []rdma.Object{a, b, q, d, r.memory(0, 8), r.zones[0], r.zones[1]} {
			o.Free()
			o.Free()
		}
		if c := r.fabric.Census(); c != (Census{}) {
			t.Fatalf("%+v is left", c)
		}
	})
}

func TestTenThousandEndpointsConnectCheaply(t *testing.T) {
	run(t, func(r *rig) {
		l, err := r.ias[1].Listen("sp", 7000, false)
		r.must(err)
		const pairs = 5000
		for i := range pairs {
			a, b := r.ep(0, fmt.Sprint("a", i)), r.ep(1, fmt.Sprint("b", i))
			r.must(b.PostRecv(r.recvs(1, 8)))
			r.must(r.request(a, l.Qual()).Accept(b, nil))
			r.must(a.Post(r.sends("x")))
			r.expect(1, "established", brief(rdma.Report{Kind: rdma.ReportCompletion, WR: r.wr - 1}))
		}
		if n := len(r.take(0)); n != 2*pairs {
			t.Fatalf("%d reports at the active ends", n)
		}
		if c := r.fabric.Census(); c.EPs != 2*pairs || c.Connections != 2*pairs || c.Posted != 0 {
			t.Fatalf("the fabric holds %+v", c)
		}
	})
}
