package rdmatest

import (
	"fmt"
	"strconv"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// rdma posts an RDMA operation of n bytes between the starts of two regions.
func (e *end) rdma(kind dat.DTOKind, local, remote *dat.LMR, n int64) {
	e.w.Helper()
	e.rdmaAt(kind, local, remote.RMRContext, remote.TargetAddress, n)
}

func (e *end) rdmaAt(kind dat.DTOKind, local *dat.LMR, key, address string, n int64, flags ...dat.CompletionFlag) {
	e.w.Helper()
	_, err := e.w.M.PostRDMA(e.w.ctx, call, e.ep, kind, manager.RDMAPost{LMR: local.ID, Length: n, RemoteContext: key, TargetAddress: address, Flags: flags})
	e.w.must(err)
}

// write and read reach the memory of a region.
func (w *World) write(l *dat.LMR, text string) {
	w.Helper()
	w.must(w.M.WriteLMR(w.ctx, call, l.ID, 0, []byte(text)))
}

func (w *World) read(l *dat.LMR, n int64) string {
	w.Helper()
	got, err := w.M.ReadLMR(w.ctx, l.ID, 0, n)
	w.must(err)
	return string(got)
}

// window makes an RMR, nil where the provider has none, which must say so.
func (w *World) window(ia, pz dat.Handle) *dat.RMR {
	w.Helper()
	o, err := w.M.CreateRMR(w.ctx, call, manager.RMRCreate{IA: ia, PZ: pz})
	if w.facts(ia).Attributes.MaxRMRs == 0 {
		w.refused("an RMR without support", err, dat.RetModelNotSupported, dat.SubNone)
		return nil
	}
	return made(w, o, err)
}

// operator may see keys.
var operator = manager.Call{Actor: "suite", Operator: true}

var memoryCases = []Case{
	{"S2", "an RDMA write and a read move bytes between regions", func(w *World) {
		a, b := w.pair()
		local, remote := w.memory(w.A, a.pz, 64), w.memory(w.B, b.pz, 64)
		w.write(local, "written")
		a.rdma(dat.KindRDMAWrite, local, remote, 7)
		w.done(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
		if got := w.read(remote, 7); got != "written" {
			w.Errorf("%q arrived", got)
		}
		w.write(remote, "READ ME")
		a.rdma(dat.KindRDMARead, local, remote, 7)
		w.done(a.request, dat.KindRDMARead, dat.DTOSuccess)
		if got := w.read(local, 7); got != "READ ME" {
			w.Errorf("%q was read", got)
		}
		w.none(b.recv, b.request)
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
			local, remote := w.memory(w.A, a.pz, 128), w.memory(w.B, b.pz, 64, c.privileges...)
			key := remote.RMRContext
			if c.key != "" {
				key = c.key
			}
			a.rdmaAt(c.kind, local, key, remote.TargetAddress, c.length)
			got := w.next(a.request)
			if w.delivered() && (got.Data.Status == nil || *got.Data.Status != dat.DTOErrRemoteAccess) {
				w.Errorf("%s completed with %v", name, deref(got.Data.Status))
			}
			w.either(a.conn, dat.EventBroken, dat.EventDisconnected)
			w.reach(a.ep, dat.EPDisconnected)
			w.reach(b.ep, dat.EPDisconnected)
		}
	}},
	{"T37", "remote memory of another zone is DAT_DTO_ERR_REMOTE_ACCESS", func(w *World) {
		a, _ := w.pair()
		local, remote := w.memory(w.A, a.pz, 8), w.memory(w.B, w.pz(w.B), 8)
		a.rdma(dat.KindRDMAWrite, local, remote, 8)
		if w.delivered() {
			w.done(a.request, dat.KindRDMAWrite, dat.DTOErrRemoteAccess)
		}
		w.reach(a.ep, dat.EPDisconnected)
	}},
	{"D33", "local memory that may not be used is refused by the call", func(w *World) {
		a, b := w.pair()
		remote := w.memory(w.B, b.pz, 64)
		post := func(l dat.Handle, kind dat.DTOKind, off, n int64) error {
			_, err := w.M.PostRDMA(w.ctx, call, a.ep, kind, manager.RDMAPost{
				LMR: l, Offset: off, Length: n,
				RemoteContext: remote.RMRContext, TargetAddress: remote.TargetAddress,
			})
			return err
		}
		readOnly, writeOnly := w.memory(w.A, a.pz, 8, dat.PrivLocalRead), w.memory(w.A, a.pz, 8, dat.PrivLocalWrite)
		w.refused("a read into LOCAL_READ", post(readOnly.ID, dat.KindRDMARead, 0, 8), dat.RetPrivilegesViolation, dat.SubNone)
		w.refused("a write from LOCAL_WRITE", post(writeOnly.ID, dat.KindRDMAWrite, 0, 8), dat.RetPrivilegesViolation, dat.SubNone)
		other := w.memory(w.A, w.pz(w.A), 8)
		w.refused("another zone", post(other.ID, dat.KindRDMAWrite, 0, 8), dat.RetProtectionViolation, dat.SubNone)
		w.refused("no region", post("none", dat.KindRDMAWrite, 0, 8), dat.RetInvalidHandle, dat.SubNone)
		for _, r := range [][2]int64{{0, 9}, {8, 1}, {-1, 1}, {0, -1}} {
			if err := post(readOnly.ID, dat.KindRDMAWrite, r[0], r[1]); err == nil {
				w.Errorf("bytes %d+%d of a region of 8 were taken", r[0], r[1])
			}
		}
		if got := w.status(a.ep); got.State != dat.EPConnected || !got.RequestIdle {
			w.Errorf("after refusals: %+v", got)
		}
	}},
	{"C15", "reads beyond the credits of both ends wait and all succeed, fenced sends after them", func(w *World) {
		a, b := w.pair(with(dat.ParamMaxRDMAReadIn, int64(1)), with(dat.ParamMaxRDMAReadOut, int64(1)))
		local, remote := w.memory(w.A, a.pz, 64), w.memory(w.B, b.pz, 64)
		b.recvs(1, 64)
		for range 3 {
			a.rdma(dat.KindRDMARead, local, remote, 64)
		}
		a.send("after the reads", dat.CompletionBarrierFence)
		for range 3 {
			w.done(a.request, dat.KindRDMARead, dat.DTOSuccess)
		}
		w.done(a.request, dat.KindSend, dat.DTOSuccess)
	}},
	{"C12", "regions keep to the adapter's limits and to what can be named", func(w *World) {
		zone := w.pz(w.A)
		most := w.facts(w.A).Attributes.MaxLMRBlockSize
		try := func(in manager.LMRCreate) error {
			in.IA = w.A
			_, err := w.M.CreateLMR(w.ctx, call, in)
			return err
		}
		all := []dat.Privilege{dat.PrivLocalRead}
		for _, n := range []int64{0, -1} {
			w.refused("a length that is none", try(manager.LMRCreate{PZ: zone, Length: n, Privileges: all}), dat.RetInvalidParameter, dat.SubNone)
		}
		if most < 1<<62 {
			if err := try(manager.LMRCreate{PZ: zone, Length: int64(most) + 1, Privileges: all}); err == nil {
				w.Error("a region beyond max_lmr_block_size was made")
			}
		}
		w.refused("a freed zone", try(manager.LMRCreate{PZ: w.freed(w.A), Length: 8, Privileges: all}), dat.RetInvalidHandle, dat.SubInvalidHandlePZ)
		w.refused("no zone", try(manager.LMRCreate{Length: 8, Privileges: all}), dat.RetInvalidHandle, dat.SubInvalidHandlePZ)
		w.refused("a region of no region", try(manager.LMRCreate{PZ: zone, MemType: dat.MemLMR, LMR: "none", Length: 8, Privileges: all}),
			dat.RetInvalidHandle, dat.SubNone)
	}},
	{"D24", "every memory type that is declared works and shares what it says", func(w *World) {
		zone := w.pz(w.A)
		whole := w.memory(w.A, zone, 64)
		w.must(w.M.WriteLMR(w.ctx, call, whole.ID, 8, []byte("part")))
		create := func(in manager.LMRCreate) *dat.LMR {
			w.Helper()
			in.IA, in.PZ, in.Privileges = w.A, zone, []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite}
			o, err := w.M.CreateLMR(w.ctx, operator, in)
			return made(w, o, err)
		}
		for _, t := range w.facts(w.A).Provider.LMRMemTypesSupported {
			switch t {
			case dat.MemLMR:
				if got := w.read(create(manager.LMRCreate{MemType: t, LMR: whole.ID, Offset: 8, Length: 4}), 4); got != "part" {
					w.Errorf("the part holds %q", got)
				}
			case dat.MemSharedVirtual:
				one := create(manager.LMRCreate{MemType: t, SharedID: ptr("suite"), Length: 16})
				two := create(manager.LMRCreate{MemType: t, SharedID: ptr("suite"), Length: 16})
				w.write(one, "shared")
				if got := w.read(two, 6); got != "shared" {
					w.Errorf("the second region holds %q", got)
				}
			}
		}
	}},
	{"T37", "a bound window lets peers in until it is bound anew or unbound", func(w *World) {
		a, b := w.pair()
		local, memory := w.memory(w.A, a.pz, 16), w.memory(w.B, b.pz, 16)
		window := w.window(w.B, b.pz)
		if window == nil {
			return
		}
		bind := func(privileges ...dat.Privilege) *dat.RMR {
			w.Helper()
			_, err := w.M.BindRMR(w.ctx, operator, b.ep, manager.BindPost{RMR: window.ID, LMR: memory.ID, Offset: 4, Length: 8, Privileges: privileges})
			w.must(err)
			got := w.done(b.request, dat.KindRMRBind, dat.DTOSuccess)
			if got.Event != dat.EventRMRBindCompletion || got.Stream != dat.StreamRMRBind {
				w.Errorf("the bind completed as %s on %s", got.Event, got.Stream)
			}
			o, _ := w.M.Get(dat.TypeRMR, window.ID)
			return o.(*dat.RMR)
		}
		one := bind(dat.PrivRemoteWrite)
		if one.RMRContext == nil || one.TargetAddress == nil || one.LMR != memory.ID || one.Length != 8 {
			w.Fatalf("the bound window is %+v", one)
		}
		w.refused("the memory of a bound window", w.M.FreeLMR(w.ctx, call, memory.ID), dat.RetInvalidState, dat.SubInvalidStateLMRInUse)
		w.write(local, "through")
		a.rdmaAt(dat.KindRDMAWrite, local, *one.RMRContext, *one.TargetAddress, 7)
		w.done(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
		if got, err := w.M.ReadLMR(w.ctx, memory.ID, 4, 7); err != nil || string(got) != "through" {
			w.Errorf("the memory holds %q, %v", got, err)
		}
		two := bind(dat.PrivRemoteWrite)
		if *two.RMRContext == *one.RMRContext {
			w.Error("both binds have one key")
		}
		a.rdmaAt(dat.KindRDMAWrite, local, *one.RMRContext, *one.TargetAddress, 7)
		w.done(a.request, dat.KindRDMAWrite, dat.DTOErrRemoteAccess)
		w.reach(a.ep, dat.EPDisconnected)
	}},
	{"T37 D33", "a bind that cannot be is refused by the call", func(w *World) {
		_, b := w.pair()
		memory, window := w.memory(w.B, b.pz, 16), w.window(w.B, b.pz)
		if window == nil {
			return
		}
		try := func(change func(*manager.BindPost)) error {
			in := manager.BindPost{RMR: window.ID, LMR: memory.ID, Length: 8, Privileges: []dat.Privilege{dat.PrivRemoteRead}}
			change(&in)
			_, err := w.M.BindRMR(w.ctx, call, b.ep, in)
			return err
		}
		w.refused("no window", try(func(in *manager.BindPost) { in.RMR = "none" }), dat.RetInvalidHandle, dat.SubNone)
		w.refused("no memory", try(func(in *manager.BindPost) { in.LMR = "none" }), dat.RetInvalidHandle, dat.SubNone)
		other := w.memory(w.B, w.pz(w.B), 16)
		w.refused("memory of another zone", try(func(in *manager.BindPost) { in.LMR = other.ID }), dat.RetProtectionViolation, dat.SubNone)
		for _, r := range [][2]int64{{0, 17}, {9, 8}, {-1, 1}} {
			if err := try(func(in *manager.BindPost) { in.Offset, in.Length = r[0], r[1] }); err == nil {
				w.Errorf("bytes %d+%d of 16 were bound", r[0], r[1])
			}
		}
	}},
	{"D31", "keys are hexadecimal, addresses decimal, and both are refused where they are not", func(w *World) {
		a, b := w.pair()
		local, remote := w.memory(w.A, a.pz, 16), w.memory(w.B, b.pz, 16)
		if n, err := strconv.ParseUint(remote.TargetAddress, 10, 64); err != nil || n > w.facts(w.B).Attributes.MaxLMRVirtualAddress {
			w.Errorf("the address is %s, %v", remote.TargetAddress, err)
		}
		for _, bad := range [][2]string{{"", "0"}, {"12", "0"}, {"0x", "0"}, {"0x1ffffffff", "0"}, {"0x1", "-1"}, {"0x1", "0x10"}, {"0x1", ""}} {
			_, err := w.M.PostRDMA(w.ctx, call, a.ep, dat.KindRDMAWrite, manager.RDMAPost{LMR: local.ID, Length: 8, RemoteContext: bad[0], TargetAddress: bad[1]})
			w.refused(fmt.Sprint(bad), err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
}
