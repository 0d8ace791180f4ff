package rdmatest

import (
	"encoding/json"
	"net/netip"
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
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
				w.check(n > 0, "%s: %s is %d", ia, name, n)
			}
			w.check(p.ProviderName != "" && p.IOVOwnershipOnReturn != "" && p.PZSupport != "" && p.HALoadbalancing != "",
				"%s leaves a name of a choice empty: %+v", ia, p)
			w.check(256%p.OptimalBufferAlignment == 0, "%s: 256 is not divisible by optimal_buffer_alignment %d", ia, p.OptimalBufferAlignment)
			for _, v := range []any{a, p} {
				_, err := json.Marshal(v)
				w.succeeds("showing the attributes of "+string(ia), err)
			}
		}
	}},
	{"D25", "the SRQ limits are real where SRQs are supported", func(w *World) {
		a, p := w.facts(w.A).Attributes, w.facts(w.A).Provider
		if p.SRQSupported {
			w.check(a.MaxSRQs > 0 && a.MaxEPPerSRQ > 0 && a.MaxRecvPerSRQ > 0,
				"SRQs are supported, but the limits are %d, %d, %d", a.MaxSRQs, a.MaxEPPerSRQ, a.MaxRecvPerSRQ)
			return
		}
		_, err := w.M.CreateSRQ(w.ctx, call, manager.SRQCreate{IA: w.A, PZ: w.pz(w.A), MaxRecvDTOs: 1, MaxRecvIOV: 1})
		w.refused("an SRQ without support", err, dat.RetModelNotSupported, dat.SubNone)
	}},
	{"D26", "private data of the declared size arrives whole; 64 bytes at least unless the wire has 56", func(w *World) {
		size := int(w.facts(w.A).Provider.MaxPrivateDataSize)
		w.check(size >= 64 || size == 56, "max_private_data_size is %d", size)
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		p := w.listen(w.B, dat.PSPConsumer)
		in := p.connectInput()
		in.PrivateData = make([]byte, size+1)
		_, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.refused("private data beyond the limit", err, dat.RetInvalidParameter, dat.SubNone)
		for i := range in.PrivateData {
			in.PrivateData[i] = byte(i + 1)
		}
		in.PrivateData = in.PrivateData[:size]
		_, err = w.M.ConnectEP(w.ctx, call, a.id, in)
		w.succeeds("private data of the limit", err)
		cr := p.nextRequest()
		w.check(string(cr.PrivateData[:min(size, len(cr.PrivateData))]) == string(in.PrivateData),
			"the request carries %d bytes of private data, %d were sent", len(cr.PrivateData), size)
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{Endpoint: b.id, PrivateData: []byte("accepted")})
		w.must(err)
		got := w.expectEvent(a.conn, dat.EventEstablished).Data.PrivateData
		equal(w, "the private data of the accept", string(got[:min(8, len(got))]), "accepted")
		w.awaitState(b.id, dat.EPConnected)
	}},
	{"D27", "the completion flags that dat_ia_query demands are declared", func(w *World) {
		has := map[dat.CompletionFlag]bool{}
		for _, f := range w.facts(w.A).Provider.CompletionFlagsSupported {
			has[f] = true
		}
		for _, f := range []dat.CompletionFlag{dat.CompletionSuppress, dat.CompletionUnsignalled, dat.CompletionSolicitedWait, dat.CompletionBarrierFence} {
			w.check(has[f], "%s is not declared", f)
		}
	}},
	{"D28", "ep_creator says which service points work", func(w *World) {
		creator := w.facts(w.B).Provider.EPCreator
		for flag, able := range map[dat.PSPFlag]bool{
			dat.PSPConsumer: creator != dat.EPCreatorAlways, dat.PSPProvider: creator != dat.EPCreatorNever,
		} {
			evd := w.evd(w.B, dat.StreamCR)
			_, err := w.M.CreatePSP(w.ctx, call, manager.PSPCreate{IA: w.B, EVD: evd, EPCreator: flag})
			if able {
				w.succeeds("a PSP with "+flag.String(), err)
			} else {
				w.refused("a PSP with "+flag.String(), err, dat.RetModelNotSupported, dat.SubNone)
			}
		}
	}},
	{"D29", "multipath is offered only where it is declared", func(w *World) {
		if w.facts(w.A).Provider.SupportsMultipath {
			w.cannotProve("the provider declares multipath")
			return
		}
		a := w.endpoint(w.A)
		in := w.listen(w.B, dat.PSPConsumer).connectInput()
		in.ConnectFlags = ptr("MULTIPATH")
		_, err := w.M.ConnectEP(w.ctx, call, a.id, in)
		w.refused("MULTIPATH", err, dat.RetModelNotSupported, dat.SubNone)
	}},
	{"D30", "the merging matrix is whole, symmetric, and true on its diagonal", func(w *World) {
		m := w.facts(w.A).Provider.EVDStreamMergingSupported
		for a := dat.StreamSoftware; a <= dat.StreamAsync; a++ {
			for b := dat.StreamSoftware; b <= dat.StreamAsync; b++ {
				got, there := m[a][b]
				w.check(there && got == m[b][a] && (a != b || got), "[%s][%s] is %v", a, b, got)
			}
		}
	}},
	{"D31", "the highest addresses are addresses, and regions lie below them", func(w *World) {
		a := w.facts(w.A).Attributes
		w.check(a.MaxLMRVirtualAddress > a.MaxLMRBlockSize && a.MaxRMRTargetAddress >= 1<<32-1,
			"max_lmr_virtual_address is %d, max_rmr_target_address %d, a block %d bytes",
			a.MaxLMRVirtualAddress, a.MaxRMRTargetAddress, a.MaxLMRBlockSize)
	}},
	{"D32", "the names of adapter and vendor are filled, the address is one", func(w *World) {
		a := w.facts(w.A).Attributes
		w.check(a.AdapterName != "" && a.VendorName != "", "adapter_name is %q, vendor_name %q", a.AdapterName, a.VendorName)
		_, err := netip.ParseAddr(w.address(w.A))
		w.succeeds("reading the address", err)
	}},
	{"D24", "attribute counts agree with the lists that they count", func(w *World) {
		a, p := w.facts(w.A).Attributes, w.facts(w.A).Provider
		equal(w, "num_transport_attr", a.NumTransportAttr, len(a.TransportAttr))
		equal(w, "num_vendor_attr", a.NumVendorAttr, len(a.VendorAttr))
		equal(w, "num_provider_specific_attr", p.NumProviderSpecificAttr, len(p.ProviderSpecificAttr))
	}},
	{"D39", "the use of an adapter counts objects of every type", func(w *World) {
		before, _ := w.M.IA(w.B)
		e := w.endpoint(w.B)
		w.reserve(e)
		w.listen(w.B, dat.PSPConsumer)
		w.lmr(w.B, e.pz, 64)
		srqs := 0
		if w.facts(w.B).Provider.SRQSupported {
			w.srq(w.B, e.pz, 4)
			srqs = 1
		}
		after, _ := w.M.IA(w.B)
		want := before.Usage
		want.Endpoints, want.PZs, want.EVDs, want.SRQs = want.Endpoints+1, want.PZs+1, want.EVDs+5, want.SRQs+srqs
		want.LMRs, want.PSPs, want.RSPs = want.LMRs+1, want.PSPs+1, want.RSPs+1
		equal(w, "the use", after.Usage, want)
	}},
	{"D39", "a device lists the queue pairs of connected endpoints, each with its peer, and no longer when they ended", func(w *World) {
		a, b := w.pair()
		for _, e := range []*endpoint{a, b} {
			number := *w.getEP(e.id).Transport.QPNum
			found, err := w.M.Resources(e.ia)
			w.succeeds("listing what is on "+string(e.ia), err)
			owners := map[dat.ResourceKind][]dat.ResourceOwner{}
			for _, r := range found {
				owners[r.Kind] = append(owners[r.Kind], r.Owner)
				if r.Kind == dat.ResourceQP && r.Number == number {
					equal(w, "the endpoint of its queue pair", r.Endpoint, e.id)
					equal(w, "the owner of its queue pair", r.Owner, dat.OwnerDatapi)
				}
			}
			for _, kind := range []dat.ResourceKind{dat.ResourceQP, dat.ResourceCMID, dat.ResourceCQ, dat.ResourcePD} {
				w.check(slices.Contains(owners[kind], dat.OwnerDatapi), "no %s of the service is listed: %v", kind, owners)
			}
			w.check(!slices.Contains(owners[dat.ResourceQP], dat.OwnerOrphan), "there are orphans: %v", owners[dat.ResourceQP])
		}
		w.freeAll()
		left, err := w.M.Resources(w.B, dat.ResourceQP)
		w.succeeds("listing when all is freed", err)
		for _, r := range left {
			w.check(r.Owner != dat.OwnerDatapi && r.Owner != dat.OwnerOrphan, "the queue pair %d is left", r.Number)
		}
		_, err = w.M.Counters(w.A)
		w.succeeds("reading the counters", err)
		limits, err := w.M.Limits(w.A)
		w.succeeds("reading the limits", err)
		w.check(len(limits) > 0 && limits[0].Name != "" && limits[0].Unit != "", "the limits are %+v", limits)
		_, err = w.M.Resources("none@" + node)
		w.refused("an adapter that is not there", err, dat.RetInvalidHandle, dat.SubInvalidHandleIA)
	}},
}
