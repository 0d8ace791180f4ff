package rdmatest

import (
	"encoding/json"
	"net/netip"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

var attributeCases = []Case{
	{"D24", "every attribute has a value that means something", func(w *World) {
		for _, ia := range []dat.Handle{w.A, w.B} {
			a, p := w.facts(ia).Attributes, w.facts(ia).Provider
			for name, n := range map[string]int64{
				"max_eps": int64(a.MaxEPs), "max_dto_per_ep": int64(a.MaxDTOPerEP), "max_evds": int64(a.MaxEVDs),
				"max_evd_qlen": int64(a.MaxEVDQLen), "max_iov_segments_per_dto": int64(a.MaxIOVSegmentsPerDTO),
				"max_lmrs": int64(a.MaxLMRs), "max_pzs": int64(a.MaxPZs), "max_message_size": a.MaxMessageSize,
				"max_rdma_size": a.MaxRDMASize, "optimal_buffer_alignment": int64(p.OptimalBufferAlignment),
			} {
				if n <= 0 {
					w.Errorf("%s: %s is %d", ia, name, n)
				}
			}
			if p.ProviderName == "" || p.IOVOwnershipOnReturn == "" || p.PZSupport == "" || p.HALoadbalancing == "" {
				w.Errorf("%s leaves a name of a choice empty: %+v", ia, p)
			}
			if 256%p.OptimalBufferAlignment != 0 {
				w.Errorf("%s: 256 is not divisible by optimal_buffer_alignment %d", ia, p.OptimalBufferAlignment)
			}
			for _, v := range []any{a, p} {
				if _, err := json.Marshal(v); err != nil {
					w.Errorf("%s: %v", ia, err)
				}
			}
		}
	}},
	{"D25", "the SRQ limits are real where SRQs are supported", func(w *World) {
		a, p := w.facts(w.A).Attributes, w.facts(w.A).Provider
		if p.SRQSupported && (a.MaxSRQs <= 0 || a.MaxEPPerSRQ <= 0 || a.MaxRecvPerSRQ <= 0) {
			w.Errorf("SRQs are supported, but the limits are %d, %d, %d", a.MaxSRQs, a.MaxEPPerSRQ, a.MaxRecvPerSRQ)
		}
		if !p.SRQSupported {
			_, err := w.M.CreateSRQ(w.ctx, call, manager.SRQCreate{IA: w.A, PZ: w.pz(w.A), MaxRecvDTOs: 1, MaxRecvIOV: 1})
			w.refused("an SRQ without support", err, dat.RetModelNotSupported, dat.SubNone)
		}
	}},
	{"D26", "private data of the declared size arrives whole; 64 bytes at least unless the wire has 56", func(w *World) {
		size := int(w.facts(w.A).Provider.MaxPrivateDataSize)
		if size < 64 && size != 56 {
			w.Errorf("max_private_data_size is %d", size)
		}
		a, b := w.end(w.A), w.end(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.to()
		in.PrivateData = make([]byte, size+1)
		_, err := w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.refused("private data beyond the limit", err, dat.RetInvalidParameter, dat.SubNone)
		for i := range in.PrivateData {
			in.PrivateData[i] = byte(i + 1)
		}
		in.PrivateData = in.PrivateData[:size]
		_, err = w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.must(err)
		cr := p.request()
		if string(cr.PrivateData[:min(size, len(cr.PrivateData))]) != string(in.PrivateData) {
			w.Errorf("the request carries %d bytes of private data, %d were sent", len(cr.PrivateData), size)
		}
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.ep, PrivateData: []byte("welcome")})
		w.must(err)
		got := w.expect(a.conn, dat.EventEstablished)
		if len(got.Data.PrivateData) < 7 || string(got.Data.PrivateData[:7]) != "welcome" {
			w.Errorf("the accept carries %q", got.Data.PrivateData)
		}
		w.reach(b.ep, dat.EPConnected)
	}},
	{"D27", "the completion flags that dat_ia_query demands are declared", func(w *World) {
		has := map[dat.CompletionFlag]bool{}
		for _, f := range w.facts(w.A).Provider.CompletionFlagsSupported {
			has[f] = true
		}
		for _, f := range []dat.CompletionFlag{dat.CompletionSuppress, dat.CompletionUnsignalled, dat.CompletionSolicitedWait, dat.CompletionBarrierFence} {
			if !has[f] {
				w.Errorf("%s is not declared", f)
			}
		}
	}},
	{"D28 T10 T11", "ep_creator tells which service points work", func(w *World) {
		creator := w.facts(w.B).Provider.EPCreator
		for flag, able := range map[dat.PSPFlag]bool{
			dat.PSPConsumer: creator != dat.EPCreatorAlways, dat.PSPProvider: creator != dat.EPCreatorNever,
		} {
			evd := w.evd(w.B, dat.StreamCR)
			o, err := w.M.CreatePSP(w.ctx, call, manager.PSPCreate{IA: w.B, EVD: evd, EPCreator: flag})
			if able {
				made(w, o, err)
			} else {
				w.refused("a PSP with "+flag.String(), err, dat.RetModelNotSupported, dat.SubNone)
			}
		}
	}},
	{"D29", "multipath is offered only where it is declared", func(w *World) {
		if w.facts(w.A).Provider.SupportsMultipath {
			return
		}
		a := w.end(w.A)
		in := w.listen(w.B, dat.PSPConsumer).to()
		in.ConnectFlags = ptr("MULTIPATH")
		_, err := w.M.ConnectEP(w.ctx, call, a.ep, in)
		w.refused("MULTIPATH", err, dat.RetModelNotSupported, dat.SubNone)
	}},
	{"D30", "the merging matrix is whole, symmetric, and true on its diagonal", func(w *World) {
		m := w.facts(w.A).Provider.EVDStreamMergingSupported
		for a := dat.StreamSoftware; a <= dat.StreamAsync; a++ {
			for b := dat.StreamSoftware; b <= dat.StreamAsync; b++ {
				got, there := m[a][b]
				if !there || got != m[b][a] || a == b && !got {
					w.Errorf("[%s][%s] is %v", a, b, got)
				}
			}
		}
	}},
	{"D31", "the highest addresses are addresses, and regions lie below them", func(w *World) {
		a := w.facts(w.A).Attributes
		if a.MaxLMRVirtualAddress <= a.MaxLMRBlockSize || a.MaxRMRTargetAddress < 1<<32-1 {
			w.Errorf("max_lmr_virtual_address is %d, max_rmr_target_address %d, a block %d bytes",
				a.MaxLMRVirtualAddress, a.MaxRMRTargetAddress, a.MaxLMRBlockSize)
		}
	}},
	{"D32", "the names of adapter and vendor are filled, the address is one", func(w *World) {
		a := w.facts(w.A).Attributes
		if a.AdapterName == "" || a.VendorName == "" {
			w.Errorf("adapter_name is %q, vendor_name %q", a.AdapterName, a.VendorName)
		}
		if _, err := netip.ParseAddr(w.address(w.A)); err != nil {
			w.Error(err)
		}
	}},
	{"D34", "attribute counts agree with the lists that they count", func(w *World) {
		a, p := w.facts(w.A).Attributes, w.facts(w.A).Provider
		if a.NumTransportAttr != len(a.TransportAttr) || a.NumVendorAttr != len(a.VendorAttr) ||
			p.NumProviderSpecificAttr != len(p.ProviderSpecificAttr) {
			w.Errorf("the counts are %d, %d, %d", a.NumTransportAttr, a.NumVendorAttr, p.NumProviderSpecificAttr)
		}
	}},
	{"D39 T44 T45", "the use of an adapter counts objects of every type", func(w *World) {
		before, _ := w.M.IA(w.B)
		e := w.end(w.B)
		w.reserve(e)
		w.listen(w.B, dat.PSPConsumer)
		w.memory(w.B, e.pz, 64)
		srqs := 0
		if w.facts(w.B).Provider.SRQSupported {
			w.srq(w.B, e.pz, 4)
			srqs = 1
		}
		after, _ := w.M.IA(w.B)
		u, v := before.Usage, after.Usage
		if v.Endpoints != u.Endpoints+1 || v.PZs != u.PZs+1 || v.EVDs != u.EVDs+5 || v.SRQs != u.SRQs+srqs ||
			v.LMRs != u.LMRs+1 || v.PSPs != u.PSPs+1 || v.RSPs != u.RSPs+1 {
			w.Errorf("the use went from %+v to %+v", u, v)
		}
	}},
}
