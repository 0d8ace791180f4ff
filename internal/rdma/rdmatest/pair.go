package rdmatest

import (
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// point is a service point with its EVD.
type point struct {
	w    *World
	ia   dat.Handle
	id   dat.Handle
	evd  dat.Handle
	qual int64
}

// listen makes a PSP on any qualifier.
func (w *World) listen(ia dat.Handle, creator dat.PSPFlag) *point {
	w.Helper()
	p := &point{w: w, ia: ia, evd: w.evd(ia, dat.StreamCR)}
	o, err := w.M.CreatePSP(w.ctx, call, manager.PSPCreate{IA: ia, EVD: p.evd, EPCreator: creator})
	o = made(w, o, err)
	p.id, p.qual = o.ID, int64(o.ConnQual)
	return p
}

// reserve makes an RSP for an endpoint, on a qualifier that was free a moment ago.
func (w *World) reserve(e *end) *point {
	w.Helper()
	probe := w.listen(e.ia, dat.PSPConsumer)
	w.must(w.M.FreePSP(w.ctx, call, probe.id))
	p := &point{w: w, ia: e.ia, evd: probe.evd, qual: probe.qual}
	o, err := w.M.CreateRSP(w.ctx, call, manager.RSPCreate{IA: e.ia, ConnQual: p.qual, Endpoint: e.ep, EVD: p.evd})
	p.id = made(w, o, err).ID
	return p
}

// to is where the point is reached.
func (p *point) to() manager.EPConnect {
	return manager.EPConnect{RemoteIAAddress: p.w.address(p.ia), RemotePortQual: p.qual}
}

// request waits for the next request at the point.
func (p *point) request() *dat.CR {
	p.w.Helper()
	got := p.w.expect(p.evd, dat.EventConnectionRequest)
	var o dat.Object
	p.w.until("the request of the event is recorded", func() (ok bool) {
		o, ok = p.w.M.Get(dat.TypeCR, got.Data.CR)
		return ok
	})
	return o.(*dat.CR)
}

// connect starts to connect e to the point.
func (e *end) connect(p *point) {
	e.w.Helper()
	_, err := e.w.M.ConnectEP(e.w.ctx, call, e.ep, p.to())
	e.w.must(err)
}

// accept accepts a request with e, or with the request's own endpoint where e is nil.
func (w *World) accept(cr *dat.CR, e *end) {
	w.Helper()
	in := manager.CRAccept{}
	if e != nil {
		in.Endpoint = e.ep
	}
	_, err := w.M.AcceptCR(w.ctx, call, cr.ID, in)
	w.must(err)
}

// pair makes two connected endpoints whose events are taken.
func (w *World) pair(change ...func(*end, *manager.EPCreate)) (a, b *end) {
	w.Helper()
	a, b = w.end(w.A, change...), w.end(w.B, change...)
	w.join(a, b)
	return a, b
}

// join connects two endpoints and takes their ESTABLISHED events.
func (w *World) join(a, b *end) {
	w.Helper()
	p := w.listen(b.ia, dat.PSPConsumer)
	a.connect(p)
	w.accept(p.request(), b)
	for _, e := range []*end{a, b} {
		w.reach(e.ep, dat.EPConnected)
		w.expect(e.conn, dat.EventEstablished)
	}
	w.must(w.M.FreePSP(w.ctx, call, p.id))
}

// recvs posts n receives of size bytes.
func (e *end) recvs(n int, size int64) {
	e.w.Helper()
	got, err := e.w.M.PostRecv(e.w.ctx, call, e.ep, manager.RecvPost{Count: n, Size: size})
	e.w.must(err)
	if got.Posted != n || len(got.Cookies) != n {
		e.w.Fatalf("posted %+v, want %d", got, n)
	}
}

// send posts a message.
func (e *end) send(text string, flags ...dat.CompletionFlag) {
	e.w.Helper()
	e.sends(1, text, flags...)
}

// sends posts a message n times in one posting.
func (e *end) sends(n int, text string, flags ...dat.CompletionFlag) {
	e.w.Helper()
	_, err := e.w.M.PostSend(e.w.ctx, call, e.ep, manager.SendPost{Data: []byte(text), Count: n, Flags: flags})
	e.w.must(err)
}

// pass sends a message from a to b and takes both completions.
func (w *World) pass(a, b *end, text string) {
	w.Helper()
	b.recvs(1, 64)
	a.send(text)
	got := w.done(b.recv, dat.KindRecv, dat.DTOSuccess)
	if string(got.Data.Payload) != text {
		w.Fatalf("%q arrived, %q was sent", got.Data.Payload, text)
	}
	w.done(a.request, dat.KindSend, dat.DTOSuccess)
}

// leave disconnects e abruptly and waits until both ends know.
func (w *World) leave(e, peer *end) {
	w.Helper()
	_, err := w.M.DisconnectEP(w.ctx, call, e.ep, dat.CloseAbrupt)
	w.must(err)
	w.reach(e.ep, dat.EPDisconnected)
	w.reach(peer.ep, dat.EPDisconnected)
}

// memory is an LMR of a zone with all privileges, or those given.
func (w *World) memory(ia, pz dat.Handle, length int64, privileges ...dat.Privilege) *dat.LMR {
	w.Helper()
	if privileges == nil {
		privileges = []dat.Privilege{dat.PrivLocalRead, dat.PrivLocalWrite, dat.PrivRemoteRead, dat.PrivRemoteWrite}
	}
	o, err := w.M.CreateLMR(w.ctx, manager.Call{Actor: "suite", Operator: true},
		manager.LMRCreate{IA: ia, PZ: pz, Length: length, Privileges: privileges})
	return made(w, o, err)
}
