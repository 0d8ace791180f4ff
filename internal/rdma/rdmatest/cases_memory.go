package rdmatest

import (
	"fmt"
	"strconv"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// writeLMR writes text to the start of a region.
func (w *World) writeLMR(l *dat.LMR, text string) {
	w.Helper()
	w.must(w.M.WriteLMR(w.ctx, call, l.ID, 0, []byte(text)))
}

// readLMR reads the first n bytes of a region.
func (w *World) readLMR(l *dat.LMR, n int64) string {
	w.Helper()
	got, err := w.M.ReadLMR(w.ctx, l.ID, 0, n)
	w.must(err)
	return string(got)
}

// needsRMR creates an RMR on the passive adapter, for a case that proves nothing without.
func (w *World) needsRMR(pz dat.Handle) *dat.RMR {
	w.Helper()
	window := w.rmr(w.B, pz)
	if window == nil {
		w.cannotProve("the provider declares no RMRs")
	}
	return window
}

var memoryCases = []Case{
	{"dat_ep_post_rdma_write dat_ep_post_rdma_read", "an RDMA write and a read move bytes between regions", func(w *World) {
		a, b := w.pair()
		local, remote := w.lmr(w.A, a.pz, 64), w.lmr(w.B, b.pz, 64)
		w.proves("dat_ep_post_rdma_write")
		w.writeLMR(local, "written")
		a.postRDMA(dat.KindRDMAWrite, local, remote, 7)
		w.expectCompletion(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
		equal(w, "what was written", w.readLMR(remote, 7), "written")
		w.proves("dat_ep_post_rdma_read")
		w.writeLMR(remote, "READ ME")
		a.postRDMA(dat.KindRDMARead, local, remote, 7)
		w.expectCompletion(a.request, dat.KindRDMARead, dat.DTOSuccess)
		equal(w, "what was read", w.readLMR(local, 7), "READ ME")
		w.proves("dat_ep_post_rdma_write", "dat_ep_post_rdma_read")
		w.expectNoEvents(b.recv, b.request)
	}},
	{"T37 T38", "remote memory that may not be used is DAT_DTO_ERR_REMOTE_ACCESS and breaks the connection", func(w *World) {
		for name, c := range map[string]struct {
			kind       dat.DTOKind
			privileges []dat.Privilege
			length     int64
			key        string
		}{
			"a write without REMOTE_WRITE": {dat.KindRDMAWrite, []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead}, 8, ""},
			"a read without REMOTE_READ":   {dat.KindRDMARead, []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteWrite}, 8, ""},
			"a write beyond the region":    {dat.KindRDMAWrite, nil, 65, ""},
			"a key that is none":           {dat.KindRDMAWrite, nil, 8, "0xfffffff1"},
		} {
			if c.kind == dat.KindRDMARead && w.facts(w.B).Provider.ProviderSpecificAttr["remote_read_privilege"] == "UNCHECKED" {
				continue // a device that does not look, and says so
			}
			a, b := w.pair()
			local, remote := w.lmr(w.A, a.pz, 128), w.lmr(w.B, b.pz, 64, c.privileges...)
			key := remote.RMRContext
			if c.key != "" {
				key = c.key
			}
			a.postRDMAAt(c.kind, local, key, remote.TargetAddress, c.length)
			w.proves("T37")
			got := w.nextEvent(a.request).Data.Status
			if w.reportsDelivery() {
				w.check(got != nil && *got == dat.DTOErrRemoteAccess, "%s completed with %v", name, wordOf(got))
			}
			w.expectEither(a.conn, dat.EventBroken, dat.EventDisconnected)
			w.expectState(a.id, dat.EPDisconnected)
			w.proves("T38")
			w.expectState(b.id, dat.EPDisconnected)
		}
	}},
	{"T37", "remote memory of another zone is DAT_DTO_ERR_REMOTE_ACCESS", func(w *World) {
		a, _ := w.pair()
		local, remote := w.lmr(w.A, a.pz, 8), w.lmr(w.B, w.pz(w.B), 8)
		a.postRDMA(dat.KindRDMAWrite, local, remote, 8)
		if w.reportsDelivery() {
			w.expectCompletion(a.request, dat.KindRDMAWrite, dat.DTOErrRemoteAccess)
		}
		w.expectState(a.id, dat.EPDisconnected)
	}},
	{"D33", "local memory that may not be used is refused by the call", func(w *World) {
		a, b := w.pair()
		remote := w.lmr(w.B, b.pz, 64)
		post := func(l dat.Handle, kind dat.DTOKind, off, n int64) error {
			_, err := w.M.PostRDMA(w.ctx, call, a.id, kind, manager.RDMAPost{
				LMR: l, Offset: off, Length: n,
				RemoteContext: remote.RMRContext, TargetAddress: remote.TargetAddress,
			})
			return err
		}
		readOnly, writeOnly := w.lmr(w.A, a.pz, 8, dat.PrivLocalRead), w.lmr(w.A, a.pz, 8, dat.PrivLocalWrite)
		w.refused("a read into LOCAL_READ", post(readOnly.ID, dat.KindRDMARead, 0, 8), dat.RetPrivilegesViolation, dat.SubNone)
		w.refused("a write from LOCAL_WRITE", post(writeOnly.ID, dat.KindRDMAWrite, 0, 8), dat.RetPrivilegesViolation, dat.SubNone)
		other := w.lmr(w.A, w.pz(w.A), 8)
		w.refused("another zone", post(other.ID, dat.KindRDMAWrite, 0, 8), dat.RetProtectionViolation, dat.SubNone)
		w.refused("no region", post("none", dat.KindRDMAWrite, 0, 8), dat.RetInvalidHandle, dat.SubNone)
		for _, r := range [][2]int64{{0, 9}, {8, 1}, {-1, 1}, {0, -1}} {
			w.check(post(readOnly.ID, dat.KindRDMAWrite, r[0], r[1]) != nil, "bytes %d+%d of a region of 8 were taken", r[0], r[1])
		}
		got := w.status(a.id)
		w.check(got.State == dat.EPConnected && got.RequestIdle, "after refusals: %+v", got)
	}},
	{"C15", "reads beyond the credits of both ends wait and all succeed, fenced sends after them", func(w *World) {
		a, b := w.pair(withValue(dat.ParamMaxRDMAReadIn, int64(1)), withValue(dat.ParamMaxRDMAReadOut, int64(1)))
		local, remote := w.lmr(w.A, a.pz, 64), w.lmr(w.B, b.pz, 64)
		b.postRecvs(1, 64)
		for range 3 {
			a.postRDMA(dat.KindRDMARead, local, remote, 64)
		}
		a.postSend("after the reads", dat.CompletionBarrierFence)
		for range 3 {
			w.expectCompletion(a.request, dat.KindRDMARead, dat.DTOSuccess)
		}
		w.expectCompletion(a.request, dat.KindSend, dat.DTOSuccess)
	}},
	{"dat_lmr_create", "regions keep to the adapter's limits and to what can be named", func(w *World) {
		zone := w.pz(w.A)
		most := w.facts(w.A).Attributes.MaxLMRBlockSize
		try := func(in manager.LMRCreate) error {
			in.IA, in.Privileges = w.A, []dat.Privilege{dat.PrivLocalRead}
			_, err := w.M.CreateLMR(w.ctx, call, in)
			return err
		}
		for _, n := range []int64{0, -1} {
			w.refused("a length that is none", try(manager.LMRCreate{PZ: zone, Length: n}), dat.RetInvalidParameter, dat.SubNone)
		}
		if most < 1<<62 {
			w.check(try(manager.LMRCreate{PZ: zone, Length: int64(most) + 1}) != nil, "a region beyond max_lmr_block_size was created")
		}
		w.refused("a freed zone", try(manager.LMRCreate{PZ: w.freedHandle(w.A), Length: 8}), dat.RetInvalidHandle, dat.SubInvalidHandlePZ)
		w.refused("no zone", try(manager.LMRCreate{Length: 8}), dat.RetInvalidHandle, dat.SubInvalidHandlePZ)
		w.refused("a region of no region", try(manager.LMRCreate{PZ: zone, MemType: dat.MemLMR, LMR: "none", Length: 8}),
			dat.RetInvalidHandle, dat.SubNone)
	}},
	{"D24", "every memory type that is declared works and shares what it says", func(w *World) {
		zone := w.pz(w.A)
		whole := w.lmr(w.A, zone, 64)
		w.must(w.M.WriteLMR(w.ctx, call, whole.ID, 8, []byte("part")))
		create := func(in manager.LMRCreate) *dat.LMR {
			w.Helper()
			in.IA, in.PZ, in.Privileges = w.A, zone, []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite}
			o, err := w.M.CreateLMR(w.ctx, call, in)
			w.succeeds("a region of type "+in.MemType.String(), err)
			return o
		}
		for _, t := range w.facts(w.A).Provider.LMRMemTypesSupported {
			switch t {
			case dat.MemVirtual:
				create(manager.LMRCreate{MemType: t, Length: 16})
			case dat.MemLMR:
				equal(w, "the bytes of the part", w.readLMR(create(manager.LMRCreate{MemType: t, LMR: whole.ID, Offset: 8, Length: 4}), 4), "part")
			case dat.MemSharedVirtual:
				one := create(manager.LMRCreate{MemType: t, SharedID: ptr("suite"), Length: 16})
				two := create(manager.LMRCreate{MemType: t, SharedID: ptr("suite"), Length: 16})
				w.writeLMR(one, "shared")
				equal(w, "the bytes of the second region", w.readLMR(two, 6), "shared")
			}
		}
	}},
	{"dat_rmr_bind", "a bound window lets peers in until it is bound anew or unbound", func(w *World) {
		a, b := w.pair()
		local, memory := w.lmr(w.A, a.pz, 16), w.lmr(w.B, b.pz, 16)
		window := w.needsRMR(b.pz)
		if window == nil {
			return
		}
		bind := func(privileges ...dat.Privilege) *dat.RMR {
			w.Helper()
			_, err := w.M.BindRMR(w.ctx, call, b.id, manager.BindPost{RMR: window.ID, LMR: memory.ID, Offset: 4, Length: 8, Privileges: privileges})
			w.succeeds("bind", err)
			got := w.expectCompletion(b.request, dat.KindRMRBind, dat.DTOSuccess)
			w.check(got.Event == dat.EventRMRBindCompletion && got.Stream == dat.StreamRMRBind, "the bind completed as %s on %s", got.Event, got.Stream)
			return object[*dat.RMR](w, dat.TypeRMR, window.ID)
		}
		one := bind(dat.PrivRemoteWrite)
		if one.RMRContext == nil || one.TargetAddress == nil || one.LMR != memory.ID || one.Length != 8 {
			w.Fatalf("the bound window is %+v", one)
		}
		w.refused("the memory of a bound window", w.M.FreeLMR(w.ctx, call, memory.ID), dat.RetInvalidState, dat.SubInvalidStateLMRInUse)
		w.writeLMR(local, "through")
		a.postRDMAAt(dat.KindRDMAWrite, local, *one.RMRContext, *one.TargetAddress, 7)
		w.expectCompletion(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
		got, err := w.M.ReadLMR(w.ctx, memory.ID, 4, 7)
		w.must(err)
		equal(w, "the memory behind the window", string(got), "through")
		two := bind(dat.PrivRemoteWrite)
		w.check(*two.RMRContext != *one.RMRContext, "both binds have one key")
		a.postRDMAAt(dat.KindRDMAWrite, local, *one.RMRContext, *one.TargetAddress, 7)
		w.expectCompletion(a.request, dat.KindRDMAWrite, dat.DTOErrRemoteAccess)
		w.expectState(a.id, dat.EPDisconnected)
	}},
	{"dat_rmr_bind", "a bind that cannot be is refused by the call", func(w *World) {
		_, b := w.pair()
		memory, window := w.lmr(w.B, b.pz, 16), w.needsRMR(b.pz)
		if window == nil {
			return
		}
		try := func(change func(*manager.BindPost)) error {
			in := manager.BindPost{RMR: window.ID, LMR: memory.ID, Length: 8, Privileges: []dat.Privilege{dat.PrivRemoteRead}}
			change(&in)
			_, err := w.M.BindRMR(w.ctx, call, b.id, in)
			return err
		}
		w.refused("no window", try(func(in *manager.BindPost) { in.RMR = "none" }), dat.RetInvalidHandle, dat.SubNone)
		w.refused("no memory", try(func(in *manager.BindPost) { in.LMR = "none" }), dat.RetInvalidHandle, dat.SubNone)
		other := w.lmr(w.B, w.pz(w.B), 16)
		w.refused("memory of another zone", try(func(in *manager.BindPost) { in.LMR = other.ID }), dat.RetProtectionViolation, dat.SubNone)
		for _, r := range [][2]int64{{0, 17}, {9, 8}, {-1, 1}} {
			w.check(try(func(in *manager.BindPost) { in.Offset, in.Length = r[0], r[1] }) != nil, "bytes %d+%d of 16 were bound", r[0], r[1])
		}
	}},
	{"D31", "keys are hexadecimal, addresses decimal, and both are refused where they are not", func(w *World) {
		a, b := w.pair()
		local, remote := w.lmr(w.A, a.pz, 16), w.lmr(w.B, b.pz, 16)
		n, err := strconv.ParseUint(remote.TargetAddress, 10, 64)
		w.check(err == nil && n <= w.facts(w.B).Attributes.MaxLMRVirtualAddress, "the address is %s, %v", remote.TargetAddress, err)
		for _, bad := range [][2]string{{"", "0"}, {"12", "0"}, {"0x", "0"}, {"0x1ffffffff", "0"}, {"0x1", "-1"}, {"0x1", "0x10"}, {"0x1", ""}} {
			_, err := w.M.PostRDMA(w.ctx, call, a.id, dat.KindRDMAWrite, manager.RDMAPost{LMR: local.ID, Length: 8, RemoteContext: bad[0], TargetAddress: bad[1]})
			w.refused(fmt.Sprint(bad), err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
}
