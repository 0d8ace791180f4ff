package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

var freeCases = []Case{
	{"T2 T3", "an endpoint can be freed in every state but RESERVED, PASSIVE and TENTATIVE", func(w *World) {
		for _, s := range steadyStates {
			e, _ := w.inState(s)
			err := w.M.FreeEP(w.ctx, call, e.id)
			_, there := w.M.Get(dat.TypeEndpoint, e.id)
			if s == dat.EPReserved || s == dat.EPPassiveConnectionPending || s == dat.EPTentativeConnectionPending {
				w.proves("T3")
				w.refused("free in "+s.String(), err, dat.RetInvalidState, stateSubtypes[s])
				w.check(there, "refused in %s it is gone", s)
			} else {
				w.proves("T2")
				w.succeeds("free in "+s.String(), err)
				w.check(!there, "freed in %s it is still there", s)
			}
		}
	}},
	{"D36", "what others use cannot be freed, with the IN_USE subtype of its type", func(w *World) {
		a, b := w.pair()
		p := w.listen(w.B, dat.PSPConsumer)
		w.refused("the zone", w.M.FreePZ(w.ctx, call, a.pz), dat.RetInvalidState, dat.SubInvalidStatePZInUse)
		for _, evd := range []dat.Handle{a.recv, a.request, a.conn, p.evd, w.asyncEVD(w.A)} {
			w.refused("an EVD", w.M.FreeEVD(w.ctx, call, evd), dat.RetInvalidState, dat.SubInvalidStateEVDInUse)
		}
		l := w.lmr(w.B, b.pz, 64)
		_, err := w.M.CreateLMR(w.ctx, call, manager.LMRCreate{
			IA: w.B, PZ: b.pz, MemType: dat.MemLMR, LMR: l.ID, Length: 8,
			Privileges: []dat.Privilege{dat.PrivLocalRead},
		})
		if err == nil {
			w.refused("a region registered again", w.M.FreeLMR(w.ctx, call, l.ID), dat.RetInvalidState, dat.SubInvalidStateLMRInUse)
		}
		if w.hasSRQ() {
			_, _, q := w.pairOnSRQ(4)
			w.refused("an SRQ", w.M.FreeSRQ(w.ctx, call, q), dat.RetInvalidState, dat.SubInvalidStateSRQInUse)
		}
	}},
	{"D33", "a freed handle is DAT_INVALID_HANDLE from then on", func(w *World) {
		zone, evd := w.freedHandle(w.A), w.freedHandle(w.A, dat.StreamDTO)
		w.refused("a zone", w.M.FreePZ(w.ctx, call, zone), dat.RetInvalidHandle, dat.SubInvalidHandlePZ)
		w.refused("an EVD", w.M.FreeEVD(w.ctx, call, evd), dat.RetInvalidHandle, dat.SubNone)
		p := w.listen(w.A, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.refused("a PSP", w.M.FreePSP(w.ctx, call, p.id), dat.RetInvalidHandle, dat.SubInvalidHandlePSP)
	}},
	{"D16", "a bad handle is refused by every call of an EVD", func(w *World) {
		zone := w.pz(w.A)
		for _, h := range []dat.Handle{"none", zone, w.freedHandle(w.A, dat.StreamDTO)} {
			_, err := w.M.Dequeue(w.ctx, h, 1, 1, waitLimit)
			w.refused("wait", err, dat.RetInvalidHandle, dat.SubNone)
			_, err = w.M.Dequeue(w.ctx, h, 1, 1, 0)
			w.refused("dequeue", err, dat.RetInvalidHandle, dat.SubNone)
			_, err = w.M.Look(h, 1)
			w.refused("look", err, dat.RetInvalidHandle, dat.SubNone)
			w.refused("post_se", w.postSE(h, `1`), dat.RetInvalidHandle, dat.SubNone)
		}
	}},
	{"R11 T2", "a freed endpoint takes its streams from its EVDs", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO)
		o := w.createEP(manager.EPCreate{IA: w.A, Values: dat.Values{dat.ParamRecvEVD: evd, dat.ParamRecvCompletionFlags: "SOLICITED_WAIT"}})
		w.proves("R11")
		equal(w, "the mode", w.getEVD(evd).Mode, dat.ModeSolicited)
		w.proves("T2")
		w.succeeds("free", w.M.FreeEP(w.ctx, call, o.ID))
		w.proves("R11")
		equal(w, "the mode afterwards", w.getEVD(evd).Mode, dat.ModeNone)
		w.succeeds("freeing the EVD", w.M.FreeEVD(w.ctx, call, evd))
	}},
	{"T44", "closing the Manager ends connections, wakes waiters with DAT_ABORT and refuses writes", func(w *World) {
		a, b := w.pair()
		b.postRecvs(1, 8)
		woken := make(chan error, 1)
		go func() {
			_, err := w.M.Dequeue(w.ctx, a.recv, 1, 1, waitLimit)
			woken <- err
		}()
		w.awaitWaiter(a.recv)
		w.closed = true
		n, err := w.M.Close(w.ctx)
		w.succeeds("close", err)
		equal(w, "the connected endpoints that ended with it", n, 2)
		w.refused("the waiter", <-woken, dat.RetAbort, dat.SubNone)
		_, err = w.M.CreatePZ(w.ctx, call, manager.PZCreate{IA: w.A})
		w.refused("a write afterwards", err, dat.RetInterruptedCall, dat.SubNone)
	}},
}
