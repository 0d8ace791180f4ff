package rdmatest

import (
	"fmt"
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// unmodifiable are the parameters that no state lets be modified.
var unmodifiable = []dat.Param{
	dat.ParamIA, dat.ParamState, dat.ParamComm, dat.ParamLocalIAAddress, dat.ParamLocalPortQual,
	dat.ParamRemoteIAAddress, dat.ParamRemotePortQual, dat.ParamSRQ, dat.ParamSRQSoftHW,
}

// currentValues returns the values of an endpoint, by parameter that can be modified.
func currentValues(o *dat.Endpoint) dat.Values {
	values := dat.Values{}
	for _, p := range dat.Params() {
		if !slices.Contains(unmodifiable, p) {
			values[p] = o.Value(p)
		}
	}
	return values
}

// The state groups of dat_ep_modify, docs/rules/modify.md.
var (
	setupStates = []dat.EPState{dat.EPUnconnected, dat.EPReserved, dat.EPPassiveConnectionPending, dat.EPTentativeConnectionPending}
	pzStates    = []dat.EPState{dat.EPUnconnected, dat.EPTentativeConnectionPending}
	quietStates = []dat.EPState{dat.EPUnconnected}
)

// The parameters whose states are not setupStates, and those of rules of their own.
var (
	quietParams = []dat.Param{dat.ParamEPTransportSpecific, dat.ParamEPProviderSpecific}
	readParams  = []dat.Param{dat.ParamMaxRDMAReadIn, dat.ParamMaxRDMAReadOut, dat.ParamMaxRDMAReadIOV, dat.ParamMaxRDMAWriteIOV}
	requested   = []dat.Param{dat.ParamRecvEVD, dat.ParamMaxMessageSize, dat.ParamRequestCompletionFlags}
)

// modifiableIn reads the page, and not the matrix of package dat: it reports
// whether a parameter can be modified in a state.
func modifiableIn(p dat.Param, s dat.EPState) bool {
	switch {
	case p == dat.ParamPZ:
		return slices.Contains(pzStates, s)
	case slices.Contains(quietParams, p):
		return slices.Contains(quietStates, s)
	default:
		return slices.Contains(setupStates, s)
	}
}

// matrixRules are the rules about modifying a parameter in a state, and what each is about.
var matrixRules = []struct {
	rule  string
	about func(p dat.Param, s dat.EPState) bool
}{
	{"A1", func(p dat.Param, s dat.EPState) bool {
		return s == dat.EPPassiveConnectionPending && slices.Contains(requested, p)
	}},
	{"A3", func(_ dat.Param, s dat.EPState) bool { return s == dat.EPReserved }},
	{"A4", func(p dat.Param, _ dat.EPState) bool { return p == dat.ParamPZ }},
	{"A5", func(p dat.Param, _ dat.EPState) bool { return slices.Contains(quietParams, p) }},
	{"A20", func(p dat.Param, s dat.EPState) bool { return !modifiableIn(p, s) }},
	{"D4", func(_ dat.Param, s dat.EPState) bool { return s == dat.EPPassiveConnectionPending }},
	{"D6", func(p dat.Param, s dat.EPState) bool { return slices.Contains(readParams, p) && !modifiableIn(p, s) }},
}

// checkModifyMatrix asks for the present value of every parameter and demands what
// the page says of the state.
func (w *World) checkModifyMatrix(ep dat.Handle, s dat.EPState) {
	w.Helper()
	before := w.getEP(ep)
	for p, v := range currentValues(before) {
		var rules []string
		for _, r := range matrixRules {
			if r.about(p, s) {
				rules = append(rules, r.rule)
			}
		}
		w.provesIfClaimed(rules...)
		err := w.modify(ep, p, v)
		if modifiableIn(p, s) {
			w.check(err == nil, "%s in %s: %v", p, s, err)
		} else {
			w.refused(fmt.Sprintf("%s in %s", p, s), err, dat.RetInvalidState, dat.SubNone)
		}
	}
	w.provesIfClaimed("M5", "D7")
	for _, p := range unmodifiable {
		w.refused(fmt.Sprintf("%s in %s", p, s), w.modify(ep, p, nil), dat.RetInvalidParameter, dat.SubNone)
	}
	w.provesIfClaimed("M12")
	equal(w, "the version after equal values in "+s.String(), w.getEP(ep).Version, before.Version)
	w.provesIfClaimed("M12", "T42")
	equal(w, "the state after modify", w.status(ep).State, s)
}

// checkEmptyMask demands that a modify of nothing succeeds and records nothing.
func (w *World) checkEmptyMask(ep dat.Handle) {
	w.Helper()
	before := w.getEP(ep).Version
	o, err := w.M.ModifyEP(w.ctx, call, ep, manager.EPModify{})
	w.succeeds("modify of nothing", err)
	equal(w, "the version after modify of nothing in "+o.State.String(), o.Version, before)
}

var modifyCases = []Case{
	{"M5 M12 T42 A1 A3 A4 A5 A20 D4 D6 D7", "every parameter can be modified in the states of its group only", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			w.checkModifyMatrix(e.id, s)
		}
	}},
	{"M2", "an empty mask succeeds in every state and records nothing", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			w.checkEmptyMask(e.id)
		}
	}},
	{"M3 D7", "what is no parameter, or never one to modify, is refused before anything else", func(w *World) {
		e, _ := w.inState(dat.EPConnected)
		for _, p := range append(slices.Clone(unmodifiable), dat.Param(200)) {
			w.proves("M3", "D7")
			_, err := w.M.ModifyEP(w.ctx, call, e.id, manager.EPModify{Values: dat.Values{p: int64(1), dat.ParamMaxRecvDTOs: int64(-1)}})
			w.refused("parameter "+p.String(), err, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"M4", "one bad value changes nothing", func(w *World) {
		e := w.endpoint(w.A)
		before := w.getEP(e.id)
		_, err := w.M.ModifyEP(w.ctx, call, e.id, manager.EPModify{Values: dat.Values{
			dat.ParamMaxRequestDTOs: int64(3), dat.ParamPZ: dat.HandleNull, dat.ParamMaxRDMAReadIn: int64(-1),
		}})
		w.refused("a negative count", err, dat.RetInvalidParameter, dat.SubNone)
		after := w.getEP(e.id)
		equal(w, "max_request_dtos", after.Attributes.MaxRequestDTOs, before.Attributes.MaxRequestDTOs)
		equal(w, "the zone", after.PZ, before.PZ)
	}},
	{"A17 M5", "the state is refused before the value", func(w *World) {
		e, _ := w.inState(dat.EPConnected)
		w.proves("A17", "M5")
		w.refused("a bad count", w.modify(e.id, dat.ParamMaxRecvDTOs, int64(-1)), dat.RetInvalidState, dat.SubInvalidStateEPConnected)
	}},
	{"M12 D5", "every value that is taken is stored and shown, without an event", func(w *World) {
		e := w.endpoint(w.A)
		v := dat.Values{
			dat.ParamMaxMessageSize: int64(1024), dat.ParamMaxRDMASize: int64(2048), dat.ParamQOS: "BEST_EFFORT",
			dat.ParamMaxRecvDTOs: int64(3), dat.ParamMaxRequestDTOs: int64(5), dat.ParamMaxRecvIOV: int64(1), dat.ParamMaxRequestIOV: int64(1),
			dat.ParamMaxRDMAReadIn: int64(1), dat.ParamMaxRDMAReadOut: int64(1), dat.ParamMaxRDMAReadIOV: int64(1), dat.ParamMaxRDMAWriteIOV: int64(1),
			dat.ParamRecvCompletionFlags: "UNSIGNALLED", dat.ParamRequestCompletionFlags: "UNSIGNALLED",
			dat.ParamPZ: w.pz(w.A), dat.ParamConnectEVD: dat.HandleNull, dat.ParamEPTransportSpecific: map[string]*string{"retry_count": ptr("3")},
		}
		_, err := w.M.ModifyEP(w.ctx, call, e.id, manager.EPModify{Values: v})
		w.must(err)
		o := w.getEP(e.id)
		w.proves("D5")
		equal(w, "retry_count", o.Attributes.EPTransportSpecific["retry_count"], "3")
		delete(v, dat.ParamEPTransportSpecific)
		got := currentValues(o)
		for p, want := range v {
			w.check(got[p] == want, "%s is %v, asked for %v", p, got[p], want)
		}
		w.proves("M12")
		w.expectNoEvents(e.recv, e.request, e.conn)
	}},
	{"A15 M11", "named attributes merge by name: null removes, what is unknown or out of range is refused", func(w *World) {
		e := w.endpoint(w.A)
		name := dat.ParamEPTransportSpecific
		w.must(w.modify(e.id, name, map[string]*string{"retry_count": ptr("3"), "rnr_retry_count": ptr("2")}))
		w.must(w.modify(e.id, name, map[string]*string{"retry_count": nil, "ack_timeout": ptr("14")}))
		w.proves("A15", "M11")
		got := w.getEP(e.id).Attributes.EPTransportSpecific
		w.check(len(got) == 2 && got["rnr_retry_count"] == "2" && got["ack_timeout"] == "14", "the attributes are %v", got)
		w.proves("A15")
		for n, v := range map[string]string{"no_such_name": "1", "retry_count": "8", "rnr_retry_count": "7", "tos": "x"} {
			w.refused(n+"="+v, w.modify(e.id, name, map[string]*string{n: &v}), dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"M1 D8", "counts can be modified whatever the EVDs are", func(w *World) {
		o := w.createEP(manager.EPCreate{IA: w.A})
		w.proves("M1", "D8")
		w.succeeds("max_recv_dtos without a recv EVD", w.modify(o.ID, dat.ParamMaxRecvDTOs, int64(8)))
		w.succeeds("max_request_dtos without a request EVD", w.modify(o.ID, dat.ParamMaxRequestDTOs, int64(8)))
	}},
	{"A16 D9", "bad handles in the mask are DAT_INVALID_PARAMETER", func(w *World) {
		e := w.endpoint(w.A)
		for p, streams := range map[dat.Param][2][]dat.Stream{
			dat.ParamPZ:         {},
			dat.ParamRecvEVD:    {{dat.StreamDTO}, {dat.StreamConnection}},
			dat.ParamRequestEVD: {{dat.StreamDTO}, {dat.StreamCR}},
			dat.ParamConnectEVD: {{dat.StreamConnection}, {dat.StreamDTO}},
		} {
			bad, wrongStreams := []dat.Handle{w.freedHandle(w.A, streams[0]...), "no-such-thing", e.id}, []dat.Handle(nil)
			if streams[1] != nil {
				wrongStreams = []dat.Handle{w.evd(w.A, streams[1]...)}
				bad = append(bad, w.pz(w.A))
			}
			if w.A != w.B && streams[1] != nil {
				bad = append(bad, w.evd(w.B, streams[0]...))
			}
			w.proves("A16")
			for _, h := range bad {
				w.refused(fmt.Sprintf("%s %q", p, h), w.modify(e.id, p, h), dat.RetInvalidParameter, dat.SubNone)
			}
			w.proves("A16", "D9")
			for _, h := range wrongStreams {
				w.refused(p.String()+" of the wrong streams", w.modify(e.id, p, h), dat.RetInvalidParameter, dat.SubNone)
			}
		}
	}},
	{"A11 M8", "receive flags can be modified only while no receive is outstanding", func(w *World) {
		a, b := w.pair()
		a.postRecvs(1, 8)
		w.disconnectPair(a, b)
		w.takeCompletion(a.recv, dat.KindRecv, dat.DTOErrFlushed)
		w.reset(a.id)
		w.proves("A11")
		w.succeeds("after the receives were flushed", w.modify(a.id, dat.ParamRecvCompletionFlags, "SOLICITED_WAIT"))
		e := w.endpoint(w.A)
		e.postRecvs(1, 8)
		w.proves("A11", "M8")
		w.refused("with a receive posted", w.modify(e.id, dat.ParamRecvCompletionFlags, "UNSIGNALLED"), dat.RetInvalidState, dat.SubNone)
		w.check(!slices.Contains(w.M.Modifiable(e.id), dat.ParamRecvCompletionFlags.String()), "modifiable lists them all the same")
		w.proves("M8")
		w.succeeds("the request flags", w.modify(e.id, dat.ParamRequestCompletionFlags, "UNSIGNALLED"))
	}},
	{"M9", "max_recv_dtos cannot go below what is posted", func(w *World) {
		e := w.endpoint(w.A)
		e.postRecvs(3, 8)
		w.refused("two for three", w.modify(e.id, dat.ParamMaxRecvDTOs, int64(2)), dat.RetInvalidState, dat.SubNone)
		w.succeeds("three for three", w.modify(e.id, dat.ParamMaxRecvDTOs, int64(3)))
	}},
	{"M7", "receives posted in another zone fail with DAT_DTO_ERR_LOCAL_PROTECTION", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		b.postRecvs(1, 64)
		w.succeeds("another zone", w.modify(b.id, dat.ParamPZ, w.pz(w.B)))
		w.connectPair(a, b)
		a.postSend("to the old zone")
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOErrLocalProtection)
		w.expectState(b.id, dat.EPDisconnected)
		w.expectState(a.id, dat.EPDisconnected)
	}},
	{"M10", "completions of posted receives go to the EVD that is set now", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		b.postRecvs(1, 64)
		old := b.recv
		b.recv = w.evd(w.B, dat.StreamDTO)
		w.must(w.modify(b.id, dat.ParamRecvEVD, b.recv))
		w.connectPair(a, b)
		a.postSend("to the new EVD")
		w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
		w.expectNoEvents(old)
	}},
	{"M6", "the result of a modify must satisfy the flag rules of creation", func(w *World) {
		e := w.endpoint(w.A)
		w.must(w.modify(e.id, dat.ParamRequestEVD, e.recv))
		w.refused("two flags on one EVD", w.modify(e.id, dat.ParamRequestCompletionFlags, "UNSIGNALLED"), dat.RetInvalidParameter, dat.SubNone)
		_, err := w.M.ModifyEP(w.ctx, call, e.id, manager.EPModify{Values: dat.Values{
			dat.ParamRequestCompletionFlags: "UNSIGNALLED", dat.ParamRecvCompletionFlags: "UNSIGNALLED",
		}})
		w.succeeds("both flags together", err)
	}},
	{"C10", "a quality of service that the provider lacks is DAT_INVALID_PARAMETER to modify", func(w *World) {
		q := w.unsupportedQOS()
		if q == "" {
			w.cannotProve("the provider declares every quality of service")
			return
		}
		w.refused(q, w.modify(w.endpoint(w.A).id, dat.ParamQOS, q), dat.RetInvalidParameter, dat.SubNone)
	}},
	{"C11 C12 C13 C14 C15 C16 C17 D12", "modify keeps the limits of creation", func(w *World) {
		e := w.endpoint(w.A)
		for p, l := range limits(&w.facts(w.A).Attributes) {
			w.proves(l.rule)
			w.succeeds(fmt.Sprintf("%s %d", p, l.most), w.modify(e.id, p, l.most))
			w.refused(fmt.Sprintf("%s %d", p, l.most+1), w.modify(e.id, p, l.most+1), dat.RetInvalidParameter, dat.SubNone)
			w.proves("C17", "D12")
			w.refused(fmt.Sprintf("%s -1", p), w.modify(e.id, p, int64(-1)), dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"D2 D3 D43", "an endpoint that was modified connects, transfers, and can be modified again after a reset", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		w.proves("D2", "D3", "D43")
		for range 2 {
			for _, e := range []*endpoint{a, b} {
				e.recv, e.request = w.evd(e.ia, dat.StreamDTO), w.evd(e.ia, dat.StreamDTO)
				_, err := w.M.ModifyEP(w.ctx, call, e.id, manager.EPModify{Values: dat.Values{
					dat.ParamRecvEVD: e.recv, dat.ParamRequestEVD: e.request,
					dat.ParamMaxRecvDTOs: int64(4), dat.ParamMaxRequestDTOs: int64(4), dat.ParamMaxRecvIOV: int64(1), dat.ParamMaxRequestIOV: int64(1),
				}})
				w.succeeds("modify", err)
			}
			w.connectPair(a, b)
			w.expectTransfer(a, b, "hello")
			w.expectTransfer(b, a, "and back")
			w.disconnectPair(a, b)
			for _, e := range []*endpoint{a, b} {
				w.expectEvent(e.conn, dat.EventDisconnected)
				w.reset(e.id)
			}
		}
	}},
	{"D10", "a new zone is the zone of the connection", func(w *World) {
		a, b := w.endpoint(w.A), w.endpoint(w.B)
		zone := w.pz(w.B)
		w.must(w.modify(b.id, dat.ParamPZ, zone))
		w.connectPair(a, b)
		local, remote := w.lmr(w.A, a.pz, 16), w.lmr(w.B, zone, 16)
		a.postRDMA(dat.KindRDMAWrite, local, remote, 16)
		w.expectCompletion(a.request, dat.KindRDMAWrite, dat.DTOSuccess)
	}},
	{"T10 T12", "an endpoint that the provider created can be modified and then accepts", func(w *World) {
		peer := w.endpoint(w.A)
		p := w.listen(w.B, dat.PSPProvider)
		peer.connect(p)
		cr := p.nextRequest()
		w.proves("T10")
		_, err := w.M.AcceptCR(w.ctx, dryRun, cr.ID, manager.CRAccept{})
		w.refused("accepting without a zone", err, dat.RetInvalidState, dat.SubInvalidStateEPNotready)
		e := &endpoint{
			w: w, ia: w.B, id: cr.Endpoint, pz: w.pz(w.B), recv: w.evd(w.B, dat.StreamDTO),
			request: w.evd(w.B, dat.StreamDTO), conn: w.evd(w.B, dat.StreamConnection),
		}
		_, err = w.M.ModifyEP(w.ctx, call, e.id, manager.EPModify{Values: dat.Values{
			dat.ParamPZ: e.pz, dat.ParamRecvEVD: e.recv, dat.ParamRequestEVD: e.request, dat.ParamConnectEVD: e.conn,
		}})
		w.succeeds("modify", err)
		w.proves("T12")
		_, err = w.M.AcceptCR(w.ctx, call, cr.ID, manager.CRAccept{})
		w.succeeds("accept", err)
		w.expectEvent(e.conn, dat.EventEstablished)
		w.expectState(peer.id, dat.EPConnected)
		w.expectTransfer(peer, e, "hello")
	}},
}
