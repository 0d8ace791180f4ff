package rdmatest

import (
	"fmt"
	"math"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// refusedCreate demands the refusal of an endpoint with the values.
func (w *World) refusedCreate(what string, v dat.Values, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	before, _ := w.M.IA(w.A)
	_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.A, Values: v})
	w.refused(what, err, ret, sub)
	after, _ := w.M.IA(w.A)
	equal(w, "the use after "+what, after.Usage, before.Usage)
}

// limit is the most that an adapter allows of a parameter, and the rule that says so.
type limit struct {
	most int64
	rule string
}

// limits returns the parameters with an upper limit of the adapter.
func limits(a *dat.IAAttributes) map[dat.Param]limit {
	return map[dat.Param]limit{
		dat.ParamMaxMessageSize: {a.MaxMessageSize, "C11"}, dat.ParamMaxRDMASize: {a.MaxRDMASize, "C12"},
		dat.ParamMaxRecvDTOs: {int64(a.MaxDTOPerEP), "C13"}, dat.ParamMaxRequestDTOs: {int64(a.MaxDTOPerEP), "C13"},
		dat.ParamMaxRecvIOV: {int64(a.MaxIOVSegmentsPerDTO), "C14"}, dat.ParamMaxRequestIOV: {int64(a.MaxIOVSegmentsPerDTO), "C14"},
		dat.ParamMaxRDMAReadIn:   {int64(a.MaxRDMAReadPerEPIn), "C15"},
		dat.ParamMaxRDMAReadOut:  {int64(a.MaxRDMAReadPerEPOut), "C15"},
		dat.ParamMaxRDMAReadIOV:  {int64(a.MaxIOVSegmentsPerRDMARead), "C16"},
		dat.ParamMaxRDMAWriteIOV: {int64(a.MaxIOVSegmentsPerRDMAWrite), "C16"},
	}
}

// expectCreated demands that an endpoint of the first adapter is created with the values.
func (w *World) expectCreated(what string, v dat.Values) *dat.Endpoint {
	w.Helper()
	o, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.A, Values: v})
	w.succeeds(what, err)
	return o
}

// unsupportedQOS returns a quality that the provider does not declare, "" where it has all.
func (w *World) unsupportedQOS() string {
	has := map[dat.QOS]bool{}
	for _, q := range w.facts(w.A).Provider.DATQOSSupported {
		has[q] = true
	}
	for q := dat.QOSBestEffort; q <= dat.QOSPremium; q++ {
		if !has[q] {
			return q.String()
		}
	}
	return ""
}

