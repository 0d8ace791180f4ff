package rdmatest

import (
	"fmt"
	"math"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

// freed is a handle that was a zone's or an EVD's.
func (w *World) freed(ia dat.Handle, streams ...dat.Stream) dat.Handle {
	w.Helper()
	if len(streams) == 0 {
		h := w.pz(ia)
		w.must(w.M.FreePZ(w.ctx, call, h))
		return h
	}
	h := w.evd(ia, streams...)
	w.must(w.M.FreeEVD(w.ctx, call, h))
	return h
}

// refusedCreate demands the refusal of an endpoint with the values.
func (w *World) refusedCreate(what string, v dat.Values, ret dat.Return, sub dat.Subtype) {
	w.Helper()
	before, _ := w.M.IA(w.A)
	_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: w.A, Values: v})
	w.refused(what, err, ret, sub)
	if after, _ := w.M.IA(w.A); after.Usage != before.Usage {
		w.Errorf("%s left something: %+v", what, after.Usage)
	}
}

// limited are the parameters with an upper limit of the adapter (C11–C16).
func limited(a *dat.IAAttributes) map[dat.Param]int64 {
	return map[dat.Param]int64{
		dat.ParamMaxMessageSize: a.MaxMessageSize, dat.ParamMaxRDMASize: a.MaxRDMASize,
		dat.ParamMaxRecvDTOs: int64(a.MaxDTOPerEP), dat.ParamMaxRequestDTOs: int64(a.MaxDTOPerEP),
		dat.ParamMaxRecvIOV: int64(a.MaxIOVSegmentsPerDTO), dat.ParamMaxRequestIOV: int64(a.MaxIOVSegmentsPerDTO),
		dat.ParamMaxRDMAReadIn: int64(a.MaxRDMAReadPerEPIn), dat.ParamMaxRDMAReadOut: int64(a.MaxRDMAReadPerEPOut),
		dat.ParamMaxRDMAReadIOV:  int64(a.MaxIOVSegmentsPerRDMARead),
		dat.ParamMaxRDMAWriteIOV: int64(a.MaxIOVSegmentsPerRDMAWrite),
	}
}

// unsupportedQOS is a quality that the provider does not declare, "" where it has all.
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

