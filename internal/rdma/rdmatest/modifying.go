package rdmatest

import (
	"fmt"
	"slices"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// never are the parameters that no state lets be modified.
var never = []dat.Param{
	dat.ParamIA, dat.ParamState, dat.ParamComm, dat.ParamLocalIAAddress, dat.ParamLocalPortQual,
	dat.ParamRemoteIAAddress, dat.ParamRemotePortQual, dat.ParamSRQ, dat.ParamSRQSoftHW,
}

// present are the values that an endpoint has now, by parameter that can be modified.
func present(o *dat.Endpoint) dat.Values {
	values := dat.Values{}
	for _, p := range dat.Params() {
		if !slices.Contains(never, p) {
			values[p] = o.Value(p)
		}
	}
	return values
}

// allowed reads the page naively: the states in which a parameter can be modified.
func allowed(p dat.Param, s dat.EPState) bool {
	switch p {
	case dat.ParamPZ:
		return s == dat.EPUnconnected || s == dat.EPTentativeConnectionPending
	case dat.ParamEPTransportSpecific, dat.ParamEPProviderSpecific:
		return s == dat.EPUnconnected
	}
	return slices.Contains([]dat.EPState{
		dat.EPUnconnected, dat.EPReserved, dat.EPPassiveConnectionPending,
		dat.EPTentativeConnectionPending,
	}, s)
}

// modifyAll asks for the present value of every parameter and demands what the
// page says of the state.
func (w *World) modifyAll(ep dat.Handle, s dat.EPState) {
	w.Helper()
	before := w.get(ep)
	for p, v := range present(before) {
		err := w.modify(ep, p, v)
		if allowed(p, s) {
			if err != nil {
				w.Errorf("%s in %s: %v", p, s, err)
			}
			continue
		}
		w.refused(fmt.Sprintf("%s in %s", p, s), err, dat.RetInvalidState, dat.SubNone)
	}
	for _, p := range never {
		w.refused(fmt.Sprintf("%s in %s", p, s), w.modify(ep, p, nil), dat.RetInvalidParameter, dat.SubNone)
	}
	if after := w.get(ep); after.Version != before.Version {
		w.Errorf("equal values moved version %d to %d in %s", before.Version, after.Version, s)
	}
}

var modifyCases = []Case{
	{"M1 M5 M12 T42 A1 A3 A4 A5 A20 D4 D6 D7", "every parameter can be modified in the states of its group only", func(w *World) {
		for _, s := range steady {
			e, _ := w.into(s)
			w.modifyAll(e.ep, s)
			if got := w.status(e.ep).State; got != s {
				w.Errorf("modify moved %s to %s", s, got)
			}
		}
	}},
	{"M2", "an empty mask succeeds in every state and records nothing", func(w *World) {
		for _, s := range steady {
			e, _ := w.into(s)
			before := w.get(e.ep).Version
			o, err := w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{})
			w.must(err)
			if o.Version != before {
				w.Errorf("version %d became %d in %s", before, o.Version, s)
			}
		}
	}},
	{"M3 D7", "what is no parameter, or never one to modify, is refused before anything else", func(w *World) {
		e, _ := w.into(dat.EPConnected)
		for _, p := range append(slices.Clone(never), dat.Param(200)) {
			_, err := w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{Values: dat.Values{p: int64(1), dat.ParamMaxRecvDTOs: int64(-1)}})
			w.refused("parameter "+p.String(), err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"M4", "one bad value changes nothing", func(w *World) {
		e := w.end(w.A)
		before := w.get(e.ep)
		_, err := w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{Values: dat.Values{
			dat.ParamMaxRequestDTOs: int64(3), dat.ParamPZ: dat.HandleNull, dat.ParamMaxRDMAReadIn: int64(-1),
		}})
		w.refused("a negative count", err, dat.RetInvalidParameter, dat.SubNone)
		if after := w.get(e.ep); after.Attributes.MaxRequestDTOs != before.Attributes.MaxRequestDTOs || after.PZ != before.PZ {
			w.Error("half of the mask is in force")
		}
	}},
	{"A17 M5", "the state is refused before the value", func(w *World) {
		e, _ := w.into(dat.EPConnected)
		w.refused("a bad count", w.modify(e.ep, dat.ParamMaxRecvDTOs, int64(-1)), dat.RetInvalidState, dat.SubInvalidStateEPConnected)
	}},
	{"D5", "every value that is taken is stored and shown", func(w *World) {
		e := w.end(w.A)
		v := dat.Values{
			dat.ParamMaxMessageSize: int64(1024), dat.ParamMaxRDMASize: int64(2048), dat.ParamQOS: "BEST_EFFORT",
			dat.ParamMaxRecvDTOs: int64(3), dat.ParamMaxRequestDTOs: int64(5), dat.ParamMaxRecvIOV: int64(1), dat.ParamMaxRequestIOV: int64(1),
			dat.ParamMaxRDMAReadIn: int64(1), dat.ParamMaxRDMAReadOut: int64(1), dat.ParamMaxRDMAReadIOV: int64(1), dat.ParamMaxRDMAWriteIOV: int64(1),
			dat.ParamRecvCompletionFlags: "UNSIGNALLED", dat.ParamRequestCompletionFlags: "UNSIGNALLED",
			dat.ParamPZ: w.pz(w.A), dat.ParamConnectEVD: dat.HandleNull, dat.ParamEPTransportSpecific: map[string]*string{"retry_count": ptr("3")},
		}
		_, err := w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{Values: v})
		w.must(err)
		got := present(w.get(e.ep))
		for p, want := range v {
			if p == dat.ParamEPTransportSpecific {
				continue
			}
			if got[p] != want {
				w.Errorf("%s is %v, asked for %v", p, got[p], want)
			}
		}
		if n := w.get(e.ep).Attributes.EPTransportSpecific["retry_count"]; n != "3" {
			w.Errorf("retry_count is %q", n)
		}
	}},
	{"A15 M11", "named attributes merge by name: null removes, what is unknown or out of range is refused", func(w *World) {
		e := w.end(w.A)
		name := dat.ParamEPTransportSpecific
		w.must(w.modify(e.ep, name, map[string]*string{"retry_count": ptr("3"), "rnr_retry_count": ptr("2")}))
		w.must(w.modify(e.ep, name, map[string]*string{"retry_count": nil, "ack_timeout": ptr("14")}))
		got := w.get(e.ep).Attributes.EPTransportSpecific
		if len(got) != 2 || got["rnr_retry_count"] != "2" || got["ack_timeout"] != "14" {
			w.Errorf("the attributes are %v", got)
		}
		for n, v := range map[string]string{"no_such_name": "1", "retry_count": "8", "rnr_retry_count": "7", "tos": "x"} {
			w.refused(n+"="+v, w.modify(e.ep, name, map[string]*string{n: &v}), dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"D8 M1", "counts can be modified whatever the EVDs are", func(w *World) {
		o := w.ep(manager.EPCreate{IA: w.A})
		w.must(w.modify(o.ID, dat.ParamMaxRecvDTOs, int64(8)))
		w.must(w.modify(o.ID, dat.ParamMaxRequestDTOs, int64(8)))
	}},
	{"D9 A16", "bad handles in the mask are DAT_INVALID_PARAMETER", func(w *World) {
		e := w.end(w.A)
		for p, streams := range map[dat.Param][2][]dat.Stream{
			dat.ParamPZ:         {},
			dat.ParamRecvEVD:    {{dat.StreamDTO}, {dat.StreamConnection}},
			dat.ParamRequestEVD: {{dat.StreamDTO}, {dat.StreamCR}},
			dat.ParamConnectEVD: {{dat.StreamConnection}, {dat.StreamDTO}},
		} {
			bad := []dat.Handle{w.freed(w.A, streams[0]...), "no-such-thing", e.ep}
			if streams[1] != nil {
				bad = append(bad, w.evd(w.A, streams[1]...), w.pz(w.A))
			}
			if w.A != w.B && streams[1] != nil {
				bad = append(bad, w.evd(w.B, streams[0]...))
			}
			for _, h := range bad {
				w.refused(fmt.Sprintf("%s %q", p, h), w.modify(e.ep, p, h), dat.RetInvalidParameter, dat.SubNone)
			}
		}
	}},
	{"M8 A11", "receive flags can be modified only while no receive is outstanding", func(w *World) {
		e := w.end(w.A)
		e.recvs(1, 8)
		w.refused("with a receive posted", w.modify(e.ep, dat.ParamRecvCompletionFlags, "UNSIGNALLED"), dat.RetInvalidState, dat.SubNone)
		if slices.Contains(w.M.Modifiable(e.ep), dat.ParamRecvCompletionFlags.String()) {
			w.Error("modifiable lists them all the same")
		}
		w.must(w.modify(e.ep, dat.ParamRequestCompletionFlags, "UNSIGNALLED"))
	}},
	{"M9", "max_recv_dtos cannot go below what is posted", func(w *World) {
		e := w.end(w.A)
		e.recvs(3, 8)
		w.refused("two for three", w.modify(e.ep, dat.ParamMaxRecvDTOs, int64(2)), dat.RetInvalidState, dat.SubNone)
		w.must(w.modify(e.ep, dat.ParamMaxRecvDTOs, int64(3)))
	}},
	{"M7", "receives posted in another zone fail with DAT_DTO_ERR_LOCAL_PROTECTION", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		b.recvs(1, 64)
		w.must(w.modify(b.ep, dat.ParamPZ, w.pz(w.B)))
		w.join(a, b)
		a.send("to the old zone")
		w.done(b.recv, dat.KindRecv, dat.DTOErrLocalProtection)
		w.reach(b.ep, dat.EPDisconnected)
		w.reach(a.ep, dat.EPDisconnected)
	}},
	{"M10", "completions of posted receives go to the EVD that is set now", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		b.recvs(1, 64)
		old := b.recv
		b.recv = w.evd(w.B, dat.StreamDTO)
		w.must(w.modify(b.ep, dat.ParamRecvEVD, b.recv))
		w.join(a, b)
		a.send("to the new EVD")
		w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.none(old)
	}},
	{"M6", "the result of a modify must satisfy the flag rules of creation", func(w *World) {
		e := w.end(w.A)
		w.must(w.modify(e.ep, dat.ParamRequestEVD, e.recv))
		w.refused("two flags on one EVD", w.modify(e.ep, dat.ParamRequestCompletionFlags, "UNSIGNALLED"), dat.RetInvalidParameter, dat.SubNone)
		_, err := w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{Values: dat.Values{
			dat.ParamRequestCompletionFlags: "UNSIGNALLED", dat.ParamRecvCompletionFlags: "UNSIGNALLED",
		}})
		w.must(err)
	}},
	{"C10", "a quality of service that the provider lacks is DAT_INVALID_PARAMETER to modify", func(w *World) {
		if q := w.unsupportedQOS(); q != "" {
			w.refused(q, w.modify(w.end(w.A).ep, dat.ParamQOS, q), dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"C11 C12 C13 C14 C15 C16 C17 D12", "modify keeps the limits of creation", func(w *World) {
		e := w.end(w.A)
		for p, most := range limited(&w.facts(w.A).Attributes) {
			w.must(w.modify(e.ep, p, most))
			for _, n := range []int64{most + 1, -1} {
				w.refused(fmt.Sprintf("%s %d", p, n), w.modify(e.ep, p, n), dat.RetInvalidParameter, dat.SubNone)
			}
		}
	}},
	{"D2 D3 D43", "an endpoint that was modified connects, transfers, and can be modified again after a reset", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		for range 2 {
			for _, e := range []*end{a, b} {
				e.recv, e.request = w.evd(e.ia, dat.StreamDTO), w.evd(e.ia, dat.StreamDTO)
				_, err := w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{Values: dat.Values{
					dat.ParamRecvEVD: e.recv, dat.ParamRequestEVD: e.request,
					dat.ParamMaxRecvDTOs: int64(4), dat.ParamMaxRequestDTOs: int64(4), dat.ParamMaxRecvIOV: int64(1), dat.ParamMaxRequestIOV: int64(1),
				}})
				w.must(err)
			}
			w.join(a, b)
			w.pass(a, b, "hello")
			w.pass(b, a, "and back")
			w.leave(a, b)
			for _, e := range []*end{a, b} {
				w.expect(e.conn, dat.EventDisconnected)
				_, err := w.M.ResetEP(w.ctx, call, e.ep)
				w.must(err)
			}
		}
	}},
	{"D10", "a new zone is the zone of the connection", func(w *World) {
		a, b := w.end(w.A), w.end(w.B)
		zone := w.pz(w.B)
		w.must(w.modify(b.ep, dat.ParamPZ, zone))
		w.join(a, b)
		local, remote := w.memory(w.A, a.pz, 16), w.memory(w.B, zone, 16)
		a.rdma(dat.KindRDMAWrite, local, remote, 16)
		w.done(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
	}},
	{"M12 T10", "an endpoint that the provider made can be modified and then accepts", func(w *World) {
		peer := w.end(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		cr := p.request()
		_, err := w.M.AcceptCR(w.ctx, dry, cr.ID, manager.CRAccept{})
		w.refused("accepting without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
		e := &end{w: w, ia: w.B, ep: cr.Endpoint, pz: w.pz(w.B), recv: w.evd(w.B, dat.StreamDTO), request: w.evd(w.B, dat.StreamDTO), conn: w.evd(w.B, dat.StreamConnection)}
		_, err = w.M.ModifyEP(w.ctx, call, e.ep, manager.EPModify{Values: dat.Values{dat.ParamPZ: e.pz, dat.ParamRecvEVD: e.recv, dat.ParamRequestEVD: e.request, dat.ParamConnectEVD: e.conn}})
		w.must(err)
		w.accept(cr, nil)
		w.expect(e.conn, dat.EventEstablished)
		w.reach(peer.ep, dat.EPConnected)
		w.pass(peer, e, "hello")
	}},
}
