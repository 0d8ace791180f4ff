package rdmatest

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// endpoint is an endpoint with a zone and an EVD for each of its streams.
type endpoint struct {
	w                           *World
	ia                          dat.Handle
	id, pz, recv, request, conn dat.Handle
}

// endpointChange alters what a case asks for when it creates an endpoint.
type endpointChange = func(*endpoint, *manager.EPCreate)

// endpoint creates an endpoint with its own zone and EVDs.
func (w *World) endpoint(ia dat.Handle, changes ...endpointChange) *endpoint {
	w.Helper()
	e := &endpoint{
		w: w, ia: ia, pz: w.pz(ia), recv: w.evd(ia, dat.StreamDTO),
		request: w.evd(ia, dat.StreamDTO, dat.StreamRMRBind), conn: w.evd(ia, dat.StreamConnection),
	}
	in := manager.EPCreate{IA: ia, Values: dat.Values{
		dat.ParamPZ: e.pz, dat.ParamRecvEVD: e.recv,
		dat.ParamRequestEVD: e.request, dat.ParamConnectEVD: e.conn,
	}}
	for _, change := range changes {
		change(e, &in)
	}
	e.id = w.createEP(in).ID
	return e
}

// withValue sets a parameter of the endpoint to be created.
func withValue(p dat.Param, v any) endpointChange {
	return func(_ *endpoint, in *manager.EPCreate) { in.Values[p] = v }
}

// createEP creates an endpoint with nothing but what is asked for.
func (w *World) createEP(in manager.EPCreate) *dat.Endpoint {
	w.Helper()
	o, err := w.M.CreateEP(w.ctx, call, in)
	return created(w, o, err)
}

// getEP returns the representation of an endpoint.
func (w *World) getEP(ep dat.Handle) *dat.Endpoint {
	w.Helper()
	return object[*dat.Endpoint](w, dat.TypeEndpoint, ep)
}

// status is dat_ep_get_status.
func (w *World) status(ep dat.Handle) dat.EPStatus {
	w.Helper()
	s, err := w.M.EPStatus(ep)
	w.must(err)
	return s
}

// modify is dat_ep_modify with one value.
func (w *World) modify(ep dat.Handle, p dat.Param, v any) error {
	_, err := w.M.ModifyEP(w.ctx, call, ep, manager.EPModify{Values: dat.Values{p: v}})
	return err
}

// reset is dat_ep_reset, which must succeed.
func (w *World) reset(ep dat.Handle) *dat.Endpoint {
	w.Helper()
	o, err := w.M.ResetEP(w.ctx, call, ep)
	return created(w, o, err)
}

// setMarks sets both watermarks; -1 is infinite.
func (w *World) setMarks(ep dat.Handle, soft, hard int64) *dat.Endpoint {
	w.Helper()
	o, err := w.M.SetWatermark(w.ctx, call, ep, wireMark(soft), wireMark(hard))
	return created(w, o, err)
}

// wireMark is a watermark as a call takes it: nil is infinite.
func wireMark(n int64) *int64 {
	if n == -1 {
		return nil
	}
	return &n
}

// awaitState waits until the endpoint is in the state, and its record too. It is
// no assertion: expectState is.
func (w *World) awaitState(ep dat.Handle, want dat.EPState) *dat.Endpoint {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, waitLimit)
	defer cancel()
	o, err := w.M.WaitEP(ctx, ep, func(s dat.EPState) bool { return s == want })
	if err != nil {
		w.Fatalf("waiting for %s: %v; the endpoint is %s", want, err, w.status(ep).State)
	}
	return o
}

// connect starts to connect e to the service point.
func (e *endpoint) connect(p *servicePoint) {
	e.w.Helper()
	_, err := e.w.M.ConnectEP(e.w.ctx, call, e.id, p.connectInput())
	e.w.must(err)
}

// pair creates two connected endpoints whose ESTABLISHED events are taken.
func (w *World) pair(changes ...endpointChange) (a, b *endpoint) {
	w.Helper()
	a, b = w.endpoint(w.A, changes...), w.endpoint(w.B, changes...)
	w.connectPair(a, b)
	return a, b
}

// connectPair connects two endpoints and takes their ESTABLISHED events.
func (w *World) connectPair(a, b *endpoint) {
	w.Helper()
	p := w.listen(b.ia, dat.PSPConsumer)
	a.connect(p)
	w.accept(p.nextRequest(), b)
	for _, e := range []*endpoint{a, b} {
		w.awaitState(e.id, dat.EPConnected)
		w.takeEvent(e.conn, dat.EventEstablished)
	}
	w.must(w.M.FreePSP(w.ctx, call, p.id))
}

// disconnect is dat_ep_disconnect, which must succeed.
func (e *endpoint) disconnect(how dat.CloseFlag) *dat.Endpoint {
	e.w.Helper()
	o, err := e.w.M.DisconnectEP(e.w.ctx, call, e.id, how)
	return created(e.w, o, err)
}

// disconnectPair disconnects e abruptly and waits until both endpoints are DISCONNECTED.
func (w *World) disconnectPair(e, peer *endpoint) {
	w.Helper()
	e.disconnect(dat.CloseAbrupt)
	w.awaitState(e.id, dat.EPDisconnected)
	w.awaitState(peer.id, dat.EPDisconnected)
}

// postRecvs posts n receives of size bytes.
func (e *endpoint) postRecvs(n int, size int64) {
	e.w.Helper()
	got, err := e.w.M.PostRecv(e.w.ctx, call, e.id, manager.RecvPost{Count: n, Size: size})
	e.w.must(err)
	if got.Posted != n || len(got.Cookies) != n {
		e.w.Fatalf("posted %+v, want %d", got, n)
	}
}

// postSend posts a message.
func (e *endpoint) postSend(text string, flags ...dat.CompletionFlag) {
	e.w.Helper()
	e.postSends(1, text, flags...)
}

// postSends posts a message n times in one posting.
func (e *endpoint) postSends(n int, text string, flags ...dat.CompletionFlag) {
	e.w.Helper()
	_, err := e.w.M.PostSend(e.w.ctx, call, e.id, manager.SendPost{Data: []byte(text), Count: n, Flags: flags})
	e.w.must(err)
}

// postRDMA posts an RDMA operation of n bytes between the starts of two regions.
func (e *endpoint) postRDMA(kind dat.DTOKind, local, remote *dat.LMR, n int64) {
	e.w.Helper()
	e.postRDMAAt(kind, local, remote.RMRContext, remote.TargetAddress, n)
}

// postRDMAAt posts an RDMA operation of n bytes on the memory that key and address name.
func (e *endpoint) postRDMAAt(kind dat.DTOKind, local *dat.LMR, key, address string, n int64) {
	e.w.Helper()
	_, err := e.w.M.PostRDMA(e.w.ctx, call, e.id, kind, manager.RDMAPost{LMR: local.ID, Length: n, RemoteContext: key, TargetAddress: address})
	e.w.must(err)
}

// expectTransfer sends a message from a to b and demands that it arrives and
// that both completions succeed.
func (w *World) expectTransfer(a, b *endpoint, text string) {
	w.Helper()
	b.postRecvs(1, 64)
	a.postSend(text)
	got := w.expectCompletion(b.recv, dat.KindRecv, dat.DTOSuccess)
	equal(w, "the message that arrived", string(got.Data.Payload), text)
	w.expectCompletion(a.request, dat.KindSend, dat.DTOSuccess)
}