var creationCases = []Case{
	{"T1 S4", "a created endpoint is UNCONNECTED and idle", func(w *World) {
		e := w.end(w.A)
		o, s := w.get(e.ep), w.status(e.ep)
		if o.State != dat.EPUnconnected || s.State != dat.EPUnconnected || !s.RecvIdle || !s.RequestIdle || o.Version != 1 {
			w.Errorf("it is %s, %+v, version %d", o.State, s, o.Version)
		}
	}},
	{"D15 C1 C3", "null attributes and null EVDs make an endpoint that connects and transfers unseen", func(w *World) {
		null := func(e *end, in *manager.EPCreate) {
			in.Values = dat.Values{dat.ParamPZ: e.pz, dat.ParamConnectEVD: e.conn}
		}
		a, b := w.pair(null, null)
		b.recvs(1, 8)
		a.send("unseen")
		w.until("both completions", func() bool { return w.status(b.ep).Counters.Recvs == 1 && w.status(a.ep).RequestIdle })
		bare := w.ep(manager.EPCreate{IA: w.A})
		if bare.PZ != "" || bare.RecvEVD != "" || bare.RequestEVD != "" || bare.ConnectEVD != "" {
			w.Errorf("the handles are %q", bare.Refs())
		}
	}},
	{"C11 C12 C13 C14 C15 C16 C17 C19 D12", "every limit holds to the last number, and no count is negative", func(w *World) {
		for p, most := range limited(&w.facts(w.A).Attributes) {
			o := w.ep(manager.EPCreate{IA: w.A, Values: dat.Values{p: most}})
			w.must(w.M.FreeEP(w.ctx, call, o.ID))
			for _, n := range []int64{most + 1, -1, -5, math.MinInt64, math.MaxInt64} {
				w.refusedCreate(fmt.Sprintf("%s %d", p, n), dat.Values{p: n}, dat.RetInvalidParameter, dat.SubNone)
			}
			o = w.ep(manager.EPCreate{IA: w.A, Values: dat.Values{p: int64(0)}})
			w.must(w.M.FreeEP(w.ctx, call, o.ID))
		}
	}},
	{"C8 C9 D13 A9", "only completion flags that can be attributes are taken, and DEFAULT becomes EVD_THRESHOLD", func(w *World) {
		good := map[dat.Param]map[string]string{
			dat.ParamRecvCompletionFlags:    {"UNSIGNALLED": "UNSIGNALLED", "SOLICITED_WAIT": "SOLICITED_WAIT", "EVD_THRESHOLD": "EVD_THRESHOLD", "DEFAULT": "EVD_THRESHOLD"},
			dat.ParamRequestCompletionFlags: {"UNSIGNALLED": "UNSIGNALLED", "EVD_THRESHOLD": "EVD_THRESHOLD", "DEFAULT": "EVD_THRESHOLD"},
		}
		for p, allowed := range good {
			for f := dat.CompletionDefault; f <= dat.CompletionEVDThreshold; f++ {
				v := dat.Values{p: f.String()}
				want, ok := allowed[f.String()]
				if !ok {
					w.refusedCreate(p.String()+" "+f.String(), v, dat.RetInvalidParameter, dat.SubNone)
					continue
				}
				o := w.ep(manager.EPCreate{IA: w.A, Values: v})
				got := o.Attributes.RecvCompletionFlags
				if p == dat.ParamRequestCompletionFlags {
					got = o.Attributes.RequestCompletionFlags
				}
				if got.String() != want {
					w.Errorf("%s %s became %s", p, f, got)
				}
			}
			w.refusedCreate("a word that is none", dat.Values{p: "SOMETIMES"}, dat.RetInvalidParameter, dat.SubNone)
		}
	}},
	{"D14 A12", "UNSIGNALLED receives are allowed", func(w *World) {
		w.end(w.A, with(dat.ParamRecvCompletionFlags, "UNSIGNALLED"))
	}},
	{"C7", "no service type but RC exists", func(w *World) {
		w.refusedCreate("UD", dat.Values{dat.ParamServiceType: "UD"}, dat.RetInvalidParameter, dat.SubNone)
		w.ep(manager.EPCreate{IA: w.A, Values: dat.Values{dat.ParamServiceType: "RC"}})
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
			w.refusedCreate(p.String()+" freed", dat.Values{p: w.freed(w.A, c.streams...)}, dat.RetInvalidHandle, c.sub)
			w.refusedCreate(p.String()+" unknown", dat.Values{p: dat.Handle("no-such-thing")}, dat.RetInvalidHandle, c.sub)
			if c.wrong != nil {
				w.refusedCreate(p.String()+" of the wrong streams", dat.Values{p: w.evd(w.A, c.wrong...)}, dat.RetInvalidHandle, c.sub)
				w.refusedCreate(p.String()+" that is a zone", dat.Values{p: w.pz(w.A)}, dat.RetInvalidHandle, c.sub)
			}
			if w.A == w.B {
				continue
			}
			foreign := w.pz(w.B)
			if c.streams != nil {
				foreign = w.evd(w.B, c.streams...)
			}
			w.refusedCreate(p.String()+" of another adapter", dat.Values{p: foreign}, dat.RetInvalidHandle, c.sub)
		}
		_, err := w.M.CreateEP(w.ctx, call, manager.EPCreate{IA: "no-such-adapter@" + node})
		w.refused("an unknown adapter", err, dat.RetInvalidHandle, dat.SubInvalidHandleIA)
	}},
	{"C18 C20", "one EVD may serve all three streams, and read segments without reads are allowed", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO, dat.StreamConnection, dat.StreamRMRBind)
		w.ep(manager.EPCreate{IA: w.A, Values: dat.Values{
			dat.ParamRecvEVD: evd, dat.ParamRequestEVD: evd, dat.ParamConnectEVD: evd,
			dat.ParamMaxRDMAReadOut: int64(0), dat.ParamMaxRDMAReadIOV: int64(1),
		}})
	}},
	{"C2 C4 C5 C6", "zero counts are legal beside EVDs, and then nothing can be posted", func(w *World) {
		e := w.end(w.A, with(dat.ParamMaxRecvDTOs, int64(0)), with(dat.ParamMaxRequestDTOs, int64(0)),
			with(dat.ParamMaxRecvIOV, int64(0)), with(dat.ParamMaxRequestIOV, int64(0)))
		if _, err := w.M.PostRecv(w.ctx, call, e.ep, manager.RecvPost{Count: 1, Size: 8}); err == nil {
			w.Error("a receive was posted beyond max_recv_dtos 0")
		}
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