var createCases = []Case{
	{"T1 S4", "a created endpoint is UNCONNECTED and idle", func(w *World) {
		e := w.endpoint(w.A)
		o, s := w.getEP(e.id), w.status(e.id)
		w.proves("T1")
		w.check(o.State == dat.EPUnconnected && s.State == dat.EPUnconnected && o.Version == 1,
			"it is %s, its status %s, its version %d", o.State, s.State, o.Version)
		w.proves("S4")
		w.check(s.RecvIdle && s.RequestIdle, "its status is %+v", s)
	}},
	{"C1 C3 D15", "null attributes and null EVDs make an endpoint that connects and transfers unseen", func(w *World) {
		null := func(e *endpoint, in *manager.EPCreate) {
			in.Values = dat.Values{dat.ParamPZ: e.pz, dat.ParamConnectEVD: e.conn}
		}
		a, b := w.pair(null, null)
		b.postRecvs(1, 8)
		a.postSend("unseen")
		w.proves("C1")
		w.eventually("the receive completes", func() bool { return w.status(b.id).Counters.Recvs == 1 })
		w.proves("C3")
		w.eventually("the send completes", func() bool { return w.status(a.id).RequestIdle })
		w.proves("D15")
		bare := w.expectCreated("an endpoint of nothing", nil)
		w.check(bare.PZ == "" && bare.RecvEVD == "" && bare.RequestEVD == "" && bare.ConnectEVD == "", "the handles are %q", bare.Refs())
	}},
	{"C11 C12 C13 C14 C15 C16 C17 C19 D12", "every limit holds to the last number, and no count is negative", func(w *World) {
		for p, l := range limits(&w.facts(w.A).Attributes) {
			w.proves(l.rule)
			for _, n := range []int64{l.most, 0} {
				o := w.expectCreated(fmt.Sprintf("%s %d", p, n), dat.Values{p: n})
				w.must(w.M.FreeEP(w.ctx, call, o.ID))
			}
			w.proves(l.rule, "C19")
			for _, n := range []int64{l.most + 1, math.MaxInt64} {
				w.refusedCreate(fmt.Sprintf("%s %d", p, n), dat.Values{p: n}, dat.RetInvalidParameter, dat.SubNone)
			}
			w.proves("C17", "D12")
			for _, n := range []int64{-1, -5, math.MinInt64} {
				w.refusedCreate(fmt.Sprintf("%s %d", p, n), dat.Values{p: n}, dat.RetInvalidParameter, dat.SubNone)
			}
		}
	}},
	{"A9 C8 C9 D13", "only completion flags that can be attributes are taken, and DEFAULT becomes EVD_THRESHOLD", func(w *World) {
		for p, c := range map[dat.Param]struct {
			rules []string
			want  map[dat.CompletionFlag]dat.CompletionFlag
		}{
			dat.ParamRecvCompletionFlags: {[]string{"C8"}, map[dat.CompletionFlag]dat.CompletionFlag{
				dat.CompletionUnsignalled: dat.CompletionUnsignalled, dat.CompletionSolicitedWait: dat.CompletionSolicitedWait,
				dat.CompletionEVDThreshold: dat.CompletionEVDThreshold, dat.CompletionDefault: dat.CompletionEVDThreshold,
			}},
			dat.ParamRequestCompletionFlags: {[]string{"C9", "D13"}, map[dat.CompletionFlag]dat.CompletionFlag{
				dat.CompletionUnsignalled: dat.CompletionUnsignalled, dat.CompletionEVDThreshold: dat.CompletionEVDThreshold,
				dat.CompletionDefault: dat.CompletionEVDThreshold,
			}},
		} {
			for f := dat.CompletionDefault; f <= dat.CompletionEVDThreshold; f++ {
				v, what := dat.Values{p: f.String()}, p.String()+" "+f.String()
				w.proves(c.rules...)
				want, ok := c.want[f]
				if !ok {
					w.refusedCreate(what, v, dat.RetInvalidParameter, dat.SubNone)
					continue
				}
				if f == dat.CompletionDefault {
					w.proves("A9")
				}
				a := w.expectCreated(what, v).Attributes
				got := map[dat.Param]dat.CompletionFlag{
					dat.ParamRecvCompletionFlags: a.RecvCompletionFlags, dat.ParamRequestCompletionFlags: a.RequestCompletionFlags,
				}
				equal(w, what, got[p], want)
			}
			w.proves(c.rules...)
			w.refusedCreate("a word that is none", dat.Values{p: "SOMETIMES"}, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"A12 D14", "UNSIGNALLED receives are allowed", func(w *World) {
		e := w.endpoint(w.A, withValue(dat.ParamRecvCompletionFlags, "UNSIGNALLED"))
		w.proves("A12", "D14")
		equal(w, "recv_completion_flags", w.getEP(e.id).Attributes.RecvCompletionFlags, dat.CompletionUnsignalled)
	}},
	{"C7", "no service type but RC exists", func(w *World) {
		w.refusedCreate("UD", dat.Values{dat.ParamServiceType: "UD"}, dat.RetInvalidParameter, dat.SubNone)
		w.expectCreated("RC", dat.Values{dat.ParamServiceType: "RC"})
	}},
	{"C10", "a quality of service that the provider lacks is DAT_MODEL_NOT_SUPPORTED at creation", func(w *World) {
		if q := w.unsupportedQOS(); q != "" {
			w.refusedCreate(q, dat.Values{dat.ParamQOS: q}, dat.RetModelNotSupported, dat.SubNone)
		}
		w.refusedCreate("a word that is none", dat.Values{dat.ParamQOS: "FREE"}, dat.RetInvalidParameter, dat.SubNone)
	}},
	{"D33", "handles of another adapter, of another type, and freed ones are refused with their subtype", func(w *World) {
		for p, c := range map[dat.Param]struct {
			sub     dat.Subtype
			streams []dat.Stream
			wrong   []dat.Stream
		}{
			dat.ParamPZ:         {dat.SubInvalidHandlePZ, nil, nil},
			dat.ParamRecvEVD:    {dat.SubInvalidHandleEVDRecv, []dat.Stream{dat.StreamDTO}, []dat.Stream{dat.StreamConnection}},
			dat.ParamRequestEVD: {dat.SubInvalidHandleEVDRequest, []dat.Stream{dat.StreamDTO}, []dat.Stream{dat.StreamCR}},
			dat.ParamConnectEVD: {dat.SubInvalidHandleEVDConn, []dat.Stream{dat.StreamConnection}, []dat.Stream{dat.StreamDTO}},
		} {
			bad := map[string]dat.Handle{"freed": w.freedHandle(w.A, c.streams...), "unknown": "no-such-thing"}
			if c.wrong != nil {
				bad["of the wrong streams"], bad["that is a zone"] = w.evd(w.A, c.wrong...), w.pz(w.A)
			}
			if w.A != w.B && c.streams != nil {
				bad["of another adapter"] = w.evd(w.B, c.streams...)
			} else if w.A != w.B {
				bad["of another adapter"] = w.pz(w.B)
			}
			for what, h := range bad {
				w.refusedCreate(p.String()+" "+what, dat.Values{p: h}, dat.RetInvalidHandle, c.sub)
			}
		}
		_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: "no-such-adapter@" + node})
		w.refused("an unknown adapter", err, dat.RetInvalidHandle, dat.SubInvalidHandleIA)
	}},
	{"C18 C20", "one EVD may serve all three streams, and read segments without reads are allowed", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO, dat.StreamConnection, dat.StreamRMRBind)
		w.proves("C20")
		w.expectCreated("one EVD for all streams", dat.Values{dat.ParamRecvEVD: evd, dat.ParamRequestEVD: evd, dat.ParamConnectEVD: evd})
		w.proves("C18")
		w.expectCreated("read segments without reads", dat.Values{dat.ParamMaxRDMAReadOut: int64(0), dat.ParamMaxRDMAReadIOV: int64(1)})
	}},
	{"C2 C4 C5 C6", "zero counts are legal beside EVDs, and then nothing can be posted", func(w *World) {
		e := w.endpoint(w.A, withValue(dat.ParamMaxRecvDTOs, int64(0)), withValue(dat.ParamMaxRequestDTOs, int64(0)),
			withValue(dat.ParamMaxRecvIOV, int64(0)), withValue(dat.ParamMaxRequestIOV, int64(0)))
		a := w.getEP(e.id).Attributes
		w.proves("C2")
		equal(w, "max_recv_dtos", a.MaxRecvDTOs, 0)
		_, err := w.M.PostRecv(w.ctx, call, e.id, manager.RecvPost{Count: 1, Size: 8})
		w.check(err != nil, "a receive was posted beyond max_recv_dtos 0")
		w.proves("C4")
		equal(w, "max_request_dtos", a.MaxRequestDTOs, 0)
		w.proves("C5")
		equal(w, "max_recv_iov", a.MaxRecvIOV, 0)
		w.proves("C6")
		equal(w, "max_request_iov", a.MaxRequestIOV, 0)
	}},
	{"D11", "every refusal carries its return and a sentence", func(w *World) {
		_, err := w.M.EPStatus("none")
		w.refused("get_status", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		_, err = w.M.RecvQuery("none")
		w.refused("recv_query", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		_, err = w.M.ConnectEP(w.ctx, call, "none", manager.EPConnect{})
		w.refused("connect", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
		_, err = w.M.AcceptCR(w.ctx, call, "none", manager.CRAccept{})
		w.refused("accept", err, dat.RetInvalidHandle, dat.SubInvalidHandleCR)
		_, err = w.M.ModifyEP(w.ctx, call, "none", manager.EPModify{})
		w.refused("modify", err, dat.RetInvalidHandle, dat.SubInvalidHandleEP)
	}},
}
