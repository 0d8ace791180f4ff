package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/manager"

	"github.com/datapi/datapi/internal/dat"
)

func TestAnEndpointLivesFromCreationToItsEnd(t *testing.T) {
	r := newRig(t)
	a, b := r.end(r.ia), r.end(r.peer)
	r.connect(a, b)
	e := r.reach(a.ep, dat.EPConnected)
	if e.Peer == nil || e.Peer.Endpoint != b.ep || e.RemoteIAAddress == nil || e.Transport.QPNum == nil {
		t.Errorf("peer %+v, transport %+v", e.Peer, e.Transport)
	}
	cookie := "hello"
	_, err := r.m.PostRecv(r.ctx(), by, b.ep, manager.RecvPost{Count: 1, Size: 64, Cookie: &cookie})
	r.must(err)
	_, err = r.m.PostSend(r.ctx(), by, a.ep, manager.SendPost{Data: []byte("ping"), Count: 1})
	r.must(err)
	got := r.expect(b.evd, dat.EventDTOCompletion)
	if string(got.Data.Payload) != "ping" || *got.Data.Cookie != cookie || *got.Data.TransferredLength != 4 {
		t.Errorf("completion %+v", got.Data)
	}
	r.expect(a.evd, dat.EventDTOCompletion)
	_, err = r.m.DisconnectEP(r.ctx(), by, a.ep, dat.CloseGraceful)
	r.must(err)
	r.expect(a.evd, dat.EventDisconnected)
	r.expect(b.evd, dat.EventDisconnected)
	r.reach(b.ep, dat.EPDisconnected)
	for _, end := range []end{a, b} {
		e := r.reach(end.ep, dat.EPDisconnected)
		if e.RemoteIAAddress != nil || e.Peer != nil || e.LastEvent == nil || e.LastEvent.Event != dat.EventDisconnected {
			t.Errorf("after the end: %+v", e)
		}
		_, err = r.m.ResetEP(r.ctx(), by, end.ep)
		r.must(err)
		if s := r.state(end.ep); s != dat.EPUnconnected {
			t.Errorf("after reset: %s", s)
		}
	}
	r.connect(a, b)
	r.must(r.m.FreeEP(r.ctx(), by, a.ep))
	r.expect(b.evd, dat.EventDisconnected)
	_, err = r.m.EPStatus(a.ep)
	r.refusal(err, dat.RetInvalidHandle)
	r.refusal(r.m.FreeEP(r.ctx(), by, a.ep), dat.RetInvalidHandle)
}
