package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

var freeingCases = []Case{
	{"T2 T3", "an endpoint can be freed in every state but RESERVED, PASSIVE and TENTATIVE", func(w *World) {
		held := map[dat.EPState]dat.Subtype{
			dat.EPReserved:                   dat.SubInvalidStateEPReserved,
			dat.EPPassiveConnectionPending:   dat.SubInvalidStateEPPassconnpending,
			dat.EPTentativeConnectionPending: dat.SubInvalidStateEPTentconnpending,
		}
		for _, s := range steady {
			e, _ := w.into(s)
			err := w.M.FreeEP(w.ctx, call, e.ep)
			if sub, ok := held[s]; ok {
				w.refused("free in "+s.String(), err, dat.RetInvalidState, sub)
				continue
			}
			w.must(err)
			if _, ok := w.M.Get(dat.TypeEndpoint, e.ep); ok {
				w.Errorf("freed in %s it is still there", s)
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
		l := w.memory(w.B, b.pz, 64)
		part, err := w.M.CreateLMR(w.ctx, call, manager.LMRCreate{
			IA: w.B, PZ: b.pz, MemType: dat.MemLMR, LMR: l.ID, Length: 8,
			Privileges: []dat.Privilege{dat.PrivLocalRead},
		})
		if err == nil {
			made(w, part, err)
			w.refused("a region registered again", w.M.FreeLMR(w.ctx, call, l.ID), dat.RetInvalidState, dat.SubInvalidStateLMRInUse)
		}
		if !w.facts(w.B).Provider.SRQSupported {
			return
		}
		_, _, q := w.shared(4)
		w.refused("an SRQ", w.M.FreeSRQ(w.ctx, call, q), dat.RetInvalidState, dat.SubInvalidStateSRQInUse)
	}},
	{"D33", "a freed handle is DAT_INVALID_HANDLE from then on", func(w *World) {
		zone, evd := w.freed(w.A), w.freed(w.A, dat.StreamDTO)
		w.refused("a zone", w.M.FreePZ(w.ctx, call, zone), dat.RetInvalidHandle, dat.SubInvalidHandlePZ)
		w.refused("an EVD", w.M.FreeEVD(w.ctx, call, evd), dat.RetInvalidHandle, dat.SubNone)
		p := w.listen(w.A, dat.PSPConsumer)
		w.must(w.M.FreePSP(w.ctx, call, p.id))
		w.refused("a PSP", w.M.FreePSP(w.ctx, call, p.id), dat.RetInvalidHandle, dat.SubInvalidHandlePSP)
	}},
	{"D16", "a bad handle is refused by every call of an EVD", func(w *World) {
		zone := w.pz(w.A)
		for _, h := range []dat.Handle{"none", zone, w.freed(w.A, dat.StreamDTO)} {
			_, err := w.M.Dequeue(w.ctx, h, 1, 1, patience)
			w.refused("wait", err, dat.RetInvalidHandle, dat.SubNone)
			_, err = w.M.Dequeue(w.ctx, h, 1, 1, 0)
			w.refused("dequeue", err, dat.RetInvalidHandle, dat.SubNone)
			_, err = w.M.Look(h, 1)
			w.refused("look", err, dat.RetInvalidHandle, dat.SubNone)
			_, err = w.M.PostSE(w.ctx, call, h, nil)
			w.refused("post_se", err, dat.RetInvalidHandle, dat.SubNone)
		}
	}},
	{"R11 T2", "a freed endpoint takes its streams from its EVDs", func(w *World) {
		evd := w.evd(w.A, dat.StreamDTO)
		o := w.ep(manager.EPCreate{IA: w.A, Values: dat.Values{dat.ParamRecvEVD: evd, dat.ParamRecvCompletionFlags: "SOLICITED_WAIT"}})
		if got := w.mode(evd); got != dat.ModeSolicited {
			w.Errorf("the mode is %s", got)
		}
		w.must(w.M.FreeEP(w.ctx, call, o.ID))
		if got := w.mode(evd); got != dat.ModeNone {
			w.Errorf("afterwards the mode is %s", got)
		}
		w.must(w.M.FreeEVD(w.ctx, call, evd))
	}},
	{"T44", "closing the Manager ends connections, wakes waiters with DAT_ABORT and refuses writes", func(w *World) {
		a, b := w.pair()
		b.recvs(1, 8)
		woken := make(chan error, 1)
		go func() {
			_, err := w.M.Dequeue(w.ctx, a.recv, 1, 1, patience)
			woken <- err
		}()
		w.until("the waiter waits", func() bool {
			_, err := w.M.Dequeue(w.ctx, a.recv, 1, 1, 0)
			return isReturn(err, dat.RetInvalidState)
		})
		w.closed = true
		n, err := w.M.Close(w.ctx)
		w.must(err)
		if n != 2 {
			w.Errorf("%d connected endpoints ended with it", n)
		}
		w.refused("the waiter", <-woken, dat.RetAbort, dat.SubNone)
		_, err = w.M.CreatePZ(w.ctx, call, manager.PZCreate{IA: w.A})
		w.refused("a write afterwards", err, dat.RetInterruptedCall, dat.SubNone)
	}},
}
