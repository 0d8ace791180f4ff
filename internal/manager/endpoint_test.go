package manager_test

import (
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestAnEndpointConnectsTransfersDisconnectsAndConnectsAgain(t *testing.T) {
	node := newNode(t)
	a, b := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(a, b)
	e := node.waitForState(a.ep, dat.EPConnected)
	if e.Peer == nil || e.Peer.Endpoint != b.ep || e.RemoteIAAddress == nil || e.Transport.QPNum == nil {
		t.Errorf("peer %+v, transport %+v", e.Peer, e.Transport)
	}
	cookie := "hello"
	_, err := node.m.PostRecv(node.ctx(), testCall, b.ep, manager.RecvPost{Count: 1, Size: 64, Cookie: &cookie})
	node.must(err)
	_, err = node.m.PostSend(node.ctx(), testCall, a.ep, manager.SendPost{Data: []byte("ping"), Count: 1})
	node.must(err)
	got := node.expectEvent(b.evd, dat.EventDTOCompletion)
	if string(got.Data.Payload) != "ping" || *got.Data.Cookie != cookie || *got.Data.TransferredLength != 4 {
		t.Errorf("completion %+v", got.Data)
	}
	node.expectEvent(a.evd, dat.EventDTOCompletion)
	_, err = node.m.DisconnectEP(node.ctx(), testCall, a.ep, dat.CloseGraceful)
	node.must(err)
	node.expectEvent(a.evd, dat.EventDisconnected)
	node.expectEvent(b.evd, dat.EventDisconnected)
	node.waitForState(b.ep, dat.EPDisconnected)
	for _, end := range []testEP{a, b} {
		e := node.waitForState(end.ep, dat.EPDisconnected)
		if e.RemoteIAAddress != nil || e.Peer != nil || e.LastEvent == nil || e.LastEvent.Event != dat.EventDisconnected {
			t.Errorf("after the end: %+v", e)
		}
		_, err = node.m.ResetEP(node.ctx(), testCall, end.ep)
		node.must(err)
		if s := node.state(end.ep); s != dat.EPUnconnected {
			t.Errorf("after reset: %s", s)
		}
	}
	node.connect(a, b)
	node.must(node.m.FreeEP(node.ctx(), testCall, a.ep))
	node.expectEvent(b.evd, dat.EventDisconnected)
	_, err = node.m.EPStatus(a.ep)
	node.expectRefusal(err, dat.RetInvalidHandle)
	node.expectRefusal(node.m.FreeEP(node.ctx(), testCall, a.ep), dat.RetInvalidHandle)
}
