package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// attempt is an operation on one endpoint with all else right.
type attempt struct {
	in dat.Input
	do func(manager.Call) error
}

// operations are the operations of dat_ep_* on an endpoint, by the words of
// `operations`. What they need beside it is made once; accept and dup_connect
// need a living peer and are left out while the wires are held.
func (w *World) operations(ep dat.Handle) map[string]attempt {
	w.Helper()
	o := w.get(ep)
	p := w.listen(w.B, dat.PSPConsumer)
	cr := w.waiting(o.IA)
	memory := w.memory(o.IA, w.pz(o.IA), 16)
	if o.PZ != "" {
		memory = w.memory(o.IA, o.PZ, 16)
	}
	window := w.window(o.IA, memory.PZ)
	rdmaPost := manager.RDMAPost{LMR: memory.ID, Length: 8, RemoteContext: "0x1", TargetAddress: "4096"}
	disconnect := func(how dat.CloseFlag) func(manager.Call) error {
		return func(c manager.Call) error { _, err := w.M.DisconnectEP(w.ctx, c, ep, how); return err }
	}
	all := map[string]attempt{
		"connect":             {dat.OpConnect, func(c manager.Call) error { _, err := w.M.ConnectEP(w.ctx, c, ep, p.to()); return err }},
		"create_rsp":          {dat.OpCreateRSP, func(c manager.Call) error { return w.tryRSP(c, o.IA, ep) }},
		"disconnect":          {dat.OpDisconnectAbrupt, disconnect(dat.CloseAbrupt)},
		"disconnect graceful": {dat.OpDisconnectGraceful, disconnect(dat.CloseGraceful)},
		"reset":               {dat.OpReset, func(c manager.Call) error { _, err := w.M.ResetEP(w.ctx, c, ep); return err }},
		"free":                {dat.OpFree, func(c manager.Call) error { return w.M.FreeEP(w.ctx, c, ep) }},
		"set_watermark": {dat.OpSetWatermark, func(c manager.Call) error {
			_, err := w.M.SetWatermark(w.ctx, c, ep, nil, nil)
			return err
		}},
		"post_recv": {dat.OpPostRecv, func(c manager.Call) error {
			_, err := w.M.PostRecv(w.ctx, c, ep, manager.RecvPost{Count: 1, Size: 8})
			return err
		}},
		"post_send": {dat.OpPostSend, func(c manager.Call) error {
			_, err := w.M.PostSend(w.ctx, c, ep, manager.SendPost{Data: []byte("x"), Count: 1})
			return err
		}},
		"post_rdma_write": {dat.OpPostRDMAWrite, func(c manager.Call) error {
			_, err := w.M.PostRDMA(w.ctx, c, ep, dat.KindRDMAWrite, rdmaPost)
			return err
		}},
		"post_rdma_read": {dat.OpPostRDMARead, func(c manager.Call) error {
			_, err := w.M.PostRDMA(w.ctx, c, ep, dat.KindRDMARead, rdmaPost)
			return err
		}},
	}
	accept := func(id, endpoint dat.Handle) func(manager.Call) error {
		return func(c manager.Call) error {
			_, err := w.M.AcceptCR(w.ctx, c, id, manager.CRAccept{Endpoint: endpoint})
			return err
		}
	}
	if cr != nil {
		all["accept"] = attempt{dat.OpAccept, accept(cr.ID, ep)}
		dup := w.end(o.IA)
		w.join(dup, w.end(w.A))
		all["dup_connect"] = attempt{dat.OpDupConnect, func(c manager.Call) error {
			_, err := w.M.DupConnectEP(w.ctx, c, ep, manager.EPDupConnect{Endpoint: dup.ep})
			return err
		}}
	}
	for _, waits := range w.M.List(dat.TypeCR) {
		if waits.(*dat.CR).Endpoint == ep {
			all["accept own"] = attempt{dat.OpAcceptOwn, accept(waits.Head().ID, dat.HandleNull)}
		}
	}
	if window != nil {
		all["bind_rmr"] = attempt{dat.OpBindRMR, func(c manager.Call) error {
			_, err := w.M.BindRMR(w.ctx, c, ep, manager.BindPost{
				RMR: window.ID, LMR: memory.ID, Length: 8,
				Privileges: []dat.Privilege{dat.PrivRemoteRead},
			})
			return err
		}}
	}
	return all
}

// tryRSP asks for an RSP on a qualifier that is free.
func (w *World) tryRSP(c manager.Call, ia, ep dat.Handle) error {
	p := w.listen(ia, dat.PSPConsumer)
	w.must(w.M.FreePSP(w.ctx, call, p.id))
	_, err := w.M.CreateRSP(w.ctx, c, manager.RSPCreate{IA: ia, ConnQual: p.qual, Endpoint: ep, EVD: p.evd})
	return err
}

// waiting is a request that waits at an adapter, nil while the wires are held.
func (w *World) waiting(ia dat.Handle) *dat.CR {
	w.Helper()
	if w.held {
		return nil
	}
	from := w.A
	p := w.listen(ia, dat.PSPConsumer)
	w.end(from).connect(p)
	return p.request()
}
